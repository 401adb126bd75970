"""Pair merging of words: what `scan` does, with fewer looks into large tables.

A vocabulary's rules do not fit the processor's caches, and most looks find that there is no rule.  Here
the rules for two bytes have a table of their own, and a set of bits tells most pairs that have no rule.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import routine
from guiapp.core.kernels.merges import ABSENT, NO_MERGE, MergeArrays, SymbolArrays
from guiapp.core.kernels.piece_cache import UNKNOWN

SCANNED = 48  # bytes of a piece up to which scanning beats a queue
BITS_PER_RULE = 4
ONE = np.uint64(1)


class WordMerges(NamedTuple):
    """The same rules as in MergeArrays, and what else it takes to merge words whose bytes are start symbols.

    of_bytes  int64[256 * 256]  of two such bytes: rank << 32 | made, or NO_MERGE
    has_rule  uint64[2^k]       a hashed set of bits; a bit set by chance costs a look
    rows, spread                as in MergeArrays
    of_byte   int32[256]        the symbol of a byte; ABSENT where it begins a longer one
    """

    of_bytes: NDArray[np.int64]
    has_rule: NDArray[np.uint64]
    rows: NDArray[np.int64]
    spread: int
    of_byte: NDArray[np.int32]
    n_tokens: int


def word_merges(symbols: SymbolArrays, merges: MergeArrays) -> WordMerges:
    """Lay out the rules of a vocabulary for words."""
    is_used = merges.rows[::2] >= 0
    keys, values = merges.rows[::2][is_used], merges.rows[1::2][is_used]
    of_byte = np.where(symbols.lengths == 1, symbols.of_byte, np.int32(ABSENT))
    n_bits = 64 << max(4, (BITS_PER_RULE * len(keys) // 64).bit_length())
    has_rule = np.zeros(n_bits, np.bool_)
    has_rule[(keys * merges.spread >> 32) & (n_bits - 1)] = True
    return WordMerges(
        _rules_of_bytes(of_byte, keys, values),
        np.packbits(has_rule, bitorder="little").view(np.uint64),
        merges.rows,
        merges.spread,
        of_byte,
        symbols.n_tokens,
    )


def _rules_of_bytes(
    of_byte: NDArray[np.int32], keys: NDArray[np.int64], values: NDArray[np.int64]
) -> NDArray[np.int64]:
    lefts, rights = keys >> 32, keys & 0xFFFFFFFF
    n_symbols = 1 + max(int(of_byte.max()), int(lefts.max(initial=0)), int(rights.max(initial=0)))
    byte_of = np.full(n_symbols, ABSENT)
    byte_of[of_byte[of_byte >= 0]] = np.flatnonzero(of_byte >= 0)
    are_bytes = (byte_of[lefts] >= 0) & (byte_of[rights] >= 0)
    rules = np.full(1 << 16, NO_MERGE, np.int64)
    rules[byte_of[lefts[are_bytes]] << 8 | byte_of[rights[are_bytes]]] = values[are_bytes]
    return rules


@routine
def merge_word(
    data: NDArray[np.uint8],
    start: int,
    end: int,
    words: WordMerges,
    values: NDArray[np.int64],
    out: NDArray[np.int32],
    first: int,
) -> int:
    """Put the ids of data[start:end] behind out[:first]; the new count.

    UNKNOWN if not each of its bytes is a start symbol, or not all that comes out is a token: that is left to
    those who can deal with everything.  `values` and what is behind out[:first] have room for each byte.
    """
    of_bytes, has_rule, rows, spread = words.of_bytes, words.has_rule, words.rows, words.spread
    count, bit_mask, slot_mask = end - start, 64 * len(has_rule) - 1, (len(rows) >> 1) - 1
    values[count - 1] = NO_MERGE
    for at in range(count):
        byte = data[start + at]
        symbol = words.of_byte[byte]
        if symbol < 0:
            return UNKNOWN
        out[first + at] = symbol
        if at:
            values[at - 1] = of_bytes[int(data[start + at - 1]) << 8 | int(byte)]
    while True:
        best, best_value = -1, NO_MERGE
        for at in range(count - 1):
            if values[at] >> 32 < best_value >> 32:
                best, best_value = at, values[at]
        if best < 0:
            break
        made = np.int64(best_value & 0xFFFFFFFF)
        out[first + best] = made
        count -= 1
        for at in range(best + 1, count):
            out[first + at] = out[first + at + 1]
            values[at - 1] = values[at]
        values[count - 1] = NO_MERGE
        for place in range(max(best - 1, 0), min(best + 1, count - 1)):
            key = np.int64(out[first + place]) << 32 | np.int64(out[first + place + 1])
            hashed = int(key * spread >> 32)
            value, bit = NO_MERGE, hashed & bit_mask
            if (has_rule[bit >> 6] >> np.uint64(bit & 63)) & ONE:
                slot = hashed & slot_mask
                while rows[2 * slot] != key and rows[2 * slot] >= 0:
                    slot = (slot + 1) & slot_mask
                if rows[2 * slot] == key:
                    value = int(rows[2 * slot + 1])
            values[place] = value
    for at in range(first, first + count):
        if out[at] >= words.n_tokens:
            return UNKNOWN
    return first + count
