"""`python -m guiapp`, the same as the console script `tokenloupe`."""

from __future__ import annotations

import os
import sys


def main() -> int:
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # else numpy starts threads, for nothing that we do
    from guiapp.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
