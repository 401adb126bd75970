"""The readable twins of pair merging: their decisions, one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.encode.reference import heap, scan
from guiapp.core.encode.reference.merge import Merge, Slots, symbol_slots
from guiapp.core.vocabulary.merges import MergeRule

A, B, C, AB, BC, ABC = range(6)
RULES = {(A, B): MergeRule(0, AB), (B, C): MergeRule(1, BC), (AB, C): MergeRule(2, ABC)}


def final_symbols(algorithm, piece, rules):
    slots: Slots = list(piece)
    for step in algorithm.steps(piece, rules):
        step.apply(slots)
    return [slots[at] for at in symbol_slots(slots)]


@pytest.mark.parametrize("algorithm", [scan, heap])
def test_the_best_rank_goes_first_and_then_its_new_neighbours(algorithm):
    merges = [step for step in algorithm.steps([A, B, C], RULES) if isinstance(step, Merge)]
    assert merges == [Merge(0, 1, A, B, AB, 0), Merge(0, 2, AB, C, ABC, 2)]


@pytest.mark.parametrize("algorithm", [scan, heap])
def test_of_equal_ranks_the_leftmost_goes_first(algorithm):
    rules = {(A, A): MergeRule(0, B)}
    assert final_symbols(algorithm, [A, A, A], rules) == [B, A]


@pytest.mark.parametrize("algorithm", [scan, heap])
def test_a_symbol_without_rules_stays_alone(algorithm):
    assert final_symbols(algorithm, [A, -1, B], RULES) == [A, -1, B]


def test_the_queue_drops_pairs_whose_symbols_are_gone():
    steps = list(heap.steps([A, B, C], RULES))
    assert heap.Stale(1, 2, B, C, BC, 1) in steps


RULE_SETS = st.dictionaries(
    st.tuples(st.integers(0, 4), st.integers(0, 4)),
    st.builds(MergeRule, st.integers(0, 3), st.integers(0, 4)),
)


@given(st.lists(st.integers(-1, 4), max_size=12), RULE_SETS)
def test_scan_and_heap_make_the_same_merges(piece, rules):
    from_heap = [step for step in heap.steps(piece, rules) if isinstance(step, Merge)]
    assert from_heap == list(scan.steps(piece, rules))
