"""What becomes of a piece that a cache does not have, and noting it there."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import allocating, borrowing
from guiapp.core.kernels.compile import routine
from guiapp.core.kernels.eight_bytes import load_eight
from guiapp.core.kernels.heap import merge_by_heap
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays, find_piece
from guiapp.core.kernels.piece_cache import LONGEST_KEPT, ROOM, UNKNOWN, PieceCache, keep, piece_hash, recall
from guiapp.core.kernels.piece_keys import (
    COUNT_MASK,
    FEW,
    KEY,
    MANY,
    MIX_HIGH,
    MIX_LOW,
    NEXT,
    NO_BITS,
    SHORT,
    TWO,
    WHOLE_BIT,
    fetch_known,
    find_known,
    keep_short,
    look_up,
    write_ids,
    write_row,
)
from guiapp.core.kernels.string_table import StringTable
from guiapp.core.kernels.word_merges import BIT_IN_WORD, LONGEST_SCANNED, WORD_BITS, WordMerges, merge_word

NEWLINE = 0x0A
AHEAD = 32  # pieces behind a new one, of which more may be new
BIT_SHIFT = np.uint64(48)
NO_PIECES, NEWLINES, ALL_PIECES = range(3)  # which pieces that are tokens are taken whole

Words = TypeVar("Words", np.uint64, NDArray[np.uint64])


class PieceTables(NamedTuple):
    """What the kernel needs to know about a vocabulary besides symbols, merges and cuts.

    strings, spelling_offsets, spelling  to find pieces that are tokens
    longest       bytes of the longest token
    long_tokens   uint64[1024]: a set of bits, see `long_token_bit`; of pieces longer than SHORT it tells most
                  that are no token
    knows_whole   whether a cache knows all pieces from the beginning that fit a row and are taken whole
    whole_pieces  NO_PIECES, NEWLINES or ALL_PIECES
    cuts_short    whether pieces are lines, to be cut however short they are, rather than words
    """

    strings: StringTable
    spelling_offsets: NDArray[np.int64]
    spelling: NDArray[np.uint8]
    longest: int
    long_tokens: NDArray[np.uint64]
    words: WordMerges
    knows_whole: bool
    whole_pieces: int
    cuts_short: bool


@borrowing
def encode_block(
    data: NDArray[np.uint8],
    position: int,
    ends: NDArray[np.int64],
    keys: NDArray[np.uint64],
    index: int,
    n_pieces: int,
    is_whole: bool,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    values: NDArray[np.int64],
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of pieces from `index` on up to a long new one; its index << 32 | the new count.

    Parts of pieces, `is_whole` not being set, are merged here however long and new they are.
    """
    known, short, long, kept_text, kept_ids = cache.known, cache.short, cache.long, cache.text, cache.ids
    used, words = cache.used, tables.words
    asks_all = is_whole and tables.whole_pieces == ALL_PIECES and not tables.knows_whole
    asks_newlines = not is_whole and tables.whole_pieces == NEWLINES
    n_fetched = 0
    while True:
        found = look_up(keys, index, n_pieces, short, out, count)
        index, first = found >> 32, found & COUNT_MASK
        if index == n_pieces:
            return found
        start, end = int(ends[index - 1]) if index else position, int(ends[index])
        asks_whole = asks_all or (asks_newlines and data[start] == NEWLINE)
        is_short = end - start <= SHORT
        if is_short and index >= n_fetched:
            n_fetched = min(index + AHEAD, n_pieces)
            fetch_known(keys, index, n_fetched, short, known)
        row, count, hashed = np.uint64(0), UNKNOWN, 0
        if is_short:
            row = find_known(known, keys[KEY * index], keys[KEY * index + 1])
            if known[row + NEXT] == NO_BITS:
                pass
            elif known[row + TWO] != MANY:
                count = write_ids(known, row, out, first)
            else:
                hashed = piece_hash(data, start, end, is_whole)
        elif end - start <= LONGEST_KEPT:
            hashed = int(np.int64(keys[KEY * index]))
        if hashed:
            count = recall(long, kept_text, kept_ids, data, start, end, is_whole, hashed, out, first)
        if count == UNKNOWN:
            if is_whole and not is_short:
                return index << 32 | first
            if asks_whole:
                count = find_whole(data, start, end, tables, out, first)
            if count == UNKNOWN and end - start <= LONGEST_SCANNED:
                count = merge_word(data, start, end, words, values, out, first)
            if count == UNKNOWN:
                count = merge(data, start, end, symbols, merges, out, first)
            if is_short:
                note(
                    known,
                    long,
                    kept_text,
                    kept_ids,
                    used,
                    keys,
                    index,
                    row,
                    data,
                    start,
                    end,
                    out,
                    first,
                    count,
                )
            else:
                keep(long, kept_text, kept_ids, used, data, start, end, False, hashed, out, first, count)
        if is_short and count - first <= FEW:
            keep_short(short, keys, index, out, first, count)
        index += 1


