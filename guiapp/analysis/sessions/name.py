"""What session files are called, and the pages that they can be about: all that is needed at the start."""

from __future__ import annotations

from pathlib import Path

ENDING = ".session"
PAGES = (
    *("inspect", "compare", "compare_texts", "compare_vocabularies", "compare_languages", "hunt"),
    *("chat", "data", "vocabulary", "special_tokens", "doctor"),
    *("tree", "steps", "bench"),
)
ALIASES = {"text": "inspect"}
"""What pages are called as well, in sessions and for `screenshot`."""


def is_session(path: Path) -> bool:
    """Whether a file is meant to be a session, be it one that can be used or not."""
    return path.suffix.lower() == ENDING
