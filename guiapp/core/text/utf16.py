"""Text in UTF-16, as some programs on Windows write it: recognised by its first bytes, converted to UTF-8.

Tokenizers read UTF-8.  To them, the bytes of UTF-16 are another text: a NUL next to each Latin letter.
"""

from __future__ import annotations

MARK = "\ufeff"
LITTLE, BIG = "utf-16-le", "utf-16-be"
MARKS = ((b"\xff\xfe\x00\x00", None), (b"\xff\xfe", LITTLE), (b"\xfe\xff", BIG))  # the first: UTF-32
TELLING_BYTES = 1 << 12  # of the beginning
FEWEST_UNITS = 4  # without a mark, fewer are not evidence
FEWEST_NULS = 0.5  # of the units: Latin letters, digits, spaces
MOST_OTHERS = 0.125  # relative to the NULs: U+0100 and the like; in UTF-32 there are half as many


def utf16_codec(beginning: bytes) -> str | None:
    """`utf-16-le` or `utf-16-be` if a text has its mark or NULs at every other byte, else None."""
    for mark, codec in MARKS:
        if beginning.startswith(mark):
            return codec
    head = beginning[:TELLING_BYTES]
    n_even, n_odd, n_units = head[::2].count(0), head[1::2].count(0), len(head) // 2
    few, many = sorted((n_even, n_odd))
    if n_units < FEWEST_UNITS or many < FEWEST_NULS * n_units or few > MOST_OTHERS * many:
        return None
    return LITTLE if n_odd > n_even else BIG


def utf8_from(text: bytes, codec: str) -> bytes:
    """The same text in UTF-8, without the mark; U+FFFD for halves of characters."""
    return text.decode(codec, "replace").removeprefix(MARK).encode()


def as_utf8(text: bytes) -> bytes:
    """The same text in UTF-8, whether it is in UTF-16 or UTF-8."""
    codec = utf16_codec(text)
    return text if codec is None else utf8_from(text, codec)
