"""Short pieces as two words each, and rows of memory that say which tokens they become.

These are the loops that all time is spent in.  They go over a block of pieces at a time: first all keys are
made and their rows sent for, then all rows are read, so that hardly any of them is waited for.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.eight_bytes import load_eight, prefetch
from guiapp.core.kernels.id_pairs import store_pair

BLOCK = 512  # pieces
KEY = 3  # words of a key: low, high, and the row where it belongs; see `key_pieces` for those that fit none
ROW = 4  # words of a row: low, high, two pairs of ids with the number of ids less one in the highest two bits
SHORT = 15  # bytes of a piece whose key fits two words, length included
FEW = 4  # ids that fit a row
COUNT_MASK = (1 << 32) - 1

LENGTH_SHIFT, COUNT_SHIFT = np.uint64(56), np.uint64(62)
IDS_MASK = np.uint64((1 << 62) - 1)
NO_BITS, WHOLE_BIT = np.uint64(0), np.uint64(1 << 60)  # of the high word: whether it is a whole piece
TOO_LONG = np.uint64((1 << 64) - 1)  # both words of a piece that no row can hold
MANY = TOO_LONG  # in the place of the first ids, of a piece that has more than a row can hold
BYTE_BITS, HALF = np.uint64(8), np.uint64(32)
MIX_LOW, MIX_HIGH = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
PLACE_SHIFT = np.uint64(36)

# Of a piece of n bytes: which bits of its two words are text.
LOW_MASKS = np.array([(1 << 8 * min(n, 8)) - 1 for n in range(16)], np.uint64)
HIGH_MASKS = np.array([(1 << 8 * max(n - 8, 0)) - 1 for n in range(16)], np.uint64)

NEXT, TWO, THREE = np.uint64(1), np.uint64(2), np.uint64(3)
SECOND = np.uint64(ROW)
PAIR_SHIFT = np.uint64(3)


@borrowing
def key_pieces(
    data: NDArray[np.uint8],
    start: int,
    ends: NDArray[np.int64],
    n_pieces: int,
    whole_bit: np.uint64,
    short: NDArray[np.uint64],
    keys: NDArray[np.uint64],
) -> int:
    """Write the keys of the pieces from `start` on, and let the processor fetch their rows.

    Those that are too long for a row make a list: its first index plus one is returned, or 0 if there are
    none, and in the place of its row each has the next one's.
    """
    longs = 0
    size, mask = len(data), np.uint64((len(short) >> 3) - 1)
    for index in range(n_pieces):
        end = int(ends[index])
        length = end - start
        low, high, row = TOO_LONG, TOO_LONG, np.uint64(0)
        if length <= SHORT:
            if start + 16 <= size:
                low = load_eight(data, start) & LOW_MASKS[length]
                high = load_eight(data, start + 8) & HIGH_MASKS[length]
            else:
                low, high = np.uint64(0), np.uint64(0)
                for at in range(length - 1, -1, -1):
                    high = high << BYTE_BITS | low >> LENGTH_SHIFT
                    low = low << BYTE_BITS | np.uint64(data[start + at])
            high |= np.uint64(length) << LENGTH_SHIFT | whole_bit
            mixed = low * MIX_LOW ^ high * MIX_HIGH
            mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
            row = (mixed >> PLACE_SHIFT & mask) << PAIR_SHIFT
            prefetch(short, int(row))
        else:
            row, longs = np.uint64(longs), index + 1
        keys[KEY * index] = low
        keys[KEY * index + 1] = high
        keys[KEY * index + 2] = row
        start = end
    return longs


@borrowing
def look_up(
    keys: NDArray[np.uint64],
    first: int,
    n_pieces: int,
    short: NDArray[np.uint64],
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of pieces up to the first that is not in `short`; its index << 32 | the new count.

    Rows come in pairs, of which the first is looked at first; what is found in the second changes places.
    """
    for index in range(first, n_pieces):
        low, high, row = keys[KEY * index], keys[KEY * index + 1], keys[KEY * index + 2]
        if short[row] != low or short[row + NEXT] != high:
            other = row + SECOND
            if short[other] != low or short[other + NEXT] != high:
                return index << 32 | count
            for at in range(ROW):
                word = short[row + np.uint64(at)]
                short[row + np.uint64(at)] = short[other + np.uint64(at)]
                short[other + np.uint64(at)] = word
        last = short[row + THREE]
        store_pair(out, count, short[row + TWO])
        store_pair(out, count + 2, last & IDS_MASK)
        count += int(np.int64(last >> COUNT_SHIFT)) + 1
    return n_pieces << 32 | count


