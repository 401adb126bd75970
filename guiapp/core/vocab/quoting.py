"""Texts from strangers' files as they may be shown in a sentence: one line, no control characters."""

from __future__ import annotations


def quoted(text: str | bytes, longest: int = 60) -> str:
    """`text` with everything unprintable escaped (also what turns writing direction), cut if long."""
    if isinstance(text, str):
        text = text.encode("utf-8", "surrogateescape")
    readable = text[: 4 * longest].decode("utf-8", "backslashreplace")
    escaped = "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode()
        for character in readable
    )
    return escaped if len(escaped) <= longest else escaped[: longest - 1] + "…"
