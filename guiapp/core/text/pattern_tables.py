"""Lay out a list of patterns as the tables of core/kernels/pattern_machine.py."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.pattern_automaton import (
    ACCEPTS,
    DIGITS_BY_THREE,
    NO_START,
    NUMBERS_BY_THREE,
    OPEN,
    ROW_SHIFT,
    TO_IDLE,
    TO_LETTERS,
    UNSETTLED,
    PatternMachine,
)
from guiapp.core.text.pattern_automaton import DEAD, START, Automaton, character_sets, compile_pattern
from guiapp.core.text.pattern_cuts import (
    certain_cuts,
    level_of_automaton,
    level_of_digits,
    level_of_numbers,
)
from guiapp.core.text.pattern_settled import settled_classes, with_openness
from guiapp.core.text.pattern_syntax import CharacterSet, parse
from guiapp.core.text.pattern_table import Pattern, View
from guiapp.core.text.pattern_views import MEMBERS, symbol_in, translated
from guiapp.core.text.pattern_windows import no_windows, window_table
from guiapp.core.text.pattern_words import no_words, word_table
from guiapp.core.text.unicode_tables import HAN_RANGES, N_CODES, WHITESPACE_RANGES, category_runs

SMALL_LETTERS = slice(ord("a"), ord("z") + 1)
NUMBER = CharacterSet(((ord(MEMBERS["N"][0]), ord(MEMBERS["N"][0])), (ord("0"), ord("9"))))
DIGIT = CharacterSet(((ord("0"), ord("9")),))
ANY_NUMBER = Pattern(r"\p{N}")  # where runs of numbers are cut by their length, something begins
CODES_BY_LEAD = {  # the first byte of a character in UTF-8: the code points that it can be
    **{lead: slice(lead, lead + 1) for lead in range(0x80)},
    **{lead: slice(lead - 0xC0 << 6, lead - 0xBF << 6) for lead in range(0xC2, 0xE0)},
    **{lead: slice(max(lead - 0xE0 << 12, 0x800), lead - 0xDF << 12) for lead in range(0xE0, 0xF0)},
    **{lead: slice(max(lead - 0xF0 << 18, 0x10000), lead - 0xEF << 18) for lead in range(0xF0, 0xF5)},
}

SeenSet = tuple[View, CharacterSet]


class CharacterClasses(NamedTuple):
    """Characters that no pattern of a list tells apart.

    of_code  uint8[0x110000]  the class of each code point
    members  for each set in each view: which classes are in it, bool[c]
    """

    of_code: NDArray[np.uint8]
    members: dict[SeenSet, NDArray[np.bool_]]


def build_machine(patterns: tuple[Pattern, ...]) -> PatternMachine:
    classes = _character_classes(patterns)
    is_number, is_digit = classes.members["classes", NUMBER], classes.members["classes", DIGIT]
    automata = [_automaton(pattern if pattern.source else ANY_NUMBER, classes) for pattern in patterns]
    classes_by_lead = _classes_by_lead(classes.of_code, len(is_number))
    rows = [np.zeros((1, len(is_number) + 1), np.uint32)]
    levels, starts, bounds, words = [], [], [], []
    for number, pattern in enumerate(patterns):
        lower = automata[number + 1 :]
        can_start = automata[number].following[START, :-1] != DEAD
        is_settled = settled_classes(lower, len(is_number))
        starts.append(_starts(can_start, is_settled, classes_by_lead))
        if pattern.view == "numbers by three":
            levels.append(NUMBERS_BY_THREE)
            words.append(no_words())
            bounds.append(level_of_numbers(is_number))
        elif pattern.view == "digits by three":
            levels.append(DIGITS_BY_THREE)
            words.append(no_words())
            bounds.append(level_of_digits(is_digit))
        else:
            levels.append(sum(map(np.size, rows)))
            bounds.append(level_of_automaton(automata[number]))
            automaton, is_open = with_openness(automata[number], lower)
            words.append(word_table(automaton, is_open, classes.of_code[:0x80]))
            rows.append(_rows(automaton, is_open, levels[-1], classes.of_code[SMALL_LETTERS]))
    is_plain = len(levels) == 1 and levels[0] >= 0
    return PatternMachine(
        classes=classes.of_code,
        transitions=np.concatenate(rows).reshape(-1),
        levels=np.array(levels, np.int64),
        starts=np.array(starts, np.uint8),
        numbers=is_number.astype(np.uint8),
        words=_as_rows(words),
        windows=window_table(automata[0], classes.of_code[:0x80]) if is_plain else no_windows(),
        cuts=certain_cuts(bounds),
    )


def empty_machine() -> PatternMachine:
    """A machine without levels, for those who say themselves where pieces end."""
    nothing = np.zeros(0, np.uint8)
    square = np.zeros((0, 0), np.uint8)
    return PatternMachine(
        nothing, np.zeros(0, np.uint32), np.zeros(0, np.int64), square, nothing, square, nothing, square
    )


def _as_rows(tables: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """Tables of different lengths under each other, with zeros behind the shorter ones."""
    rows = np.zeros((len(tables), max(map(len, tables))), np.uint8)
    for row, table in zip(rows, tables, strict=True):
        row[: len(table)] = table
    return rows


def _automaton(pattern: Pattern, classes: CharacterClasses) -> Automaton:
    node = parse(translated(pattern))
    members = {each: classes.members[pattern.view, each].tolist() for each in character_sets(node)}
    return compile_pattern(node, members, int(classes.of_code.max()) + 1)


def _rows(
    automaton: Automaton, is_open: NDArray[np.bool_], initial_row: int, small_letters: NDArray[np.uint8]
) -> NDArray[np.uint32]:
    """The states of an automaton but for the dead one, as rows of the machine from `initial_row` on."""
    following, accepts = automaton
    own = np.arange(len(following))[:, None]
    is_fixed = following == own
    to_letters = (is_fixed[:, small_letters]).all(axis=1) & accepts.all(axis=1)
    to_idle = (is_fixed & ~accepts).any(axis=1)
    entries = (initial_row + (following - START) * following.shape[1]) << int(ROW_SHIFT)
    entries |= to_letters[following] * int(TO_LETTERS) | to_idle[following] * int(TO_IDLE)
    entries[following == DEAD] = 0
    entries |= accepts * int(ACCEPTS) | (accepts & is_open[:, None]) * int(OPEN)
    return np.asarray(entries[START:], np.uint32)


def _starts(
    can_start: NDArray[np.bool_], is_settled: NDArray[np.bool_], classes_by_lead: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """NO_START and UNSETTLED by first bytes: what holds for all characters of it, or for any."""
    starts = np.zeros(256, np.uint8)
    starts[~(classes_by_lead & can_start).any(axis=1)] |= NO_START
    starts[(classes_by_lead & ~is_settled).any(axis=1)] |= UNSETTLED
    return starts


def _classes_by_lead(of_code: NDArray[np.uint8], n_classes: int) -> NDArray[np.bool_]:
    """For each first byte, which classes its characters can have; none for bytes that are no first ones."""
    held = np.zeros((256, n_classes), np.bool_)
    for lead, codes in CODES_BY_LEAD.items():
        held[lead] = np.bincount(of_code[codes], minlength=n_classes) > 0
    return held


def _character_classes(patterns: tuple[Pattern, ...]) -> CharacterClasses:
    sets: list[SeenSet] = [("classes", NUMBER), ("classes", DIGIT)]
    for pattern in patterns:
        if pattern.source:
            sets += ((pattern.view, each) for each in character_sets(parse(translated(pattern))))
    starts = _run_starts(sets)
    codes = starts.tolist()
    seen = {view: np.array([*map(symbol_in(view), codes)], np.int64) for view in {view for view, _ in sets}}
    held = {key: _is_member(seen[key[0]], key[1]) for key in dict.fromkeys(sets)}
    numbers: dict[bytes, int] = {}
    columns = [column.tobytes() for column in np.array(list(held.values())).T]
    of_run = [numbers.setdefault(column, len(numbers)) for column in columns]
    first_runs = [columns.index(column) for column in numbers]
    of_code = np.repeat(np.array(of_run, np.uint8), np.diff(starts, append=N_CODES))
    return CharacterClasses(of_code, {key: is_held[first_runs] for key, is_held in held.items()})


def _run_starts(sets: list[SeenSet]) -> NDArray[np.int64]:
    """Where code points begin that all the sets treat alike."""
    ranges = chain(WHITESPACE_RANGES, HAN_RANGES, *(each.ranges for _, each in sets))
    edges = {edge for first, last in ranges for edge in (first, last + 1)}
    return np.array(sorted({*range(0x80), *category_runs().starts.tolist(), *edges}), np.int64)


def _is_member(seen: NDArray[np.int64], characters: CharacterSet) -> NDArray[np.bool_]:
    is_member = np.full(len(seen), characters.is_negated)
    for first, last in characters.ranges:
        is_member[(first <= seen) & (seen <= last)] = not characters.is_negated
    return is_member
