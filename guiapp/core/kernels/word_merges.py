"""Pair merging of words: what `scan` does, with fewer looks into large tables.

A vocabulary's rules do not fit the processor's caches, and most looks find that there is no rule.  Here
a rule is one word of memory, the rules for two bytes have a table of their own, and a set of bits tells most
pairs that have no rule.  Characters of several bytes begin as one symbol where that changes nothing; see
`core/text/word_rules.py`, which lays the tables out.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.eight_bytes import prefetch
from guiapp.core.kernels.piece_cache import UNKNOWN

SCANNED = 48  # symbols of a piece up to which scanning beats a queue
LONGEST_SCANNED = 3 * SCANNED  # bytes that may be so few symbols
NO_RULE = (1 << 25) - 1  # more than the number of any rule
PLACE_BITS = 6  # that tell one of SCANNED places
WARY, TAKES, FLAG_BITS = 1, 2, 2
EMPTY = np.uint64((1 << 64) - 1)
ONE, BITS_PER_SLOT = np.uint64(1), np.uint64(2)
WORD_BITS, BIT_IN_WORD = np.uint64(6), np.uint64(63)


class WordMerges(NamedTuple):
    """The rules of MergeArrays and what else it takes to merge words.

    A rule's number is its rank << tie_bits, and some low bits that tell rules of equal rank apart.

    of_bytes      int32[256 * 256]  the number of the rule for two bytes, or NO_RULE
    has_rule      uint64[2^k]       a hashed set of bits; a bit set by chance costs a look
    rows          uint64[…]         left, right and number in one word, or EMPTY; open addressing
    made          int32[…]          the symbol that a rule makes, by its number
    of_byte       int32[256]        the start symbol of a byte; ABSENT where it begins a longer one
    of_character  int32[0x10000]    by code point: 1 + the symbol that a character of two or three bytes
                                    begins with, or 0 where its bytes begin one by one; below that the
                                    flags TAKES, and WARY for those that begin one by one behind such
    """

    of_bytes: NDArray[np.int32]
    has_rule: NDArray[np.uint64]
    rows: NDArray[np.uint64]
    made: NDArray[np.int32]
    of_byte: NDArray[np.int32]
    of_character: NDArray[np.int32]
    spread: int
    bit_shift: int
    symbol_bits: int
    number_bits: int
    tie_bits: int
    n_tokens: int


@borrowing
def number_of(
    left: np.int32,
    right: np.int32,
    has_rule: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    spread: np.uint64,
    bit_shift: np.uint64,
    symbol_bits: np.uint64,
    number_bits: np.uint64,
) -> int:
    """The number of the rule for two symbols, or NO_RULE."""
    key = np.uint64(left) << symbol_bits | np.uint64(right)
    bit = key * spread >> bit_shift
    if not has_rule[bit >> WORD_BITS] >> (bit & BIT_IN_WORD) & ONE:
        return NO_RULE
    slot = bit >> BITS_PER_SLOT
    while rows[slot] >> number_bits != key:
        if rows[slot] == EMPTY:
            return NO_RULE
        slot += ONE
    return int(np.int64(rows[slot] & ((ONE << number_bits) - ONE)))


@borrowing
def send_for(
    left: np.int32,
    right: np.int32,
    has_rule: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    spread: np.uint64,
    bit_shift: np.uint64,
    symbol_bits: np.uint64,
) -> None:
    """Let the processor fetch what `number_of` looks at."""
    bit = (np.uint64(left) << symbol_bits | np.uint64(right)) * spread >> bit_shift
    prefetch(has_rule, int(np.int64(bit >> WORD_BITS)))
    prefetch(rows, int(np.int64(bit >> BITS_PER_SLOT)))


@borrowing
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

    UNKNOWN if it has more than SCANNED symbols, or a byte that is no start symbol, or if not all that comes
    out is a token: that is left to those who can deal with everything.  `values` has room for SCANNED, and
    what is behind out[:first] for each byte.
    """
    of_bytes, has_rule, rows, tie_bits = words.of_bytes, words.has_rule, words.rows, words.tie_bits
    spread, bit_shift = np.uint64(words.spread), np.uint64(words.bit_shift)
    symbol_bits, number_bits = np.uint64(words.symbol_bits), np.uint64(words.number_bits)
    count, at, byte_before, before = 0, start, -1, 0
    while at < end:
        byte = int(data[at])
        symbol, width = words.of_byte[byte], 1
        if byte >= 0xC0 and byte < 0xF0:
            follower = at + 1
            while follower < end and data[follower] & 0xC0 == 0x80:
                follower += 1
            if at > start and data[at - 1] < 0x80:
                before = int(words.of_character[data[at - 1]])
            entry = TAKES
            code, least = 0, 0x80
            if follower - at == 2 + int(byte >= 0xE0):
                code = (byte & 0x1F) << 6 | (int(data[at + 1]) & 0x3F)
                if byte >= 0xE0:
                    code, least = (code << 6 | (int(data[at + 2]) & 0x3F)) & 0xFFFF, 0x800
            if code >= least:  # no overlong form of another character
                entry = int(words.of_character[code])
                if entry >> FLAG_BITS and not (entry & WARY and before & TAKES):
                    symbol, width = np.int32((entry >> FLAG_BITS) - 1), follower - at
            before = entry
        elif byte >= 0xF0:
            before = TAKES
        if symbol < 0 or count == SCANNED:
            return UNKNOWN
        out[first + count] = symbol
        if count:
            if width == 1 and byte_before >= 0:
                values[count - 1] = of_bytes[byte_before << 8 | byte]
                prefetch(words.made, values[count - 1])
            else:
                left = out[first + count - 1]
                values[count - 1] = number_of(
                    left, symbol, has_rule, rows, spread, bit_shift, symbol_bits, number_bits
                )
        byte_before = byte if width == 1 else -1
        at += width
        count += 1
    values[count - 1] = NO_RULE
    made, n_tokens = words.made, words.n_tokens
    while count > 1:
        best = NO_RULE << PLACE_BITS
        for at in range(count - 1):
            best = min(best, values[at] >> tie_bits << PLACE_BITS | at)
        if best >> PLACE_BITS >= NO_RULE >> tie_bits:
            break
        at = int(best & ((1 << PLACE_BITS) - 1))
        symbol = made[values[at]]
        if at > 0:
            send_for(out[first + at - 1], symbol, has_rule, rows, spread, bit_shift, symbol_bits)
        if at + 2 < count:
            send_for(symbol, out[first + at + 2], has_rule, rows, spread, bit_shift, symbol_bits)
        out[first + at] = symbol
        count -= 1
        for behind in range(at + 1, count):
            out[first + behind] = out[first + behind + 1]
            values[behind] = values[behind + 1]
        values[at] = NO_RULE
        if at + 1 < count:
            values[at] = number_of(
                symbol, out[first + at + 1], has_rule, rows, spread, bit_shift, symbol_bits, number_bits
            )
            prefetch(made, values[at])
        if at > 0:
            values[at - 1] = number_of(
                out[first + at - 1], symbol, has_rule, rows, spread, bit_shift, symbol_bits, number_bits
            )
            prefetch(made, values[at - 1])
    for at in range(count):
        if out[first + at] >= n_tokens:
            return UNKNOWN
    return first + count
