"""Words that were encoded before, where words do not lie side by side: for WordPiece and Unigram.

The rows are those of `piece_keys`, the tables those of `piece_cache`.  A word is kept as it stands in the
text, before it is normalised: one that was met before is not normalised again.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.eight_bytes import load_eight, prefetch
from guiapp.core.kernels.new_pieces import note
from guiapp.core.kernels.piece_cache import (
    LONGEST_KEPT,
    ROOM,
    UNKNOWN,
    PieceCache,
    empty_rows,
    keep,
    piece_hash,
    recall,
)
from guiapp.core.kernels.piece_keys import (
    BLOCK,
    BYTE_BITS,
    FEW,
    HALF,
    HIGH_MASKS,
    KEY,
    LENGTH_SHIFT,
    LOW_MASKS,
    MANY,
    MIX_HIGH,
    MIX_LOW,
    NEXT,
    NO_BITS,
    PAIR_SHIFT,
    PLACE_SHIFT,
    ROW,
    SHORT,
    TOO_LONG,
    TWO,
    WHOLE_BIT,
    find_known,
    keep_short,
    write_ids,
    write_row,
)

N_ROWS = 1 << 17  # for words that were met before, where none is known from the beginning
MOST_IDS = LONGEST_KEPT  # of a word that is kept
SPARE = 4 * BLOCK + MOST_IDS + 8  # ids that a block and one kept word may take, with what is written behind


def new_word_cache(known: NDArray[np.uint64]) -> PieceCache:
    """A cache of about 14 MB, all of it written to, which knows the words in the rows `known`."""
    cache = PieceCache(
        short=empty_rows(N_ROWS),
        known=empty_rows(len(known) // ROW),
        long=np.full(4 * N_ROWS, 0, np.int64),
        text=np.empty(2 << 20, np.uint8),
        ids=np.empty(1 << 19, np.int32),
        used=np.zeros(4, np.int64),
    )
    cache.short[:] = 0
    cache.known[:] = known
    cache.used[ROOM] = len(known) // ROW * 3 // 4 - np.count_nonzero(known[1::ROW])
    return cache


@kernel
def enter_words(
    known: NDArray[np.uint64], data: NDArray[np.uint8], starts: NDArray[np.int64], tokens: NDArray[np.int32]
) -> None:
    """Add rows for words that are one token each: tokens[i] is data[starts[i] : starts[i + 1]].

    Those that do not fit a row are left out.  Half of `known` has to stay empty.
    """
    n_words = len(tokens)
    keys = np.empty(KEY * n_words, np.uint64)
    key_words(data, starts, starts[1:], n_words, known, keys)
    for index in range(n_words):
        if keys[KEY * index + 1] != TOO_LONG:
            row = find_known(known, keys[KEY * index], keys[KEY * index + 1])
            write_row(known, row, keys[KEY * index], keys[KEY * index + 1], tokens, index, index + 1)


@routine
def key_words(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    n_words: int,
    short: NDArray[np.uint64],
    keys: NDArray[np.uint64],
) -> None:
    """Write the keys of words, and let the processor fetch their rows; see `piece_keys.key_pieces`."""
    size, mask = len(data), np.uint64((len(short) >> 3) - 1)
    for index in range(n_words):
        start, end = int(starts[index]), int(ends[index])
        length = end - start
        low, high, row = TOO_LONG, TOO_LONG, np.uint64(0)
        if length <= SHORT:
            if start + 16 <= size:
                low = load_eight(data, start) & LOW_MASKS[length]
                high = load_eight(data, start + 8) & HIGH_MASKS[length]
            else:
                low, high = np.uint64(0), np.uint64(0)
                for at in range(end - 1, start - 1, -1):
                    high = high << BYTE_BITS | low >> LENGTH_SHIFT
                    low = low << BYTE_BITS | np.uint64(data[at])
            high |= np.uint64(length) << LENGTH_SHIFT | WHOLE_BIT
            mixed = low * MIX_LOW ^ high * MIX_HIGH
            mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
            row = (mixed >> PLACE_SHIFT & mask) << PAIR_SHIFT
            prefetch(short, int(row))
        keys[KEY * index] = low
        keys[KEY * index + 1] = high
        keys[KEY * index + 2] = row


@routine
def remembered(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    is_whole: bool,
    keys: NDArray[np.uint64],
    index: int,
    short: NDArray[np.uint64],
    known: NDArray[np.uint64],
    long: NDArray[np.int64],
    kept_text: NDArray[np.uint8],
    kept_ids: NDArray[np.int32],
    out: NDArray[np.int32],
    first: int,
) -> int:
    """Append the ids of data[start:end], if another table than `short` has them; the new count, or UNKNOWN.

    The tables are those of a PieceCache, one by one because that is faster.  At most MOST_IDS are appended.
    """
    count = UNKNOWN
    if end - start <= SHORT:
        row = find_known(known, keys[KEY * index], keys[KEY * index + 1])
        if known[row + NEXT] == NO_BITS:
            return UNKNOWN
        if known[row + TWO] != MANY:
            count = write_ids(known, row, out, first)
            keep_short(short, keys, index, out, first, count)
            return count
    if end - start <= LONGEST_KEPT:
        hashed = piece_hash(data, start, end, is_whole)
        count = recall(long, kept_text, kept_ids, data, start, end, is_whole, hashed, out, first)
    return count


@routine
def remember(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    is_whole: bool,
    keys: NDArray[np.uint64],
    index: int,
    short: NDArray[np.uint64],
    known: NDArray[np.uint64],
    long: NDArray[np.int64],
    kept_text: NDArray[np.uint8],
    kept_ids: NDArray[np.int32],
    used: NDArray[np.int64],
    out: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Note that data[start:end] became out[first:last].  Not where a token is missing, or there are many."""
    if last == first or last - first > MOST_IDS:
        return
    for at in range(first, last):
        if out[at] < 0:
            return
    if end - start <= SHORT:
        row = find_known(known, keys[KEY * index], keys[KEY * index + 1])
        note(known, long, kept_text, kept_ids, used, keys, index, row, data, start, end, out, first, last)
        if last - first <= FEW:
            keep_short(short, keys, index, out, first, last)
        return
    hashed = piece_hash(data, start, end, is_whole)
    keep(long, kept_text, kept_ids, used, data, start, end, is_whole, hashed, out, first, last)
