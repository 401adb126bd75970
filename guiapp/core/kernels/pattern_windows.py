"""Find the ends of pieces 64 bytes at a time, by the table of `core/split/windows.py`.

For each byte the table is asked about the two before it, itself and the next, all of them in groups: is there
a cut before it?  Where it cannot tell because a run of one byte begins there, such as the spaces of an
indented line, a second table may tell by what follows the run; otherwise the automaton is asked, from the
last certain end on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_groups import N_WINDOWS, index_windows, sort_bytes
from guiapp.core.kernels.compile import routine
from guiapp.core.kernels.eight_bytes import first_set_byte, load_eight, marks
from guiapp.core.split.windows import (
    APOSTROPHE,
    AROUND,
    BEFORE,
    CAREFUL,
    CUT,
    GROUP_BITS,
    GROUP_OF,
    RARE,
    RUNS,
    SECOND_CASE,
    SPECIAL,
    TABS,
    UNSURE,
    VARIED,
    byte_groups,
)

WIDTH = N_WINDOWS  # bytes in a word of bits
MOST_WORDS = 8  # at a time
MORE_GROUPS = 3  # than windows
LONGEST_RUN = 64  # bytes to look at for the end of a run
NO_BITS, ONE, ALL = np.uint64(0), np.uint64(1), np.uint64((1 << 64) - 1)
THREE, FOUR, BITS_OF_THREE, BITS_OF_FOUR = np.uint64(3), np.uint64(4), np.uint64(61), np.uint64(60)
EIGHT_TIMES = np.uint64(0x0101010101010101)
IS_SPECIAL = (byte_groups(VARIED, RARE) == RARE) | (byte_groups(VARIED, RARE) == APOSTROPHE)


class Marks(NamedTuple):
    """What is known about the cuts in some words of text; the first two are for working it out.

    groups   uint8[MOST_WORDS * WIDTH + MORE_GROUPS]  of bytes, from BEFORE the first
    indices  uint16[WIDTH]               of windows
    flags    uint8[MOST_WORDS * WIDTH]   of windows
    cuts     uint64[MOST_WORDS]          bit i of word k: there is a cut before byte WIDTH * k + i
    unsure   uint64[MOST_WORDS]          … or may be one
    """

    groups: NDArray[np.uint8]
    indices: NDArray[np.uint16]
    flags: NDArray[np.uint8]
    cuts: NDArray[np.uint64]
    unsure: NDArray[np.uint64]


@routine
def new_marks() -> Marks:
    """Room for what `mark_ends` finds."""
    return Marks(
        np.empty(MOST_WORDS * WIDTH + MORE_GROUPS, np.uint8),
        np.empty(WIDTH, np.uint16),
        np.empty(MOST_WORDS * WIDTH, np.uint8),
        np.empty(MOST_WORDS, np.uint64),
        np.empty(MOST_WORDS, np.uint64),
    )


@borrowing
def mark_ends(
    data: NDArray[np.uint8],
    start: int,
    n_words: int,
    windows: NDArray[np.uint8],
    groups: NDArray[np.uint8],
    indices: NDArray[np.uint16],
    flags: NDArray[np.uint8],
    cuts: NDArray[np.uint64],
    unsure: NDArray[np.uint64],
) -> None:
    """Fill `n_words` words of bits for data[start:].  One byte more must exist, and two before.

    First all flags, then all words: what was just written byte by byte is slow to be read in one go.
    """
    second_case, tabs = windows[SECOND_CASE], windows[TABS]
    for word in range(n_words):
        first = WIDTH * word
        sort_bytes(data, start + first - BEFORE, second_case, tabs, groups, first)
    for at in range(MORE_GROUPS):
        groups[WIDTH * n_words + at] = windows[GROUP_OF + int(data[start + WIDTH * n_words - BEFORE + at])]
    for word in range(n_words):
        first = WIDTH * word
        index_windows(groups, first, indices)
        for at in range(WIDTH):
            flags[first + at] = windows[indices[at]]
    near_before = NO_BITS
    for back in range(1, AROUND + 1):
        if back > start or IS_SPECIAL[data[start - back]]:
            near_before |= (ONE << np.uint64(AROUND + 1 - back)) - ONE
    for word in range(n_words):
        first = WIDTH * word
        special = marks(flags, first, np.uint8(SPECIAL))
        near = near_before | special << THREE | special << FOUR
        near_before = special >> BITS_OF_THREE | special >> BITS_OF_FOUR
        cuts[word] = marks(flags, first, np.uint8(CUT))
        careful = marks(flags, first, np.uint8(CAREFUL))
        unsure[word] = marks(flags, first, np.uint8(UNSURE)) | near & careful


@borrowing
def known_behind_run(data: NDArray[np.uint8], at: int, limit: int, windows: NDArray[np.uint8]) -> int:
    """CUT or 0 if what follows a run of one byte, which begins at `at`, tells about a cut there; or UNSURE.

    At least one byte more must exist, and two before.
    """
    byte = data[at]
    end = at + 1
    if data[end] != byte:
        return UNSURE
    same, difference = np.uint64(byte) * EIGHT_TIMES, NO_BITS
    while end + 8 <= limit and end < at + LONGEST_RUN:
        difference = load_eight(data, end) ^ same
        if difference != NO_BITS:
            break
        end += 8
    if difference == NO_BITS:
        return UNSURE
    end += first_set_byte(difference)
    window = 0
    for place in (at - 2, at - 1, at, end):
        window = window << GROUP_BITS | int(windows[GROUP_OF + int(data[place])])
    return int(windows[RUNS + window])
