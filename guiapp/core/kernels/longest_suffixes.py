"""How many tokens each suffix of a text has where the longest token is taken again and again.

Whatever is taken first, what follows is a suffix that is known.  A byte that comes in front goes on from the
node that the text behind it has come to in the trie of tokens read backwards; see `byte_trie.TokenMatcher`.

Places are told by how many bytes are behind them: they stay what they are while the text grows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, child
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.longest_prefixes import MARK
from guiapp.core.kernels.normalize_wordpiece import (
    END_WORD,
    EXTEND_WORD,
    LAST_CODE,
    SKIP,
    STAND_ALONE,
    ActionTable,
    write_character,
)
from guiapp.core.kernels.suffixes import decode

MOST_WRITTEN = 7  # bytes of a word for each byte of a text, its mark included
NODE, PLACE, BEHIND, IN_WORD, COUNT, FIELDS = range(6)  # see `Words`


class Words(NamedTuple):
    """What is known of a text, its last byte first; the arrays have room for more.

    text   uint8[…]     its bytes
    known  int32[5, …]  by place, the node that the word there has come to, how many bytes of that word are
                        behind the place, the tokens behind the word, whether there is a word that may go on,
                        and the tokens from the place on
    alone  int32[…]     of the word that goes on, the tokens of its last 0, 1, … bytes, or NONE
    """

    text: NDArray[np.uint8]
    known: np.ndarray[tuple[int, int], np.dtype[np.int32]]
    alone: NDArray[np.int32]


@borrowing
def stepped(matcher: TokenMatcher, node: int, byte: int) -> int:
    """The node behind a byte that comes in front."""
    root = len(matcher.edges)
    target = child(matcher.edges, node, byte)
    while target < 0 and node != root:
        node = int(matcher.failures[node])
        target = child(matcher.edges, node, byte)
    return target if target >= 0 else root


@kernel
def prepend_bytes(
    new: NDArray[np.uint8],
    size: int,
    matcher: TokenMatcher,
    has_unknown: bool,
    state: NDArray[np.int32],
    known: NDArray[np.int32],
    counts: NDArray[np.int32],
) -> int:
    """Put bytes before a text of `size`, the last one first; write to counts[i] the tokens from new[i] on.

    A byte without a token counts as one.  Returns from where on that is told, which it is not from such a
    byte on if nothing stands for it.
    state  int32[1]  the node that the text has come to
    known  int32[…]  the tokens of the last 0, 1, … bytes
    """
    node = int(state[0])
    for index in range(len(new) - 1, -1, -1):
        node = stepped(matcher, node, int(new[index]))
        token, length = int(matcher.longest[node]), 1
        if token != NONE:
            length = int(matcher.lengths[token])
        elif not has_unknown:
            return index + 1
        size += 1
        known[size] = known[size - length] + 1
        counts[index] = known[size]
    state[0] = node
    return 0


@kernel
def prepend_words(
    new: NDArray[np.uint8],
    size: int,
    actions: ActionTable,
    matcher: TokenMatcher,
    suffixes: Words,
    counts: NDArray[np.int32],
) -> None:
    """The same for words, each with U+2581 in front; one that lacks a token counts as one."""
    text, known, alone = suffixes.text, suffixes.known, suffixes.alone
    root, written = len(matcher.edges), np.empty(MOST_WRITTEN, np.uint8)
    written[0], written[1], written[2] = 0xE2, 0x96, 0x81
    for index in range(len(new) - 1, -1, -1):
        text[size] = new[index]
        size += 1
        character = decode(text, size, LAST_CODE)
        behind, code = size - (character & 7), character >> 3
        value = int(actions.rows[actions.pages[code >> 8], code & 255])
        action = value & 3
        for field in range(FIELDS):
            known[field, size] = known[field, behind]
        counts[index] = known[COUNT, size]
        if action == SKIP:
            continue
        known[IN_WORD, size] = int(action == EXTEND_WORD)
        if action == END_WORD:
            continue
        node, place = int(known[NODE, behind]), int(known[PLACE, behind])
        if action == STAND_ALONE or known[IN_WORD, behind] == 0:
            node, place = root, 0
            alone[0] = 0
            known[BEHIND, size] = known[COUNT, behind]
        first = MARK + write_character(written, MARK, code + (value >> 2)) - 1
        for at in range(first, -1, -1):
            node = stepped(matcher, node, int(written[at]))
            token = int(matcher.longest[node])
            place += 1
            alone[place] = NONE
            if token != NONE and alone[place - matcher.lengths[token]] != NONE:
                alone[place] = alone[place - matcher.lengths[token]] + 1
            if at == MARK:
                known[NODE, size], known[PLACE, size] = node, place
        own = 1 if alone[place] == NONE else int(alone[place])
        known[COUNT, size] = known[BEHIND, size] + own
        counts[index] = known[COUNT, size]
