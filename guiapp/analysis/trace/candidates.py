"""The pairs that compete for the next merge: what the debugger shows beside the pair that won."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.operations import NUMBERS
from guiapp.analysis.trace.replay import Replay
from guiapp.analysis.trace.trace import Trace
from guiapp.core.vocabulary.merges import MergeRule

Rules = Mapping[tuple[int, int], MergeRule]


class Candidate(NamedTuple):
    """A pair that could merge.

    position, right_position, end   where its two symbols begin in the text, and where the pair ends
    is_stale  it waits in the queue, but one of its symbols was merged meanwhile
    """

    left: int
    right: int
    result: int
    rank: float
    position: int
    right_position: int
    end: int
    is_stale: bool = False


class Waiting(NamedTuple):
    """The pairs that wait at a step, the best first; `n_stale` and `n_live` count those left out too."""

    candidates: list[Candidate]
    n_live: int
    n_stale: int


def waiting(states: Replay, step: int, rules: Rules, limit: int = 60) -> Waiting:
    """What could merge before a step of a piece that is encoded by merging."""
    piece = states.trace.piece_at(step)
    if piece < 0 or not states.has_slots(piece):
        return Waiting([], 0, 0)
    trace = states.trace
    first, done = int(trace.pieces.first_step[piece]), int(trace.pieces.done_step[piece])
    if trace.columns.operation[first] == NUMBERS["push"]:
        return _in_queue(trace, piece, slice(first, done), step, limit)
    return _by_rules(states, piece, step, rules, limit)


def _by_rules(states: Replay, piece: int, step: int, rules: Rules, limit: int) -> Waiting:
    tokens = states.piece_tokens(step, piece)
    symbols = list(zip(*(column.tolist() for column in tokens), strict=True))
    matches = [
        Candidate(left, right, rule.made, rule.rank, start, middle, end)
        for (left, start, _), (right, middle, end) in pairwise(symbols)
        if (rule := rules.get((left, right))) is not None
    ]
    matches.sort(key=lambda candidate: candidate.rank)
    return Waiting(matches[:limit], len(matches), 0)


def _in_queue(trace: Trace, piece: int, steps: slice, step: int, limit: int) -> Waiting:
    columns = trace.columns
    n_entered = int(np.count_nonzero(columns.operation[steps.start : step] == NUMBERS["push"]))
    n_left = min(step - steps.start - n_entered, n_entered)  # what follows the last one is not of the queue
    n_live = max(0, int(columns.candidates[step]))  # counted at each step as long as the queue is used
    shown = _next_out(columns.pushed[: steps.stop], step, limit)
    fields = (
        *(columns.left, columns.right, columns.result, columns.rank),
        *(columns.position, columns.right_position, columns.end),
    )
    values = [*(column[shown].tolist() for column in fields), _is_stale(trace, piece, step, shown).tolist()]
    candidates = list(map(Candidate._make, zip(*values, strict=True)))
    return Waiting(candidates, n_live, n_entered - n_left - n_live)


def _next_out(pushed: NDArray[np.int32], step: int, limit: int) -> NDArray[np.int32]:
    """The steps at which those entered that are the first to leave: of all that wait, a queue gives the best.

    Of equal ranks it gives the leftmost.  Most often they are near, so ever longer stretches are looked at.
    """
    matches = np.empty(0, np.int32)
    start, size = step, 16 * limit
    while start < len(pushed) and len(matches) < limit:
        entered = pushed[start : start + size]
        matches = np.append(matches, entered[(entered >= 0) & (entered < np.int32(step))])
        start, size = start + size, 2 * size
    return matches[:limit]


def _is_stale(trace: Trace, piece: int, step: int, rows: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Whether one of the symbols that a pair had when it entered was merged before a step."""
    first_cell = trace.pieces.first_cell[piece]
    slots = np.stack([trace.columns.cell[rows], trace.columns.other_cell[rows]])
    ends = trace.lifetimes.end_of(first_cell + slots, rows)
    return ends.min(axis=0) < np.int32(step)  # type: ignore[no-any-return]
