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
from guiapp.core.kernels.pair_cuts import MARKED_SPACE_CODE, ONE, PAIR_MIX, SPACE, PairCuts
from guiapp.core.kernels.scan import merge_by_scan
from guiapp.core.kernels.string_table import StringTable

SHORT = 15  # bytes of a piece whose key fits two words, length included
FEW = 4  # ids that fit two words
SCANNED = 48  # bytes of a piece up to which scanning beats a queue
LONGEST_KEPT = 1024  # bytes of a piece
MOST_PROBES = 16  # rows looked at before a long piece is merged anew

# Of a piece of n bytes: which bits of its two words are text.
LOW_MASKS = np.array([(1 << 8 * min(n, 8)) - 1 for n in range(16)], np.uint64)
HIGH_MASKS = np.array([(1 << 8 * max(n - 8, 0)) - 1 for n in range(16)], np.uint64)
LENGTH_SHIFT = np.uint64(56)
WHOLE_BIT = np.uint64(1 << 60)
COUNT_SHIFT = np.uint64(62)
IDS_MASK = np.uint64((1 << 62) - 1)
ID_SHIFT = np.uint64(32)
LENGTHS = np.array([1] * 192 + [2] * 32 + [3] * 16 + [4] * 16, np.uint8)  # of a character, by its lead
MIX_LOW = np.uint64(0x9E3779B97F4A7C15)
MIX_HIGH = np.uint64(0xC2B2AE3D27D4EB4F)
HALF = np.uint64(32)
BYTE_BITS = np.uint64(8)

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


class PieceCache(NamedTuple):
    """Pieces that were merged before, with their tokens.

    short     uint64[4 * 2^k]  pieces of up to SHORT bytes and FEW tokens, 32 bytes each, in pairs of which
                               the first is the newer: two words of key (text, length, WHOLE_BIT), two of
                               ids (the number of ids less one in the highest two bits)
    long      int64[4 * 2^k]   other pieces: hash (0 where empty), start of text and of ids in the two arrays
                               below, length << 32 | whole << 31 | number of ids
    text      uint8[…]
    ids       int32[…]
    used      int64[3]         how much of text, ids and rows is in use; when one is full all is forgotten
    """

    short: NDArray[np.uint64]
    long: NDArray[np.int64]
    text: NDArray[np.uint8]
    ids: NDArray[np.int32]
    used: NDArray[np.int64]


def empty_cache() -> PieceCache:
    """About 8 MB, most of it untouched until it is needed."""
    return PieceCache(
        short=np.zeros(4 << 16, np.uint64),
        long=np.zeros(4 << 15, np.int64),
        text=np.empty(2 << 20, np.uint8),
        ids=np.empty(1 << 19, np.int32),
        used=np.zeros(3, np.int64),
    )


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
    size = len(data)
    short = cache.short
    ascii_pairs = cuts.ascii
    other_pairs = cuts.others
    bit_mask = 64 * len(other_pairs) - 1
    n_kinds = 4 if cuts.splits_characters else 1  # a partial character counts by its nearest byte
    n_pairs = len(short) >> 3
    shift = np.uint64(64)
    while n_pairs > 1:
        n_pairs >>= 1
        shift -= np.uint64(1)
    count, start, piece_start = 0, 0, 0
    for piece in range(len(piece_ends)):
        piece_end = piece_ends[piece]
        while start < piece_end:
            end = piece_end
            if end - start > SHORT or start > piece_start or tables.cuts_short:
                # `next_cut`, written out: arrays handed to functions here would halve the speed
                end = start + int(LENGTHS[data[start]])
                before = 0
                for at in range(min(end, piece_end) - 1, start - 1, -1):
                    before = before << 8 | int(data[at])
                if before == MARKED_SPACE_CODE:
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
                    if after == MARKED_SPACE_CODE:
                        after = SPACE
                    is_joined = False
                    for kind in range(n_kinds):
                        left = int(data[end - 1]) if kind & 1 else before
                        right = int(data[end]) if kind & 2 else after
                        bit = int((np.int64(left) * PAIR_MIX + right) * cuts.spread >> 32) & bit_mask
                        if (other_pairs[bit >> 6] >> np.uint64(bit & 63)) & ONE:
                            is_joined = True
                            break
                    if not is_joined:
                        break
                    before = after
                    end = stop
                end = min(end, piece_end)
            is_whole = start == piece_start and end == piece_end and tables.whole_pieces != NO_PIECES
            length = end - start
            if length > SHORT:
                count = _encode_other(data, start, end, is_whole, tables, symbols, merges, cache, out, count)
                start = end
                continue
            if start + 16 <= size:
                low = load_eight(data, start) & LOW_MASKS[length]
                high = load_eight(data, start + 8) & HIGH_MASKS[length]
            else:
                low, high = np.uint64(0), np.uint64(0)
                for at in range(length - 1, -1, -1):
                    high = high << BYTE_BITS | low >> LENGTH_SHIFT
                    low = low << BYTE_BITS | np.uint64(data[start + at])
            high |= np.uint64(length) << LENGTH_SHIFT
            if is_whole:
                high |= WHOLE_BIT
            mixed = (low ^ (high * MIX_HIGH)) * MIX_LOW
            mixed = (mixed ^ (mixed >> HALF)) * MIX_LOW
            row = int(np.int64(mixed >> shift)) << 3
            if short[row] != low or short[row + 1] != high:
                row += 4
                if short[row] != low or short[row + 1] != high:
                    count = _encode_short(
                        data, start, end, low, high, row - 4, tables, symbols, merges, cache, out, count
                    )
                    start = end
                    continue
            store_pair(out, count, short[row + 2])
            ids = short[row + 3]
            store_pair(out, count + 2, ids & IDS_MASK)
            count += int(np.int64(ids >> COUNT_SHIFT)) + 1
            start = end
        piece_start = piece_end
    return count


