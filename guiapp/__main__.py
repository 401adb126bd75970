"""`python -m guiapp`, the same as the console script `tokenloupe`."""

from __future__ import annotations

import sys


def main() -> int:
    from guiapp.cli import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
