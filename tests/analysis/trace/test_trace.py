"""Traces hold what the readable algorithms did; any state of it, and any step, is found again."""

from itertools import pairwise

import numpy as np
import pytest
from arrays import as_lists
from conftest import VOCABS
from hypothesis import given
from hypothesis import strategies as st
from model_files import opened
from random_texts import random_texts

import guiapp
from guiapp.analysis.trace import replay
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.replay import Replay, waiting
from guiapp.analysis.trace.trace import (
    NEVER,
    NUMBERS,
    Trace,
    lifetimes_of,
    writers_of,
)
from guiapp.core.demo import DEMO_MODELS

MODELS = {f"demo:{demo.name}": guiapp.open_model(f"demo:{demo.name}") for demo in DEMO_MODELS}
CASES = [(model, encoder) for model, tokenizer in MODELS.items() for encoder in tokenizer.encoders]
MOST_BYTES = 100  # the references take the square of a piece's length, and more
REAL = sorted(path.name for path in VOCABS.glob("*.gguf")) if VOCABS.is_dir() else []


def assert_ends_as_encoded(tokenizer, text, encoder):
    trace = record(tokenizer, text, encoder)
    expected = tokenizer.encode(text, encoder=encoder)
    last = Replay(trace).tokens(len(trace))
    assert last.ids.tolist() == expected.token_ids.tolist()
    assert np.stack([last.starts, last.ends], axis=1).tolist() == expected.spans.tolist()
    assert as_lists(trace.result) == as_lists(last)


