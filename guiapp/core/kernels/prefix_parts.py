"""Parts of texts, of which prefixes consist: those that differ, and what all of their tokens add up to."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.piece_growth import UNKNOWN
from guiapp.core.kernels.piece_keys import HALF, MIX_LOW


def distinct_parts(
    texts: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The first of all parts of the same bytes, one for each number, and the number of each part."""
    slots = np.zeros(2 << len(starts).bit_length(), np.int64)
    numbers, firsts = np.empty(len(starts), np.int64), np.empty(len(starts), np.int64)
    return firsts[: number_parts(texts, starts, ends, slots, numbers, firsts)], numbers


def parts_of(
    text: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Parts of a text one behind the other, and where they end then."""
    texts, text_ends = np.empty(int((ends - starts).sum()), np.uint8), np.empty(len(starts), np.int64)
    gather(text, starts, ends, texts, text_ends)
    return texts, text_ends


@kernel
def number_parts(
    texts: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
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
        start, length, mixed = int(starts[part]), int(ends[part] - starts[part]), np.uint64(0)
        for at in range(start, start + length):
            mixed = (mixed ^ np.uint64(texts[at])) * MIX_LOW
            mixed ^= mixed >> HALF
        slot = int(np.int64(mixed >> HALF)) & mask
        while slots[slot] != 0:
            other = int(firsts[slots[slot] - 1])
            same, begin = 0, int(starts[other])
            if ends[other] - begin == length:
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
def add_pieces(
    ends: NDArray[np.int64],
    origins: NDArray[np.int64],
    n_begun: NDArray[np.uint8],
    own: NDArray[np.int64],
    of_begun: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Write the tokens of the prefixes of texts that end at `ends`, by their last bytes.

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
