"""The characters that a PLaMo 2 vocabulary sees, compiled; readable twin: text/normalizers.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.normalize_unigram import character_length
from guiapp.core.kernels.normalize_wordpiece import REPLACEMENT, write_character
from guiapp.core.kernels.utf8 import map_stretch

BYTE_ORDER_MARK = 0xFEFF


@kernel
def normalize(
    text: NDArray[np.uint8], data: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> int:
    """Write characters in their shortest form, U+FFFD for a broken byte; the size, up to 3 for each byte."""
    at, size = 0, 0
    while at < len(text):
        length = character_length(text, at)
        code = REPLACEMENT
        if length == 0:
            length = 1
        elif length == 1:
            code = int(text[at])
        else:
            code = int(text[at]) & (0x7F >> length)
            for k in range(1, length):
                code = code << 6 | (int(text[at + k]) & 0x3F)
        if at > 0 or code != BYTE_ORDER_MARK:
            written = write_character(data, size, code)
            map_stretch(starts, ends, size, written, at, at + length)
            size += written
        at += length
    return size
