"""Find out which two neighbouring characters are always in different pieces, whatever is around them.

Text may be cut there first and split afterwards, part by part: that is how an edit costs only the text around
it, and how threads share a text.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.distinct import distinct
from guiapp.core.text.pattern_automaton import DEAD, START, Automaton

Pairs = NDArray[np.bool_]  # [c, c]: by the classes of two neighbours, left and right


class Level(NamedTuple):
    """What one pattern of a list does between two characters.

    parts   no match holds both, and the left one cannot tell the right one from the end of the text
    meets   a match ends at the left one, or begins at the right one, provided that it `parts` them
    """

    parts: Pairs
    meets: Pairs


def certain_cuts(levels: list[Level]) -> NDArray[np.uint8]:
    """1 where two classes of characters are certain to be cut.

    That takes a level that cuts, and that no level above it looks across.  Those below never see both.
    """
    cuts = np.zeros_like(levels[0].parts)
    is_apart = ~cuts
    for level in levels:
        is_apart &= level.parts
        cuts |= is_apart & level.meets
    return cuts.astype(np.uint8)


def level_of_automaton(automaton: Automaton) -> Level:
    following, accepts = automaton.following[:, :-1], automaton.accepts[:, :-1]
    accepts_at_end = automaton.accepts[:, -1:]
    can_match, must_match = _can_match(automaton), _must_match(automaton)
    n_classes = following.shape[1]
    parts, meets = np.zeros((2, n_classes, n_classes), np.bool_)
    for left in range(n_classes):
        reached = distinct(following[:, left])
        reached = reached[reached != DEAD]
        is_open = can_match[following[reached]].any(axis=0)
        tells_end = (accepts[reached] != accepts_at_end[reached]).any(axis=0)
        parts[left] = ~is_open & ~tells_end
        alone = following[START, left]
        meets[left] = accepts[alone] | must_match[following[alone]] | must_match[following[START]]
    return Level(parts, meets)


def level_of_numbers(is_number: NDArray[np.bool_]) -> Level:
    """Runs of numbers are cut by their length, and behind the last one; never before the first."""
    return Level(parts=~(is_number[:, None] & is_number), meets=is_number[:, None] & ~is_number)


def level_of_digits(is_digit: NDArray[np.bool_]) -> Level:
    """Runs of digits are cut by their length, perhaps already before the first one; never after the last."""
    parts = np.broadcast_to(~is_digit, (len(is_digit), len(is_digit))).copy()
    return Level(parts, meets=np.zeros_like(parts))


def _can_match(automaton: Automaton) -> NDArray[np.bool_]:
    """Per state: whether a match can still end, at once or later."""
    can = np.asarray(automaton.accepts.any(axis=1))
    while True:
        can_later = ~can & can[automaton.following].any(axis=1)
        if not can_later.any():
            return can
        can[can_later] = True


def _must_match(automaton: Automaton) -> NDArray[np.bool_]:
    """Per state: whether a match ends, at once or later, whatever the text goes on with."""
    must = np.ones(len(automaton.following), np.bool_)
    must[DEAD] = False
    while True:
        may_miss = must & ~(automaton.accepts | must[automaton.following]).all(axis=1)
        if not may_miss.any():
            return must
        must[may_miss] = False
