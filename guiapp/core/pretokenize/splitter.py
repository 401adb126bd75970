"""Split text into the pieces that byte-pair merges never cross, as each kind of model asks.

The reference is `split`, by Python's own regular expressions.  The patterns are in pre_tokenizers.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.pre_tokenizers import Pattern, View
from guiapp.core.pretokenize.regex import (
    DEAD,
    MEMBERS,
    START,
    Automaton,
    CharacterSet,
    Node,
    Numbers,
    bits,
    character_sets,
    compile_node,
    parse,
    seen,
    translated,
)
from guiapp.core.pretokenize.unicode_patterns import PatternError
from guiapp.core.pretokenize.windows import no_windows, no_words, window_table, word_table
from guiapp.core.text.normalized import distinct
from guiapp.core.text.unicode_tables import HAN_RANGES, N_CODES, WHITESPACE_RANGES, are_in, category_runs
from guiapp.native import normalized as native

Cutter = Callable[[str, int, int], Iterator[int]]  # (text in the view, start, end) -> cuts between these
NUMBERS_BY_THREE, DIGITS_BY_THREE = -1, -2  # instead of the initial row of an automaton

# In an entry of the transition table, below the offset of the next row:
ACCEPTS = 1  # a match ends before this character
TO_LETTERS = 2  # the next state does not change through a…z, and a match may end anywhere
OPEN = 4  # lower levels may cut the match that ends here
ROW_SHIFT = 3

MOST_CLASSES, MOST_SETS = 256, 1 << 10  # of characters

# Flags of a byte at one level: no match begins with it; lower levels may cut a piece with such characters.
NO_START, UNSETTLED = 1, 2

SMALL_LETTERS = slice(ord("a"), ord("z") + 1)
NUMBER = CharacterSet(((ord(MEMBERS["N"][0]), ord(MEMBERS["N"][0])), (ord("0"), ord("9"))))
FIRST_CODES = [  # of the characters that begin with the same byte in UTF-8
    *range(0x80),
    *range(0x80, 0x800, 1 << 6),
    *(0x800, *range(0x1000, 0x10000, 1 << 12)),
    *range(0x10000, N_CODES, 1 << 18),
]

SeenSet = tuple[View, CharacterSet]
Pairs = NDArray[np.bool_]  # [c, c]: by the classes of two neighbours, left and right


class Splitter:
    """Splits text by a list of patterns.  All text must be well-formed, as from `utf8.repair`."""

    def __init__(self, patterns: tuple[Pattern, ...]) -> None:
        self.patterns = patterns
        self.machine = build_machine(patterns)
        self.native = native.SplitterHandle(**self.machine._asdict())

    def split(self, data: NDArray[np.uint8]) -> NDArray[np.int64]:
        """The end of each piece, in bytes; pieces tile the text and none is empty."""
        return self.native.split(data, np.array([len(data)]))

    def split_each(self, data: NDArray[np.uint8], text_ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """The ends of all pieces of many concatenated texts; none is empty."""
        return self.native.split(data, text_ends)

    def split_readable(self, data: bytes) -> list[int]:
        """The same as `split`, by Python's own regular expressions."""
        return split(self.patterns, data)

    def restart_before(self, data: NDArray[np.uint8], position: int) -> int:
        """The last offset up to `position` where pieces meet whatever text follows `position`; or 0.

        The text may be cut there: the pieces of both parts are those of the whole.
        """
        return self.native.last_cut(data, position)

    def restart_after(self, data: NDArray[np.uint8], position: int) -> int:
        """The first such offset from `position` on, whatever precedes `position`; or len(data)."""
        return self.native.first_cut(data, position)


splitter_of = cache(Splitter)


# From a list of patterns to the tables that split text


class PatternMachine(NamedTuple):
    """The automata of a list of patterns, over common classes of characters.

    classes      uint8[0x110000]  class of each code point
    transitions  uint32[…]        rows of c + 1 entries, for each class and for the end of the text
    levels       int64[k]         offset of the initial row, or NUMBERS_BY_THREE, DIGITS_BY_THREE
    starts       uint8[k, 256]    NO_START, UNSETTLED of first bytes of characters; NO_START for others
    numbers      uint8[c]         1 for classes of numbers
    words        uint8[k, …]      pieces that are letters or one character, see `windows.word_table`
    windows      uint8[…]         see `windows.window_table`; empty if there are several levels
    cuts         uint8[c, c]      1 where two characters are always in different pieces
    """

    classes: NDArray[np.uint8]
    transitions: NDArray[np.uint32]
    levels: NDArray[np.int64]
    starts: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    numbers: NDArray[np.uint8]
    words: np.ndarray[tuple[int, int], np.dtype[np.uint8]]
    windows: NDArray[np.uint8]
    cuts: np.ndarray[tuple[int, int], np.dtype[np.uint8]]


