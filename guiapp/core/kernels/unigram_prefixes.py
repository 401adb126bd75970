"""The number of tokens of every prefix of a text that grows, as a Unigram vocabulary segments them.

The best way to an offset does not depend on what follows.  So a further byte adds one place to the lattice,
and the tokens that may end there are followed through the trie from all places where they may have begun.

What becomes of the last few bytes may depend on bytes to come: a character is not complete, or a key of the
character map or a user-defined token may go on.  Up to there all is *settled*; behind it stands what the text
becomes if it ends here, which is *ahead* and may be done again for the next byte.  `normalize` tells byte by
byte what comes behind the settled text for good, and what for now; `count` follows the ways.
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
    PLAIN,
    SPACE,
    VALUE,
    character_length,
    match_in_prefix,
    user_defined_length,
)
from guiapp.core.kernels.viterbi import LEAST

LENGTH, AT, IN_WORD, HAS_PREFIX, UNITS, UNIT, WORD_AHEAD, PREFIX_AHEAD, PROGRESS = range(9)  # see `Source`
SIZE, CHARACTER, NEXT, IS_KNOWN, ACTIVE, FIELDS = range(6)  # see `Ways`
SIDE = 2 * FIELDS
IS_PROMOTED, IS_AHEAD, IS_KEPT, IS_BROKEN, IS_LAST = 1, 2, 4, 8, 16  # bits of `Normalized.kinds`
MARK, BROKEN = 3, 3  # bytes of U+2581 and of U+FFFD
PADDING = 4  # zeros behind a text


class UnigramRules(NamedTuple):
    """What a Unigram vocabulary knows.

    units, replacements, user_defined, kinds  see `normalize_unigram`
    breaks_alone  whether U+FFFD is in no token, and characters stay whole but for keys that begin within one
    rows     of the tree of tokens; see `token_tree.TreeArrays`
    longest  bytes of the longest token
    scores   float64[n]
    """

    units: NDArray[np.uint32]
    replacements: NDArray[np.uint8]
    user_defined: NDArray[np.int64]
    kinds: NDArray[np.uint8]
    breaks_alone: bool
    adds_space: bool
    removes_spaces: bool
    rows: NDArray[np.int32]
    longest: int
    scores: NDArray[np.float64]
    unknown: int
    unknown_score: float


class Source(NamedTuple):
    """A text, and how far it is settled.

    text      uint8[room]      with zeros behind it, PADDING at least
    progress  int64[PROGRESS]  its bytes, and the settled ones; whether a word and a text have begun there;
                               how many units were ahead, what the first became, and what had begun then
    """

    text: NDArray[np.uint8]
    progress: NDArray[np.int64]


class Normalized(NamedTuple):
    """What some bytes of the text bring, one by one.

    data   uint8[…]   normalised text, one behind the other
    ends   int64[2k]  where in `data` ends what becomes settled with byte i, and then what is ahead
    kinds  uint8[k]   IS_PROMOTED if first what was ahead with the byte before becomes settled; IS_AHEAD if
                      some of the text is not, and IS_KEPT if that begins with all that was ahead before;
                      IS_BROKEN if a character follows that is cut short; IS_LAST if a text ends there
    """

    data: NDArray[np.uint8]
    ends: NDArray[np.int64]
    kinds: NDArray[np.uint8]


class Ways(NamedTuple):
    """The best ways to the places of a normalised text; the arrays have room for more.

    scores    float64[room]         the best sum up to the first 0, 1, … bytes
    tokens    int32[room]           the last token on that way
    n_tokens  int32[room]           and how many there are; neighbouring unknown ones are one
    starts    int64[2 longest + 2]  where the tokens began that the next byte may go on with
    nodes     int32[2 longest + 2]  and the rows of the trie that they have come to
    state     int64[SIDE + 1]       of the settled text and of that with what is ahead, in turns: bytes; where
                                    the last character begins and ends; whether it is a token as far as it
                                    goes; the number of `starts`.  Then which of the two sides is settled
    """

    scores: NDArray[np.float64]
    tokens: NDArray[np.int32]
    n_tokens: NDArray[np.int32]
    starts: NDArray[np.int64]
    nodes: NDArray[np.int32]
    state: NDArray[np.int64]


@kernel
def normalize(
    new: NDArray[np.uint8], ends: NDArray[np.int64], rules: UnigramRules, source: Source, out: Normalized
) -> int:
    """Put bytes behind a text one by one and normalise it; returns how many, fewer for lack of room in `out`.

    ends  where in `new` texts end behind which another one begins
    """
    text, progress, units, replacements = source.text, source.progress, rules.units, rules.replacements
    kinds, user_defined, data, removes_spaces = (
        rules.kinds,
        rules.user_defined,
        out.data,
        rules.removes_spaces,
    )
    count, n_ended = 0, 0
    for index in range(len(new)):
        size, at = int(progress[LENGTH]) + 1, int(progress[AT])
        text[size - 1] = new[index]
        settled, settled_count, n_before, n_ahead, kind = at, count, int(progress[UNITS]), 0, 0
        in_word, has_prefix = progress[IN_WORD] != 0, progress[HAS_PREFIX] != 0
        in_settled, settled_prefix = in_word, has_prefix
        first_ahead, in_ahead, prefix_ahead = 0, False, False
        while at < size:
            lead, length, n_output, replacement = int(text[at]), 0, 0, -1
            announced = 1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0)
            if kinds[lead] == PLAIN and (at + 1 == size or text[at + 1] < 0x80):
                length, is_settled = 1, at + 1 < size
            elif kinds[lead] == IN_USER_DEFINED:
                length = min(user_defined_length(text, at, user_defined), size - at)
                is_settled = at + length < size
            n_output = length
            if length == 0:
                match = match_in_prefix(text, at, size, units)
                is_settled = match & 1 == 0 and at + announced <= size
                if match > 1:
                    length, replacement = match >> 1 & VALUE, match >> 32
                    while replacements[replacement + n_output]:
                        n_output += 1
                else:
                    length = character_length(text, at)
                    n_output = length if length else BROKEN
            is_broken = rules.breaks_alone and at + announced > size and length == 0
            for k in range(at + 1, size if is_broken else 0):
                is_broken &= text[k] & 0xC0 == 0x80 and match_in_prefix(text, k, size, units) == 0
            if count + (MARK + 1) * n_output > len(data):
                return index
            unit = length << 32 | (replacement + 1)
            is_settled &= n_ahead == 0
            if n_ahead == 0 and n_before == 1 and progress[UNIT] == unit and not is_broken:
                kind, n_output = IS_PROMOTED if is_settled else IS_KEPT, 0
                in_word, has_prefix = progress[WORD_AHEAD] != 0, progress[PREFIX_AHEAD] != 0
            for k in range(n_output):
                if replacement >= 0:
                    byte = int(replacements[replacement + k])
                elif length == 0:
                    byte = 0xEF if k == 0 else 0xBF if k == 1 else 0xBD
                else:
                    byte = int(text[at + k])
                is_space = byte == SPACE
                if is_space:
                    has_mark = not removes_spaces
                else:
                    has_mark = not in_word and (removes_spaces or (rules.adds_space and not has_prefix))
                    has_prefix |= has_mark
                in_word = not is_space
                if has_mark:
                    data[count], data[count + 1], data[count + 2] = 0xE2, 0x96, 0x81
                    count += MARK
                if is_broken:
                    break
                if not is_space:
                    data[count] = byte
                    count += 1
            if is_broken:
                kind |= IS_BROKEN
                n_ahead += 2 * int(has_mark)  # so that nobody takes it for what the next unit became
                break
            at += max(length, 1)
            if is_settled:
                settled, settled_count, n_before = at, count, 0
                in_settled, settled_prefix = in_word, has_prefix
                continue
            if n_ahead == 0:
                first_ahead, in_ahead, prefix_ahead = unit, in_word, has_prefix
            n_ahead += 1
        progress[LENGTH], progress[AT], progress[UNITS], progress[UNIT] = size, settled, n_ahead, first_ahead
        progress[IN_WORD], progress[HAS_PREFIX] = int(in_settled), int(settled_prefix)
        progress[WORD_AHEAD], progress[PREFIX_AHEAD] = int(in_ahead), int(prefix_ahead)
        if n_ahead:
            kind |= IS_AHEAD
        if n_ended < len(ends) and ends[n_ended] == index + 1:
            kind |= IS_LAST
            n_ended += 1
            text[:size] = 0
            progress[:] = 0
        out.ends[2 * index], out.ends[2 * index + 1], out.kinds[index] = settled_count, count, kind
    return len(new)


@kernel
def count(
    n_bytes: int, normalized: Normalized, rules: UnigramRules, ways: Ways, counts: NDArray[np.int32]
) -> None:
    """Write the tokens of a text with each of so many bytes more; there is room for the best ways.

    See `viterbi.segment`: here, too, of ways that are as good the one whose last token starts first is taken.
    """
    rows, token_scores, unknown, unknown_score = rules.rows, rules.scores, rules.unknown, rules.unknown_score
    data, scores, tokens, n_tokens = normalized.data, ways.scores, ways.tokens, ways.n_tokens
    starts, nodes, state = ways.starts, ways.nodes, ways.state
    side, at = int(state[SIDE]), 0
    for index in range(2 * n_bytes):
        kind, is_first = int(normalized.kinds[index >> 1]), index & 1 == 0
        if is_first:
            if kind & IS_PROMOTED:
                side = 1 - side
            state[SIDE] = side
        elif kind & (IS_AHEAD | IS_KEPT) == IS_AHEAD:
            _copy_side(ways.starts, ways.nodes, ways.state, side)
        here = side if is_first or not kind & IS_AHEAD else 1 - side
        fields, first = FIELDS * here, len(starts) // 2 * here
        size, n_active = int(state[fields + SIZE]), int(state[fields + ACTIVE])
        character, following = int(state[fields + CHARACTER]), int(state[fields + NEXT])
        is_known = state[fields + IS_KNOWN] != 0
        while at < normalized.ends[index]:
            byte = int(data[at])
            at += 1
            if size == following:
                starts[first + n_active] = character = size
                nodes[first + n_active] = 0
                n_active += 1
                following += 1 + int(byte >= 0xC0) + int(byte >= 0xE0) + int(byte >= 0xF0)
            size += 1
            best, last, origin, n_kept, is_known = LEAST, unknown, 0, 0, False
            for active in range(first, first + n_active):
                parent = nodes[active]
                node = rows[4 * parent] ^ np.int32(byte)  # see `token_tree.longest_match`
                if rows[4 * node + 1] != parent:
                    continue
                start, token = int(starts[active]), int(rows[4 * node + 2])
                starts[first + n_kept] = start
                nodes[first + n_kept] = node
                n_kept += 1
                if token == NONE:
                    continue
                is_known |= start == character
                score = scores[start] + token_scores[token]
                if score > best:
                    best, last, origin = score, token, start
            n_active = n_kept
            if size == following and not is_known and scores[character] + unknown_score > best:
                best, last, origin = scores[character] + unknown_score, unknown, character
            scores[size], tokens[size] = best, last
            n_tokens[size] = n_tokens[origin] + int(last != unknown or tokens[origin] != unknown)
        state[fields + SIZE], state[fields + ACTIVE] = size, n_active
        state[fields + CHARACTER], state[fields + NEXT] = character, following
        state[fields + IS_KNOWN] = int(is_known)
        if not is_first:
            n_here, is_cut_short = int(n_tokens[size]), size < following and not is_known
            if (
                is_cut_short and scores[character] + unknown_score > scores[size]
            ):  # as a whole character would be
                n_here = int(n_tokens[character]) + int(tokens[character] != unknown)
            elif kind & IS_BROKEN:
                n_here += int(tokens[size] != unknown)
            counts[index >> 1] = n_here
            if kind & IS_LAST:
                state[:] = 0
                side = 0


@borrowing
def _copy_side(
    starts: NDArray[np.int64], nodes: NDArray[np.int32], state: NDArray[np.int64], side: int
) -> None:
    """Let what is ahead begin where the settled text ends."""
    other = 1 - side
    for field in range(FIELDS):
        state[FIELDS * other + field] = state[FIELDS * side + field]
    from_here, to_here = len(starts) // 2 * side, len(starts) // 2 * other
    for active in range(state[FIELDS * side + ACTIVE]):
        starts[to_here + active] = starts[from_here + active]
        nodes[to_here + active] = nodes[from_here + active]
