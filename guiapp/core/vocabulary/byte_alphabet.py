"""How vocabularies write the 256 bytes: GPT-2's printable stand-ins, in both directions, and names.

Byte-level vocabularies write every byte as one printable character: bytes that are printable in Latin-1
stand for themselves; the other 68, in ascending order, are U+0100, U+0101 and so on.
"""

from __future__ import annotations

import numpy as np

PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
UNPRINTABLE = tuple(byte for byte in range(256) if byte not in PRINTABLE)

CHARACTER_OF_BYTE = tuple(
    chr(byte) if byte in PRINTABLE else chr(0x100 + UNPRINTABLE.index(byte)) for byte in range(256)
)
NAMES = tuple(b"<0x%02X>" % byte for byte in range(256))  # as in SentencePiece's vocabularies
BYTE_OF_CHARACTER = {character: byte for byte, character in enumerate(CHARACTER_OF_BYTE)}

# The same as arrays: code point of each byte; byte of each code point below 0x144, -1 for none.
CODE_POINTS = np.array([ord(character) for character in CHARACTER_OF_BYTE], np.int32)
BYTES = np.full(0x100 + len(UNPRINTABLE), -1, np.int32)
BYTES[CODE_POINTS] = np.arange(256)


def spell(data: bytes) -> str:
    """The spelling of these bytes in a byte-level vocabulary: `b" the"` is `"Ġthe"`."""
    return "".join(CHARACTER_OF_BYTE[byte] for byte in data)


def unspell(text: str) -> bytes:
    """The bytes of a text of stand-ins; raises KeyError for any other character."""
    return bytes(BYTE_OF_CHARACTER[character] for character in text)
