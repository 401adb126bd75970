"""Numbers of tokens of all prefixes of a text, from those of short stretches that were met before.

Between two certain cuts lies a *stretch*.  The tokens of a prefix that ends within it are those of all before
the stretch and those of its own part of it, whatever stands around.  So what was found out once about
the prefixes of a stretch holds wherever it stands, and all of it fits a row.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.eight_bytes import load_eight
from guiapp.core.kernels.piece_keys import (
    BYTE_BITS,
    HALF,
    HIGH_MASKS,
    LENGTH_SHIFT,
    LOW_MASKS,
    MIX_HIGH,
    MIX_LOW,
    PLACE_SHIFT,
)

LONGEST = 15  # bytes of a stretch that fits a row
MOST = 15  # tokens
ROW = 4  # words of a row: low and high half of the stretch with its length on top, four bits for each prefix
LOW, HIGH, COUNTS, PLACE = range(4)  # of a row; the last one of a stretch that is missing
EIGHT = np.uint64(8)
COUNT_BITS, COUNT_MASK = np.uint64(4), np.uint64(15)
BEGINS_TEXT = np.uint64(1 << 60)  # of the high half
NONE = np.uint64(0)
NO_CUT, CUT, UNKNOWN = range(3)


@kernel
def add_counts(
    data: NDArray[np.uint8],
    start: int,
    cuts: NDArray[np.uint8],
    rows: NDArray[np.uint64],
    n_before: int,
    begins_text: bool,
    counts: NDArray[np.int32],
    missing: NDArray[np.uint64],
) -> int:
    """Write the number of tokens of data[: i + 1] to counts[i], stretch by stretch from `start` on.

    cuts      uint8[1 << 16]    NO_CUT, CUT or UNKNOWN, by a byte and the one behind it
    rows      uint64[4 * 2^k]   open addressing; the high half is 0 where a row is empty
    n_before  the tokens of data[:start]
    begins_text  whether data[0] is the first byte of a text: what begins there is known apart
    missing   uint64[4]         the key and the place of the stretch that no row knew

    Returns where that begins, or len(data).  With 0 as the key, it is too long for a row, or nobody knows yet
    whether there is a cut at `missing[PLACE]`.
    """
    size, mask = len(data), np.uint64((len(rows) >> 2) - 1)
    while start < size:
        missing[HIGH] = missing[PLACE] = NONE
        at, most, cut = start + 1, min(size, start + LONGEST + 1), CUT
        before = np.uint64(data[start])
        while at < most:
            behind = np.uint64(data[at])
            cut = int(cuts[before << EIGHT | behind])
            if cut != NO_CUT:
                break
            before = behind
            at += 1
        if at == size:
            cut = CUT
        if cut != CUT or at - start > LONGEST:
            if cut == UNKNOWN:
                missing[PLACE] = np.uint64(at)
            return start
        length = at - start
        if start + 16 <= size:
            low = load_eight(data, start) & LOW_MASKS[length]
            high = load_eight(data, start + 8) & HIGH_MASKS[length]
        else:
            low, high = NONE, NONE
            for index in range(at - 1, start - 1, -1):
                high = high << BYTE_BITS | low >> LENGTH_SHIFT
                low = low << BYTE_BITS | np.uint64(data[index])
        high |= np.uint64(length) << LENGTH_SHIFT
        if begins_text and start == 0:
            high |= BEGINS_TEXT
        mixed = low * MIX_LOW ^ high * MIX_HIGH
        place = ((mixed ^ (mixed >> HALF)) * MIX_LOW >> PLACE_SHIFT) & mask
        row = ROW * int(place)
        while rows[row + LOW] != low or rows[row + HIGH] != high:
            if rows[row + HIGH] == NONE:
                missing[LOW] = low
                missing[HIGH] = high
                missing[PLACE] = np.uint64(row)
                return start
            row = (row + ROW) & (len(rows) - 1)
        known = rows[row + COUNTS]
        for index in range(start, at):
            counts[index] = n_before + int(known & COUNT_MASK)
            known >>= COUNT_BITS
        n_before = int(counts[at - 1])
        start = at
    return start
