"""Glances at many files in a process of their own, which a broken file can neither hold up nor fill."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from guiapp.core.formats.glance import Glance, glance
from guiapp.core.system.processes import ApartError, answer_of, limit_memory

LONGEST_S = 120.0


def glances_apart(paths: Sequence[Path], progress: Callable[[float], None]) -> list[Glance]:
    """One for each file; where that process fails, nothing is known of any of them."""
    try:
        answer = answer_of(__name__, json.dumps([str(path) for path in paths]).encode(), progress, LONGEST_S)
    except (ApartError, TimeoutError):
        return [Glance("")] * len(paths)
    return [Glance(*row) for row in json.loads(answer)]


def main() -> None:
    request = sys.stdin.buffer.read()
    limit_memory(request)
    print(json.dumps([glance(Path(path)) for path in json.loads(request)]))


if __name__ == "__main__":
    main()
