"""Pair merging where pieces repeat: each is merged once and then looked up.

Pieces are cut further where no token can reach across, so that lines and sentences become word-sized.
What a piece becomes depends on nothing else, so neither what a cache holds nor what it forgets shows in
the tokens.  A cache belongs to one call at a time.  No readable twin of its own: `scan` and `heap` are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.eight_bytes import load_eight
from guiapp.core.kernels.heap import merge_by_heap
from guiapp.core.kernels.id_pairs import store_pair
from guiapp.core.kernels.merges import MergeArrays, SymbolArrays, find_piece
from guiapp.core.kernels.pair_cuts import ONE, PAIR_MIX, SPACE, PairCuts
from guiapp.core.kernels.piece_cache import (
    COUNT_SHIFT,
    FEW,
    HALF,
    IDS_MASK,
    LENGTH_SHIFT,
    LONGEST_KEPT,
    MIX_HIGH,
    MIX_LOW,
    SHORT,
    UNKNOWN,
    WHOLE_BIT,
    PieceCache,
    keep,
    keep_short,
    piece_hash,
    recall,
)
from guiapp.core.kernels.scan import merge_by_scan
from guiapp.core.kernels.string_table import StringTable

SCANNED = 48  # bytes of a piece up to which scanning beats a queue

# Of a piece of n bytes: which bits of its two words are text.
LOW_MASKS = np.array([(1 << 8 * min(n, 8)) - 1 for n in range(16)], np.uint64)
HIGH_MASKS = np.array([(1 << 8 * max(n - 8, 0)) - 1 for n in range(16)], np.uint64)
LENGTHS = np.array([1] * 192 + [2] * 32 + [3] * 16 + [4] * 16, np.uint8)  # of a character, by its lead
BYTE_BITS = np.uint64(8)

PIECE, PIECE_START, START, END, COUNT, ROW = range(6)  # of `state` in `_encode_known`

NO_PIECES, NEWLINES, ALL_PIECES = range(3)  # which pieces that are tokens are taken whole


class PieceTables(NamedTuple):
    """What the kernel needs to know about a vocabulary besides symbols, merges and cuts.

    strings, spelling_offsets, spelling  to find pieces that are tokens
    whole_pieces  NO_PIECES, NEWLINES or ALL_PIECES
    cuts_short    whether pieces are lines, to be cut however short they are, rather than words
    """

    strings: StringTable
    spelling_offsets: NDArray[np.int64]
    spelling: NDArray[np.uint8]
    whole_pieces: int
    cuts_short: bool


@kernel
def encode(
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    cuts: PairCuts,
    cache: PieceCache,
    out: NDArray[np.int32],
) -> int:
    """Write the ids of all pieces, four more than there are bytes at most; returns how many.

    Each byte must have exactly one token to fall back to.
    """
    state, key = np.zeros(6, np.int64), np.zeros(2, np.uint64)
    tells_whole = tables.whole_pieces != NO_PIECES
    while not _encode_known(
        data, piece_ends, tables.cuts_short, tells_whole, cuts, cache.short, out, state, key
    ):
        start, end, first = state[START], state[END], state[COUNT]
        is_whole = tells_whole and start == state[PIECE_START] and end == piece_ends[state[PIECE]]
        if end - start > LONGEST_KEPT:
            last = _merge(data, start, end, is_whole, tables, symbols, merges, out, first)
        else:
            hashed = piece_hash(data, start, end, is_whole)
            last = recall(cache, data, start, end, is_whole, hashed, out, first)
            if last == UNKNOWN:
                last = _merge(data, start, end, is_whole, tables, symbols, merges, out, first)
                keep(cache, data, start, end, is_whole, hashed, out, first, last)
            if end - start <= SHORT and last - first <= FEW:
                keep_short(cache.short, state[ROW], key, out, first, last)
        state[COUNT] = last
        state[START] = end
    return int(state[COUNT])


@routine
def _encode_known(
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    cuts_short: bool,
    tells_whole: bool,
    cuts: PairCuts,
    short: NDArray[np.uint64],
    out: NDArray[np.int32],
    state: NDArray[np.int64],
    key: NDArray[np.uint64],
) -> bool:
    """Append the ids of pieces up to the first that is not among the short ones; whether that was all.

    Goes on from `state`, and leaves there and in `key` where it stopped.  This is the loop that all time is
    spent in: it stands alone and calls nothing, because whatever else is compiled with it slows it down.
    """
    size = len(data)
    ascii_pairs = cuts.ascii
    other_pairs = cuts.others
    pair_spread = cuts.spread
    marked_space = cuts.marked_space
    bit_mask = 64 * len(other_pairs) - 1
    n_kinds = 4 if cuts.splits_characters else 1  # a partial character counts by its nearest byte
    n_pairs = len(short) >> 3
    shift = np.uint64(64)
    while n_pairs > 1:
        n_pairs >>= 1
        shift -= np.uint64(1)
    count, start, piece_start = state[COUNT], state[START], state[PIECE_START]
    for piece in range(state[PIECE], len(piece_ends)):
        piece_end = piece_ends[piece]
        while start < piece_end:
            end = piece_end
            if end - start > SHORT or start > piece_start or cuts_short:
                # as `last_cut` and `first_cut` do, but written out: calls here would halve the speed
                end = start + int(LENGTHS[data[start]])
                before = 0
                for at in range(min(end, piece_end) - 1, start - 1, -1):
                    before = before << 8 | int(data[at])
                if before == marked_space:
                    before = SPACE
                while end < piece_end:
                    after = int(data[end])
                    if before < 0x80 and after < 0x80:
                        if not (ascii_pairs[2 * before + (after >> 6)] >> np.uint64(after & 63)) & ONE:
                            break
                        before = after
                        end += 1
                        continue
                    stop = min(end + int(LENGTHS[after]), piece_end)
                    after = 0
                    for at in range(stop - 1, end - 1, -1):
                        after = after << 8 | int(data[at])
                    if after == marked_space:
                        after = SPACE
                    is_joined = False
                    if before < 0x80 and after < 0x80:  # one of them is U+2581 as such
                        bits = ascii_pairs[2 * before + (after >> 6)]
                        is_joined = (bits >> np.uint64(after & 63)) & ONE != np.uint64(0)
                    else:
                        for kind in range(n_kinds):
                            left = int(data[end - 1]) if kind & 1 else before
                            right = int(data[end]) if kind & 2 else after
                            bit = int((np.int64(left) * PAIR_MIX + right) * pair_spread >> 32) & bit_mask
                            if (other_pairs[bit >> 6] >> np.uint64(bit & 63)) & ONE:
                                is_joined = True
                                break
                    if not is_joined:
                        break
                    before = after
                    end = stop
                end = min(end, piece_end)
            length = end - start
            row, low, high = 0, np.uint64(0), np.uint64(0)
            is_known = False
            if length <= SHORT:
                if start + 16 <= size:
                    low = load_eight(data, start) & LOW_MASKS[length]
                    high = load_eight(data, start + 8) & HIGH_MASKS[length]
                else:
                    for at in range(length - 1, -1, -1):
                        high = high << BYTE_BITS | low >> LENGTH_SHIFT
                        low = low << BYTE_BITS | np.uint64(data[start + at])
                high |= np.uint64(length) << LENGTH_SHIFT
                if tells_whole and start == piece_start and end == piece_end:
                    high |= WHOLE_BIT
                mixed = (low ^ (high * MIX_HIGH)) * MIX_LOW
                mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
                row = int(np.int64(mixed >> shift)) << 3
                is_known = short[row] == low and short[row + 1] == high
                if not is_known and short[row + 4] == low and short[row + 5] == high:
                    is_known = True
                    row += 4
            if not is_known:
                state[PIECE] = piece
                state[PIECE_START] = piece_start
                state[START] = start
                state[END] = end
                state[COUNT] = count
                state[ROW] = row
                key[0] = low
                key[1] = high
                return False
            store_pair(out, count, short[row + 2])
            store_pair(out, count + 2, short[row + 3] & IDS_MASK)
            count += int(np.int64(short[row + 3] >> COUNT_SHIFT)) + 1
            start = end
        piece_start = piece_end
    state[COUNT] = count
    return True


@routine
def _merge(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    is_whole: bool,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of a piece that was never seen before."""
    if is_whole and (
        tables.whole_pieces == ALL_PIECES or (tables.whole_pieces == NEWLINES and data[start] == 0x0A)
    ):
        scratch = np.empty(3 * (end - start), np.uint8)
        token = find_piece(
            tables.strings, tables.spelling_offsets, tables.spelling, data, start, end, scratch
        )
        if token >= 0:
            out[count] = token
            return count + 1
    ids = np.empty(end - start, np.int32)
    ends = np.empty(end - start, np.int64)
    if end - start <= SCANNED:
        values = np.empty(end - start, np.int64)
        n_symbols = merge_by_scan(data, start, end, symbols, merges, ids, ends, values)
    else:
        n_symbols = merge_by_heap(data, start, end, symbols, merges, ids, ends)
    at = start
    for index in range(n_symbols):
        if 0 <= ids[index] < symbols.n_tokens:
            out[count] = ids[index]
            count += 1
            at = ends[index]
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
