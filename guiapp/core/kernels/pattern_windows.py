"""Find the ends of pieces 64 bytes at a time, by the table of `core/text/pattern_windows.py`.

For each byte the table is asked about the two before it, itself and the next, all of them in groups: is there
a cut before it?  Where it cannot tell, the automaton is asked, from the last certain end on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_groups import APOSTROPHE, GROUPS, N_GROUPS, RARE, index_windows
from guiapp.core.kernels.eight_bytes import marks

TABLE = N_GROUPS**4
SECOND_CASE, TABS = TABLE, TABLE + 1  # behind the flags: the groups of capital letters and of tabs
CUT, UNSURE, SPECIAL, CAREFUL = 1, 2, 4, 8
WIDTH = 64  # bytes at a time
BEFORE = 2  # bytes of a window before the cut
AROUND = 4  # bytes before a cut that may have a say
ONE, THREE, FOUR, ALL = np.uint64(1), np.uint64(3), np.uint64(4), np.uint64((1 << 64) - 1)
IS_SPECIAL = (GROUPS[True] == RARE) | (GROUPS[True] == APOSTROPHE)


@borrowing
def mark_ends(
    data: NDArray[np.uint8],
    start: int,
    windows: NDArray[np.uint8],
    indices: NDArray[np.uint16],
    flags: NDArray[np.uint8],
) -> np.uint64:
    """Leave in `flags` what is known about the cuts before data[start : start + WIDTH]; bits of unsure ones.

    One byte more must exist, and two before.  `indices` and `flags` have room for WIDTH.
    """
    index_windows(data, start - BEFORE, windows[SECOND_CASE], windows[TABS], indices)
    for at in range(WIDTH):
        flags[at] = windows[indices[at]]
    special = marks(flags, np.uint8(SPECIAL))
    near = special << THREE | special << FOUR
    for back in range(1, AROUND + 1):
        if back > start or IS_SPECIAL[data[start - back]]:
            near |= (ONE << np.uint64(AROUND + 1 - back)) - ONE
    return marks(flags, np.uint8(UNSURE)) | near & marks(flags, np.uint8(CAREFUL))
