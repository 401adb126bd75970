"""Text as llama.cpp decodes it, written as UTF-8 again; readable twin in core/text/utf8.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.eight_bytes import HIGH_BITS, first_set_byte, load_eight

REPLACEMENT = 0xFFFD

# In a word of eight bytes: what marks two characters of three bytes, and the codes in their first bytes.
TWO_LEADS, TWO_CHARACTERS = np.uint64(0x0000C0C0F0C0C0F0), np.uint64(0x00008080E08080E0)
FIRST_CODE, SECOND_CODE = np.uint64(0x0F), np.uint64(0x0F000000)


@routine
def encoded_length(code: int) -> int:
    """How many bytes the shortest form of a code point takes."""
    return 1 + int(code >= 0x80) + int(code >= 0x800) + int(code >= 0x10000)


@borrowing
def code_at(data: NDArray[np.uint8], at: int) -> int:
    """The code point that begins at `at`, in text that `repair` leaves alone."""
    lead = int(data[at])
    if lead < 0x80:
        return lead
    if lead < 0xE0:
        return (lead & 0x1F) << 6 | (int(data[at + 1]) & 0x3F)
    middle = int(data[at + 1]) & 0x3F
    if lead < 0xF0:
        return (lead & 0x0F) << 12 | middle << 6 | (int(data[at + 2]) & 0x3F)
    return (lead & 0x07) << 18 | middle << 12 | (int(data[at + 2]) & 0x3F) << 6 | (int(data[at + 3]) & 0x3F)


@routine
def _decode(text: NDArray[np.uint8], at: int) -> int:
    """The code point at `at` times 8, plus the number of bytes that it takes; one byte where it is broken."""
    lead = int(text[at])
    if lead < 0x80:
        return lead * 8 + 1
    length = 2 + int(lead >= 0xE0) + int(lead >= 0xF0)
    if lead < 0xC0 or lead >= 0xF8 or at + length > len(text):
        return REPLACEMENT * 8 + 1
    code = lead & (0x7F >> length)
    for offset in range(1, length):
        following = int(text[at + offset])
        if following & 0xC0 != 0x80:
            return REPLACEMENT * 8 + 1
        code = code << 6 | (following & 0x3F)
    if code > 0x10FFFF:
        return REPLACEMENT * 8 + 1
    return code * 8 + length


@kernel
def plain_prefix(text: NDArray[np.uint8]) -> int:
    """How far the text is well-formed, surrogates allowed: len(text) if there is nothing to repair."""
    at, size = 0, len(text)
    while at < size:
        if text[at] < 0x80:
            at += 1
            while at + 8 <= size:
                marks = load_eight(text, at) & HIGH_BITS
                if marks != np.uint64(0):
                    at += first_set_byte(marks)
                    break
                at += 8
            continue
        while at + 8 <= size:  # two characters at a time of what most Asian text consists of
            word = load_eight(text, at)
            if word & TWO_LEADS != TWO_CHARACTERS or not (word & FIRST_CODE and word & SECOND_CODE):
                break
            at += 6
        while at + 3 <= size and text[at] > 0xE0 and text[at] < 0xF0:
            if (text[at + 1] & 0xC0) != 0x80 or (text[at + 2] & 0xC0) != 0x80:
                return at
            at += 3
        if at == size or text[at] < 0x80:
            continue
        decoded = _decode(text, at)
        if decoded & 7 != encoded_length(decoded >> 3):
            return at
        at += decoded & 7
    return size


@kernel
def repair(
    text: NDArray[np.uint8], data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> int:
    """Write the decoded text as UTF-8 in shortest form, and for each byte where it came from.

    The arrays need room for three times the text.  Returns how much of them is used.
    """
    at, size = 0, 0
    while at < len(text):
        decoded = _decode(text, at)
        code, n_source = decoded >> 3, decoded & 7
        n_output = encoded_length(code)
        for k in range(n_output):
            starts[size + k] = at + min(k, n_source)
            ends[size + k] = at + min(k + 1, n_source)
        ends[size + n_output - 1] = at + n_source
        for k in range(n_output - 1, 0, -1):
            data[size + k] = 0x80 | (code & 0x3F)
            code >>= 6
        data[size] = code if n_output == 1 else code | (0xF00 >> n_output) & 0xFF
        size += n_output
        at += n_source
    return size
