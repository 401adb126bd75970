"""How llama.cpp reads text that is not UTF-8, so that later stages can rely on well-formed text.

A byte that begins no complete character becomes U+FFFD by itself.  Overlong forms are accepted and shortened;
surrogates are unchanged.  Values above U+10FFFF, which crash llama.cpp, are four broken bytes here.
Native version: native/utf8.h.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.normalized import NormalizedBuilder, NormalizedText
from guiapp.native import normalized as native

REPLACEMENT = 0xFFFD
LAST_CODE = 0x10FFFF
SURROGATES = re.compile(rb"\xed[\xa0-\xbf][\x80-\xbf]")


def repair(text: NDArray[np.uint8]) -> NormalizedText | None:
    """The text as llama.cpp reads it; None if the bytes are the same."""
    repaired = native.repair(text)
    return None if repaired is None else NormalizedText(*repaired)


def repair_readable(text: bytes) -> NormalizedText | None:
    """The same as `repair`, step by step."""
    builder = NormalizedBuilder()
    for start, end, code in characters(text):
        builder.append(encode(code), start, end)
    repaired = builder.build()
    return None if repaired.data.tobytes() == text else repaired


def well_formed(text: NDArray[np.uint8]) -> tuple[bytes, NormalizedText | None]:
    """Valid UTF-8, with U+FFFD for surrogates, too; and how it came from the text, if it changed."""
    repaired = repair(text)
    data: bytes = (text if repaired is None else repaired.data).tobytes()
    return SURROGATES.sub(encode(REPLACEMENT), data), repaired


def characters(text: bytes) -> Iterator[tuple[int, int, int]]:
    """Start, end and code point of each character, as llama.cpp decodes them."""
    at = 0
    while at < len(text):
        length = character_length(text, at)
        code = code_of(text[at : at + length], length) if length else REPLACEMENT
        if length == 0 or code > LAST_CODE:
            length, code = 1, REPLACEMENT
        yield at, at + length, code
        at += length


def code_of(beginning: bytes, length: int) -> int:
    """The code point of the bytes of a character of this length; nothing is checked."""
    code = beginning[0] if length == 1 else beginning[0] & (0x7F >> length)
    for byte in beginning[1:]:
        code = code << 6 | byte & 0x3F
    return code


def encode(code: int) -> bytes:
    """One code point in UTF-8; also surrogates."""
    return chr(code).encode("utf-8", "surrogatepass")


def character_length(text: bytes, at: int) -> int:
    """The length of the character at a position, whatever its value; 0 if it is not complete."""
    lead = text[at]
    if lead < 0x80:
        return 1
    if lead < 0xC0 or lead >= 0xF8:
        return 0
    length = 2 + (lead >= 0xE0) + (lead >= 0xF0)
    following = text[at + 1 : at + length]
    is_whole = len(following) == length - 1 and all(byte & 0xC0 == 0x80 for byte in following)
    return length if is_whole else 0


def is_text(data: bytes) -> bool:
    """Whether some bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
