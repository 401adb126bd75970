"""Lay out the merge rules of a vocabulary for the kernel that merges words, `core/kernels/word_merges.py`.

In vocabularies that start from bytes, the bytes of most characters merge before anything else can happen to
them.  A character is *closed* if each of its merges has a lower rank than all rules by which the symbols at
its ends could merge with a neighbour, and than all rules about the character itself.  Whatever is around it,
nothing changes then if it begins as one symbol: its own merges come first, and nobody waits for them.
Where only rules about its first bytes and a symbol on their left are in the way, it is *wary*: it may begin
as one symbol unless the character before it is the last one of such a symbol.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.merges import ABSENT, MergeArrays, SymbolArrays
from guiapp.core.kernels.piece_cache import aligned_zeros
from guiapp.core.kernels.word_merges import BITS_PER_SLOT, EMPTY, FLAG_BITS, NO_RULE, TAKES, WARY, WordMerges

N_SHORT_CODES = 0x10000  # code points of up to three bytes
WORD_BITS = 64
NEVER = np.int64(NO_RULE)  # later than all ranks
NOT_ASKED = -2
MOST_GAPS = 4  # times as many as there are ranks


class _Rules(NamedTuple):
    """Rules as columns, ordered by their sides; ranks and numbers as in WordMerges."""

    lefts: NDArray[np.int64]
    rights: NDArray[np.int64]
    ranks: NDArray[np.int64]
    numbers: NDArray[np.int64]
    made: NDArray[np.int64]
    tie_bits: int


def word_merges(
    symbols: SymbolArrays, merges: MergeArrays, data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> WordMerges:
    """The rules of a vocabulary; symbol i stands for data[offsets[i] : offsets[i + 1]].

    For one that is too large for rules of one word, tables by which no word can be merged.
    """
    rules = _rules(merges)
    symbol_bits = max(1, len(offsets) - 2).bit_length()
    number_bits = max(1, int(rules.numbers.max(initial=0))).bit_length()
    of_byte = np.where(symbols.lengths == 1, symbols.of_byte, np.int32(ABSENT))
    of_character = _start_characters(symbols) if symbols.lengths.max() > 1 else None
    if 2 * symbol_bits + number_bits >= WORD_BITS or 1 << number_bits > NO_RULE:
        rules = _rules(MergeArrays(np.zeros(0, np.int64), merges.spread))
        of_byte, of_character = np.full(256, ABSENT, np.int32), np.zeros(N_SHORT_CODES, np.int32)
    if of_character is None:
        of_character = _closed_characters(rules, of_byte, data, offsets)
    slot_bits = max(4, (len(rules.lefts) + len(rules.lefts) // 4).bit_length())
    bit_shift = WORD_BITS - slot_bits - int(BITS_PER_SLOT)
    keys = rules.lefts.astype(np.uint64) << np.uint64(symbol_bits) | rules.rights.astype(np.uint64)
    bits = (keys * np.uint64(merges.spread)) >> np.uint64(bit_shift)
    has_rule = np.zeros(1 << slot_bits + int(BITS_PER_SLOT), np.bool_)
    has_rule[bits] = True
    made = np.zeros(1 + int(rules.numbers.max(initial=0)), np.int32)
    made[rules.numbers] = rules.made
    return WordMerges(
        of_bytes=_rules_of_bytes(of_byte, rules),
        has_rule=np.packbits(has_rule, bitorder="little").view(np.uint64),
        rows=_rows(
            bits >> BITS_PER_SLOT, keys << np.uint64(number_bits) | rules.numbers.astype(np.uint64), slot_bits
        ),
        made=made,
        of_byte=of_byte,
        of_character=of_character,
        spread=merges.spread,
        bit_shift=bit_shift,
        symbol_bits=symbol_bits,
        number_bits=number_bits,
        tie_bits=rules.tie_bits,
        n_tokens=symbols.n_tokens,
    )


def _rules(merges: MergeArrays) -> _Rules:
    is_rule = merges.rows[::2] >= 0
    keys, values = merges.rows[::2][is_rule], merges.rows[1::2][is_rule]
    order = np.argsort(keys)
    keys, values = keys[order], values[order]
    ranks, numbers, tie_bits = _ranks_and_numbers(values)
    return _Rules(keys >> 32, keys & 0xFFFFFFFF, ranks, numbers, values & 0xFFFFFFFF, tie_bits)


def _ranks_and_numbers(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Ranks without gaps, numbers that tell apart what rules of one rank make, and the bits for that."""
    stored = values >> 32
    if stored.max(initial=0) < MOST_GAPS * len(values):
        counts = np.bincount(stored)
        if counts.max(initial=0) <= 1:  # nothing to tell apart, nor to sort
            ranks = (np.cumsum(counts) - 1)[stored]
            return ranks, ranks, 0
    results, of_rule = np.unique(values, return_inverse=True)
    _, of_result = np.unique(results >> 32, return_inverse=True)
    ties = np.arange(len(results)) - np.searchsorted(of_result, of_result)
    tie_bits = int(ties.max(initial=0)).bit_length()
    return of_result[of_rule], (of_result << tie_bits | ties)[of_rule], tie_bits