@routine
def _encode_short(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    low: np.uint64,
    high: np.uint64,
    row: int,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of a piece that was not found in the pair of rows at `row`, and keep it there."""
    is_whole = high & WHOLE_BIT != np.uint64(0)
    after = _encode_other(data, start, end, is_whole, tables, symbols, merges, cache, out, count)
    if after - count > FEW:
        return after
    short = cache.short
    for at in range(4):
        short[row + 4 + at] = short[row + at]
    first = np.uint64(out[count])
    second = np.uint64(out[count + 1]) if after - count > 1 else np.uint64(0)
    third = np.uint64(out[count + 2]) if after - count > 2 else np.uint64(0)
    fourth = np.uint64(out[count + 3]) if after - count > 3 else np.uint64(0)
    short[row] = low
    short[row + 1] = high
    short[row + 2] = first | second << ID_SHIFT
    short[row + 3] = third | fourth << ID_SHIFT | np.uint64(after - count - 1) << COUNT_SHIFT
    return after


@routine
def _encode_other(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    is_whole: bool,
    tables: PieceTables,
    symbols: SymbolArrays,
    merges: MergeArrays,
    cache: PieceCache,
    out: NDArray[np.int32],
    count: int,
) -> int:
    """Append the ids of a piece from the table for long ones, where it is kept unless it is short."""
    length = end - start
    if length > LONGEST_KEPT:
        return _merge(data, start, end, is_whole, tables, symbols, merges, out, count)
    key = _hash(data, start, end, is_whole)
    long, text = cache.long, cache.text
    mask = (len(long) >> 2) - 1
    slot = int(key >> 20) & mask
    probes = 0
    while probes < MOST_PROBES and long[4 * slot] != 0:
        if long[4 * slot] == key:
            packed = long[4 * slot + 3]
            kept = long[4 * slot + 1]
            same = 0
            if packed >> 32 == length and ((packed >> 31) & 1 == 1) == is_whole:
                while same < length and text[kept + same] == data[start + same]:
                    same += 1
            if same == length:
                first = long[4 * slot + 2]
                n_ids = int(packed & 0x7FFFFFFF)
                for at in range(n_ids):
                    out[count + at] = cache.ids[first + at]
                return count + n_ids
        slot = (slot + 1) & mask
        probes += 1
    after = _merge(data, start, end, is_whole, tables, symbols, merges, out, count)
    n_ids = after - count
    if (length <= SHORT and n_ids <= FEW) or probes == MOST_PROBES:
        return after
    used = cache.used
    if used[0] + length > len(text) or used[1] + n_ids > len(cache.ids) or 8 * used[2] > len(long):
        long[:] = 0
        used[:] = 0
        slot = int(key >> 20) & mask
    text[used[0] : used[0] + length] = data[start:end]
    cache.ids[used[1] : used[1] + n_ids] = out[count:after]
    long[4 * slot] = key
    long[4 * slot + 1] = used[0]
    long[4 * slot + 2] = used[1]
    long[4 * slot + 3] = np.int64(length) << 32 | np.int64(is_whole) << 31 | np.int64(n_ids)
    used[0] += length
    used[1] += n_ids
    used[2] += 1
    return after


@routine
def _hash(data: NDArray[np.uint8], start: int, end: int, is_whole: bool) -> np.int64:
    """A hash of a piece, not 0."""
    mixed = np.uint64(end - start) << np.uint64(1) | np.uint64(is_whole)
    at = start
    while at + 8 <= end:
        mixed = (mixed ^ load_eight(data, at)) * MIX_LOW
        mixed ^= mixed >> HALF
        at += 8
    while at < end:
        mixed = (mixed ^ np.uint64(data[at])) * MIX_HIGH
        mixed ^= mixed >> HALF
        at += 1
    return np.int64(mixed >> np.uint64(1)) | np.int64(1)


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
