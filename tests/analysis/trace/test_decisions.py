"""Each kind of step of the readable algorithms as a row of a trace."""

from __future__ import annotations

import math

import pytest

from guiapp.analysis.trace.recorder import DECISIONS, Decision
from guiapp.core.encode.reference import backtrack, longest_match, plamo2, viterbi, wordpiece
from guiapp.core.encode.reference import backtrack as table
from guiapp.core.encode.reference import longest_match as fewest
from guiapp.core.encode.reference import merge as heap
from guiapp.core.encode.reference import wordpiece as linear
from guiapp.core.encode.reference.merge import Merge

PAIR = {"start": 3, "end": 5, "left": 7, "right": 8, "result": 9, "worth": 6}
PAIR |= {"cell": 3, "other_cell": 5, "is_slots": True}
SPAN = {"start": 3, "end": 5}
WAY = {**SPAN, "result": 7, "cell": 5, "other_cell": 3}
ROWS = [
    (Merge(3, 5, 7, 8, 9, 6), {"operation": "merge", **PAIR}),
    (heap.Push(3, 5, 7, 8, 9, 6), {"operation": "push", **PAIR}),
    (heap.Stale(3, 5, 7, 8, 9, 6), {"operation": "stale", **PAIR}),
    (longest_match.Miss(3, 5), {"operation": "miss", **SPAN}),
    (linear.Fail(3, 5), {"operation": "fail", **SPAN}),
    (wordpiece.GiveUp(4, 3, 5), {"operation": "give up", "start": 0, "end": 5, "result": 4}),
    (wordpiece.TooLong(4, 5), {"operation": "too long", "start": 0, "end": 5, "result": 4}),
    (longest_match.Take(7, 3, 5), {"operation": "take", **SPAN, "result": 7}),
    (longest_match.Choose(7, 3, 5), {"operation": "choose", **SPAN, "result": 7}),
    (longest_match.Join(7, 3, 5), {"operation": "join", **SPAN, "result": 7}),
    (backtrack.Reject(7, 3, 5, True), {"operation": "dead end", **SPAN, "result": 7}),
    (backtrack.Reject(7, 3, 5, False), {"operation": "reject", **SPAN, "result": 7}),
    (backtrack.Back(7, 3, 5), {"operation": "back", **SPAN, "result": 7}),
    (table.Reach(7, 3, 5, True), {"operation": "reach", **WAY}),
    (table.Reach(7, 3, 5, False), {"operation": "reject", **WAY}),
    (fewest.Reach(7, 3, 5, 2, True), {"operation": "reach", **WAY, "worth": 2}),
    (fewest.Reach(None, 3, 5, 2, False), {"operation": "worse", **WAY, "result": -1, "worth": 2}),
    (fewest.RuleOut(7, 3, 5), {"operation": "rule out", **SPAN, "result": 7}),
    (viterbi.Reach(7, 3, 5, -2.5, True), {"operation": "reach", **WAY, "worth": -2.5}),
    (viterbi.Reach(7, 3, 5, -2.5, False), {"operation": "worse", **WAY, "worth": -2.5}),
    (viterbi.Choose(7, 3, 5, False), {"operation": "choose", **SPAN, "result": 7}),
    (viterbi.Choose(7, 3, 5, True), {"operation": "join", **SPAN, "result": 7}),
    (viterbi.Spell(7, 3, 5), {"operation": "fallback", **SPAN, "result": 7}),
    (plamo2.Try(7, 3, 5, 20, True), {"operation": "reach", **WAY, "worth": 20, "cell": 3, "other_cell": 5}),
    (
        plamo2.Try(None, 3, 5, 20, False),
        {"operation": "worse", **WAY, "result": -1, "worth": 20, "cell": 3, "other_cell": 5},
    ),
    (plamo2.Choose(7, 3, 5), {"operation": "take", **SPAN, "result": 7}),
]
NOTHING = {
    "result": -1,
    "left": -1,
    "right": -1,
    "worth": None,
    "cell": -1,
    "other_cell": -1,
    "is_slots": False,
}


@pytest.mark.parametrize(("step", "told"), ROWS, ids=lambda value: type(value).__qualname__)
def test_a_step_is_a_row(step, told):
    decision = DECISIONS[type(step)](step)
    row = decision._asdict()
    row["worth"] = None if math.isnan(decision.worth) else decision.worth
    assert row == NOTHING | told
    assert {type(step) for step, _ in ROWS} == DECISIONS.keys()
    assert isinstance(decision, Decision)
