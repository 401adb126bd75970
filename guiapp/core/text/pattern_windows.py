"""Find out where four neighbouring bytes tell whether a piece ends between the middle two.

Most pieces end where a few ASCII characters say so: a letter and a space, say, are always in different
pieces, and two small letters never, unless an apostrophe is near.  What is certain is found by trying all
texts at once: a *reading* is what a search for matches may know and have promised between two characters,
and each character leads from readings to readings, with or without a cut before it.  Promises that turn out
to be broken belong to texts that are cut otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_groups import APOSTROPHE, GROUPS, N_GROUPS, RARE, SMALL, VARIED
from guiapp.core.kernels.pattern_windows import AROUND, CAREFUL, CUT, SPECIAL, TABLE, UNSURE
from guiapp.core.text.pattern_automaton import DEAD, START, Automaton

GAP = -1  # in the place of a state: between matches
MOST_READINGS = 600
ANY = N_GROUPS  # characters of all groups, and all that is not ASCII
SMALL_LETTERS, CAPITALS = (slice(ord(first), ord(first) + 26) for first in "aA")


class Reading(NamedTuple):
    """What may be known and have been promised between two characters.

    state    of the match that the last character is in, or GAP
    promised states of matches that have ended: they may not be found to be longer
    """

    state: int
    promised: frozenset[int]


class _Move(NamedTuple):
    source: int
    target: int
    seen: int
    cuts: bool


def window_table(automaton: Automaton, class_of_ascii: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The table of core/kernels/pattern_windows.py; empty for patterns that know too much at a time."""
    moves, can_end = _moves(automaton)
    if moves is None:
        return no_windows()
    is_cased = bool((class_of_ascii[SMALL_LETTERS] != class_of_ascii[CAPITALS]).any())
    steps, leads = _steps(moves, can_end, class_of_ascii, GROUPS[is_cased])
    common = [group for group in range(N_GROUPS) if group not in (RARE, APOSTROPHE)]
    always = _known(steps, _behind(leads, steps[ANY].max(axis=0)))
    mostly = _known(steps, _behind(leads, steps[common].max(axis=(0, 1))))
    flags = np.where(always == UNSURE, np.where(mostly == UNSURE, UNSURE, mostly | CAREFUL), always)
    flags[:, :, [RARE, APOSTROPHE]] |= SPECIAL
    variants = (VARIED, RARE) if is_cased else (SMALL, VARIED)
    runs = _known_by_runs(steps, _behind(leads, steps[ANY].max(axis=0)))
    return np.array([*flags.reshape(TABLE), *variants, *GROUPS[is_cased], *runs.reshape(TABLE)], np.uint8)


def no_windows() -> NDArray[np.uint8]:
    """The table of machines that have to look at every piece."""
    return np.zeros(0, np.uint8)


