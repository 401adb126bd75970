"""Text with marked spaces (see `marked_spaces.py`) with one byte for each again.

Only where U+2581 is a start symbol by itself, not the rest of a broken character, it becomes a space byte.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel

SPACE = 0x20


@kernel
def compact(
    marked: NDArray[np.uint8],
    marked_ends: NDArray[np.int64],
    lengths: NDArray[np.uint8],
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
) -> int:
    """Write the text, where its pieces end, and the first and last byte in `marked` of each byte of it.

    lengths  for each byte how many bytes the start symbol that begins with it has
    Returns how long the text is.
    """
    size, at = 0, 0
    for piece in range(len(marked_ends)):
        end = int(marked_ends[piece])
        while at < end:
            symbol_end = min(at + int(lengths[marked[at]]), end)
            if (
                symbol_end - at == 3
                and marked[at] == 0xE2
                and marked[at + 1] == 0x96
                and marked[at + 2] == 0x81
            ):
                data[size] = SPACE
                firsts[size] = at
                lasts[size] = at + 2
                size += 1
                at += 3
            while at < symbol_end:
                data[size] = marked[at]
                firsts[size] = at
                lasts[size] = at
                size += 1
                at += 1
        piece_ends[piece] = size
    return size
