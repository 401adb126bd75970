"""The parts that the tokens of a text's prefixes are made of, each found once.

A prefix mostly has the pieces of the one before it, and one that has become longer.  Of that, only what
stands behind the last place that no token reaches across is new.  So instead of all prefixes only such parts
are encoded, one or two for each.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.piece_keys import HALF, MIX_LOW

NONE = -1  # in place of a sum: nothing stands before


class Parts(NamedTuple):
    """Parts of texts, and sums: the tokens of part i and those of the parts before it are sum i.

    starts, ends  int64[room]
    before        int64[room]  the sum to which a part is added, or NONE
    is_whole      bool[room]   whether it is a piece as a whole
    """

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    before: NDArray[np.int64]
    is_whole: NDArray[np.bool_]


def room_for_parts(size: int) -> Parts:
    return Parts(
        np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.bool_)
    )


@kernel
def find_parts(
    origins: NDArray[np.int64],
    prefix_ends: NDArray[np.int64],
    piece_ends: NDArray[np.int64],
    is_cut: NDArray[np.bool_],
    parts: Parts,
    sums: NDArray[np.int64],
) -> int:
    """Find the parts of prefixes, which lie one behind the other; returns how many, or NONE for lack of room.

    origins     where in the texts each prefix begins; of each text the shorter ones come first
    piece_ends  of all prefixes, in places of these
    is_cut      by byte of the texts, whether no token reaches across the place before it
    sums        for the caller: the sum of each prefix
    """
    longest = 1
    for prefix in range(1, len(prefix_ends)):
        longest = max(longest, int(prefix_ends[prefix] - prefix_ends[prefix - 1]))
    if len(prefix_ends):
        longest = max(longest, int(prefix_ends[0]))
    last_ends, last_sums = np.empty(longest, np.int64), np.empty(longest, np.int64)
    count, piece, begin, n_last = 0, 0, 0, 0
    run_start, run_before, cut, cut_sum = NONE, NONE, 0, NONE  # of the piece that grows; its last cut
    for prefix in range(len(prefix_ends)):
        origin = int(origins[prefix])
        if prefix == 0 or origin != origins[prefix - 1]:
            n_last, run_start = 0, NONE
        n_pieces, start, total = 0, 0, NONE
        while piece < len(piece_ends) and piece_ends[piece] <= prefix_ends[prefix]:
            end = int(piece_ends[piece]) - begin
            if n_pieces < n_last and last_ends[n_pieces] == end:
                total = int(last_sums[n_pieces])
            else:
                n_last = 0
                if run_start != start or run_before != total or cut >= end:
                    run_start, run_before, cut, cut_sum = start, total, start, total
                if count + end - cut > len(parts.starts):
                    return NONE
                for at in range(cut + 1, end + 1):
                    if at < end and not is_cut[origin + at]:
                        continue
                    parts.starts[count], parts.ends[count] = origin + cut, origin + at
                    parts.before[count], parts.is_whole[count] = cut_sum, at == end and cut == start
                    if at < end:
                        cut, cut_sum = at, count
                    count += 1
                total = count - 1
            last_ends[n_pieces], last_sums[n_pieces] = end, total
            n_pieces += 1
            start = end
            piece += 1
        sums[prefix], n_last, begin = total, n_pieces, int(prefix_ends[prefix])
    return count


@kernel
def number_parts(
    texts: NDArray[np.uint8],
    parts: Parts,
    slots: NDArray[np.int64],
    numbers: NDArray[np.int64],
    firsts: NDArray[np.int64],
) -> int:
    """Give parts of the same bytes the same number; returns how many there are.

    slots    int64[2^k]  all zero, and more than there are parts
    numbers  for the caller, as many as there are parts
    firsts   the first part of each number
    """
    count, mask = 0, len(slots) - 1
    for part in range(len(numbers)):
        start, length, mixed = (
            int(parts.starts[part]),
            int(parts.ends[part] - parts.starts[part]),
            np.uint64(0),
        )
        for at in range(start, start + length):
            mixed = (mixed ^ np.uint64(texts[at])) * MIX_LOW
            mixed ^= mixed >> HALF
        slot = int(np.int64(mixed >> HALF)) & mask
        while slots[slot] != 0:
            other = int(firsts[slots[slot] - 1])
            same, begin = 0, int(parts.starts[other])
            if parts.ends[other] - begin == length and parts.is_whole[other] == parts.is_whole[part]:
                while same < length and texts[begin + same] == texts[start + same]:
                    same += 1
            if same == length:
                break
            slot = (slot + 1) & mask
        if slots[slot] == 0:
            firsts[count] = part
            count += 1
            slots[slot] = count
        numbers[part] = slots[slot] - 1
    return count


@kernel
def gather(
    texts: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    out: NDArray[np.uint8],
    out_ends: NDArray[np.int64],
) -> None:
    """Write parts of texts one behind the other."""
    size = 0
    for part in range(len(starts)):
        for at in range(starts[part], ends[part]):
            out[size] = texts[at]
            size += 1
        out_ends[part] = size


@kernel
def add_up(parts: Parts, counts: NDArray[np.int64], sums: NDArray[np.int64]) -> None:
    """Make sums of the tokens of each part, `counts`, and put those of prefixes in place of their numbers."""
    for part in range(len(counts)):
        if parts.before[part] != NONE:
            counts[part] += counts[parts.before[part]]
    for prefix in range(len(sums)):
        sums[prefix] = counts[sums[prefix]]
