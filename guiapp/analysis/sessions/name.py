"""What session files are called; known at the start of the program, which has no time for more."""

from __future__ import annotations

from pathlib import Path

ENDING = ".session"


def is_session(path: Path) -> bool:
    """Whether a file is meant to be a session, be it one that can be used or not."""
    return path.suffix.lower() == ENDING
