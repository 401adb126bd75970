"""What becomes of a piece that a cache does not have, and noting it there."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import routine
from guiapp.core.kernels.heap import merge_by_heap
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays, find_piece
from guiapp.core.kernels.piece_cache import ROOM, UNKNOWN, PieceCache, keep, piece_hash
from guiapp.core.kernels.piece_keys import FEW, KEY, MANY, NEXT, NO_BITS, TWO, WHOLE_BIT, write_row
from guiapp.core.kernels.scan import merge_by_scan
from guiapp.core.kernels.string_table import StringTable
from guiapp.core.kernels.word_merges import SCANNED, WordMerges, merge_word

NO_PIECES, NEWLINES, ALL_PIECES = range(3)  # which pieces that are tokens are taken whole


class PieceTables(NamedTuple):
    """What the kernel needs to know about a vocabulary besides symbols, merges and cuts.

    strings, spelling_offsets, spelling  to find pieces that are tokens
    knows_whole   whether a cache knows all pieces from the beginning that fit a row and are taken whole
    whole_pieces  NO_PIECES, NEWLINES or ALL_PIECES
    cuts_short    whether pieces are lines, to be cut however short they are, rather than words
    """

    strings: StringTable
    spelling_offsets: NDArray[np.int64]
    spelling: NDArray[np.uint8]
    words: WordMerges
    knows_whole: bool
    whole_pieces: int
    cuts_short: bool


@routine
def learn(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    asks_whole: bool,
    keys: NDArray[np.uint64],
    index: int,
    row: np.uint64,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    values: NDArray[np.int64],
    cache: PieceCache,
    out: NDArray[np.int32],
    first: int,
) -> int:
    """Append the ids of a short piece, and note them in its row of `cache.known`; the new count."""
    count = UNKNOWN
    if asks_whole:
        count = find_whole(data, start, end, tables, out, first)
    if count == UNKNOWN:
        count = merge(data, start, end, tables.words, symbols, merges, values, out, first)
    note(
        cache.known,
        cache.long,
        cache.text,
        cache.ids,
        cache.used,
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
    return count


@routine
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
def find_whole(
    data: NDArray[np.uint8], start: int, end: int, tables: PieceTables, out: NDArray[np.int32], count: int
) -> int:
    """Append the token that is spelled like a piece; the new count, or UNKNOWN."""
    if tables.whole_pieces == NO_PIECES:
        return UNKNOWN
    scratch = np.empty(3 * (end - start), np.uint8)
    token = find_piece(tables.strings, tables.spelling_offsets, tables.spelling, data, start, end, scratch)
    if token < 0:
        return UNKNOWN
    out[count] = token
    return count + 1


@routine
def merge(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    words: WordMerges,
    symbols: SymbolArrays,
    merges: MergeArrays,
    values: NDArray[np.int64],
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of a piece that was never seen before."""
    if end - start <= SCANNED:
        last = merge_word(data, start, end, words, values, out, count)
        if last != UNKNOWN:
            return last
    ids = np.empty(end - start, np.int32)
    ends = np.empty(end - start, np.int64)
    if end - start <= SCANNED:
        n_symbols = merge_by_scan(data, start, end, symbols, merges, ids, ends, values)
    else:
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
