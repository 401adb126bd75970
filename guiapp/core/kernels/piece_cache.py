"""Pieces that were merged before, with their tokens.

Two levels: rows of 32 bytes for short pieces, which most of a text is made of, and a table for all
others, which also has what the rows had to give up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.eight_bytes import load_eight, prefetch
from guiapp.core.kernels.piece_keys import HALF, KEY, MIX_HIGH, MIX_LOW, ROW

LONGEST_KEPT = 1024  # bytes of a piece
MOST_PROBES = 16  # rows looked at before a piece is merged anew
UNKNOWN = -1
ROOM = 3  # in `used`
LINE_WORDS = 8  # 64 bytes
PAGE_WORDS = 1 << 18  # 2 MB


class PieceCache(NamedTuple):
    """What became of pieces.  A whole piece is kept apart from the same text within a longer one.

    short  uint64[8 * 2^k]  pieces that fit rows, in pairs; see `piece_keys`
    known  uint64[4 * 2^k]  more such rows, open addressing: tokens from the beginning, and all that was met
    long   int64[4 * 2^k]   all pieces: hash (0 where empty), start of text and of ids in the two arrays
                            below, length << 32 | whole << 31 | number of ids
    text   uint8[…]
    ids    int32[…]
    used   int64[4]         how much of text, ids and `long` is in use (when one is full those are forgotten),
                            and how many more rows `known` can take
    """

    short: NDArray[np.uint64]
    known: NDArray[np.uint64]
    long: NDArray[np.int64]
    text: NDArray[np.uint8]
    ids: NDArray[np.int32]
    used: NDArray[np.int64]


def new_cache(known: NDArray[np.uint64], n_known: int, short: NDArray[np.uint64] | None = None) -> PieceCache:
    """About 12 MB and the size of `known`, which begins as a copy of these rows, of which `n_known` are used.

    `short` begins as a copy of these rows, too, if there are any.

    Everything is written to here: to be given memory takes longer than to look something up in it.
    """
    cache = PieceCache(
        short=empty_rows(1 << 17),
        known=empty_rows(len(known) // ROW),
        long=aligned_zeros(4 << 17).view(np.int64),
        text=np.full(2 << 20, 0, np.uint8),
        ids=np.full(1 << 19, 0, np.int32),
        used=np.zeros(4, np.int64),
    )
    cache.short[:] = 0 if short is None else short
    cache.long[:] = 0
    cache.known[:] = known
    cache.used[ROOM] = len(known) // ROW * 3 // 4 - n_known
    return cache


def empty_rows(n_rows: int) -> NDArray[np.uint64]:
    """Rows of which no pair lies in two lines of the processor's cache."""
    return aligned_zeros(ROW * n_rows)


