"""The readable twins of pair merging: their decisions, one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.encode.reference import merge
from guiapp.core.encode.reference.merge import Merge, Slots, symbol_slots
from guiapp.core.vocabulary.merges import MergeRule

A, B, C, AB, BC, ABC = range(6)
RULES = {(A, B): MergeRule(0, AB), (B, C): MergeRule(1, BC), (AB, C): MergeRule(2, ABC)}


def final_symbols(steps, piece, rules):
    slots: Slots = list(piece)
    for step in steps(piece, rules):
        step.apply(slots)
    return [slots[at] for at in symbol_slots(slots)]


@pytest.mark.parametrize("steps", [merge.steps, merge.heap_steps])
def test_the_best_rank_goes_first_and_then_its_new_neighbours(steps):
    merges = [step for step in steps([A, B, C], RULES) if isinstance(step, Merge)]
    assert merges == [Merge(0, 1, A, B, AB, 0), Merge(0, 2, AB, C, ABC, 2)]


@pytest.mark.parametrize("steps", [merge.steps, merge.heap_steps])
def test_of_equal_ranks_the_leftmost_goes_first(steps):
    rules = {(A, A): MergeRule(0, B)}
    assert final_symbols(steps, [A, A, A], rules) == [B, A]


@pytest.mark.parametrize("steps", [merge.steps, merge.heap_steps])
def test_a_symbol_without_rules_stays_alone(steps):
    assert final_symbols(steps, [A, -1, B], RULES) == [A, -1, B]


def test_the_queue_drops_pairs_whose_symbols_are_gone():
    heap_steps = list(merge.heap_steps([A, B, C], RULES))
    assert merge.Stale(1, 2, B, C, BC, 1) in heap_steps


RULE_SETS = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.builds(MergeRule, st.integers(0, 3), st.integers(0, 4)),
)


@given(st.lists(st.integers(-1, 4), max_size=12), RULE_SETS)
def test_scan_and_heap_make_the_same_merges(piece, rules):
    from_heap = [step for step in merge.heap_steps(piece, rules) if isinstance(step, Merge)]
    assert from_heap == list(merge.steps(piece, rules))
