"""Who stands where, who wrote what last and what waits: looked up at once or followed step by step."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.analysis.trace.recorder import QueueCount
from guiapp.analysis.trace.trace import NEVER, lifetimes_of, writers_of


@st.composite
def merges_of_slots(draw):
    """A number of slots, and merges of neighbours: step, left slot, right slot."""
    n_slots = draw(st.integers(1, 8))
    there, step, merges = list(range(n_slots)), 0, []
    while len(there) > 1 and draw(st.integers(0, 4)):
        step += draw(st.integers(0, 3))
        at = draw(st.integers(0, len(there) - 2))
        merges.append((step, there[at], there.pop(at + 1)))
        step += 1
    return n_slots, merges


@given(merges_of_slots(), st.data())
def test_symbols_stand_until_they_merge(made, data):
    n_slots, merges = made
    steps, lefts, rights = (np.array([row[i] for row in merges], np.int32) for i in range(3))
    found = lifetimes_of(n_slots, steps.astype(np.int64), lefts, rights)
    start = data.draw(st.integers(0, n_slots))
    seen = slice(start, data.draw(st.integers(start, n_slots)))
    for n_steps in range((merges[-1][0] if merges else 0) + 3):
        there = dict.fromkeys(range(n_slots), -1)
        for step, left, right in merges:
            if step < n_steps:
                there[left] = step
                there.pop(right)
        expected = [(slot, there[slot]) for slot in sorted(there) if seen.start <= slot < seen.stop]
        slots, makers = found.standing(seen, n_steps)
        assert list(zip(slots.tolist(), makers.tolist(), strict=True)) == expected
        held = np.array(sorted(there), np.int32)
        ends = [
            next((step for step, *both in merges if step >= n_steps and slot in both), NEVER) for slot in held
        ]
        assert found.end_of(held, np.full(len(held), n_steps, np.int32)).tolist() == ends


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=20), st.data())
def test_the_last_writer_of_a_cell_is_known_at_any_time(written, data):
    steps = np.cumsum([gap + 1 for gap, _ in written], dtype=np.int64)
    cells = np.array([cell for _, cell in written], np.int32)
    found = writers_of(6, steps, cells)
    start = data.draw(st.integers(0, 6))
    seen = slice(start, data.draw(st.integers(start, 6)))
    for n_steps in range(int(steps.max(initial=0)) + 3):
        last = dict.fromkeys(range(6), -1)
        last |= {cell: step for step, cell in zip(steps, cells, strict=True) if step < n_steps}
        assert found.last(seen, n_steps).tolist() == [last[cell] for cell in range(seen.start, seen.stop)]


@given(st.integers(2, 7), st.data())
def test_pairs_that_could_merge_are_counted_along(n_slots, data):
    """Twin: the pairs that entered, as long as both stand side by side as they entered."""
    count, there, live, step = QueueCount(), list(range(n_slots)), {}, 0
    assert not count.is_used
    for left in data.draw(st.sets(st.integers(0, n_slots - 2))):
        live[left, left + 1] = step
        count.push((left, left + 1, 7, 8), step)
        step += 1
    for key, entered in list(live.items()):
        if key in live and data.draw(st.booleans()):
            left, right = key
            assert count.pop((left, right, 7, 8)) == entered
            assert count.pop((left, right, 7, 8)) == -1
            count.merge(left, right)
            there.remove(right)
            live = {pair: number for pair, number in live.items() if not {left, right} & set(pair)}
            at = there.index(left)
            if at and data.draw(st.booleans()):
                live[there[at - 1], left] = step
                count.push((there[at - 1], left, 7, 9), step)
        assert count.n_candidates == len(live)
        assert count.is_used