def aligned_zeros(n_words: int) -> NDArray[np.uint64]:
    """Zeros from the beginning of a line of the processor's cache on, large tables of a large page.

    NumPy asks for large pages; to look for the place of small ones takes longer than the look itself.
    """
    boundary = PAGE_WORDS if n_words >= PAGE_WORDS else LINE_WORDS
    words = np.zeros(n_words + boundary, np.uint64)
    first = -(words.ctypes.data // words.itemsize) % boundary
    return words[first : first + n_words]


@borrowing
def fetch_long(
    data: NDArray[np.uint8],
    start: int,
    ends: NDArray[np.int64],
    longs: int,
    is_whole: bool,
    long: NDArray[np.int64],
    text: NDArray[np.uint8],
    ids: NDArray[np.int32],
    keys: NDArray[np.uint64],
) -> None:
    """Put hashes in the keys of pieces that no row can hold, and let the processor fetch what is kept.

    `longs` is the beginning of the list of such that `key_pieces` makes.
    """
    listed = longs
    while listed:
        index = listed - 1
        begin, end = int(ends[index - 1]) if index else start, int(ends[index])
        if end - begin <= LONGEST_KEPT:
            hashed = piece_hash(data, begin, end, is_whole)
            keys[KEY * index] = np.uint64(hashed)
            prefetch(long, _first_row(long, hashed))
        listed = int(np.int64(keys[KEY * index + 2]))
    listed = longs
    while listed:
        index = listed - 1
        row = _first_row(long, int(np.int64(keys[KEY * index])))
        if long[row] != 0:
            prefetch(text, int(long[row + 1]))
            prefetch(ids, int(long[row + 2]))
        listed = int(np.int64(keys[KEY * index + 2]))


@borrowing
def recall(
    long: NDArray[np.int64],
    text: NDArray[np.uint8],
    ids: NDArray[np.int32],
    data: NDArray[np.uint8],
    start: int,
    end: int,
    is_whole: bool,
    key: int,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of data[start:end], whose `piece_hash` is `key`; the new count, or UNKNOWN.

    `long`, `text` and `ids` are those of a PieceCache, one by one because that is faster.
    """
    length = end - start
    row = _first_row(long, key)
    for _ in range(MOST_PROBES):
        if long[row] == 0:
            break
        if long[row] == key and long[row + 3] >> 31 == (length << 1 | int(is_whole)):
            kept, same = int(long[row + 1]), 0
            while same + 8 <= length and load_eight(text, kept + same) == load_eight(data, start + same):
                same += 8
            while same < length and text[kept + same] == data[start + same]:
                same += 1
            if same == length:
                first, n_ids = long[row + 2], long[row + 3] & 0x7FFFFFFF
                for at in range(n_ids):
                    out[count + at] = ids[first + at]
                return count + int(n_ids)
        row = (row + 4) & (len(long) - 1)
    return UNKNOWN


@borrowing
def keep(
    long: NDArray[np.int64],
    text: NDArray[np.uint8],
    ids: NDArray[np.int32],
    used: NDArray[np.int64],
    data: NDArray[np.uint8],
    start: int,
    end: int,
    is_whole: bool,
    key: int,
    out: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Remember that data[start:end] became out[first:last], in a PieceCache's parts as for `recall`.

    Not if it is longer than LONGEST_KEPT, or its place in the table crowded.
    """
    length, n_ids = end - start, last - first
    if length > LONGEST_KEPT:
        return
    is_full = used[0] + length > len(text) or used[1] + n_ids > len(ids)
    if is_full or 8 * used[2] > len(long):
        long[:] = 0
        used[:ROOM] = 0
    row = _first_row(long, key)
    probes = 1
    while long[row] != 0:
        if probes == MOST_PROBES:
            return
        row = (row + 4) & (len(long) - 1)
        probes += 1
    for at in range(length):
        text[used[0] + at] = data[start + at]
    for at in range(n_ids):
        ids[used[1] + at] = out[first + at]
    long[row] = key
    long[row + 1] = used[0]
    long[row + 2] = used[1]
    long[row + 3] = (length << 1 | int(is_whole)) << 31 | n_ids
    used[0] += length
    used[1] += n_ids
    used[2] += 1


@borrowing
def _first_row(long: NDArray[np.int64], key: int) -> int:
    return ((int(key) >> 20) << 2) & (len(long) - 1)


@borrowing
def piece_hash(data: NDArray[np.uint8], start: int, end: int, is_whole: bool) -> int:
    """A hash of a piece, positive."""
    mixed = np.uint64(end - start) << np.uint64(1) | np.uint64(is_whole)
    at = start
    while at + 8 <= end:
        mixed = (mixed ^ load_eight(data, at)) * MIX_LOW
        mixed ^= mixed >> HALF
        at += 8
    if at < end and end - start >= 8:
        mixed = (mixed ^ load_eight(data, end - 8)) * MIX_LOW
        mixed ^= mixed >> HALF
        at = end
    while at < end:
        mixed = (mixed ^ np.uint64(data[at])) * MIX_HIGH
        mixed ^= mixed >> HALF
        at += 1
    return int(np.int64(mixed >> np.uint64(1))) | 1