def _rows(slots: NDArray[np.uint64], rows: NDArray[np.uint64], slot_bits: int) -> NDArray[np.uint64]:
    """Each row in its slot or as soon behind it as there is room; the last place stays empty."""
    order = np.argsort(slots)
    steps = np.arange(len(order))
    places = np.maximum.accumulate(slots[order].astype(np.int64) - steps) + steps
    table = aligned_zeros(max(1 << slot_bits, int(places.max(initial=0)) + 1) + 1)
    table[:] = EMPTY
    table[places] = rows[order]
    return table


def _rules_of_bytes(of_byte: NDArray[np.int32], rules: _Rules) -> NDArray[np.int32]:
    n_symbols = 1 + max(int(each.max(initial=0)) for each in (of_byte, rules.lefts, rules.rights))
    byte_of = np.full(n_symbols, ABSENT)
    byte_of[of_byte[of_byte >= 0]] = np.flatnonzero(of_byte >= 0)
    are_bytes = (byte_of[rules.lefts] >= 0) & (byte_of[rules.rights] >= 0)
    table = np.full(1 << 16, NO_RULE, np.int32)
    pairs = byte_of[rules.lefts[are_bytes]] << 8 | byte_of[rules.rights[are_bytes]]
    table[pairs] = rules.numbers[are_bytes]
    return table


def _start_characters(symbols: SymbolArrays) -> NDArray[np.int32]:
    """Entries of the start symbols of two and three bytes, in vocabularies that start from characters."""
    keys = symbols.character_keys
    first, second, third = keys & 0xFF, keys >> 8 & 0x3F, keys >> 16 & 0x3F
    table = np.zeros(N_SHORT_CODES, np.int32)
    for length, codes in (
        (2, (first & 0x1F) << 6 | second),
        (3, (first & 0x0F) << 12 | second << 6 | third),
    ):
        is_such = (keys >> 32 == length) & (symbols.lengths[first] == length)
        table[codes[is_such]] = (symbols.character_ids[is_such] + 1) << FLAG_BITS
    return table


class _Bounds(NamedTuple):
    """By symbol the lowest rank of some of the rules about it.

    as_left    as left side, if the right side may begin a character
    as_right   as right side
    as_strict  as right side, if the left side does not end in a whole character
    as_either  as either side
    """

    as_left: NDArray[np.int64]
    as_right: NDArray[np.int64]
    as_strict: NDArray[np.int64]
    as_either: NDArray[np.int64]


class _Step(NamedTuple):
    """A merge within a character: its sides, what it makes and its rank; ABSENT and NEVER for no rule."""

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    made: NDArray[np.int64]
    ranks: NDArray[np.int64]


