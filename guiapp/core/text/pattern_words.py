"""Find out where one look at a few bytes tells the end of a match, for the tables of the pattern machine.

Most pieces are one ASCII character, or such a character and letters behind it.  Where the automaton cannot
tell these letters apart, and ends the match at the byte behind them whatever they were, nobody needs to
follow it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.pattern_automaton import ALONE, FOLD, LED, REACH, ROWS
from guiapp.core.text.pattern_automaton import DEAD, START, Automaton

UPPER, LOWER = range(ord("A"), ord("Z") + 1), range(ord("a"), ord("z") + 1)
ALL_LENGTHS = 31  # a mask for numbers of letters up to 16


def word_table(
    automaton: Automaton, is_open: NDArray[np.bool_], class_of_ascii: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """One level's part of `PatternMachine.words`: with capitals among the letters if that is possible."""
    following = automaton.following[:, class_of_ascii]
    ends = (automaton.accepts & ~is_open[:, None])[:, class_of_ascii] & (following == DEAD)
    table = _table(following, ends, [*UPPER, *LOWER], 0x20)
    return table if table[REACH : REACH + 256].any() else _table(following, ends, [*LOWER], 0)


def no_words() -> NDArray[np.uint8]:
    """The table of a level where every piece has to be searched for."""
    return np.zeros(ROWS + 256, np.uint8)


def _table(
    following: NDArray[np.int32], ends: NDArray[np.bool_], letters: list[int], fold: int
) -> NDArray[np.uint8]:
    table, rows = np.zeros(ROWS, np.uint8), {bytes(256): 0}
    table[FOLD] = fold

    def row_of(end_states: NDArray[np.bool_]) -> int:
        row = np.zeros(256, np.uint8)
        row[:0x80] = end_states.all(axis=0)
        return rows.setdefault(row.tobytes(), len(rows))

    for byte in range(0x80):
        state = int(following[START, byte])
        if state == DEAD:
            continue
        table[ALONE + byte] = row_of(ends[[state]])
        inside = _reached(following[:, letters], state)
        if DEAD not in inside and ends[inside].all(axis=0).any():
            table[REACH + byte] = ALL_LENGTHS
            table[LED + byte] = row_of(ends[inside])
    return np.concatenate([table, np.frombuffer(b"".join(rows), np.uint8)])


def _reached(following: NDArray[np.int32], state: int) -> list[int]:
    """The states behind `state` by one letter or more."""
    reached = sorted(set(following[state].tolist()))
    for each in reached:
        reached += sorted(set(following[each].tolist()) - {*reached})
    return reached
