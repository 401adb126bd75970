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
from guiapp.core.kernels.piece_growth import UNKNOWN
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


def distinct_parts(
    texts: NDArray[np.uint8], parts: Parts, n_parts: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of all parts of the same bytes, one for each number, and the number of each part."""
    slots = np.zeros(2 << n_parts.bit_length(), np.int64)
    numbers, firsts = np.empty(n_parts, np.int64), np.empty(n_parts, np.int64)
    return firsts[: number_parts(texts, parts, slots, numbers, firsts)], numbers


def parts_of(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Parts of a text one behind the other, and where they end then."""
    texts, text_ends = np.empty(int((ends - starts).sum()), np.uint8), np.empty(len(starts), np.int64)
    gather(text, starts, ends, texts, text_ends)
    return texts, text_ends


@kernel
def find_parts(
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
    is_cut: NDArray[np.bool_],
    parts: Parts,
    sums: NDArray[np.int64],
) -> int:
    """Find the parts of the last pieces of prefixes that end with a whole character; returns how many.

    origins, n_begun  by where in the texts a prefix ends; see `piece_growth`
    is_cut  by place, whether no token reaches across it
    parts   with room for two by byte
    sums    for the caller: the sum of each of these pieces, in order
    """
    count, n_pieces, origin, cut, cut_sum = 0, 0, NONE, 0, NONE
    for end in range(1, len(origins)):
        if n_begun[end] != 0:
            continue
        if origins[end] != origin:
            origin = cut = int(origins[end])
            cut_sum = NONE
        for at in range(cut + 1, end + 1):
            if at < end and not is_cut[at]:
                continue
            parts.starts[count], parts.ends[count] = cut, at
            parts.before[count], parts.is_whole[count] = cut_sum, at == end and cut == origin
            if at < end:
                cut, cut_sum = at, count
            count += 1
        sums[n_pieces] = count - 1
        n_pieces += 1
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


@kernel
def add_pieces(
    ends: NDArray[np.int64],
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
    own: NDArray[np.int64],
    of_begun: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Write the tokens of all prefixes of the texts that end at `ends`, by their last bytes.

    own       by where a prefix ends, the tokens from its origin on, unless it ends within a character
    of_begun  those of so many bytes of a character that is not complete
    """
    start = 0
    for text in range(len(ends)):
        for end in range(start + 1, int(ends[text]) + 1):
            n_bytes, before, more = int(n_begun[end]), int(origins[end]), int(own[end])
            if n_bytes > 0 and n_bytes != UNKNOWN:
                before, more = end - n_bytes, int(of_begun[n_bytes])
            counts[end - 1] = more + (counts[before - 1] if before > start else 0)
        start = int(ends[text])