def build_machine(patterns: tuple[Pattern, ...]) -> PatternMachine:
    nodes = [parse(pattern) if pattern.source else NUMBER for pattern in patterns]
    classes = _character_classes(patterns, nodes)
    is_number = classes.members["classes", NUMBER]
    of_ascii = classes.of_code[:0x80]
    automata = [_automaton(*level, classes) for level in zip(patterns, nodes, strict=True)]
    rows = [np.zeros((1, len(is_number) + 1), np.uint32)]
    levels, starts, neighbours, words = [], [], [], []
    for number, pattern in enumerate(patterns):
        lower = automata[number + 1 :]
        can_start = automata[number].following[START, :-1] != DEAD
        starts.append(_starts(can_start, _stable_classes(lower, len(is_number)), classes.by_lead))
        if pattern.view == "numbers by three":
            levels.append(NUMBERS_BY_THREE)
            words.append(no_words())
            neighbours.append(_neighbours_in_numbers(is_number))
        elif pattern.view == "digits by three":  # the lowest level, without certain cuts
            levels.append(DIGITS_BY_THREE)
            words.append(no_words())
        else:
            levels.append(sum(map(np.size, rows)))
            neighbours.append(_neighbours(automata[number]))
            automaton, is_open = _with_openness(automata[number], lower)
            words.append(word_table(automaton, is_open, of_ascii))
            rows.append(_rows(automaton, is_open, levels[-1], classes.of_code[SMALL_LETTERS]))
    is_plain = len(levels) == 1 and levels[0] >= 0
    return PatternMachine(
        classes=classes.of_code,
        transitions=np.concatenate(rows).reshape(-1),
        levels=np.array(levels, np.int64),
        starts=np.array(starts, np.uint8),
        numbers=is_number.astype(np.uint8),
        words=_as_rows(words),
        windows=window_table(automata[0], of_ascii) if is_plain else no_windows(),
        cuts=_certain_cuts(neighbours),
    )


