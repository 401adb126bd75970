"""Spaces as U+2581, as SPM and some BPE vocabularies write them.

Text is not rewritten where that can be avoided: a space byte then stands for U+2581 itself.  It cannot be
avoided where the text holds U+2581 as such, or a broken character that would swallow a part of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.eight_bytes import HIGH_BITS, first_set_byte, load_eight

SPACE = 0x20


@kernel
def can_stay(text: NDArray[np.uint8]) -> bool:
    """Whether each space may stand for U+2581 in this text, or in each of the texts that it consists of."""
    at, size = 0, len(text)
    while at < size:
        lead = text[at]
        if lead < 0xC0:
            at += 1
            while at + 8 <= size:
                marks = load_eight(text, at) & HIGH_BITS
                if marks != np.uint64(0):
                    at += first_set_byte(marks)
                    break
                at += 8
            continue
        length = 2 + int(lead >= 0xE0) + int(lead >= 0xF0)
        for following in range(at + 1, min(at + length, size)):
            if text[following] == SPACE:
                return False
            if text[following] >= 0xC0:  # one of several texts may begin here
                length = min(length, following - at)
        if lead == 0xE2 and at + 2 < size and text[at + 1] == 0x96 and text[at + 2] == 0x81:
            return False
        at += length
    return True


@kernel
def mark(
    text: NDArray[np.uint8], data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> None:
    """Write the text with U+2581 for each space, and for each byte where it came from."""
    size = 0
    for at in range(len(text)):
        starts[size] = at
        ends[size] = at + 1
        if text[at] != SPACE:
            data[size] = text[at]
            size += 1
            continue
        data[size] = 0xE2
        data[size + 1] = 0x96
        data[size + 2] = 0x81
        for following in range(size + 1, size + 3):
            starts[following] = at + 1
            ends[following] = at + 1
        size += 3
