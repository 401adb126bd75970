"""Words looked up as they are; readable twin in core/algorithms/words.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.merges import TokenOutput

SPACE = 0x20


@kernel
def encode(data: NDArray[np.uint8], rows: NDArray[np.int32], unknown: int, output: TokenOutput) -> int:
    """Write the token of each word, or `unknown`, or nothing where that is NONE; returns how many.

    rows  of a token tree
    """
    count, end, size = 0, 0, len(data)
    while True:
        start = end
        while start < size and _is_space(data[start]):
            start += 1
        if start == size:
            return count
        end = start + 1
        while end < size and not _is_space(data[end]):
            end += 1
        token, first = NONE, start
        if start > 0 and data[start - 1] == SPACE:
            token, first = _whole(rows, data, start - 1, end), start - 1
        if token == NONE:
            token, first = _whole(rows, data, start, end), start
        if token == NONE:
            token = unknown
        if token != NONE:
            output.ids[count] = token
            output.starts[count] = first
            output.ends[count] = end
            count += 1


@routine
def _is_space(byte: int) -> bool:
    return byte == SPACE or 0x09 <= byte <= 0x0D


@routine
def _whole(rows: NDArray[np.int32], data: NDArray[np.uint8], start: int, end: int) -> int:
    """The token that stands for data[start:end], or NONE."""
    row = 0
    for at in range(start, end):
        following = rows[4 * row] ^ np.int32(data[at])
        if rows[4 * following + 1] != row:
            return NONE
        row = int(following)
    return int(rows[4 * row + 2])