def _as_rows(tables: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Tables of different lengths as rows, with zeros after the shorter ones."""
    rows = np.zeros((len(tables), max(map(len, tables))), np.uint8)
    for row, table in zip(rows, tables, strict=True):
        row[: len(table)] = table
    return rows


# Characters


class _CharacterClasses(NamedTuple):
    """Classes of characters that no pattern of a list distinguishes.

    of_code  uint8[0x110000]  the class of each code point
    by_lead  bool[256, c]     the classes of the characters that begin with each byte
    members  for each set in each view: which classes are in it, bool[c]
    """

    of_code: NDArray[np.uint8]
    by_lead: NDArray[np.bool_]
    members: dict[SeenSet, NDArray[np.bool_]]


def _character_classes(patterns: tuple[Pattern, ...], nodes: list[Node]) -> _CharacterClasses:
    views = [pattern.view for pattern in patterns]
    all_sets = (
        (view, each) for view, node in zip(views, nodes, strict=True) for each in character_sets(node)
    )
    numbers: list[SeenSet] = [("classes", NUMBER)]
    sets = list(dict.fromkeys((*numbers, *all_sets)))
    if len(sets) > MOST_SETS:
        raise PatternError("it distinguishes too many kinds of characters")
    starts = _run_starts(sets)
    seen_in = {view: seen(view, starts) for view in {view for view, _ in sets}}
    held = np.array([are_in(seen_in[view], each.ranges) ^ each.is_negated for view, each in sets])
    columns, size = held.T.tobytes(), len(sets)
    classes = Numbers[bytes]()
    of_run = [classes.of(columns[at : at + size]) for at in range(0, len(columns), size)]
    if len(classes) > MOST_CLASSES:
        raise PatternError("it distinguishes too many kinds of characters")
    members = np.frombuffer(b"".join(classes), np.bool_).reshape(-1, size).T
    of_code = np.repeat(np.array(of_run, np.uint8), np.diff(starts, append=N_CODES))
    by_lead = np.zeros((256, len(classes)), np.bool_)
    by_lead[_leads(starts), of_run] = True
    return _CharacterClasses(of_code, by_lead, dict(zip(sets, members, strict=True)))


def _run_starts(sets: list[SeenSet]) -> NDArray[np.int64]:
    """The starts of runs of code points that all sets treat alike and that begin with the same byte."""
    ranges = np.array([*WHITESPACE_RANGES, *HAN_RANGES, *(each for _, key in sets for each in key.ranges)])
    edges = (ranges[:, 0], ranges[:, 1] + 1)
    return distinct(np.concatenate([FIRST_CODES, category_runs().starts, *edges]))


def _leads(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first bytes of code points in UTF-8."""
    ends = [0x80, 0x800, 0x10000]
    return np.select(
        [codes < end for end in ends], [codes, 0xC0 | codes >> 6, 0xE0 | codes >> 12], 0xF0 | codes >> 18
    )


def _automaton(pattern: Pattern, node: Node, classes: _CharacterClasses) -> Automaton:
    sets = {
        each: bits(classes.members[pattern.view, each].nonzero()[0].tolist()) for each in character_sets(node)
    }
    return compile_node(node, sets, classes.by_lead.shape[1])


def _starts(
    can_start: NDArray[np.bool_], is_stable: NDArray[np.bool_], classes_by_lead: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """NO_START and UNSETTLED by first bytes: if it holds for all their characters, or for any of them."""
    starts = np.zeros(256, np.uint8)
    starts[~(classes_by_lead & can_start).any(axis=1)] |= NO_START
    starts[(classes_by_lead & ~is_stable).any(axis=1)] |= UNSETTLED
    return starts


def _rows(
    automaton: Automaton, is_open: NDArray[np.bool_], initial_row: int, small_letters: NDArray[np.uint8]
) -> NDArray[np.uint32]:
    """The states of an automaton, without the dead one, as rows of the machine from `initial_row` on."""
    following, accepts = automaton
    own = np.arange(len(following))[:, None]
    is_fixed = following == own
    to_letters = (is_fixed[:, small_letters]).all(axis=1) & accepts.all(axis=1)
    entries = (initial_row + (following - START) * following.shape[1]) << ROW_SHIFT
    entries |= to_letters[following] * TO_LETTERS
    entries[following == DEAD] = 0
    entries |= accepts * ACCEPTS | (accepts & is_open[:, None]) * OPEN
    return np.asarray(entries[START:], np.uint32)


# Which pieces are final: each lower level finds nothing in such a piece, or one match that is all of it.  For
# matches, states store what the lower levels find in them.  Text between matches is judged by its characters:
# they are settled if no lower level finds anything in a text of only such characters.


class _Search(NamedTuple):
    """A lower level's search in a piece: its states, and whether a match has ended in it."""

    first: int  # of the attempt from the beginning
    others: frozenset[int]  # of all other attempts at once
    has_matched: bool


_Reader = tuple[int, tuple[_Search, ...]]  # the state of a level, and the searches of those below
NOT_BEGUN = _Search(START, frozenset(), False)


def _stable_classes(lower: Sequence[Automaton], n_classes: int) -> NDArray[np.bool_]:
    """Which classes of characters are settled: no lower level matches in text of only these."""
    settled = np.zeros(n_classes, np.bool_)
    for each in range(n_classes):
        settled[each] = True
        settled[each] = not any(_may_match(automaton, settled) for automaton in lower)
    return settled


def _may_match(automaton: Automaton, allowed: NDArray[np.bool_]) -> bool:
    """Whether a match ends in some text of allowed classes."""
    columns = np.append(allowed, True)
    states = Numbers(START)
    for state in states:
        if automaton.accepts[state, columns].any():
            return True
        for new in {*automaton.following[state, columns].tolist()} - {DEAD}:
            states.of(new)
    return False


def _with_openness(automaton: Automaton, lower: Sequence[Automaton]) -> tuple[Automaton, NDArray[np.bool_]]:
    """The automaton with more states, and in which of them a match is open: lower levels may cut it."""
    if not lower:
        return automaton, np.zeros(len(automaton.following), np.bool_)
    readers = Numbers[_Reader]((DEAD, ()), (START, tuple(NOT_BEGUN for _ in lower)))
    following = []
    for own, searches in readers:
        row = [DEAD] * automaton.following.shape[1]
        for column in automaton.following[own].nonzero()[0].tolist():
            below = zip(searches, lower, strict=True)
            after = tuple(_after(search, each, column) for search, each in below)
            row[column] = readers.of((int(automaton.following[own, column]), after))
        following.append(row)
    accepts = automaton.accepts[[state for state, _ in readers]]
    is_open = [any(map(_cuts, searches, lower)) for _, searches in readers]
    return Automaton(np.array(following, np.int32), accepts), np.array(is_open)


def _after(search: _Search, automaton: Automaton, column: int) -> _Search:
    """The search after one more character."""
    following, accepts = automaton
    first = int(following[search.first, column])
    states = {search.first, *search.others, *(() if search == NOT_BEGUN else (START,))}
    if search.has_matched or any(accepts[state, column] for state in states):
        return _Search(first, frozenset(), True)
    others = {int(following[state, column]) for state in states - {search.first}}
    return _Search(first, frozenset(others - {DEAD}), False)


def _cuts(search: _Search, automaton: Automaton) -> bool:
    """Whether a lower level cuts the piece if it ends here."""
    at_end = automaton.accepts[:, -1]
    if at_end[search.first]:
        return False
    return search.has_matched or any(bool(at_end[state]) for state in search.others)


# Which two neighbouring characters are always in different pieces.  A text may be cut there first and split
# afterwards, part by part: so an edit costs only the text around it, and threads can share a text.


class _Neighbours(NamedTuple):
    """How one level treats two neighbouring characters.

    parts   no match holds both, and the left one cannot distinguish the right one from the end of the text
    meets   a match ends at the left one, or begins at the right one, provided that it `parts` them
    """

    parts: Pairs
    meets: Pairs


def _certain_cuts(levels: list[_Neighbours]) -> NDArray[np.uint8]:
    """1 where two classes of characters are certain to be cut.

    This requires a level that cuts, and that no level above it looks across.  Lower levels never see both.
    """
    cuts = np.zeros_like(levels[0].parts)
    is_apart = ~cuts
    for level in levels:
        is_apart &= level.parts
        cuts |= is_apart & level.meets
    return cuts.astype(np.uint8)


def _neighbours(automaton: Automaton) -> _Neighbours:
    can_match, must_match = automaton.can_match, automaton.must_match
    following, accepts = automaton.following[:, :-1], automaton.accepts[:, :-1]
    at_end = automaton.accepts[:, -1:]
    n_states, n_classes = following.shape
    is_behind = np.zeros((n_classes, n_states), np.bool_)  # by the character before a state
    is_behind[np.arange(n_classes), following] = True
    is_behind[:, DEAD] = False
    alone = following[START]
    return _Neighbours(
        parts=~(is_behind @ (can_match[following] | (accepts != at_end))),
        meets=accepts[alone] | must_match[following[alone]] | must_match[alone],
    )


def _neighbours_in_numbers(is_number: NDArray[np.bool_]) -> _Neighbours:
    """Runs of numbers are cut by their length, and after the last one; never before the first."""
    return _Neighbours(parts=~(is_number[:, None] & is_number), meets=is_number[:, None] & ~is_number)


def split(patterns: tuple[Pattern, ...], data: bytes) -> list[int]:
    """The end of each piece, in bytes.

    Each pattern in turn cuts every piece again: before each match, after it, and after the last one.
    A pattern cannot see beyond the ends of a piece.
    """
    if not data:
        return []
    codes = np.array([*map(ord, data.decode("utf-8", "surrogatepass"))])
    ends = [len(codes)]
    for pattern in patterns:
        cuts = cutter(pattern)
        text = "".join(map(chr, seen(pattern.view, codes)))
        spans = zip([0, *ends[:-1]], ends, strict=True)
        ends = [cut for start, end in spans for cut in (*cuts(text, start, end), end)]
    sizes = np.searchsorted([0, 0x80, 0x800, 0x10000], codes, side="right")
    byte_offsets = np.concatenate([[0], np.cumsum(sizes)])
    return [int(byte_offsets[end]) for end in ends]


@cache
def cutter(pattern: Pattern) -> Cutter:
    """The function that cuts a piece of the text in a pattern's view."""
    if pattern.view == "numbers by three":
        return _cut_numbers_by_three
    if pattern.view == "digits by three":
        return _cut_digits_by_three
    expression = re.compile(translated(pattern), re.ASCII)

    def cut(text: str, start: int, end: int) -> Iterator[int]:
        last = start
        for match in expression.finditer(text, start, end):
            for at in match.span():
                if last < at < end:
                    yield at
                    last = at

    return cut


NUMBERS = re.compile("[\xd10-9]+")
DIGITS = re.compile("[0-9]+")


def _cut_numbers_by_three(text: str, start: int, end: int) -> Iterator[int]:
    """Cut runs of numbers: first the remainder, together with the text before it, then threes."""
    for run in NUMBERS.finditer(text, start, end):
        first = run.start() + (len(run[0]) - 1) % 3 + 1
        yield from (cut for cut in range(first, run.end() + 1, 3) if cut < end)


def _cut_digits_by_three(text: str, start: int, end: int) -> Iterator[int]:
    """Cut before every ASCII digit from which the digits to the end of their run are a multiple of three."""
    for run in DIGITS.finditer(text, start, end):
        first = run.start() + len(run[0]) % 3
        yield from (cut for cut in range(first, run.end(), 3) if cut > start)
