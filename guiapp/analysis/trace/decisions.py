"""How the steps of the readable algorithms become rows of a trace: one line of the table for each class.

A new algorithm needs a row in DECISIONS for each of its step classes, and nothing else here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from guiapp.core.encode.reference import (
    backtrack,
    fewest,
    heap,
    linear,
    longest_match,
    plamo2,
    table,
    viterbi,
    wordpiece,
)
from guiapp.core.encode.reference.merge import Merge


class Decision(NamedTuple):
    """One step in the columns of a trace.

    operation    name of one of OPERATIONS
    start, end   in bytes of the piece; for `is_slots` the slots of the two neighbours
    result       the token or symbol that it makes or tries; -1 for none
    left, right  the symbols that it joins
    worth        rank, score or cost
    cell, other_cell   for Effect.WAY: the offset that is reached, and from where
    """

    operation: str
    start: int
    end: int
    result: int = -1
    left: int = -1
    right: int = -1
    worth: float = math.nan
    cell: int = -1
    other_cell: int = -1
    is_slots: bool = False


def _pair(operation: str) -> Callable[[Any], Decision]:
    def decide(step: Any) -> Decision:
        return Decision(
            operation,
            step.position,
            step.right_position,
            step.made,
            step.left,
            step.right,
            step.rank,
            step.position,
            step.right_position,
            is_slots=True,
        )

    return decide


def _way(operation: str, step: Any, worth: float) -> Decision:
    token_id = -1 if step.token_id is None else step.token_id
    return Decision(
        operation, step.start, step.end, token_id, worth=worth, cell=step.end, other_cell=step.start
    )


def _better(is_better: bool) -> str:
    return "reach" if is_better else "worse"


def _try(step: plamo2.Try) -> Decision:
    return _way(_better(step.is_better), step, step.cost)._replace(cell=step.start, other_cell=step.end)


def _take(step: Any) -> Decision:
    return Decision("take", step.start, step.end, step.token_id)


def _choose(step: viterbi.Choose) -> Decision:
    return Decision("join" if step.joins else "choose", step.start, step.end, step.token_id)


DECISIONS: dict[type, Callable[[Any], Decision]] = {
    Merge: _pair("merge"),
    heap.Push: _pair("push"),
    heap.Stale: _pair("stale"),
    longest_match.Miss: lambda step: Decision("miss", step.start, step.end),
    linear.Fail: lambda step: Decision("fail", step.start, step.end),
    wordpiece.GiveUp: lambda step: Decision("give up", 0, step.word_end, step.unknown_id),
    wordpiece.TooLong: lambda step: Decision("too long", 0, step.word_end, step.unknown_id),
    longest_match.Take: _take,
    longest_match.Choose: lambda step: _take(step)._replace(operation="choose"),
    backtrack.Reject: lambda step: _take(step)._replace(
        operation="dead end" if step.is_dead_end else "reject"
    ),
    backtrack.Back: lambda step: _take(step)._replace(operation="back"),
    table.Reach: lambda step: _way("reach" if step.is_compatible else "reject", step, math.nan),
    fewest.Reach: lambda step: _way(_better(step.is_better), step, step.n_tokens),
    fewest.RuleOut: lambda step: _take(step)._replace(operation="rule out"),
    viterbi.Reach: lambda step: _way(_better(step.is_better), step, step.score),
    longest_match.Join: lambda step: _take(step)._replace(operation="join"),
    viterbi.Choose: _choose,
    viterbi.Spell: lambda step: _take(step)._replace(operation="fallback"),
    plamo2.Try: _try,
    plamo2.Choose: _take,
}