def _closed_characters(
    rules: _Rules, of_byte: NDArray[np.int32], data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> NDArray[np.int32]:
    """Entries of closed characters by code point, for where no continuation byte follows them."""
    table = np.zeros(N_SHORT_CODES, np.int32)
    if (of_byte < 0).any() or not len(rules.lefts):
        return table
    symbols = of_byte.astype(np.int64)
    last_codes = _last_codes(rules, symbols, data, offsets)
    bounds = _bounds(rules, last_codes, data, offsets)
    latest = np.full(
        len(offsets) - 1, -1
    )  # by symbol: rank of the merge that its left neighbours may forestall
    for codes, steps in (_short_steps(rules, symbols), _long_steps(rules, symbols)):
        made, latest_rank = steps[-1].made, np.max([step.ranks for step in steps], axis=0)
        is_closed, is_open = latest_rank < bounds.as_either[made], np.zeros(len(codes), np.bool_)
        for step in steps:
            is_closed &= step.ranks < np.minimum(bounds.as_left[step.right], bounds.as_strict[step.left])
        for step in steps:
            is_forestalled = is_closed & (step.ranks >= bounds.as_right[step.left])
            np.maximum.at(latest, step.left[is_forestalled], step.ranks[is_forestalled])
            is_open |= is_forestalled
        table[codes[is_closed]] = (made[is_closed] + 1) << FLAG_BITS | is_open[is_closed] * WARY
    forestalls = (rules.ranks <= latest[rules.rights]) & (last_codes >= 0)
    table[last_codes[forestalls]] |= TAKES
    return table


def _short_steps(rules: _Rules, symbols: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[_Step]]:
    """The code points of two bytes, and how these merge."""
    codes = np.arange(0x80, 0x800)
    return codes, [_step(rules, symbols[0xC0 | codes >> 6], symbols[0x80 | codes & 0x3F])]


def _long_steps(rules: _Rules, symbols: NDArray[np.int64]) -> tuple[NDArray[np.int64], list[_Step]]:
    """The code points of three bytes, and how these merge, the better pair first."""
    codes = np.arange(0x800, N_SHORT_CODES)
    first, middle, last = (
        symbols[byte] for byte in (0xE0 | codes >> 12, 0x80 | codes >> 6 & 0x3F, 0x80 | codes & 0x3F)
    )
    front, back = _step(rules, first, middle), _step(rules, middle, last)
    goes_left = front.ranks <= back.ranks
    made = np.where(goes_left, front.made, back.made)
    left, right = np.where(goes_left, made, first), np.where(goes_left, last, made)
    # What stands at the ends of the character while the first pair is merged:
    inner = _Step(first, last, made, np.where(goes_left, front.ranks, back.ranks))
    return codes, [inner, _step(rules, left, right)]


def _last_codes(
    rules: _Rules, symbols: NDArray[np.int64], data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> NDArray[np.int64]:
    """For rules whose right side may be a character's beginning, how the left side ends.

    The code point of its last character, ABSENT if that is not whole or has four bytes; NOT_ASKED for others.
    """
    lengths, firsts = np.diff(offsets), _first_bytes(data, offsets)
    is_beginning = (lengths == 1) & (firsts >= 0xC0) | (lengths == 2) & (firsts >= 0xE0)
    last_codes = np.full(len(rules.rights), NOT_ASKED)
    for rule in np.flatnonzero(is_beginning[rules.rights]).tolist():
        left = rules.lefts[rule]
        last_codes[rule] = _last_code(data[offsets[left] : offsets[left + 1]].tobytes())
    return last_codes


def _last_code(text: bytes) -> int:
    for size in (1, 2, 3):
        try:
            character = text[-size:].decode()
        except UnicodeDecodeError:
            continue
        return ord(character) if character else ABSENT
    return ABSENT


def _first_bytes(data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The first byte of each symbol's text, 0 if it has none."""
    firsts, has_text = np.zeros(len(offsets) - 1, np.uint8), np.diff(offsets) > 0
    firsts[has_text] = data[offsets[:-1][has_text]]
    return firsts


def _bounds(
    rules: _Rules, last_codes: NDArray[np.int64], data: NDArray[np.uint8], offsets: NDArray[np.int64]
) -> _Bounds:
    may_follow = _first_bytes(data, offsets)[rules.rights] & 0xC0 != 0x80
    is_strict = last_codes == ABSENT
    bounds = _Bounds(*np.full((4, len(offsets) - 1), NEVER))
    np.minimum.at(bounds.as_left, rules.lefts[may_follow], rules.ranks[may_follow])
    np.minimum.at(bounds.as_right, rules.rights, rules.ranks)
    np.minimum.at(bounds.as_strict, rules.rights[is_strict], rules.ranks[is_strict])
    np.minimum.at(bounds.as_either, rules.lefts, rules.ranks)
    np.minimum(bounds.as_either, bounds.as_right, out=bounds.as_either)
    return bounds


def _step(rules: _Rules, lefts: NDArray[np.int64], rights: NDArray[np.int64]) -> _Step:
    keys, wanted = rules.lefts << 32 | rules.rights, lefts << 32 | rights
    rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    is_found = keys[rows] == wanted
    made, ranks = np.where(is_found, rules.made[rows], ABSENT), np.where(is_found, rules.ranks[rows], NEVER)
    return _Step(lefts, rights, made, ranks)
