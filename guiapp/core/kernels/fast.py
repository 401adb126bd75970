"""Pair merging where pieces repeat: each is merged once and then looked up.

What a piece becomes depends on nothing else, so neither what a cache holds nor what it forgets shows in
the tokens.  A cache belongs to one call at a time.  Pieces that do not fit a row are remembered whole, and
for when they are new, cut into parts that no token reaches across: lines and sentences become word-sized.
No readable twin of its own: `scan` and `heap` are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.heap import merge_by_heap
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays, find_piece
from guiapp.core.kernels.pair_cuts import PairCuts
from guiapp.core.kernels.pattern_machine import PatternMachine, begin, next_ends, plain_ends
from guiapp.core.kernels.piece_cache import LONGEST_KEPT, ROOM, UNKNOWN, PieceCache, keep, piece_hash, recall
from guiapp.core.kernels.piece_keys import (
    BLOCK,
    FEW,
    KEY,
    MANY,
    NEXT,
    NO_BITS,
    SHORT,
    TWO,
    WHOLE_BIT,
    find_known,
    keep_short,
    key_pieces,
    look_up,
    write_ids,
    write_row,
)
from guiapp.core.kernels.piece_parts import cut_ends
from guiapp.core.kernels.scan import merge_by_scan
from guiapp.core.kernels.string_table import StringTable
from guiapp.core.kernels.word_merges import SCANNED, WordMerges, merge_word

NEWLINE = 0x0A
COUNT_MASK = (1 << 32) - 1

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


@kernel
def encode_known(
    data: NDArray[np.uint8],
    classes: NDArray[np.uint8],
    transitions: NDArray[np.uint32],
    words: NDArray[np.uint8],
    first_row: int,
    n_classes: int,
    are_whole: bool,
    short: NDArray[np.uint64],
    out: NDArray[np.int32],
) -> int:
    """Write the ids of pieces up to one that takes more than a look into a row.

    Returns where that begins << 32 | how many ids there are.  For patterns of one level; with next to no
    arguments, because to hand over those of `encode` takes longer than to encode a short text.
    """
    ends, keys = np.empty(BLOCK, np.int64), np.empty(KEY * BLOCK, np.uint64)
    whole_bit = WHOLE_BIT if are_whole else NO_BITS
    row, end_class = np.uint64(first_row), np.uint64(n_classes)
    position, count, size = 0, 0, len(data)
    while position < size:
        n_pieces = plain_ends(data, ends, 0, position, size, classes, transitions, row, end_class, words)
        key_pieces(data, position, ends, n_pieces, whole_bit, short, keys)
        found = look_up(keys, 0, n_pieces, short, out, count)
        n_found, count = found >> 32, found & COUNT_MASK
        if n_found:
            position = int(ends[n_found - 1])
        if n_found < n_pieces or n_pieces == 0:
            break
    return position << 32 | count


@kernel
def encode(
    data: NDArray[np.uint8],
    position: int,
    piece_ends: NDArray[np.int64],
    machine: PatternMachine,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    cuts: PairCuts,
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Write the ids of data[position:] behind out[:count], four more than bytes at most; the new count.

    piece_ends  where the pieces end; if empty, the machine tells
    Each byte must have exactly one token to fall back to.
    """
    size = len(data)
    ends, keys = np.empty(BLOCK, np.int64), np.empty(KEY * BLOCK, np.uint64)
    parts, part_keys = np.empty(BLOCK, np.int64), np.empty(KEY * BLOCK, np.uint64)
    progress = begin(len(machine.levels), position, size)
    whole_bit = WHOLE_BIT if tables.whole_pieces == ALL_PIECES else NO_BITS
    known, short, values = cache.known, cache.short, np.empty(SCANNED, np.int64)
    asks_whole = tables.whole_pieces == ALL_PIECES and not tables.knows_whole
    long, kept_text, kept_ids, used = cache.long, cache.text, cache.ids, cache.used
    n_given = 0
    while position < size:
        if len(piece_ends):
            n_pieces = min(BLOCK, len(piece_ends) - n_given)
            ends[:n_pieces] = piece_ends[n_given : n_given + n_pieces]
            n_given += n_pieces
        else:
            n_pieces = next_ends(data, ends, progress, machine)
        if tables.cuts_short:
            for index in range(n_pieces):
                end = int(ends[index])
                count = _encode_parts(
                    data, position, end, parts, part_keys, tables, symbols, merges, cuts, cache, out, count
                )
                position = end
            continue
        key_pieces(data, position, ends, n_pieces, whole_bit, short, keys)
        index = 0
        while True:
            found = look_up(keys, index, n_pieces, short, out, count)
            index, first = found >> 32, found & COUNT_MASK
            count = first
            if index == n_pieces:
                break
            start, end = int(ends[index - 1]) if index else position, int(ends[index])
            if end - start <= SHORT:
                row = find_known(known, keys[KEY * index], keys[KEY * index + 1])
                if known[row + NEXT] != NO_BITS and known[row + TWO] != MANY:
                    count = write_ids(known, row, out, first)
                else:
                    count = _learn(
                        data,
                        start,
                        end,
                        asks_whole,
                        keys,
                        index,
                        row,
                        tables,
                        symbols,
                        merges,
                        values,
                        cache,
                        out,
                        first,
                    )
                if count - first <= FEW:
                    keep_short(short, keys, index, out, first, count)
                index += 1
                continue
            count, hashed = UNKNOWN, 0
            if end - start <= LONGEST_KEPT:
                hashed = piece_hash(data, start, end, True)
                count = recall(long, kept_text, kept_ids, data, start, end, True, hashed, out, first)
            if count == UNKNOWN:
                if tables.whole_pieces == ALL_PIECES:
                    count = _find_whole(data, start, end, tables, out, first)
                if count == UNKNOWN:
                    count = _encode_parts(
                        data, start, end, parts, part_keys, tables, symbols, merges, cuts, cache, out, first
                    )
                keep(long, kept_text, kept_ids, used, data, start, end, True, hashed, out, first, count)
            index += 1
        position = int(ends[n_pieces - 1])
    return count


