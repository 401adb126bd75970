"""The number of tokens of every suffix of a text that grows at its beginning, as a Unigram vocabulary has it.

The best way from a place to the end does not depend on what is before it.  Nor does what a text becomes from
the beginning of a key of the character map on, but for the mark of a word; only where keys overlap is the way
to a shorter suffix lost that a longer one needs.  Of ways that are as good the one is taken whose last token
that differs starts first: `plamo2_growth` tells which that is.  So this holds while sums of scores are exact.

Places are told by how many bytes are behind them: they stay what they are while the text grows.
No readable twin of its own: `viterbi` and `text/normalizers.py` are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.normalize_unigram import (
    IN_USER_DEFINED,
    SPACE,
    VALUE,
    character_length,
    match_in_prefix,
    user_defined_length,
)
from guiapp.core.kernels.pair_cuts import character_length as announced_length
from guiapp.core.kernels.plamo2_growth import goes_first
from guiapp.core.kernels.unigram_prefixes import BROKEN, MARK, UnigramRules
from guiapp.core.kernels.viterbi import LEAST

IN_WORD, HAS_LETTER, IS_LOST = 1, 2, 4  # bits of `Suffixes.begins`


class Suffixes(NamedTuple):
    """What is known of a text; the arrays but the first have room behind what is known.

    text     uint8[…]    the text, at the end
    places   int32[…]    how many bytes of `data` are behind a place of the text
    begins   uint8[…]    IN_WORD if the text from there on does not begin with a space, HAS_LETTER if it has
                         anything else, IS_LOST if it is within a key and the way to it is no longer known
    data     uint8[…]    what it becomes, its last byte first
    scores   float64[…]  the best sum from a place of that on
    counts   int32[…]    how many tokens there are on that way; neighbouring unknown ones are one
    unknown  uint8[…]    whether the first of them is unknown
    parents, depths, jumps  int32[…]  see `plamo2_growth.Prefixes`: here the tree of suffixes
    """

    text: NDArray[np.uint8]
    places: NDArray[np.int32]
    begins: NDArray[np.uint8]
    data: NDArray[np.uint8]
    scores: NDArray[np.float64]
    counts: NDArray[np.int32]
    unknown: NDArray[np.uint8]
    parents: NDArray[np.int32]
    depths: NDArray[np.int32]
    jumps: NDArray[np.int32]


@kernel
def prepend(
    new: NDArray[np.uint8], size: int, rules: UnigramRules, suffixes: Suffixes, counts: NDArray[np.int32]
) -> int:
    """Put bytes before a text of `size`, the last one first; write to counts[i] the tokens from new[i] on.

    Returns from where on that is told: less where keys overlap, where characters are not whole once they are
    normalised, or for lack of room in `data`.
    """
    text, places, begins, data = suffixes.text, suffixes.places, suffixes.begins, suffixes.data
    replacements, removes_spaces, end = rules.replacements, rules.removes_spaces, len(suffixes.text)
    for index in range(len(new) - 1, -1, -1):
        at = end - size - 1
        text[at] = new[index]
        length, n_output, replacement = 0, 0, -1
        if rules.kinds[text[at]] == IN_USER_DEFINED:
            length = user_defined_length(text, at, rules.user_defined)
            n_output = length
        if length == 0:
            match = match_in_prefix(text, at, end, rules.units) >> 1
            if match > 0:
                length, replacement = match & VALUE, match >> 31
                while replacements[replacement + n_output]:
                    n_output += 1
            else:
                length = character_length(text, at)
                n_output = length if length else BROKEN
        behind = size + 1 - max(length, 1)
        place, begin, n_inner = int(places[behind]), int(begins[behind]), 0
        if begin & IS_LOST or place + (MARK + 1) * (n_output + 1) > len(data):
            return index + 1
        for within in range(behind + 1, size + 1):
            begins[within] |= IS_LOST
        for k in range(n_output - 1, -1, -1):
            if replacement >= 0:
                byte = int(replacements[replacement + k])
            elif length == 0:
                byte = 0xEF if k == 0 else 0xBF if k == 1 else 0xBD
            else:
                byte = int(text[at + k])
            if byte == SPACE:
                if not removes_spaces or begin & IN_WORD:
                    place = _put_mark(rules, suffixes, place)
                begin &= HAS_LETTER
                continue
            begin = IN_WORD | HAS_LETTER
            data[place] = byte
            place += 1
            n_inner += 1
            if byte & 0xC0 != 0x80:
                if announced_length(byte) != n_inner:
                    return index + 1
                _choose(rules, suffixes, place)
                n_inner = 0
        if n_inner:
            return index + 1
        size += 1
        places[size], begins[size] = place, begin
        if begin & IN_WORD if removes_spaces else rules.adds_space and begin:
            place = _put_mark(rules, suffixes, place)
        counts[index] = suffixes.counts[place]
    return 0


@borrowing
def _put_mark(rules: UnigramRules, suffixes: Suffixes, place: int) -> int:
    """Put U+2581 in front of a place; where it begins."""
    suffixes.data[place], suffixes.data[place + 1], suffixes.data[place + 2] = 0x81, 0x96, 0xE2
    _choose(rules, suffixes, place + MARK)
    return place + MARK


@borrowing
def _choose(rules: UnigramRules, suffixes: Suffixes, place: int) -> None:
    """Find the first token of the best way from `place` on, where a character begins."""
    rows, data, scores, parents = rules.rows, suffixes.data, suffixes.scores, suffixes.parents
    depths, jumps = suffixes.depths, suffixes.jumps
    following = place - announced_length(int(data[place - 1]))
    best, parent, is_unknown, is_known, row, at = LEAST, following, 1, False, 0, place
    while at > 0:
        node = rows[4 * row] ^ np.int32(data[at - 1])  # see `token_tree.longest_match`
        if rows[4 * node + 1] != row:
            break
        row = int(node)
        at -= 1
        token = int(rows[4 * row + 2])
        if token == NONE or (at > 0 and data[at - 1] & 0xC0 == 0x80):
            continue
        is_known |= at == following
        score = scores[at] + rules.scores[token]
        if score > best or (score == best and goes_first(parents, depths, jumps, at, parent)):
            best, parent, is_unknown = score, at, int(token == rules.unknown)
    score = scores[following] + rules.unknown_score
    if not is_known and (
        score > best or (score == best and not goes_first(parents, depths, jumps, parent, following))
    ):
        best, parent, is_unknown = score, following, 1
    scores[place], parents[place], suffixes.unknown[place] = best, parent, is_unknown
    is_new = is_unknown == 0 or suffixes.unknown[parent] == 0
    suffixes.counts[place] = suffixes.counts[parent] + int(is_new)
    depths[place] = depths[parent] + 1
    jump = int(jumps[parent])
    goes_far = depths[parent] - depths[jump] == depths[jump] - depths[jumps[jump]]
    jumps[place] = jumps[jump] if goes_far else parent
