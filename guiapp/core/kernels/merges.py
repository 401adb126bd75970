"""Merge rules and start symbols as flat arrays, and the kernels that make them from a vocabulary.

A *symbol* is a string that merging can meet: every token is one, by its row; strings that occur in rules
but are no tokens are numbered from `n_tokens` on; a start symbol that occurs in no rule is -1.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.string_table import (
    StringTable,
    find,
    find_hashed,
    hash_bytes,
    read_ahead,
    rows_by_string,
    strings_of,
)

ABSENT = -1  # a string that is no token
MALFORMED = -2  # a merge string without two sides
NO_MERGE = (1 << 63) - 1
SPACE = 0x20
MERGES_AT_ONCE = 64  # so many look-ups wait for the memory together


class MergeArrays(NamedTuple):
    """From two neighbouring symbols to the rank of their merge and what it makes.

    rows    int64[2 << k]  open addressing, at most half full; row i is rows[2i : 2i + 2]:
                           left << 32 | right (or -1 where empty), rank << 32 | made
    spread  an odd number drawn anew for each table, so that nobody can write rules that collide
    """

    rows: NDArray[np.int64]
    spread: int


class SymbolArrays(NamedTuple):
    """How a text falls into start symbols, and which tokens stand for symbols that are none.

    spread            an odd number drawn anew for each vocabulary, as in MergeArrays
    lengths           uint8[256]  bytes of the start symbol that begins with this byte
    of_byte           int32[256]  the symbol of a single byte
    character_keys    int64[2^k]  open addressing: `character_key` of longer start symbols, -1 where empty
    character_ids     int32[2^k]  their symbols
    fallback_offsets  int32[257]  a byte of a symbol that is no token becomes
    fallback_ids      int32[…]    fallback_ids[fallback_offsets[byte] : fallback_offsets[byte + 1]]
    fallback_leads    uint8[…]    1 where this token stands for the byte, 0 where it follows it
    """

    n_tokens: int
    spread: int
    lengths: NDArray[np.uint8]
    of_byte: NDArray[np.int32]
    character_keys: NDArray[np.int64]
    character_ids: NDArray[np.int32]
    fallback_offsets: NDArray[np.int32]
    fallback_ids: NDArray[np.int32]
    fallback_leads: NDArray[np.uint8]


class TokenOutput(NamedTuple):
    """Where encoders put tokens: ids int32[m], and their spans in the data, int64[m] each."""

    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@routine
def find_merge(merges: MergeArrays, left: int, right: int) -> int:
    """rank << 32 | made of the rule for two symbols, or NO_MERGE."""
    if left < 0 or right < 0:
        return NO_MERGE
    key = np.int64(left) << 32 | np.int64(right)
    mask = (len(merges.rows) >> 1) - 1
    slot = int(key * merges.spread >> 32) & mask
    while merges.rows[2 * slot] != key:
        if merges.rows[2 * slot] < 0:
            return NO_MERGE
        slot = (slot + 1) & mask
    return int(merges.rows[2 * slot + 1])


@routine
def character_key(data: NDArray[np.uint8], start: int, end: int) -> np.int64:
    """A start symbol of up to four bytes as one number; a character cut short differs from any other."""
    key = np.int64(end - start) << 32
    for at in range(start, end):
        key |= np.int64(data[at]) << (8 * (at - start))
    return key


@routine
def start_symbol(symbols: SymbolArrays, data: NDArray[np.uint8], start: int, end: int) -> int:
    """The symbol of data[start:end], which is one start symbol."""
    if end - start == 1:
        return int(symbols.of_byte[data[start]])
    key = character_key(data, start, end)
    mask = len(symbols.character_keys) - 1
    slot = int(key * symbols.spread >> 32) & mask
    while symbols.character_keys[slot] != key:
        if symbols.character_keys[slot] < 0:
            return ABSENT
        slot = (slot + 1) & mask
    return int(symbols.character_ids[slot])


@routine
def put_symbol(
    output: TokenOutput,
    count: int,
    symbol: int,
    symbols: SymbolArrays,
    data: NDArray[np.uint8],
    start: int,
    end: int,
) -> int:
    """Append the token of a symbol, or the tokens that stand for its bytes; returns the new count."""
    if 0 <= symbol < symbols.n_tokens:
        output.ids[count] = symbol
        output.starts[count] = start
        output.ends[count] = end
        return count + 1
    for at in range(start, end):
        byte = int(data[at])
        for row in range(symbols.fallback_offsets[byte], symbols.fallback_offsets[byte + 1]):
            output.ids[count] = symbols.fallback_ids[row]
            output.starts[count] = at + 1 - int(symbols.fallback_leads[row])
            output.ends[count] = at + 1
            count += 1
    return count


@kernel
def enter_merges(
    merges: MergeArrays,
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    ranks: NDArray[np.int32],
    made: NDArray[np.int32],
) -> None:
    """Fill an empty table with the rules whose sides are symbols; of several for one pair the first stays."""
    mask = (len(merges.rows) >> 1) - 1
    for row in range(len(lefts)):
        if lefts[row] < 0 or rights[row] < 0:
            continue
        key = np.int64(lefts[row]) << 32 | np.int64(rights[row])
        slot = int(key * merges.spread >> 32) & mask
        while merges.rows[2 * slot] >= 0 and merges.rows[2 * slot] != key:
            slot = (slot + 1) & mask
        if merges.rows[2 * slot] < 0:
            merges.rows[2 * slot] = key
            merges.rows[2 * slot + 1] = np.int64(ranks[row]) << 32 | np.int64(made[row])


@enter_merges.interpreted_by
def _enter_merges(
    merges: MergeArrays,
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    ranks: NDArray[np.int32],
    made: NDArray[np.int32],
) -> None:
    rows, mask = merges.rows.tolist(), (len(merges.rows) >> 1) - 1
    keys = lefts.astype(np.int64) << 32 | rights
    slots = (keys * merges.spread >> 32) & mask
    values = ranks.astype(np.int64) << 32 | made
    are_symbols = (lefts >= 0) & (rights >= 0)
    columns = (column[are_symbols].tolist() for column in (keys, slots, values))
    for key, slot, value in zip(*columns, strict=True):
        while rows[2 * slot] >= 0 and rows[2 * slot] != key:
            slot = (slot + 1) & mask
        if rows[2 * slot] < 0:
            rows[2 * slot : 2 * slot + 2] = key, value
    merges.rows[:] = rows


@kernel
def enter_characters(
    keys: NDArray[np.int64],
    ids: NDArray[np.int32],
    spread: int,
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    lengths: NDArray[np.uint8],
) -> None:
    """Fill the empty table of longer start symbols from the strings of all symbols."""
    mask = len(keys) - 1
    for symbol in range(len(offsets) - 1):
        start, end = offsets[symbol], offsets[symbol + 1]
        if end - start < 2 or end - start > lengths[data[start]]:
            continue
        key = character_key(data, start, end)
        slot = int(key * spread >> 32) & mask
        while keys[slot] >= 0:
            slot = (slot + 1) & mask
        keys[slot] = key
        ids[slot] = symbol


@kernel
def resolve_merges(
    table: StringTable,
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    made: NDArray[np.int32],
    spaces: NDArray[np.int64],
) -> None:
    """Look up both sides and the result of each merge string, which is cut at `spaces[row]`.

    That is its first space behind its first byte.  What is no token is ABSENT.
    """
    longest = 0
    for row in range(len(lefts)):
        longest = max(longest, offsets[row + 1] - offsets[row])
    joined = np.empty(longest * MERGES_AT_ONCE, np.uint8)
    joined_ends = np.empty(MERGES_AT_ONCE, np.int64)
    keys = np.zeros(3 * MERGES_AT_ONCE, np.uint64)
    for first in range(0, len(lefts), MERGES_AT_ONCE):
        last = min(first + MERGES_AT_ONCE, len(lefts))
        _hash_merges(table, data, offsets, first, last, spaces, joined, joined_ends, keys)
        read_ahead(table, keys)
        begin = 0
        for row in range(first, last):
            start, end, at = offsets[row], offsets[row + 1], spaces[row]
            key, stop = 3 * (row - first), joined_ends[row - first]
            if at + 1 < end:
                lefts[row] = find_hashed(table, data, start, at, keys[key])
                rights[row] = find_hashed(table, data, at + 1, end, keys[key + 1])
                made[row] = find_hashed(table, joined, begin, stop, keys[key + 2])
            else:
                lefts[row] = MALFORMED
                rights[row] = MALFORMED
                made[row] = MALFORMED
            begin = stop


@resolve_merges.interpreted_by
def _resolve_merges(
    table: StringTable,
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    made: NDArray[np.int32],
    spaces: NDArray[np.int64],
) -> None:
    tokens, texts = rows_by_string(table), data.tobytes()
    for row, (start, end) in enumerate(pairwise(offsets.tolist())):
        space = texts.find(b" ", start + 1, end)
        spaces[row] = space if space >= 0 else max(start + 1, end)
        if 0 <= space < end - 1:
            left, right = texts[start:space], texts[space + 1 : end]
            lefts[row], rights[row] = tokens.get(left, ABSENT), tokens.get(right, ABSENT)
            made[row] = tokens.get(left + right, ABSENT)
        else:
            lefts[row] = rights[row] = made[row] = MALFORMED


@routine
def _hash_merges(
    table: StringTable,
    data: NDArray[np.uint8],
    offsets: NDArray[np.int64],
    first: int,
    last: int,
    spaces: NDArray[np.int64],
    joined: NDArray[np.uint8],
    joined_ends: NDArray[np.int64],
    keys: NDArray[np.uint64],
) -> None:
    """Cut some merge strings, and write three keys for each: of its sides, and of them joined."""
    size, point = 0, table.point[0]
    for row in range(first, last):
        start, end = offsets[row], offsets[row + 1]
        at = start + 1
        while at < end and data[at] != SPACE:
            at += 1
        spaces[row] = at
        begin = size
        for source in range(start, end):
            if source != at:
                joined[size] = data[source]
                size += 1
        joined_ends[row - first] = size
        key = 3 * (row - first)
        keys[key] = hash_bytes(data, start, at, point)
        keys[key + 1] = hash_bytes(data, min(at + 1, end), end, point)
        keys[key + 2] = hash_bytes(joined, begin, size, point)


@kernel
def split_tokens(
    table: StringTable,
    lengths: NDArray[np.uint8],
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    made: NDArray[np.int32],
    cuts: NDArray[np.int64],
) -> int:
    """Every way to cut a token into two symbols; a side that is a start symbol but no token is ABSENT.

    `cuts` are positions in the table's data.  The arrays need room for as many rows as there are bytes.
    Returns how many rows are used.
    """
    data, count = table.data, 0
    for token in range(len(table.offsets) - 1):
        start, end = table.offsets[token], table.offsets[token + 1]
        for at in range(start + 1, end):
            left = find(table, data, start, at)
            if left < 0 and at - start != lengths[data[start]]:
                continue
            right = find(table, data, at, end)
            if right < 0 and end - at > lengths[data[at]]:
                continue
            lefts[count] = left
            rights[count] = right
            made[count] = token
            cuts[count] = at
            count += 1
    return count


@split_tokens.interpreted_by
def _split_tokens(
    table: StringTable,
    lengths: NDArray[np.uint8],
    lefts: NDArray[np.int32],
    rights: NDArray[np.int32],
    made: NDArray[np.int32],
    cuts: NDArray[np.int64],
) -> int:
    tokens, symbol_lengths, count = rows_by_string(table), lengths.tolist(), 0
    for token, (start, text) in enumerate(zip(table.offsets[:-1].tolist(), strings_of(table), strict=True)):
        for cut in range(1, len(text)):
            left, right = tokens.get(text[:cut], ABSENT), tokens.get(text[cut:], ABSENT)
            if left < 0 and cut != symbol_lengths[text[0]]:
                continue
            if right < 0 and len(text) - cut > symbol_lengths[text[cut]]:
                continue
            lefts[count], rights[count], made[count], cuts[count] = left, right, token, start + cut
            count += 1
    return count


@kernel
def find_pieces(
    table: StringTable,
    spelling_offsets: NDArray[np.int64],
    spelling: NDArray[np.uint8],
    data: NDArray[np.uint8],
    piece_ends: NDArray[np.int64],
    only_newlines: bool,
    found: NDArray[np.int32],
) -> None:
    """The token that each piece is as a whole, or ABSENT; `only_newlines`: no other piece is looked up."""
    scratch = np.empty(64, np.uint8)
    start = 0
    for piece in range(len(piece_ends)):
        end = piece_ends[piece]
        found[piece] = ABSENT
        if 3 * (end - start) > len(scratch):
            scratch = np.empty(6 * (end - start), np.uint8)
        if not only_newlines or data[start] == 0x0A:
            found[piece] = find_piece(table, spelling_offsets, spelling, data, start, end, scratch)
        start = end


@routine
def find_piece(
    table: StringTable,
    spelling_offsets: NDArray[np.int64],
    spelling: NDArray[np.uint8],
    data: NDArray[np.uint8],
    start: int,
    end: int,
    scratch: NDArray[np.uint8],
) -> int:
    """The token that is spelled like data[start:end], or ABSENT; `scratch` has three times its room."""
    size = 0
    for at in range(start, end):
        byte = int(data[at])
        for row in range(spelling_offsets[byte], spelling_offsets[byte + 1]):
            scratch[size] = spelling[row]
            size += 1
    return find(table, scratch, 0, size)