@routine
def _encode_parts(
    data: NDArray[np.uint8],
    start: int,
    limit: int,
    ends: NDArray[np.int64],
    keys: NDArray[np.uint64],
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    cuts: PairCuts,
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of data[start:limit] part by part."""
    long, kept_text, kept_ids, used = cache.long, cache.text, cache.ids, cache.used
    known, short, values = cache.known, cache.short, np.empty(SCANNED, np.int64)
    while start < limit:
        n_parts = cut_ends(data, ends, start, limit, cuts)
        key_pieces(data, start, ends, n_parts, NO_BITS, short, keys)
        index = 0
        while True:
            found = look_up(keys, index, n_parts, short, out, count)
            index, first = found >> 32, found & COUNT_MASK
            count = first
            if index == n_parts:
                break
            part, end = int(ends[index - 1]) if index else start, int(ends[index])
            asks_whole = tables.whole_pieces == NEWLINES and data[part] == NEWLINE
            if end - part <= SHORT:
                row = find_known(known, keys[KEY * index], keys[KEY * index + 1])
                if known[row + NEXT] != NO_BITS and known[row + TWO] != MANY:
                    count = write_ids(known, row, out, first)
                else:
                    count = _learn(
                        data,
                        part,
                        end,
                        asks_whole,
                        keys,
                        index,
                        row,
                        tables,
                        symbols,
                        merges,
                        values,
                        cache,
                        out,
                        first,
                    )
                if count - first <= FEW:
                    keep_short(short, keys, index, out, first, count)
                index += 1
                continue
            count, hashed = UNKNOWN, 0
            if end - part <= LONGEST_KEPT:
                hashed = piece_hash(data, part, end, False)
                count = recall(long, kept_text, kept_ids, data, part, end, False, hashed, out, first)
            if count == UNKNOWN:
                if asks_whole:
                    count = _find_whole(data, part, end, tables, out, first)
                if count == UNKNOWN:
                    count = _merge(data, part, end, tables.words, symbols, merges, values, out, first)
                keep(long, kept_text, kept_ids, used, data, part, end, False, hashed, out, first, count)
            index += 1
        start = int(ends[n_parts - 1])
    return count


@routine
def _learn(
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
    known, used = cache.known, cache.used
    long, kept_text, kept_ids = cache.long, cache.text, cache.ids
    low, high = keys[KEY * index], keys[KEY * index + 1]
    is_whole, count, hashed = high & WHOLE_BIT != NO_BITS, UNKNOWN, 0
    if known[row + NEXT] != NO_BITS:
        hashed = piece_hash(data, start, end, is_whole)
        count = recall(long, kept_text, kept_ids, data, start, end, is_whole, hashed, out, first)
        if count != UNKNOWN:
            return count
    if asks_whole:
        count = _find_whole(data, start, end, tables, out, first)
    if count == UNKNOWN:
        count = _merge(data, start, end, tables.words, symbols, merges, values, out, first)
    if count - first > FEW:
        hashed = piece_hash(data, start, end, is_whole)
        keep(long, kept_text, kept_ids, used, data, start, end, is_whole, hashed, out, first, count)
    if used[ROOM] > 0 and known[row + NEXT] == NO_BITS:
        used[ROOM] -= 1
        write_row(known, row, low, high, out, first, min(count, first + FEW))
        if count - first > FEW:
            known[row + TWO] = MANY
    return count


@routine
def _find_whole(
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
def _merge(
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


@kernel
def add_lengths(ids: NDArray[np.int32], lengths: NDArray[np.int32], bounds: NDArray[np.int64]) -> None:
    """Token i, of lengths[ids[i]] bytes, lies from bounds[i] to bounds[i + 1]; the first bound is given."""
    at = bounds[0]
    for index in range(len(ids)):
        at += lengths[ids[index]]
        bounds[index + 1] = at