@pytest.mark.parametrize(("model", "encoder"), CASES)
def test_the_last_state_holds_the_tokens_of_the_encoder(model, encoder):
    for text in (b"", b" ", *random_texts(1, 20, [b"<s>", b"</s>", b"[CLS]", b"<|endoftext|>"])):
        assert_ends_as_encoded(MODELS[model], text[:MOST_BYTES], encoder)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("n_texts", [4, pytest.param(500, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", REAL)
def test_traces_of_real_vocabularies_end_as_encoded(name, n_texts):
    tokenizer = opened(VOCABS / name)
    for encoder in tokenizer.encoders:
        for text in random_texts(2, n_texts):
            assert_ends_as_encoded(tokenizer, text[:MOST_BYTES], encoder)


def test_a_saved_trace_loads_as_it_was(tmp_path):
    trace = record(MODELS["demo:unigram"], "New York", None)
    trace.save(tmp_path / "trace")
    loaded = Trace.load(tmp_path / "trace")
    assert (loaded.text, loaded.encoder, loaded.work) == (trace.text, trace.encoder, trace.work)
    assert loaded.reference_name == trace.reference_name != trace.encoder
    for part in ("columns", "pieces", "cells", "made", "result"):
        for ours, theirs in zip(getattr(loaded, part), getattr(trace, part), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_recording_can_be_stopped():
    class StoppedError(Exception):
        pass

    def stop(share):
        raise StoppedError

    with pytest.raises(StoppedError):
        record(MODELS["demo:spm"], "lions and sheep " * 500, "heap", progress=stop)


@pytest.mark.parametrize(("bound", "value"), [("LONGEST_SYMBOL", 8), ("SYMBOLS_BESIDE", 1)])
@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm"])
def test_tokens_near_a_place_are_all_there(model, bound, value, monkeypatch):
    monkeypatch.setattr(replay, bound, value)
    trace = record(MODELS[model], "How many <|endoftext|>lions lie in the sun all day?", "heap")
    states = Replay(trace)
    for n_steps in range(0, len(trace) + 1, 5):
        everything = list(zip(*as_lists(states.tokens(n_steps)), strict=True))
        near = list(zip(*as_lists(states.tokens(n_steps, (20, 26))), strict=True))
        assert [token for token in everything if token[1] <= 26 and token[2] >= 20] == [
            token for token in near if token[1] <= 26 and token[2] >= 20
        ]
        assert len(near) <= len(everything)
    assert len(states.tokens(len(trace) // 2, (20, 26)).ids) < len(states.tokens(len(trace) // 2).ids)


@pytest.mark.parametrize("model", ["demo:spm", "demo:bpe", "demo:toy"])
def test_live_and_stale_pairs_of_the_queue_are_counted(model):
    trace = record(MODELS[model], "How many lions lie in the sun? abacbb 😍", "heap")
    for step in range(len(trace)):
        everything = waiting(Replay(trace), step, {}, 1000)
        assert sum(not row.is_stale for row in everything.candidates) == everything.n_live
        assert len(everything.candidates) == everything.n_live + everything.n_stale


@pytest.mark.parametrize("limit", [1, 7, 500])
def test_the_best_pairs_are_those_of_the_whole_queue(limit):
    trace = record(MODELS["demo:spm"], "How many lions lie in the sun all day? " * 3, "heap")
    for step in range(0, len(trace), 25):
        everything = waiting(Replay(trace), step, {}, 1000).candidates
        best = waiting(Replay(trace), step, {}, limit).candidates
        assert best == everything[:limit]
        assert [row.rank for row in everything] == sorted(row.rank for row in everything)


@pytest.mark.parametrize("model", ["demo:spm", "demo:bpe", "demo:toy"])
def test_all_that_entered_and_did_not_leave_waits_the_best_first(model):
    trace = record(MODELS[model], "How many lions lie in the sun? abacbb 😍", "heap")
    columns, states = trace.columns, Replay(trace)
    for step in range(len(trace)):
        if columns.candidates[step] >= 0:
            entered = set(np.flatnonzero(columns.operation[:step] == NUMBERS["push"]).tolist())
            inside = sorted(entered - set(columns.pushed[:step].tolist()))
            inside.sort(key=lambda row: (columns.rank[row], columns.cell[row]))
            shown = waiting(states, step, {}, 1000).candidates
            expected = [(columns.position[row], columns.result[row]) for row in inside]
            assert [(row.position, row.result) for row in shown] == expected


def spans(trace, step):
    return int(trace.columns.position[step]), int(trace.columns.end[step])


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
    actual = lifetimes_of(n_slots, steps.astype(np.int64), lefts, rights)
    start = data.draw(st.integers(0, n_slots))
    seen = slice(start, data.draw(st.integers(start, n_slots)))
    for n_steps in range((merges[-1][0] if merges else 0) + 3):
        there = dict.fromkeys(range(n_slots), -1)
        for step, left, right in merges:
            if step < n_steps:
                there[left] = step
                there.pop(right)
        expected = [(slot, there[slot]) for slot in sorted(there) if seen.start <= slot < seen.stop]
        slots, makers = actual.standing(seen, n_steps)
        assert list(zip(slots.tolist(), makers.tolist(), strict=True)) == expected
        held = np.array(sorted(there), np.int32)
        ends = [
            next((step for step, *both in merges if step >= n_steps and slot in both), NEVER) for slot in held
        ]
        assert actual.end_of(held, np.full(len(held), n_steps, np.int32)).tolist() == ends


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), max_size=20), st.data())
def test_the_last_writer_of_a_cell_is_known_at_any_time(written, data):
    steps = np.cumsum([gap + 1 for gap, _ in written], dtype=np.int64)
    cells = np.array([cell for _, cell in written], np.int32)
    actual = writers_of(6, steps, cells)
    start = data.draw(st.integers(0, 6))
    seen = slice(start, data.draw(st.integers(start, 6)))
    for n_steps in range(int(steps.max(initial=0)) + 3):
        last = dict.fromkeys(range(6), -1)
        last |= {cell: step for step, cell in zip(steps, cells, strict=True) if step < n_steps}
        assert actual.last(seen, n_steps).tolist() == [last[cell] for cell in range(seen.start, seen.stop)]


@pytest.mark.parametrize("name", ["bpe", "spm", "toy"])
@given(text=st.text("ab c<lions", max_size=30))
def test_pairs_that_could_merge_are_counted(name, text):
    """At a merge all neighbours that have a rule wait in the queue."""
    tokenizer = guiapp.open_model(f"demo:{name}")
    debugger = debugger_for(tokenizer, record(tokenizer, text, "heap"))
    columns, rules = debugger.trace.columns, tokenizer.merging.rules
    for step in np.flatnonzero(columns.operation == NUMBERS["merge"]).tolist():
        ids = debugger.states.piece_tokens(step, int(columns.piece[step])).ids.tolist()
        assert columns.candidates[step] == sum(rules.get(pair) is not None for pair in pairwise(ids))
