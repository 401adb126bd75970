"""The names of session files and of the pages in them, in a small module for a fast start."""

from __future__ import annotations

from pathlib import Path

ENDING = ".session"
PAGES = (
    *("inspect", "compare", "compare_texts", "compare_vocabularies", "compare_languages", "hunt"),
    *("chat", "data", "vocabulary", "special_tokens", "doctor"),
    *("tree", "steps", "bench"),
)
ALIASES = {"text": "inspect"}
"""Other names of pages, in sessions and for `screenshot`."""


def is_session(path: Path) -> bool:
    """Whether a file is meant to be a session, usable or not."""
    return path.suffix.lower() == ENDING
