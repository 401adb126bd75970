"""Where characters begin in bytes that may hold anything.

Each byte that is no part of valid UTF-8 counts as a character of its own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

LONGEST_CHARACTER = 4


def decode(data: bytes) -> str:
    """Text with U+DC80 + n for each invalid byte 0x80 + n; `encode` gives the same bytes again."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def code_points(text: str) -> NDArray[np.uint32]:
    """Of each character of a text, whether it may be in one or not."""
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)


def sizes_in_bytes(points: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How many bytes `encode` makes of each character."""
    sizes = 1 + (points >= 0x80).astype(np.int64) + (points >= 0x800) + (points >= 0x10000)
    sizes[(points >= 0xDC80) & (points <= 0xDCFF)] = 1
    return sizes


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
