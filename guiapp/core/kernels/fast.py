"""Pair merging where pieces repeat: each is merged once and then looked up.

What a piece becomes depends on nothing else, so neither what a cache holds nor what it forgets shows in
the tokens.  A cache belongs to one call at a time.  Pieces that do not fit a row are remembered whole, and
for when they are new, cut into parts that no token reaches across: lines and sentences become word-sized.
No readable twin of its own: `scan` and `heap` are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays
from guiapp.core.kernels.new_pieces import ALL_PIECES, NEWLINES, PieceTables, find_whole, learn, merge, note
from guiapp.core.kernels.pair_cuts import PairCuts
from guiapp.core.kernels.pattern_machine import PatternMachine, begin, next_ends, plain_ends
from guiapp.core.kernels.piece_cache import LONGEST_KEPT, UNKNOWN, PieceCache, keep, piece_hash, recall
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
)
from guiapp.core.kernels.piece_parts import cut_ends
from guiapp.core.kernels.word_merges import SCANNED, merge_word

NEWLINE = 0x0A
COUNT_MASK = (1 << 32) - 1


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
def encode_known_parts(
    data: NDArray[np.uint8],
    ascii_pairs: NDArray[np.uint64],
    other_pairs: NDArray[np.uint64],
    spread: int,
    marked_space: int,
    splits_characters: bool,
    short: NDArray[np.uint64],
    out: NDArray[np.int32],
) -> int:
    """What `encode_known` does, for a text that is one piece, cut where no token reaches across."""
    cuts = PairCuts(ascii_pairs, other_pairs, spread, marked_space, splits_characters)
    ends, keys = np.empty(BLOCK, np.int64), np.empty(KEY * BLOCK, np.uint64)
    position, count, size = 0, 0, len(data)
    while position < size:
        n_parts = cut_ends(data, ends, position, size, cuts)
        key_pieces(data, position, ends, n_parts, NO_BITS, short, keys)
        found = look_up(keys, 0, n_parts, short, out, count)
        n_found, count = found >> 32, found & COUNT_MASK
        if n_found:
            position = int(ends[n_found - 1])
        if n_found < n_parts:
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
    known, short, words = cache.known, cache.short, tables.words
    values = np.empty(SCANNED, np.int64)
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
                is_new, count = known[row + NEXT] == NO_BITS, UNKNOWN
                if is_new and not asks_whole:
                    count = merge_word(data, start, end, words, values, out, first)
                    if count != UNKNOWN:
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
                elif not is_new and known[row + TWO] != MANY:
                    count = write_ids(known, row, out, first)
                elif not is_new:
                    hashed = piece_hash(data, start, end, True)
                    count = recall(long, kept_text, kept_ids, data, start, end, True, hashed, out, first)
                if count == UNKNOWN:
                    count = learn(
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
                    count = find_whole(data, start, end, tables, out, first)
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
    known, short, words = cache.known, cache.short, tables.words
    values = np.empty(SCANNED, np.int64)
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
                is_new, count = known[row + NEXT] == NO_BITS, UNKNOWN
                if is_new and not asks_whole:
                    count = merge_word(data, part, end, words, values, out, first)
                    if count != UNKNOWN:
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
                            part,
                            end,
                            out,
                            first,
                            count,
                        )
                elif not is_new and known[row + TWO] != MANY:
                    count = write_ids(known, row, out, first)
                elif not is_new:
                    hashed = piece_hash(data, part, end, False)
                    count = recall(long, kept_text, kept_ids, data, part, end, False, hashed, out, first)
                if count == UNKNOWN:
                    count = learn(
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
                    count = find_whole(data, part, end, tables, out, first)
                elif end - part <= SCANNED:
                    count = merge_word(data, part, end, words, values, out, first)
                if count == UNKNOWN:
                    count = merge(data, part, end, words, symbols, merges, values, out, first)
                keep(long, kept_text, kept_ids, used, data, part, end, False, hashed, out, first, count)
            index += 1
        start = int(ends[n_parts - 1])
    return count


@kernel
def add_lengths(ids: NDArray[np.int32], lengths: NDArray[np.int32], bounds: NDArray[np.int64]) -> None:
    """Token i, of lengths[ids[i]] bytes, lies from bounds[i] to bounds[i + 1]; the first bound is given."""
    at = bounds[0]
    for index in range(len(ids)):
        at += lengths[ids[index]]
        bounds[index + 1] = at
