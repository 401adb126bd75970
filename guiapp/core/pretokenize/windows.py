"""Tables that find ends of pieces from a few bytes, mostly without running the automaton.

Most pieces are one ASCII character, or such a character followed by letters: see `word_table`.  Four
neighbouring bytes mostly decide whether a piece ends between the middle two: a letter and a space, say, are
always in different pieces, and two small letters never, unless an apostrophe is near: see `window_table`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import reduce
from operator import and_
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.regex import (
    DEAD,
    START,
    Automaton,
    ClassSet,
    Numbers,
    bits,
    elements,
    fixed_point,
    union,
)

N_GROUPS, N_POSITIONS = 8, 4
RARE = 0  # the group of bytes about which nothing is known

# Verdicts on a cut in the middle of a window.  A CAREFUL window is UNSURE if one of the two bytes before it
# is special: RARE or an apostrophe.
CUT, UNSURE, CAREFUL = 1, 2, 4

TERMS, LANES, MOST_ROWS = 8, 16, 6
SEEDS = 8  # windows that are tried for each term

WindowSet = int  # sets of windows, each a bit, as of an array [8, 8, 8, 8]
# In a level's table of words, by the first byte of a piece: a mask for the number of letters after it, the
# row of the piece without letters, and with letters.  Rows list the bytes after them that end the piece.
REACH, ALONE, LED, FOLD, ROWS = 0, 256, 512, 768, 1024

UPPER, LOWER = range(ord("A"), ord("Z") + 1), range(ord("a"), ord("z") + 1)
ALL_LENGTHS = 31  # a mask for numbers of letters up to 16

# Groups of bytes.  Capital letters are SMALL or VARIED, tabs are VARIED or RARE, depending on the pattern.
SMALL, VARIED, DIGIT, SPACE, NEWLINE, APOSTROPHE, MARK = range(RARE + 1, N_GROUPS)
AROUND = 4  # bytes before a cut that may decide

COMMON = [group for group in range(N_GROUPS) if group not in (RARE, APOSTROPHE)]
GAP = -1  # instead of a state: between matches
MOST_READINGS = 600
SET_BYTES = 80  # of a set of readings, in whole words


def word_table(
    automaton: Automaton, is_open: NDArray[np.bool_], class_of_ascii: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """One level's part of `PatternMachine.words`: with capitals among the letters if that is possible.

    It gives the ends of pieces where the automaton does not distinguish the letters after the first character
    and ends the match at the byte after them, whatever they were.
    """
    following = automaton.following[:, class_of_ascii]
    ends = (automaton.accepts & ~is_open[:, None])[:, class_of_ascii] & (following == DEAD)
    table = _words(following, ends, [*UPPER, *LOWER], 0x20)
    return table if table[REACH : REACH + 256].any() else _words(following, ends, [*LOWER], 0)


def no_words() -> NDArray[np.uint8]:
    """The table of a level that needs the automaton for every piece."""
    return np.zeros(ROWS + 256, np.uint8)


def _words(
    following: NDArray[np.int32], ends: NDArray[np.bool_], letters: list[int], fold: int
) -> NDArray[np.uint8]:
    table, rows = np.zeros(ROWS, np.uint8), Numbers(bytes(256))
    table[FOLD] = fold

    def row_of(end_states: NDArray[np.bool_]) -> int:
        row = np.zeros(256, np.uint8)
        row[:0x80] = end_states.all(axis=0)
        return rows.of(row.tobytes())

    known: dict[int, tuple[int, int, int]] = {}
    for byte in range(0x80):
        state = int(following[START, byte])
        if state == DEAD:
            continue
        if state not in known:
            alone, inside = row_of(ends[[state]]), _reached(following[:, letters], state)
            is_word = DEAD not in inside and bool(ends[inside].all(axis=0).any())
            known[state] = is_word * ALL_LENGTHS, alone, row_of(ends[inside]) if is_word else 0
        table[[REACH + byte, ALONE + byte, LED + byte]] = known[state]
    return np.concatenate([table, np.frombuffer(b"".join(rows), np.uint8)])


def _reached(following: NDArray[np.int32], state: int) -> list[int]:
    """The states that one letter or more reach from `state`."""
    reached = Numbers(*{*following[state].tolist()})
    for each in reached:
        for new in {*following[each].tolist()}:
            reached.of(new)
    return [*reached]


def _byte_groups(capitals: int, tabs: int) -> NDArray[np.uint8]:
    """The group of each byte."""
    groups = np.zeros(256, np.uint8)
    groups[0x21:0x7F] = MARK
    groups[ord("'")] = APOSTROPHE
    groups[ord("0") : ord("9") + 1] = DIGIT
    groups[[*LOWER]] = SMALL
    groups[[*UPPER]] = capitals
    groups[ord(" ")] = SPACE
    groups[[*b"\r\n"]] = NEWLINE
    groups[[*b"\t\v\f"]] = tabs
    return groups


StateSet = int  # sets of numbers, each a bit, as in `ClassSet`
ReadingSet = int
Relation = dict[ReadingSet, ReadingSet]  # from one reading before a character to the possible ones after it


class _Reading(NamedTuple):
    """What a search may know and have promised between two characters.

    state    of the match that contains the last character, or GAP
    promised states of matches that have ended: they must not turn out to be longer
    """

    state: int
    promised: StateSet


class _Move(NamedTuple):
    """The readings after a character of some classes, without a cut before it and with one."""

    source: ReadingSet  # of a single reading
    classes: ClassSet
    joins: ReadingSet
    cuts: ReadingSet


class _Steps(NamedTuple):
    """The moves by characters of some classes: without a cut before these, with one, and all of them."""

    joins: Relation
    cuts: Relation
    both: Relation


_Ways = list[tuple[ReadingSet, ReadingSet]]  # without a cut, and with one


def window_table(automaton: Automaton, class_of_ascii: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """`PatternMachine.windows`; empty for patterns with too many readings.

    It contains the groups of capital letters, of tabs, of all bytes; the verdicts on windows whose third byte
    begins a run; and `term_rows`.

    The certain cuts are found by trying all texts at once: a *reading* is what a search for matches may know
    and have promised between two characters, and each character leads from readings to readings, with or
    without a cut before it.  Broken promises belong to texts that are cut differently.
    """
    moves = _moves(automaton)
    if moves is None:
        return no_windows()
    is_cased = bool((class_of_ascii[[*LOWER]] != class_of_ascii[[*UPPER]]).any())
    variants = (VARIED, RARE) if is_cased else (SMALL, VARIED)
    groups = _byte_groups(*variants)
    sets = [bits(class_of_ascii[groups[:0x80] == group].tolist()) for group in range(N_GROUPS)]
    steps = [_steps(moves, classes) for classes in sets[1:]]
    later = _after_two(steps, _steps(moves, ~0).both)
    behind_common = _after_two(steps, _steps(moves, union(sets[group] for group in COMMON)).both)
    before = _before_two(steps)
    always, mostly = _known(later, before), _known(behind_common, before)
    rows = term_rows(np.where(always == UNSURE, np.where(mostly == UNSURE, UNSURE, mostly | CAREFUL), always))
    if rows is None:
        return no_windows()
    runs = _known(later, _before_runs(steps))
    return np.concatenate([np.array([*variants, *groups, *runs.reshape(-1)], np.uint8), rows])


def no_windows() -> NDArray[np.uint8]:
    """The table of machines that need the automaton for every piece."""
    return np.zeros(0, np.uint8)


def _known(first_two: list[ReadingSet], last_two: _Ways) -> NDArray[np.int64]:
    """CUT, 0 or UNSURE for each window, by the readings that its halves allow."""
    join, cut = (_meet(first_two, sets_before) for sets_before in zip(*last_two, strict=True))
    known = np.full((N_GROUPS,) * N_POSITIONS, UNSURE)
    known[1:, 1:, 1:, 1:] = np.where(join == cut, UNSURE, cut * CUT).reshape((N_GROUPS - 1,) * N_POSITIONS)
    return known


def _meet(lefts: Iterable[ReadingSet], rights: Iterable[ReadingSet]) -> NDArray[np.bool_]:
    """Whether two sets have a common element, [left, right]."""
    left, right = (
        np.frombuffer(b"".join(each.to_bytes(SET_BYTES, "little") for each in sets), np.uint64)
        for sets in (lefts, rights)
    )
    n_words = SET_BYTES // left.itemsize
    result: NDArray[np.bool_] = np.any(left.reshape(-1, 1, n_words) & right.reshape(-1, n_words), axis=2)
    return result


def _after_two(steps: list[_Steps], step: Relation) -> list[ReadingSet]:
    """The readings after each two groups, preceded by characters that `step` allows."""
    readings = union(step.values())
    for _ in range(AROUND - N_POSITIONS // 2 - 1):
        readings = _image(step, readings)
    firsts = [_image(first.both, readings) for first in steps]
    return [_image(second.both, readings) for readings in firsts for second in steps]


def _before_two(steps: list[_Steps]) -> _Ways:
    """The readings before each two groups."""
    lasts = [_preimage(last.both, ~0) for last in steps]
    return [(_preimage(step.joins, last), _preimage(step.cuts, last)) for step in steps for last in lasts]


def _before_runs(steps: list[_Steps]) -> _Ways:
    """The same if the first group is that of a run of two or more bytes."""
    lasts = [_preimage(last.both, ~0) for last in steps]
    insides = [(step, _before_run(step.both, last)) for step in steps for last in lasts]
    return [(_preimage(step.joins, inside), _preimage(step.cuts, inside)) for step, inside in insides]


def _before_run(step: Relation, readings: ReadingSet) -> ReadingSet:
    """The readings from which one step or more lead to some of these."""
    return fixed_point(lambda result: result | _preimage(step, result), _preimage(step, readings))


def _image(relation: Relation, readings: ReadingSet) -> ReadingSet:
    return union(later for before, later in relation.items() if before & readings)


def _preimage(relation: Relation, readings: ReadingSet) -> ReadingSet:
    return union(before for before, later in relation.items() if later & readings)


def _steps(moves: list[_Move], classes: ClassSet) -> _Steps:
    steps = _Steps({}, {}, {})
    for source, seen, joins, cuts in moves:
        if seen & classes:
            for relation, targets in zip(steps, (joins, cuts, joins | cuts), strict=True):
                relation[source] = relation.get(source, 0) | targets
    return steps


def _moves(automaton: Automaton) -> list[_Move] | None:
    """All moves of texts that keep their promises; None if there are too many readings.

    Each state is in a reading without promises.
    """
    if len(automaton.following) > MOST_READINGS + 1:
        return None
    can_match = bits(automaton.can_match.nonzero()[0].tolist())
    must_match = bits(automaton.must_match.nonzero()[0].tolist())
    entries = (automaton.following << 1 | automaton.accepts).tolist()
    readings, moves, can_end = Numbers(_Reading(START, 0)), list[_Move](), 0

    def numbered(targets: list[_Reading]) -> ReadingSet:
        """The set of these readings, without impossible promises and those that always hold."""
        return bits(
            readings.of(_Reading(state, promised & can_match))
            for state, promised in targets
            if not promised & must_match
        )

    for number, reading in enumerate(readings):
        states = (START, START if reading.state == GAP else reading.state, *elements(reading.promised))
        *columns, at_end = zip(*(entries[state] for state in states), strict=True)
        alike = dict[tuple[int, ...], ClassSet]()
        for seen, column in enumerate(columns):
            alike[column] = alike.get(column, 0) | 1 << seen
        for column, classes in alike.items():
            moves.append(_Move(1 << number, classes, *map(numbered, _targets(reading.state, *column))))
        can_end |= _can_end(reading.state, *at_end) << number
        if len(readings) > MOST_READINGS:
            return None
    every_step = _steps(moves, ~0).both
    leads = fixed_point(lambda leads: leads | _preimage(every_step, leads), can_end)
    return [
        move._replace(joins=move.joins & leads, cuts=move.cuts & leads)
        for move in moves
        if move.source & leads
    ]


# Readings move by entries: twice the state after a character, plus 1 if a match ends before it.  There are
# entries of the initial state, of the reading's own state, and of its promises.


def _can_end(state: int, _first: int, own: int, *promised: int) -> bool:
    return (state == GAP or bool(own & 1)) and not any(each & 1 for each in promised)


def _targets(state: int, first: int, own: int, *promised: int) -> tuple[list[_Reading], list[_Reading]]:
    """The readings after one more character: without a cut before it, and with one."""
    if any(each & 1 for each in promised):
        return [], []
    kept, new, on = bits(each >> 1 for each in promised), first >> 1, own >> 1
    joins, cuts = [], []
    if state in (START, GAP):  # of the text, or no match has begun
        joins.append(_Reading(GAP, kept | 1 << new))
    if state == GAP and new != DEAD:
        cuts.append(_Reading(new, kept))
    if state != GAP and on != DEAD:
        joins.append(_Reading(on, kept))
    if state not in (START, GAP) and own & 1:
        cuts.append(_Reading(GAP, kept | 1 << new | 1 << on))
        if new != DEAD:
            cuts.append(_Reading(new, kept | 1 << on))
    return joins, cuts


# Verdicts on windows of four bytes, by their groups, as terms to look up for many bytes at once


def _windows(are_in: NDArray[np.bool_]) -> WindowSet:
    return int.from_bytes(np.packbits(are_in.reshape(-1), bitorder="little").tobytes(), "little")


# For each position in a window and each group: the windows with the group at this position.
HOLDING = [
    [_windows(indexes == group) for group in range(N_GROUPS)]
    for indexes in np.indices((N_GROUPS,) * N_POSITIONS)
]


class WindowTerm(NamedTuple):
    """The windows with some groups at each position: a product of four sets, each of windows.

    verdict  on these windows; on all others if the term does not `hold`
    """

    factors: tuple[WindowSet, ...]
    verdict: int
    holds: bool = True

    @property
    def product(self) -> WindowSet:
        return _product(self.factors)


def terms_for(known: NDArray[np.int64]) -> list[WindowTerm]:
    """Terms that give each window its verdict: 0, CUT, UNSURE, CAREFUL or CUT | CAREFUL.

    known  [8, 8, 8, 8], by the groups of its bytes; windows with a RARE one are UNSURE

    UNSURE windows may get any other verdict in addition.
    """
    cut, unsure, careful = (_windows((known & flag) != 0) for flag in (CUT, UNSURE, CAREFUL))
    common = tuple(union(by_group[RARE + 1 :]) for by_group in HOLDING)
    return [
        WindowTerm(common, UNSURE, holds=False),
        *(WindowTerm(factors, CUT) for factors in _cover(cut, unsure)),
        *(WindowTerm(factors, UNSURE) for factors in _cover(unsure & _product(common), unsure)),
        *(WindowTerm(factors, CAREFUL) for factors in _cover(careful, unsure)),
    ]


def _cover(target: WindowSet, is_open: WindowSet) -> Iterator[tuple[WindowSet, ...]]:
    """Products that contain all wanted windows and no others but open ones: few, if not the fewest."""
    others = ~(target | is_open)
    while target:
        seeds = [*elements(target)]
        result = [_widened(seed, others) for seed in seeds[:: len(seeds) // SEEDS + 1]]
        best = max(result, key=lambda factors: (_product(factors) & target).bit_count())
        yield best
        target &= ~_product(best)


def _widened(window: int, others: WindowSet) -> tuple[WindowSet, ...]:
    """A product with a window and none of the others; first as wide as possible at the edges."""
    factors = [next(each for each in by_group if each >> window & 1) for by_group in HOLDING]
    for at in (0, 3, 1, 2):
        rest = _product(factors[:at] + factors[at + 1 :]) & others
        factors[at] = union(each for each in HOLDING[at] if not each & rest)
    return tuple(factors)


def _product(factors: Iterable[WindowSet]) -> WindowSet:
    return reduce(and_, factors)


def term_rows(known: NDArray[np.int64]) -> NDArray[np.uint8] | None:
    """`terms_for` as the native library takes them, in rows of up to TERMS; None if there are too many.

    A row has, for each position and each group (padded to LANES, a processor's width), the terms whose
    set contains it, as bits; then masks of the terms: those that hold everywhere, not only next to special
    bytes; those for a cut; those for UNSURE; and those that apply by not holding.
    """
    terms = terms_for(known)
    if len(terms) > MOST_ROWS * TERMS:
        return None
    return np.concatenate([_row(terms[at : at + TERMS]) for at in range(0, len(terms), TERMS)])


def _row(terms: list[WindowTerm]) -> NDArray[np.uint8]:
    holding, masks = np.zeros((N_POSITIONS, LANES), np.uint8), np.zeros(4, np.uint8)
    for number, (factors, verdict, holds) in enumerate(terms):
        for at, factor in enumerate(factors):
            holding[at, :N_GROUPS] |= (
                np.array([bool(factor & each) for each in HOLDING[at]], np.uint8) << number
            )
        masks |= np.array([verdict != CAREFUL, verdict == CUT, verdict != CUT, not holds], np.uint8) << number
    return np.concatenate([holding.reshape(-1), masks])
