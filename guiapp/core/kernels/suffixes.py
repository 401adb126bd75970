"""The token counts of every suffix of a text that grows at its beginning, where tokens come from merging.

The mirror image of `prefixes`: a suffix's tokens are its first token and those of the suffix behind that.
So a further byte adds one token, the one that begins there and is compatible with what follows it.

In BPE vocabularies a list of patterns cuts text into pieces first.  A pattern never looks back, so where the
first piece of a suffix ends depends on that suffix alone: it is found for each of them, by following the
automaton until it is in the state in which it came along here the last time.  Of several patterns each cuts
the pieces of the one above, to which the end of the piece is the end of the text.  So what is known at a
level holds for one end only, and is found out anew in the rare case that this is another one.

Places are told by how many bytes are behind them: they stay what they are while the text grows.
No readable twin of its own: `table` and `text/readable_split.py` are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.derivations import DerivationArrays, are_compatible
from guiapp.core.kernels.merges import MergeArrays
from guiapp.core.kernels.pattern_automaton import ACCEPTS, ROW_SHIFT
from guiapp.core.kernels.string_table import StringTable, find
from guiapp.core.kernels.utf8 import REPLACEMENT, encoded_length

FALLBACK = -2  # as a first token: the bytes of a character that is in no rule, each by itself
SPACE, NEWLINE, MARKED_SPACE = 0x20, 0x0A, 0x2581
LAST_CODE = 0x10FFFF
MOST_WRITTEN = 5  # bytes for one that is put in: a character, and a space before it
HERE, LAST, STOP = range(3)  # of the ways down
LIMIT, COUNT, END, ROW, ACCEPTED, FIELDS = range(6)  # see `Suffixes`
IS_GAP = 1  # of an end: no match begins here
NO_ROW, MATCH_ENDS, SHIFT = 0, int(ACCEPTS), int(ROW_SHIFT)

Known = np.ndarray[tuple[int, int, int], np.dtype[np.int32]]
Ways = np.ndarray[tuple[int, int], np.dtype[np.int32]]


class WholePieces(NamedTuple):
    """Pieces that are one token whatever merging gives.

    spelling  how the texts of `strings` write a byte: spelling[offsets[byte] : offsets[byte + 1]]
    longest   bytes; 0 where there are no such pieces
    scratch   uint8[…]  room for the spelling of the longest
    """

    strings: StringTable
    offsets: NDArray[np.int64]
    spelling: NDArray[np.uint8]
    longest: int
    only_newlines: bool
    scratch: NDArray[np.uint8]


class Suffixes(NamedTuple):
    """What is known of a text, its last byte first; the arrays have room for more.

    text     uint8[…]        its bytes
    places   int32[…]        how many bytes of `data` are behind a place of the text
    data     uint8[…]        its bytes as they are split and merged: repaired in BPE vocabularies
    firsts   int32[…]        the symbol that begins at a place, or FALLBACK
    known    int32[k, 5, …]  by level, which are those of the patterns and below them merging, where what
                             follows ends (LIMIT) and the tokens from here to there (COUNT); but for merging
                             where the first piece ends, times 2, and IS_GAP (END), the row of the automaton
                             that came along last (ROW), and the last place where a match could end then or
                             NONE (ACCEPTED)
    answers  int64[…]        see `derivations.no_answers`
    """

    text: NDArray[np.uint8]
    places: NDArray[np.int32]
    data: NDArray[np.uint8]
    firsts: NDArray[np.int32]
    known: Known
    answers: NDArray[np.int64]


class SuffixRules(NamedTuple):
    """What a vocabulary says about suffixes; few arrays, since each takes time whenever a byte is put in.

    lengths      uint8[256]  bytes of the start symbol that begins with this byte
    n_fallbacks  int32[256]  how many tokens stand for the byte of a symbol that is no token
    rows, token_lengths, parents           of `TreeArrays`
    classes, transitions, levels, numbers  of `PatternMachine`, which has the class `end_class` for the end
    repairs      whether text is repaired and then split; otherwise it is merged as it is
    """

    n_tokens: int
    lengths: NDArray[np.uint8]
    n_fallbacks: NDArray[np.int32]
    merges: MergeArrays
    derivations: DerivationArrays
    rows: NDArray[np.int32]
    token_lengths: NDArray[np.int32]
    parents: NDArray[np.int32]
    classes: NDArray[np.uint8]
    transitions: NDArray[np.uint32]
    levels: NDArray[np.int64]
    numbers: NDArray[np.uint8]
    end_class: int
    whole: WholePieces
    repairs: bool
    marks_spaces: bool
    adds_space: bool


@kernel
def prepend(
    new: NDArray[np.uint8], size: int, rules: SuffixRules, suffixes: Suffixes, counts: NDArray[np.int32]
) -> int:
    """Put bytes before a text of `size`, the last one first; write to counts[i] the tokens from new[i] on.

    Returns from where on that is told: what is before it cannot be, nor anything that is to come, unless
    there is no room for MOST_WRITTEN bytes more in `data`.
    """
    text, places, data, known = suffixes.text, suffixes.places, suffixes.data, suffixes.known
    ways = np.zeros((len(rules.levels) + 1, 3), np.int32)
    for index in range(len(new) - 1, -1, -1):
        if places[size] + MOST_WRITTEN > len(data):
            return index + 1
        text[size] = new[index]
        size += 1
        if rules.repairs:
            decoded = decode(text, size, LAST_CODE)
            code, n_source = decoded >> 3, decoded & 7
            if rules.marks_spaces and (code == MARKED_SPACE or (code == SPACE and n_source > 1)):
                return index + 1
            place = write(data, int(places[size - n_source]), code)
            if not _add(rules, suffixes, place, ways):
                return index + 1
        else:
            if rules.marks_spaces and not _can_stay(text, size, int(rules.lengths[text[size - 1]])):
                return index + 1
            place = size
            data[size - 1] = text[size - 1]
            _merge(rules, suffixes, size - 1, size, 0)
        places[size] = place
        if rules.adds_space:
            data[place] = SPACE
            _merge(rules, suffixes, place, place + 1, 0)
            place += 1
        counts[index] = known[0, COUNT, place]
    return 0


@borrowing
def write(data: NDArray[np.uint8], behind: int, code: int) -> int:
    """Write a code point in UTF-8 before a place; where it begins."""
    width = encoded_length(code)
    for at in range(behind, behind + width - 1):
        data[at] = 0x80 | (code & 0x3F)
        code >>= 6
    data[behind + width - 1] = code if width == 1 else code | (0xF00 >> width) & 0xFF
    return behind + width


@borrowing
def decode(text: NDArray[np.uint8], at: int, last_code: int) -> int:
    """`utf8._decode` for a text that has its last byte first, with code points up to `last_code`."""
    lead = int(text[at - 1])
    if lead < 0x80:
        return lead * 8 + 1
    length = 2 + int(lead >= 0xE0) + int(lead >= 0xF0)
    if lead < 0xC0 or lead >= 0xF8 or length > at:
        return REPLACEMENT * 8 + 1
    code = lead & (0x7F >> length)
    for offset in range(1, length):
        following = int(text[at - 1 - offset])
        if following & 0xC0 != 0x80:
            return REPLACEMENT * 8 + 1
        code = code << 6 | (following & 0x3F)
    return REPLACEMENT * 8 + 1 if code > last_code else code * 8 + length


@borrowing
def _can_stay(text: NDArray[np.uint8], at: int, length: int) -> bool:
    """Whether the character before `at` is neither U+2581 nor a broken one that would swallow a space."""
    for following in range(at - 2, max(at - length, 0) - 1, -1):
        if text[following] == SPACE:
            return False
    if length != 3 or at < 3:
        return True
    return bool(text[at - 1] != 0xE2 or text[at - 2] != 0x96 or text[at - 3] != 0x81)


@borrowing
def _add(rules: SuffixRules, suffixes: Suffixes, place: int, ways: Ways) -> bool:
    """Find the counts of the suffix from `place` on, all shorter ones being known; whether that is told.

    ways  int32[k, 3]  by level: where it is at, up to where it goes, and the end of the text
    """
    data, known, n_levels = suffixes.data, suffixes.known, len(rules.levels)
    level, is_below_known = 0, False
    ways[0, HERE], ways[0, LAST], ways[0, STOP] = place, place, 0
    while True:
        at, stop = int(ways[level, HERE]), int(ways[level, STOP])
        if not is_below_known:
            known[level, LIMIT, at] = stop
            kind = int(rules.levels[level])
            if kind < 0:
                if rules.numbers[_class_at(rules.classes, data, at)] or 48 <= data[at - 1] <= 57:
                    return False
                known[level, END, at] = 2 * stop
            else:
                _find_end(
                    rules.classes, rules.transitions, kind, rules.end_class, data, known, level, at, stop
                )
            end, following, level = int(known[level, END, at] >> 1), _behind(data, at), level + 1
            goes_on = following == end or known[level, LIMIT, following] == end
            if level < n_levels:
                ways[level, STOP], ways[level, LAST] = end, at
                ways[level, HERE] = at if goes_on else _before(data, end)
                continue
            _merge(rules, suffixes, following if goes_on else end, at, end)
            level -= 1
            is_below_known = True
        end, count = int(known[level, END, at] >> 1), int(known[level + 1, COUNT, at])
        if level + 1 == n_levels and count != 1 and at - end <= rules.whole.longest:
            if _is_whole(rules.whole, data, at, end):
                count = 1
        known[level, COUNT, at] = count + (int(known[level, COUNT, end]) if end > stop else 0)
        if at < ways[level, LAST]:
            ways[level, HERE] = _before(data, at)
            is_below_known = False
        elif level == 0:
            return True
        else:
            level -= 1


@borrowing
def _behind(data: NDArray[np.uint8], at: int) -> int:
    """The place behind the character that begins at `at`."""
    lead = data[at - 1]
    return at - 1 - int(lead >= 0xC0) - int(lead >= 0xE0) - int(lead >= 0xF0)


@borrowing
def _before(data: NDArray[np.uint8], at: int) -> int:
    """The place where the character begins that ends at `at`."""
    while data[at] & 0xC0 == 0x80:
        at += 1
    return at + 1


@borrowing
def _class_at(classes: NDArray[np.uint8], data: NDArray[np.uint8], at: int) -> int:
    """The class of the character that begins at `at`."""
    lead = int(data[at - 1])
    if lead < 0x80:
        return int(classes[lead])
    behind = _behind(data, at)
    code = lead & (0x7F >> (at - behind))
    for following in range(at - 2, behind - 1, -1):
        code = code << 6 | (int(data[following]) & 0x3F)
    return int(classes[code])


@borrowing
def _find_end(
    classes: NDArray[np.uint8],
    transitions: NDArray[np.uint32],
    first_row: int,
    end_class: int,
    data: NDArray[np.uint8],
    known: Known,
    level: int,
    place: int,
    limit: int,
) -> None:
    """Find where the first piece ends of the text from `place` to `limit`."""
    row, at, found = first_row, place, NONE
    while True:
        if limit < at < place and known[level, ROW, at] == row:
            found = int(known[level, ACCEPTED, at])
            break
        seen = _class_at(classes, data, at) if at > limit else end_class
        entry = np.int64(transitions[row + seen])
        here = at if entry & MATCH_ENDS else NONE
        if at == limit:
            found = here
            break
        known[level, ROW, at] = row
        known[level, ACCEPTED, at] = here
        row = int(entry >> SHIFT)
        at = _behind(data, at)
        if row == NO_ROW:
            break
    while at < place:
        at = _before(data, at)
        if found == NONE:
            found = int(known[level, ACCEPTED, at])
        else:
            known[level, ACCEPTED, at] = found
    if found != NONE:
        known[level, END, place] = 2 * found
        return
    following = _behind(data, place)
    if following > limit and known[level, END, following] & IS_GAP:
        following = int(known[level, END, following] >> 1)
    known[level, END, place] = 2 * following | IS_GAP


@borrowing
def _merge(rules: SuffixRules, suffixes: Suffixes, start: int, end: int, limit: int) -> None:
    """Find the first tokens of the texts to `limit` from places behind `start` up to `end`, and their counts.

    Those from `start` and behind it are known.
    """
    rows, derivations, answers = rules.rows, rules.derivations, suffixes.answers
    data, firsts, known, level = suffixes.data, suffixes.firsts, suffixes.known, len(rules.levels)
    for at in range(start + 1, end + 1):
        known[level, LIMIT, at] = limit
        symbol, row, behind = NONE, 0, at
        while behind > limit:
            following = rows[4 * row] ^ np.int32(data[behind - 1])  # see `token_tree.longest_match`
            if rows[4 * following + 1] != row:
                break
            row = int(following)
            behind -= 1
            if rows[4 * row + 2] != NONE:
                symbol = int(rows[4 * row + 2])
        while symbol != NONE:
            behind = at - int(rules.token_lengths[symbol])
            if (
                behind == limit
                or firsts[behind] == FALLBACK
                or not derivations.pairs[int(data[behind]) << 8 | int(data[behind - 1])]
                or are_compatible(answers, rules.merges, derivations, symbol, int(firsts[behind]))
            ):
                break
            symbol = int(rules.parents[symbol])
        n_tokens = 1
        if symbol == NONE:
            symbol = FALLBACK
            behind = max(at - int(rules.lengths[data[at - 1]]), limit)
        if symbol == FALLBACK or symbol >= rules.n_tokens:
            n_tokens = 0
            for place in range(behind, at):
                n_tokens += int(rules.n_fallbacks[data[place]])
        firsts[at] = symbol
        known[level, COUNT, at] = n_tokens + (int(known[level, COUNT, behind]) if behind > limit else 0)


@borrowing
def _is_whole(whole: WholePieces, data: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether a piece is a token whatever merging gives; see `merges.find_piece`."""
    if whole.only_newlines and data[start - 1] != NEWLINE:
        return False
    size = 0
    for at in range(start - 1, end - 1, -1):
        byte = int(data[at])
        for row in range(whole.offsets[byte], whole.offsets[byte + 1]):
            whole.scratch[size] = whole.spelling[row]
            size += 1
    return find(whole.strings, whole.scratch, 0, size) >= 0
