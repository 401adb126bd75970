"""Find out which stretches of characters never lie in one piece, whatever is around them.

A piece is a match, or what lies between two matches.  A stretch lies in a match only if the automaton can be
somewhere in a match before it, reads on through it, and can still find an end at or behind its end.  It lies
between matches only if no match begins at its first character.  A level that allows neither always cuts it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.split.tables import ACCEPTS, ROW_SHIFT, PatternMachine

DEAD, START = 0, 1

Stretch = tuple[bytes, ...]  # for each character the classes that it may have, a byte each


class _Level(NamedTuple):
    """The automaton of one level: states by classes, the last column for the end of the text.

    following  int64[s, c + 1]  the state after a character
    can_end    bool[s]          whether a match can end here or later
    must_end   bool[s]          whether it does, whatever the text goes on with
    """

    following: NDArray[np.int64]
    can_end: NDArray[np.bool_]
    must_end: NDArray[np.bool_]


class StretchCutter:
    """Tells which stretches the pieces of a machine always cut."""

    def __init__(self, machine: PatternMachine) -> None:
        n_classes = len(machine.cuts)
        rows = [int(row) for row in machine.levels if row >= 0]
        self._levels = [_level(machine.transitions, row, n_classes + 1) for row in rows]
        self._known: dict[Stretch, bool] = {}

    def always_cuts(self, stretch: Stretch) -> bool:
        """Whether characters of these classes, one after another, are never all in one piece."""
        if stretch not in self._known:
            self._known[stretch] = any(_cuts(level, stretch) for level in self._levels)
        return self._known[stretch]


def _cuts(level: _Level, stretch: Stretch) -> bool:
    if not level.must_end[level.following[START, list(stretch[0])]].all():
        return False
    states = np.arange(START, len(level.following))
    for classes in map(list, stretch):
        states = np.unique(level.following[states[:, None], classes])
        states = states[states != DEAD]
    return not level.can_end[states].any()


def _level(transitions: NDArray[np.uint32], first_row: int, n_columns: int) -> _Level:
    """The states that a level's matches go through, found from the initial row on."""
    numbers = {0: DEAD, first_row: START}
    waiting = [first_row]
    following, accepts = [[DEAD] * n_columns], [[False] * n_columns]
    for row in waiting:
        entries = transitions[row : row + n_columns]
        after = (entries >> np.uint32(ROW_SHIFT)).tolist()
        for new in after:
            if new not in numbers:
                numbers[new] = len(numbers)
                waiting.append(new)
        following.append([numbers[new] for new in after])
        accepts.append(((entries & np.uint32(ACCEPTS)) != 0).tolist())
    next_states, ends = np.array(following), np.array(accepts)
    return _Level(next_states, _can_end(next_states, ends), _must_end(next_states, ends))


def _can_end(following: NDArray[np.int64], accepts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    can: NDArray[np.bool_] = np.asarray(accepts.any(axis=1))
    while True:
        more = can | can[following].any(axis=1)
        if (more == can).all():
            return can
        can = more


def _must_end(following: NDArray[np.int64], accepts: NDArray[np.bool_]) -> NDArray[np.bool_]:
    must: NDArray[np.bool_] = np.arange(len(following)) != DEAD
    while True:
        fewer = must & (accepts | must[following]).all(axis=1)
        if (fewer == must).all():
            return must
        must = fewer