@borrowing
def keep_short(
    short: NDArray[np.uint64],
    keys: NDArray[np.uint64],
    index: int,
    out: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Put the piece of a key, which became out[first:last], in its pair of rows: second if that is in use."""
    row = keys[KEY * index + 2]
    if short[row + NEXT] != NO_BITS:
        row += SECOND
    write_row(short, row, keys[KEY * index], keys[KEY * index + 1], out, first, last)


@borrowing
def write_row(
    rows: NDArray[np.uint64],
    row: np.uint64,
    low: np.uint64,
    high: np.uint64,
    ids: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Fill a row with a key and up to FEW ids."""
    rows[row] = low
    rows[row + NEXT] = high
    rows[row + TWO] = NO_BITS
    rows[row + THREE] = np.uint64(last - first - 1) << COUNT_SHIFT
    for at in range(last - first):
        place = row + TWO + np.uint64(at >> 1)
        rows[place] |= np.uint64(ids[first + at]) << np.uint64((at & 1) << 5)


@borrowing
def write_ids(rows: NDArray[np.uint64], row: np.uint64, out: NDArray[np.int32], count: int) -> int:
    """Append the ids of a row; the new count."""
    last = rows[row + THREE]
    store_pair(out, count, rows[row + TWO])
    store_pair(out, count + 2, last & IDS_MASK)
    return count + int(np.int64(last >> COUNT_SHIFT)) + 1


@borrowing
def fetch_known(
    keys: NDArray[np.uint64],
    first: int,
    last: int,
    short: NDArray[np.uint64],
    known: NDArray[np.uint64],
) -> None:
    """Let the processor fetch the rows of `known` for those of some pieces that are not in `short`."""
    mask = np.uint64((len(known) >> 2) - 1)
    for index in range(first, last):
        low, high, row = keys[KEY * index], keys[KEY * index + 1], keys[KEY * index + 2]
        other = row + SECOND
        is_first = short[row] == low and short[row + NEXT] == high
        if not is_first and (short[other] != low or short[other + NEXT] != high):
            mixed = low * MIX_LOW ^ high * MIX_HIGH
            mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
            prefetch(known, int((mixed >> PLACE_SHIFT & mask) << TWO))


@borrowing
def find_known(known: NDArray[np.uint64], low: np.uint64, high: np.uint64) -> np.uint64:
    """The row of a key in a table with open addressing, or the empty row where it would be."""
    mask = np.uint64((len(known) >> 2) - 1)
    mixed = low * MIX_LOW ^ high * MIX_HIGH
    mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
    place = mixed >> PLACE_SHIFT & mask
    while True:
        row = place << TWO
        if known[row + NEXT] == high and known[row] == low:
            return row
        if known[row + NEXT] == NO_BITS:
            return row
        place = (place + NEXT) & mask


@kernel
def enter_tokens(
    known: NDArray[np.uint64],
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    n_tokens: int,
) -> None:
    """Add rows for tokens as whole pieces, by their texts: data[offsets[token] : offsets[token + 1]].

    Of equal texts the first token stays.
    Texts without bytes and those that do not fit a row are left out.  Half of `known` has to stay empty.
    """
    ids = np.empty(1, np.int32)
    for token in range(n_tokens):
        start, length = int(offsets[token]), int(offsets[token + 1] - offsets[token])
        if length == 0 or length > SHORT:
            continue
        low, high = np.uint64(0), np.uint64(0)
        for at in range(length - 1, -1, -1):
            high = high << BYTE_BITS | low >> LENGTH_SHIFT
            low = low << BYTE_BITS | np.uint64(data[start + at])
        high |= np.uint64(length) << LENGTH_SHIFT | WHOLE_BIT
        row = find_known(known, low, high)
        if known[row + NEXT] == NO_BITS:
            ids[0] = token
            write_row(known, row, low, high, ids, 0, 1)


@kernel
def enter_common(known: NDArray[np.uint64], short: NDArray[np.uint64], n_common: int) -> None:
    """Copy the rows of the first `n_common` tokens from `known` to `short`, as far as there is room."""
    mask = np.uint64((len(short) >> 3) - 1)
    for start in range(0, len(known), ROW):
        source = np.uint64(start)
        if known[source + NEXT] == NO_BITS or known[source + TWO] >= np.uint64(n_common):
            continue
        mixed = known[source] * MIX_LOW ^ known[source + NEXT] * MIX_HIGH
        mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
        row = (mixed >> PLACE_SHIFT & mask) << PAIR_SHIFT
        if short[row + NEXT] != NO_BITS:
            row += SECOND
        if short[row + NEXT] == NO_BITS:
            for word in range(ROW):
                short[row + np.uint64(word)] = known[source + np.uint64(word)]