def _steps(
    moves: list[_Move],
    can_end: NDArray[np.bool_],
    class_of_ascii: NDArray[np.uint8],
    groups: NDArray[np.uint8],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """1 for moves by [group, cuts, source, target], and for the readings from which a text can end well."""
    sources, targets, seen, cuts = np.array(moves, np.int64).T
    leads = _lead_somewhere(sources, targets, can_end)
    is_kept = leads[sources] & leads[targets]
    steps = np.zeros((N_GROUPS + 1, 2, len(leads), len(leads)), np.float32)
    for group in range(N_GROUPS):
        is_such = is_kept & np.isin(seen, class_of_ascii[groups[:0x80] == group])
        steps[group, cuts[is_such], sources[is_such], targets[is_such]] = 1
    steps[ANY, cuts[is_kept], sources[is_kept], targets[is_kept]] = 1
    return steps, leads.astype(np.float32)


def _behind(readings: NDArray[np.float32], step: NDArray[np.float32]) -> NDArray[np.float32]:
    """The readings before a window, behind characters of a kind."""
    for _ in range(AROUND - 2):
        readings = np.minimum(readings @ step, 1)
    return readings


def _known(steps: NDArray[np.float32], readings: NDArray[np.float32]) -> NDArray[np.int64]:
    """CUT, 0 or UNSURE for each window that begins at one of these readings."""
    can_follow = _can_follow(steps)
    return _known_before(steps, readings, lambda third: can_follow)


def _known_by_runs(steps: NDArray[np.float32], readings: NDArray[np.float32]) -> NDArray[np.int64]:
    """The same where the third byte begins a run of two or more, and the fourth is what follows them."""

    def can_follow_run(third: int) -> NDArray[np.float32]:
        on = steps[third].max(axis=0).T
        found: NDArray[np.float32] = np.minimum(_can_follow(steps) @ on, 1)
        while True:
            more = np.maximum(found, np.minimum(found @ on, 1))
            if (more == found).all():
                return found
            found = more

    return _known_before(steps, readings, can_follow_run)


def _can_follow(steps: NDArray[np.float32]) -> NDArray[np.float32]:
    """[group, reading]: 1 where a character of a group may come next."""
    following: NDArray[np.float32] = steps[1:N_GROUPS].max(axis=(1, 3))
    return following


def _known_before(
    steps: NDArray[np.float32], readings: NDArray[np.float32], following: Callable[[int], NDArray[np.float32]]
) -> NDArray[np.int64]:
    """`following` tells of a third group which fourth ones may follow a reading, as `_can_follow` does."""
    known = np.full((N_GROUPS,) * 4, UNSURE)
    either, n_readings = steps[1:N_GROUPS].max(axis=1), steps.shape[-1]
    firsts = np.minimum(readings @ either, 1)
    seconds = np.minimum(firsts @ either, 1)  # [second, first, reading]
    behind = seconds.transpose(1, 0, 2).reshape(-1, n_readings)
    for third in range(1, N_GROUPS):
        fourths = following(third).T
        may_join, may_cut = ((behind @ steps[third, cuts]) @ fourths > 0 for cuts in (0, 1))
        sure = np.where(may_join == may_cut, UNSURE, may_cut * CUT)
        known[1:, 1:, third, 1:] = sure.reshape((N_GROUPS - 1,) * 3)
    return known


def _moves(automaton: Automaton) -> tuple[list[_Move] | None, NDArray[np.bool_]]:
    """All moves between readings, and which of these the end of the text may follow.

    No moves if there are too many readings.
    """
    n_classes = automaton.following.shape[1] - 1
    following, accepts = automaton.following.tolist(), automaton.accepts.tolist()
    numbers = {Reading(START, frozenset()): 0}
    waiting, moves = list(numbers), list[_Move]()
    for source, reading in enumerate(waiting):
        for seen in range(n_classes):
            for target, cuts in _targets(reading, seen, following, accepts):
                if target not in numbers:
                    numbers[target] = len(numbers)
                    waiting.append(target)
                moves.append(_Move(source, numbers[target], seen, cuts))
        if len(numbers) > MOST_READINGS:
            return None, np.zeros(0, np.bool_)
    can_end = [
        (reading.state == GAP or accepts[reading.state][-1])
        and not any(accepts[state][-1] for state in reading.promised)
        for reading in waiting
    ]
    return moves, np.array(can_end)


def _targets(
    reading: Reading, seen: int, following: list[list[int]], accepts: list[list[bool]]
) -> list[tuple[Reading, bool]]:
    """The readings behind one more character, and whether there is a cut before it."""
    state, promised = reading
    if any(accepts[each][seen] for each in promised):
        return []
    kept = frozenset(following[each][seen] for each in promised) - {DEAD}
    first = following[START][seen]
    in_gap = Reading(GAP, kept | ({first} - {DEAD}))
    targets = []
    if state == GAP:
        targets.append((in_gap, False))
        if first != DEAD:
            targets.append((Reading(first, kept), True))
        return targets
    on = following[state][seen]
    if on != DEAD:
        targets.append((Reading(on, kept), False))
    if state == START:  # the beginning of the text
        targets.append((in_gap, False))
    elif accepts[state][seen]:
        ended = kept | ({on} - {DEAD})
        targets.append((Reading(GAP, in_gap.promised | ended), True))
        if first != DEAD:
            targets.append((Reading(first, ended), True))
    return targets


def _lead_somewhere(
    sources: NDArray[np.int64], targets: NDArray[np.int64], can_end: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which readings some text keeps all promises of."""
    leads = can_end.copy()
    while True:
        more = leads.copy()
        more[sources[leads[targets]]] = True
        if (more == leads).all():
            return leads
        leads = more
