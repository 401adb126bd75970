"""Where characters begin in bytes that may hold anything.

Each byte that is no part of valid UTF-8 counts as a character of its own.
"""

from __future__ import annotations

LONGEST_CHARACTER = 4


def decode(data: bytes) -> str:
    """Text with U+DC80 + n for each invalid byte 0x80 + n; `encode` gives the same bytes again."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def character_start(data: bytes, offset: int) -> int:
    """The first byte of the character that holds data[offset]; `offset` itself at the end of the data."""
    if offset >= len(data) or data[offset] & 0xC0 != 0x80:
        return offset
    for start in range(offset - 1, max(offset - LONGEST_CHARACTER, -1), -1):
        if data[start] & 0xC0 == 0x80:
            continue
        character = decode(data[start : start + LONGEST_CHARACTER])[0]
        return start if start + len(encode(character)) > offset else offset
    return offset