@borrowing
def note(
    known: NDArray[np.uint64],
    long: NDArray[np.int64],
    kept_text: NDArray[np.uint8],
    kept_ids: NDArray[np.int32],
    used: NDArray[np.int64],
    keys: NDArray[np.uint64],
    index: int,
    row: np.uint64,
    data: NDArray[np.uint8],
    start: int,
    end: int,
    out: NDArray[np.int32],
    first: int,
    last: int,
) -> None:
    """Note in its row of `known` that a short piece became out[first:last], or that `long` has it."""
    low, high = keys[KEY * index], keys[KEY * index + 1]
    if known[row + NEXT] == NO_BITS and used[ROOM] > 0:
        used[ROOM] -= 1
        write_row(known, row, low, high, out, first, min(last, first + FEW))
        if last - first > FEW:
            known[row + TWO] = MANY
    if last - first > FEW:
        is_whole = high & WHOLE_BIT != NO_BITS
        hashed = piece_hash(data, start, end, is_whole)
        keep(long, kept_text, kept_ids, used, data, start, end, is_whole, hashed, out, first, last)


@routine
def long_token_bit(beginning: Words, length: Words) -> Words:
    """The bit for a token by its first eight bytes and its length; or those of many."""
    return (beginning ^ length * MIX_HIGH) * MIX_LOW >> BIT_SHIFT


@allocating
def find_whole(
    data: NDArray[np.uint8], start: int, end: int, tables: PieceTables, out: NDArray[np.int32], count: int
) -> int:
    """Append the token that is spelled like a piece; the new count, or UNKNOWN."""
    if end - start > tables.longest:
        return UNKNOWN
    if end - start > SHORT:
        bit = long_token_bit(load_eight(data, start), np.uint64(end - start))
        if not tables.long_tokens[bit >> WORD_BITS] >> (bit & BIT_IN_WORD) & NEXT:
            return UNKNOWN
    scratch = np.empty(3 * (end - start), np.uint8)
    token = find_piece(tables.strings, tables.spelling_offsets, tables.spelling, data, start, end, scratch)
    if token < 0:
        return UNKNOWN
    out[count] = token
    return count + 1


@allocating
def merge(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    symbols: SymbolArrays,
    merges: MergeArrays,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of a piece whatever its bytes are."""
    ids = np.empty(end - start, np.int32)
    ends = np.empty(end - start, np.int64)
    n_symbols = merge_by_heap(data, start, end, symbols, merges, ids, ends)
    at = start
    for index in range(n_symbols):
        if 0 <= ids[index] < symbols.n_tokens:
            out[count] = ids[index]
            count += 1
            at = int(ends[index])
        while at < ends[index]:
            out[count] = symbols.fallback_ids[symbols.fallback_offsets[data[at]]]
            count += 1
            at += 1
    return count
