"""Lifetimes of symbols tell what merging one pair after another leaves."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from guiapp.core.trace.lifetimes import NEVER, lifetimes_of


@st.composite
def merges_of_slots(draw):
    """How many slots there are, and merges of neighbours in them as rows: step, left slot, right slot."""
    n_slots = draw(st.integers(1, 12))
    standing, rows, step = list(range(n_slots)), [], 0
    for _ in range(draw(st.integers(0, n_slots - 1))):
        at = draw(st.integers(0, len(standing) - 2))
        step += draw(st.integers(0, 3))
        rows.append((step, standing[at], standing.pop(at + 1)))
        step += 1
    return n_slots, rows


def lifetimes_of_rows(n_slots, rows):
    steps, lefts, rights = np.array(rows, np.int64).reshape(-1, 3).T
    return lifetimes_of(n_slots, steps, lefts.astype(np.int32), rights.astype(np.int32))


def slots_after(n_slots, rows, n_steps):
    """Slot -> the merge that filled it last, -1 for none; played one after the other."""
    slots = dict.fromkeys(range(n_slots), -1)
    for step, left, right in rows:
        if step < n_steps:
            slots[left] = step
            del slots[right]
    return slots


@given(merges_of_slots(), st.data())
def test_what_stands_is_what_the_merges_before_leave(merged, data):
    n_slots, rows = merged
    lifetimes = lifetimes_of_rows(n_slots, rows)
    first = data.draw(st.integers(0, n_slots))
    last = data.draw(st.integers(first, n_slots))
    for n_steps in range(rows[-1][0] + 3 if rows else 2):
        slots, made = lifetimes.standing(slice(first, last), n_steps)
        everything = slots_after(n_slots, rows, n_steps)
        expected = {slot: step for slot, step in everything.items() if first <= slot < last}
        assert dict(zip(slots.tolist(), made.tolist(), strict=True)) == expected
        assert slots.tolist() == sorted(expected)


@given(merges_of_slots())
def test_a_symbol_ends_with_the_next_merge_of_its_slot(merged):
    n_slots, rows = merged
    lifetimes = lifetimes_of_rows(n_slots, rows)
    for n_steps in range(rows[-1][0] + 3 if rows else 2):
        for slot in slots_after(n_slots, rows, n_steps):
            later = [step for step, *pair in rows if step >= n_steps and slot in pair]
            found = lifetimes.end_of(np.array([slot], np.int32), np.array([n_steps], np.int32))
            assert found.tolist() == [min(later, default=NEVER)]


def test_nothing_at_all_has_no_lifetimes():
    slots, made = lifetimes_of_rows(0, []).standing(slice(0, 0), 1)
    assert len(slots) == len(made) == 0
