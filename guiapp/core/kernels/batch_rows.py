"""Token ids of many texts as the rows of one array."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel


@kernel
def lay_out(
    ids: NDArray[np.int32],
    counts: NDArray[np.int64],
    before: NDArray[np.int32],
    after: NDArray[np.int32],
    most: int,
    filler: int,
    rows: np.ndarray[tuple[int, int], np.dtype[np.int32]],
    mask: np.ndarray[tuple[int, int], np.dtype[np.uint8]],
) -> None:
    """Write one row for each text, with `filler` behind it, and 1 to the mask, all zero, where a token is.

    ids            of all texts, one behind the other; counts[i] of them are those of text i
    before, after  what stands around each text
    most           that a row may have, at least as many as `after`: the last ones before those are left out
    """
    start, width = 0, rows.shape[1]
    for row in range(len(counts)):
        n_before = min(len(before), most - len(after))
        n_ids = min(int(counts[row]), most - len(after) - n_before)
        behind = n_before + n_ids
        for at in range(n_before):
            rows[row, at] = before[at]
        for at in range(n_ids):
            rows[row, n_before + at] = ids[start + at]
        for at in range(len(after)):
            rows[row, behind + at] = after[at]
        length = behind + len(after)
        for at in range(length):
            mask[row, at] = 1
        for at in range(length, width):
            rows[row, at] = filler
        start += int(counts[row])
