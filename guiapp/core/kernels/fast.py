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

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays
from guiapp.core.kernels.new_pieces import ALL_PIECES, PieceTables, encode_block, find_whole
from guiapp.core.kernels.pair_cuts import PairCuts
from guiapp.core.kernels.pattern_automaton import window_ends
from guiapp.core.kernels.pattern_machine import begin, next_ends
from guiapp.core.kernels.pattern_windows import Marks, new_marks
from guiapp.core.kernels.piece_cache import UNKNOWN, PieceCache, fetch_long, keep
from guiapp.core.kernels.piece_keys import (
    BLOCK,
    COUNT_MASK,
    KEY,
    NO_BITS,
    WHOLE_BIT,
    key_pieces,
    look_up,
)
from guiapp.core.kernels.piece_parts import cut_ends
from guiapp.core.kernels.word_merges import SCANNED
from guiapp.core.split.tables import PatternMachine


class Scratch(NamedTuple):
    """Ends and keys of a block of pieces and one of parts, and what merging and splitting work with."""

    ends: NDArray[np.int64]
    keys: NDArray[np.uint64]
    part_ends: NDArray[np.int64]
    part_keys: NDArray[np.uint64]
    values: NDArray[np.int64]
    progress: NDArray[np.int64]
    known: Marks


@kernel
def encode_known(
    data: NDArray[np.uint8],
    classes: NDArray[np.uint8],
    transitions: NDArray[np.uint32],
    words: NDArray[np.uint8],
    windows: NDArray[np.uint8],
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
    known = new_marks()
    whole_bit = WHOLE_BIT if are_whole else NO_BITS
    row, end_class = np.uint64(first_row), np.uint64(n_classes)
    position, count, size = 0, 0, len(data)
    while position < size:
        n_pieces = window_ends(
            data,
            ends,
            0,
            position,
            size,
            classes,
            transitions,
            row,
            end_class,
            words,
            windows,
            known,
        )
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
    scratch = Scratch(
        np.empty(BLOCK, np.int64),
        np.empty(KEY * BLOCK, np.uint64),
        np.empty(BLOCK, np.int64),
        np.empty(KEY * BLOCK, np.uint64),
        np.empty(SCANNED, np.int64),
        begin(len(machine.levels), position, len(data)),
        new_marks(),
    )
    return _encode_pieces(
        data, position, piece_ends, scratch, machine, tables, symbols, merges, cuts, cache, out, count
    )


@borrowing
def _encode_pieces(
    data: NDArray[np.uint8],
    position: int,
    piece_ends: NDArray[np.int64],
    scratch: Scratch,
    machine: PatternMachine,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    cuts: PairCuts,
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """What `encode` does, block by block."""
    size, n_given, ends, keys = len(data), 0, scratch.ends, scratch.keys
    whole_bit = WHOLE_BIT if tables.whole_pieces == ALL_PIECES else NO_BITS
    while position < size:
        if len(piece_ends):
            n_pieces = min(BLOCK, len(piece_ends) - n_given)
            for index in range(n_pieces):
                ends[index] = piece_ends[n_given + index]
            n_given += n_pieces
        else:
            n_pieces = next_ends(data, ends, scratch.progress, machine, scratch.known)
        if tables.cuts_short:
            for index in range(n_pieces):
                end = int(ends[index])
                count = _encode_parts(
                    data, position, end, scratch, tables, symbols, merges, cuts, cache, out, count
                )
                position = end
            continue
        longs = key_pieces(data, position, ends, n_pieces, whole_bit, cache.short, keys)
        if longs:
            fetch_long(data, position, ends, longs, True, cache.long, cache.text, cache.ids, keys)
        index = 0
        while True:
            found = encode_block(
                data,
                position,
                ends,
                keys,
                index,
                n_pieces,
                True,
                tables,
                symbols,
                merges,
                scratch.values,
                cache,
                out,
                count,
            )
            index, count = found >> 32, found & COUNT_MASK
            if index == n_pieces:
                break
            start, end = int(ends[index - 1]) if index else position, int(ends[index])
            first, count = count, UNKNOWN
            if tables.whole_pieces == ALL_PIECES:
                count = find_whole(data, start, end, tables, out, first)
            if count == UNKNOWN:
                count = _encode_parts(
                    data, start, end, scratch, tables, symbols, merges, cuts, cache, out, first
                )
            hashed = int(np.int64(keys[KEY * index]))
            keep(
                cache.long,
                cache.text,
                cache.ids,
                cache.used,
                data,
                start,
                end,
                True,
                hashed,
                out,
                first,
                count,
            )
            index += 1
        position = int(ends[n_pieces - 1])
    return count


@borrowing
def _encode_parts(
    data: NDArray[np.uint8],
    start: int,
    limit: int,
    scratch: Scratch,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    cuts: PairCuts,
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of data[start:limit] part by part."""
    ends, keys = scratch.part_ends, scratch.part_keys
    while start < limit:
        n_parts = cut_ends(data, ends, start, limit, cuts)
        longs = key_pieces(data, start, ends, n_parts, NO_BITS, cache.short, keys)
        if longs:
            fetch_long(data, start, ends, longs, False, cache.long, cache.text, cache.ids, keys)
        found = encode_block(
            data,
            start,
            ends,
            keys,
            0,
            n_parts,
            False,
            tables,
            symbols,
            merges,
            scratch.values,
            cache,
            out,
            count,
        )
        count = found & COUNT_MASK
        start = int(ends[n_parts - 1])
    return count


@kernel
def add_lengths(ids: NDArray[np.int32], lengths: NDArray[np.int32], bounds: NDArray[np.int64]) -> None:
    """Token i, of lengths[ids[i]] bytes, lies from bounds[i] to bounds[i + 1]; the first bound is given."""
    at = bounds[0]
    for index in range(len(ids)):
        at += lengths[ids[index]]
        bounds[index + 1] = at
