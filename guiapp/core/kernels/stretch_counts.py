"""Numbers of tokens of all prefixes of a text, from those of short stretches that were met before.

Between two certain cuts lies a *stretch*.  The tokens of a prefix that ends within it are those of all before
the stretch and those of its own part of it, whatever stands around.  So what was found out once about
the prefixes of a stretch holds wherever it stands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.eight_bytes import load_eight
from guiapp.core.kernels.piece_keys import (
    HALF,
    HIGH_MASKS,
    LENGTH_SHIFT,
    LOW_MASKS,
    MIX_HIGH,
    MIX_LOW,
    NO_BITS,
    PLACE_SHIFT,
    SHORT,
)

ROW = 4  # words of a row
LOW, HIGH, PLACE, PACKED = np.arange(ROW, dtype=np.uint64)  # of a row; see `Stretches`
ROWS, BYTES, FIRST_NEW = range(3)  # of `used`
EIGHT = 8  # bytes that are looked at and written at a time
PADDING = 2 * EIGHT  # bytes behind a text that may be read, and counts that may be written
COUNT_MASK = (1 << 32) - 1
NIBBLE, NIBBLE_SHIFTS = np.uint64(15), np.arange(0, 64, 4, dtype=np.uint64)
NEXT_ROW = np.uint64(ROW)
NOT_TOLD = -1  # in place of the first id of a text
BEGINS_TEXT, IS_LONG = np.uint64(1 << 60), np.uint64(1 << 61)  # of the high word


class Stretches(NamedTuple):
    """Stretches that were met.

    rows    uint64[4 * 2^k]  open addressing: two words of up to SHORT bytes as they are, or a hash, the high
                             one 0 where a row is empty; the place of the text; four bits for each count of
                             a short stretch once it was met again, or 0
    text    uint8[…]         their texts, one behind the other
    counts  uint16[…]        the tokens of each one's prefix that ends with that byte of `text`
    ids     int32[…]         from where the text of each begins on, NOT_TOLD where they are to be encoded
    used    int64[3]         rows and bytes in use, and the index of the first new one of a call
    """

    rows: NDArray[np.uint64]
    text: NDArray[np.uint8]
    counts: NDArray[np.uint16]
    ids: NDArray[np.int32]
    used: NDArray[np.int64]


@kernel
def count_known(
    data: NDArray[np.uint8],
    start: int,
    ends: NDArray[np.int64],
    longest: int,
    begins_text: bool,
    n_before: int,
    stretches: Stretches,
    counts: NDArray[np.int32],
    places: NDArray[np.int64],
    new_ends: NDArray[np.int64],
) -> int:
    """Write the number of tokens of data[: i + 1] to counts[i], stretch by stretch up to a new one.

    Tell at which `places` of `stretches` all texts are.  Those of new ones are entered behind all others, and
    end at `new_ends`; their counts and ids are for the caller to fill in.

    ends         of the stretches from `start` on, whose first one begins a document if `begins_text`
    longest      bytes of a stretch that is kept
    n_before     the tokens of data[:start]
    Returns the number of stretches << 32 | that of new ones; it stops before one that is too long, and where
    there is no more room.  `data` and `counts` have PADDING behind the last end.
    """
    rows, text, known, used = stretches.rows, stretches.text, stretches.counts, stretches.used
    mask, last, n_new = np.uint64((len(rows) >> 2) - 1), np.uint64(len(rows) - 1), 0
    for index in range(len(ends)):
        end = int(ends[index])
        length = end - start
        if length > longest:
            return index << 32 | n_new
        if length <= SHORT:
            low = load_eight(data, start) & LOW_MASKS[length]
            high = load_eight(data, start + EIGHT) & HIGH_MASKS[length] | np.uint64(length) << LENGTH_SHIFT
        else:
            low, high = NO_BITS, np.uint64(length) | IS_LONG
            for at in range(start, end, EIGHT):
                low = (low ^ load_eight(data, at) & LOW_MASKS[min(end - at, EIGHT)]) * MIX_LOW
                low ^= low >> HALF
        if begins_text and index == 0:
            high |= BEGINS_TEXT
        mixed = low * MIX_LOW ^ high * MIX_HIGH
        row = NEXT_ROW * ((mixed ^ (mixed >> HALF)) * MIX_LOW >> PLACE_SHIFT & mask)
        packed, difference = rows[row + PACKED], (rows[row + LOW] ^ low) | (rows[row + HIGH] ^ high)
        if difference == NO_BITS and packed != NO_BITS and n_new == 0:  # what is met most
            for at in range(EIGHT):
                counts[start + at] = n_before + int(np.int64(packed >> NIBBLE_SHIFTS[at] & NIBBLE))
            if length > EIGHT:
                for at in range(EIGHT, 2 * EIGHT):
                    counts[start + at] = n_before + int(np.int64(packed >> NIBBLE_SHIFTS[at] & NIBBLE))
            n_before += int(np.int64(packed >> NIBBLE_SHIFTS[length - 1] & NIBBLE))
            places[index] = np.int64(rows[row + PLACE])
            start = end
            continue
        while rows[row + HIGH] != NO_BITS:
            place, difference = int(np.int64(rows[row + PLACE])), rows[row + LOW] ^ low
            if rows[row + HIGH] == high and difference == NO_BITS:
                if length > SHORT:
                    for at in range(0, length, EIGHT):
                        word = load_eight(data, start + at) ^ load_eight(text, place + at)
                        difference |= word & LOW_MASKS[min(length - at, EIGHT)]
                if difference == NO_BITS:
                    break
            row = (row + NEXT_ROW) & last
        if rows[row + HIGH] == NO_BITS:
            place = int(used[BYTES])
            if 8 * used[ROWS] >= len(rows) or place + length + PADDING > len(text):
                return index << 32 | n_new
            for at in range(length):
                text[place + at] = data[start + at]
            rows[row + LOW], rows[row + HIGH], rows[row + PLACE] = low, high, np.uint64(place)
            if n_new == 0:
                used[FIRST_NEW] = index
            used[ROWS] += 1
            used[BYTES] = new_ends[n_new] = place + length
            n_new += 1
        if n_new == 0:
            packed, most = NO_BITS, 0
            for at in range(length):
                count = int(known[place + at])
                counts[start + at] = n_before + count
                most = max(most, count)
                packed |= np.uint64(count) << NIBBLE_SHIFTS[at & SHORT]
            if length <= SHORT and most <= SHORT:
                rows[row + PACKED] = packed
            n_before = int(counts[end - 1])
        places[index] = place
        start = end
    return len(ends) << 32 | n_new


@kernel
def add_counts(
    start: int,
    ends: NDArray[np.int64],
    places: NDArray[np.int64],
    known: NDArray[np.uint16],
    n_before: int,
    counts: NDArray[np.int32],
) -> None:
    """Write the numbers of tokens after each byte from `start` on, `n_before` being those before it.

    known  of `Stretches`, in which those that end at `ends` have their counts at `places`
    """
    for index in range(len(ends)):
        end, shift = int(ends[index]), int(places[index]) - start
        for at in range(start, end):
            counts[at] = n_before + int(known[at + shift])
        n_before = int(counts[end - 1])
        start = end


@kernel
def copy_ids(
    ends: NDArray[np.int64],
    places: NDArray[np.int64],
    known: NDArray[np.uint16],
    known_ids: NDArray[np.int32],
    ids: NDArray[np.int32],
) -> int:
    """Write the ids of the stretches that end at `ends`; returns how many, or NOT_TOLD.

    known, known_ids  of `Stretches`, in which these are at `places`
    """
    start, count = 0, 0
    for index in range(len(ends)):
        end, place = int(ends[index]), int(places[index])
        n_ids = int(known[place + end - start - 1])
        if n_ids and known_ids[place] == NOT_TOLD:
            return NOT_TOLD
        for at in range(n_ids):
            ids[count + at] = known_ids[place + at]
        count += n_ids
        start = end
    return count


@kernel
def distinct_prefixes(
    texts: NDArray[np.uint8],
    ends: NDArray[np.int64],
    is_left_out: NDArray[np.int64],
    slots: NDArray[np.int32],
    prefixes: NDArray[np.uint8],
    prefix_ends: NDArray[np.int64],
    origins: NDArray[np.int64],
    numbers: NDArray[np.int32],
) -> int:
    """Write all prefixes of the texts that end at `ends`, each once, one behind the other; returns how many.

    is_left_out  not 0 where no prefix is wanted that ends with that byte
    slots    int32[2^k]  all zero, and more than there are prefixes
    origins  where in the texts each prefix begins
    numbers  which of the prefixes ends with that byte of its text, where one is wanted
    """
    start, size, count, mask = 0, 0, 0, len(slots) - 1
    for index in range(len(ends)):
        mixed, is_new = np.uint64(0), False
        for last in range(start, int(ends[index])):
            length = last + 1 - start
            mixed = (mixed ^ np.uint64(texts[last])) * MIX_LOW
            mixed ^= mixed >> HALF
            if is_left_out[last] != 0:
                continue
            slot = int(np.int64(mixed >> HALF)) & mask
            while slots[slot] != 0:
                number = int(slots[slot]) - 1
                first = int(prefix_ends[number - 1]) if number else 0
                same = 0
                if not is_new and prefix_ends[number] - first == length:
                    while same < length and prefixes[first + same] == texts[start + same]:
                        same += 1
                if same == length:
                    break
                slot = (slot + 1) & mask
            is_new = slots[slot] == 0
            if is_new:
                for at in range(length):
                    prefixes[size + at] = texts[start + at]
                size += length
                prefix_ends[count], origins[count] = size, start
                count += 1
                slots[slot] = count
            numbers[last] = slots[slot] - 1
        start = int(ends[index])
    return count


@kernel
def count_within(
    token_ends: NDArray[np.int64], text_ends: NDArray[np.int64], counts: NDArray[np.int64]
) -> None:
    """Write how many tokens lie in each of the texts that end at `text_ends`; none reaches across an end."""
    token = 0
    for text in range(len(text_ends)):
        first = token
        while token < len(token_ends) and token_ends[token] <= text_ends[text]:
            token += 1
        counts[text] = token - first
