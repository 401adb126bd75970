"""Find out which pieces of a level are final, so that the levels below need not look at them.

A piece is final if each lower level finds nothing in it, or one match that is all of it.  For matches, states
remember what the lower levels make of them.  What is between matches is judged by its characters: they are
settled if no lower level finds anything in a text of only such characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.pattern_automaton import DEAD, START, Automaton


class _Search(NamedTuple):
    """What a lower level makes of a piece: its states, and whether a match has ended in it."""

    first: int  # of the attempt from the beginning
    others: frozenset[int]  # of all other attempts at once
    has_found: bool


Reader = tuple[int, tuple[_Search, ...]]  # the state of a level, and what those below make of the same text
NOT_BEGUN = _Search(START, frozenset(), False)


def settled_classes(lower: Sequence[Automaton], n_classes: int) -> NDArray[np.bool_]:
    """Which classes of characters are settled above these levels."""
    settled = np.zeros(n_classes, np.bool_)
    for each in range(n_classes):
        settled[each] = True
        settled[each] = not any(_finds_something(automaton, settled) for automaton in lower)
    return settled


def with_openness(automaton: Automaton, lower: Sequence[Automaton]) -> tuple[Automaton, NDArray[np.bool_]]:
    """The automaton with more states, and in which of them a match is open: lower levels may cut it."""
    dead: Reader = (DEAD, ())
    start: Reader = (START, tuple(NOT_BEGUN for _ in lower))
    numbers = {dead: DEAD, start: START}
    waiting = [dead, start]
    following = []
    for reader in waiting:
        row = []
        for seen, state in enumerate(automaton.following[reader[0]].tolist()):
            new = dead
            if state != DEAD:
                searches = zip(reader[1], lower, strict=True)
                new = (state, tuple(_after(search, below, seen) for search, below in searches))
            if new not in numbers:
                numbers[new] = len(numbers)
                waiting.append(new)
            row.append(numbers[new])
        following.append(row)
    accepts = automaton.accepts[[state for state, _ in waiting]]
    is_open = [any(map(_cuts, searches, lower)) for _, searches in waiting]
    return Automaton(np.array(following, np.int32), accepts), np.array(is_open)


def _after(search: _Search, automaton: Automaton, seen: int) -> _Search:
    """The search after one more character."""
    following, accepts = automaton
    first = int(following[search.first, seen])
    states = {search.first, *search.others, *(() if search == NOT_BEGUN else (START,))}
    if search.has_found or any(accepts[state, seen] for state in states):
        return _Search(first, frozenset(), True)
    others = {int(following[state, seen]) for state in states - {search.first}}
    return _Search(first, frozenset(others - {DEAD}), False)


def _cuts(search: _Search, automaton: Automaton) -> bool:
    """Whether a lower level cuts the piece if it ends here."""
    at_end = automaton.accepts[:, -1]
    if at_end[search.first]:
        return False
    return search.has_found or any(bool(at_end[state]) for state in search.others)


def _finds_something(automaton: Automaton, allowed: NDArray[np.bool_]) -> bool:
    """Whether a match ends in some text of allowed classes."""
    columns = np.append(allowed, True)
    waiting = [START]
    for state in waiting:
        if automaton.accepts[state, columns].any():
            return True
        waiting += set(automaton.following[state, columns].tolist()) - {DEAD, *waiting}
    return False
