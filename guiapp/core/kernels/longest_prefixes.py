"""How many tokens each prefix of a text has where the longest token is taken again and again.

What ends before the last token of a prefix is final, so prefixes differ in how the bytes behind that are
taken: by a part of the token that the whole text has there, and what is left of it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, child, find_longest
from guiapp.core.kernels.compile import kernel, routine
from guiapp.core.kernels.linear import FailureLinks
from guiapp.core.kernels.normalize_wordpiece import (
    END_WORD,
    STAND_ALONE,
    ActionTable,
    decode,
    write_character,
)
from guiapp.core.kernels.pair_cuts import character_length

# Of a text that grows word by word: the bytes of its last character so far, the node that the last word has
# come to, the tokens before that node in the word, those before the word, and whether there is such a word.
PENDING, NODE, TAKEN, COUNT, IN_WORD, FIELDS = range(6)
UNKNOWN = -1  # in place of a node: the word has no tokens
MARK = 3  # bytes of U+2581 in front of each word


@kernel
def count_bytes(data: NDArray[np.uint8], matcher: TokenMatcher, counts: NDArray[np.int32]) -> int:
    """Write the number of tokens after each byte, where a byte without a token counts as one.

    Returns how many such bytes the whole text has.
    """
    found, lengths, shorter = np.empty(len(data), np.int32), matcher.lengths, matcher.shorter
    find_longest(matcher, data, 0, len(data), found)
    at, count, n_unknown = 0, 0, 0
    while at < len(data):
        longest, length = int(found[at]), 1
        if longest == NONE:
            n_unknown += 1
        else:
            length = int(lengths[longest])
        for end in range(at + length, at, -1):
            while longest != NONE and at + lengths[longest] > end:
                longest = int(shorter[longest])
            n_more, position = 1, at + (1 if longest == NONE else int(lengths[longest]))
            while position < end:
                token = int(found[position])
                while token != NONE and position + lengths[token] > end:
                    token = int(shorter[token])
                position += 1 if token == NONE else int(lengths[token])
                n_more += 1
            counts[end - 1] = count + n_more
        at += length
        count += 1
    return n_unknown


def tokens_alone(links: FailureLinks) -> NDArray[np.int32]:
    """int32[slots + 1]: how many tokens the text of each node is by itself; NONE where that fails."""
    root = len(links.edges)
    counts = np.where(links.lefts == NONE, 0, links.sizes[links.taken])
    fails, lefts = links.lefts == NONE, np.where(links.lefts == NONE, root, links.lefts)
    fails[root] = False
    while (lefts != root).any():
        counts += counts[lefts]
        fails |= fails[lefts]
        lefts = lefts[lefts]
    return np.where(fails, NONE, counts).astype(np.int32)


@kernel
def count_words(
    new: NDArray[np.uint8],
    actions: ActionTable,
    links: FailureLinks,
    alone: NDArray[np.int32],
    pending: NDArray[np.uint8],
    state: NDArray[np.int64],
    counts: NDArray[np.int32],
) -> None:
    """Write the number of tokens of a text with each of these bytes more, one for a word without tokens.

    alone    of `tokens_alone`
    pending  uint8[4]  bytes of a character that is not complete, which is nothing so far
    """
    root, written = len(links.edges), np.empty(MARK + len(pending), np.uint8)
    written[0], written[1], written[2] = 0xE2, 0x96, 0x81
    n_pending, node, taken = int(state[PENDING]), int(state[NODE]), int(state[TAKEN])
    count, in_word = int(state[COUNT]), state[IN_WORD] != 0
    for index in range(len(new)):
        pending[n_pending] = new[index]
        n_pending += 1
        while n_pending:
            length, is_broken = character_length(int(pending[0])), False
            for at in range(1, min(length, n_pending)):
                is_broken |= pending[at] & 0xC0 != 0x80
            if n_pending < length and not is_broken:
                break
            character = decode(pending[:n_pending], 0)
            length, code = character & 7, character >> 3
            value = int(actions.rows[actions.pages[code >> 8], code & 255])
            action = value & 3
            if in_word and (action == END_WORD or action == STAND_ALONE):
                count += _tokens_of_word(alone, node, taken)
                in_word = False
            if action >= STAND_ALONE:
                first = MARK if in_word else 0
                if not in_word:
                    node, taken, in_word = root, 0, True
                for at in range(first, write_character(written, MARK, code + (value >> 2)) + MARK):
                    byte = int(written[at])
                    following = child(links.edges, node, byte) if node != UNKNOWN else NONE
                    while following < 0 and node != UNKNOWN:
                        if links.lefts[node] == NONE:
                            node = UNKNOWN
                            break
                        taken += int(links.sizes[links.taken[node]])
                        node = int(links.lefts[node])
                        following = child(links.edges, node, byte)
                    if node != UNKNOWN:
                        node = following
                if action == STAND_ALONE:
                    count += _tokens_of_word(alone, node, taken)
                    in_word = False
            n_pending -= length
            for at in range(n_pending):
                pending[at] = pending[at + length]
        counts[index] = count + (_tokens_of_word(alone, node, taken) if in_word else 0)
    state[PENDING], state[NODE], state[TAKEN] = n_pending, node, taken
    state[COUNT], state[IN_WORD] = count, int(in_word)


@routine
def _tokens_of_word(alone: NDArray[np.int32], node: int, taken: int) -> int:
    """The tokens of a word that has come to a node with so many before it."""
    if node == UNKNOWN or alone[node] == NONE:
        return 1
    return taken + int(alone[node])
