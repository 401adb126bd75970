"""Traces hold what the readable algorithms did, and any state of it comes back."""

import dataclasses
import importlib
import pkgutil

import numpy as np
import pytest
from arrays import as_lists
from conftest import VOCABS
from gguf_builder import CONTROL, NORMAL, write_vocab
from random_texts import random_texts

import guiapp
from guiapp.analysis.trace import replay
from guiapp.analysis.trace.recorder import DECISIONS, record
from guiapp.analysis.trace.replay import Replay, waiting
from guiapp.analysis.trace.trace import MOST_TOKENS, NUMBERS, Trace
from guiapp.core.demo import DEMO_MODELS
from guiapp.core.encode import reference as algorithms
from guiapp.errors import EncodeError

MODELS = {f"demo:{demo.name}": guiapp.open_model(f"demo:{demo.name}") for demo in DEMO_MODELS}
CASES = [(model, encoder) for model, tokenizer in MODELS.items() for encoder in tokenizer.encoders]
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
        assert_ends_as_encoded(MODELS[model], text, encoder)


@pytest.mark.real_vocabs
@pytest.mark.parametrize("n_texts", [4, pytest.param(500, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("name", REAL)
def test_traces_of_real_vocabularies_end_as_encoded(name, n_texts):
    tokenizer = guiapp.open_model(VOCABS / name)
    for encoder in tokenizer.encoders:
        for text in random_texts(2, n_texts):
            assert_ends_as_encoded(tokenizer, text, encoder)


def test_a_saved_trace_loads_as_it_was(tmp_path):
    trace = record(MODELS["demo:unigram"], "New York", None)
    trace.save(tmp_path / "trace")
    loaded = Trace.load(tmp_path / "trace")
    assert (loaded.text, loaded.encoder, loaded.work) == (trace.text, trace.encoder, trace.work)
    assert loaded.reference_name == trace.reference_name != trace.encoder
    for part in ("columns", "pieces", "cells", "made", "result"):
        for ours, theirs in zip(getattr(loaded, part), getattr(trace, part), strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_a_trace_knows_its_parts():
    trace = record(MODELS["demo:bpe"], "on <|im_start|>lion", "heap")
    firsts, dones = trace.pieces.first_step.tolist(), trace.pieces.done_step.tolist()
    inside = [
        next((i for i, ends in enumerate(zip(firsts, dones, strict=True)) if ends[0] <= step <= ends[1]), -1)
        for step in range(len(trace))
    ]
    assert [trace.piece_at(step) for step in range(len(trace))] == inside
    assert set(inside) == {-1, 0, 1, 2}
    cells = [trace.piece_cells(piece) for piece in range(3)]
    assert [(each.start, each.stop) for each in cells] == [(0, 3), (3, 5), (5, 9)]
    tokens = [trace.piece_tokens(piece) for piece in range(3)]
    assert [(each.start, each.stop) for each in tokens] == [(0, 1), (1, 2), (2, 4)]
    assert [trace.piece_work(piece) for piece in range(3)] == [b"on", b" ", b"lion"]
    stages = {trace.operation(step): trace.stage(step) for step in range(len(trace))}
    assert (stages["special"], stages["piece"], stages["merge"]) == ("partition", "split", "encode")


def test_the_size_of_a_trace_is_that_of_its_arrays():
    trace = record(MODELS["demo:bpe"], "on <|im_start|>lion", "heap")
    n_steps, n_cells, n_slots = len(trace), len(trace.cells.start), len(trace.lifetimes.keys)
    best_steps, makers = len(trace.best_steps.steps), len(trace.makers.steps)
    assert trace.size_bytes == (
        n_steps * (1 + 12 * 4 + 8)
        + 3 * 8 * 4
        + 12 * n_cells
        + 12 * (len(trace.made.ids) + len(trace.result.ids))
        + 12 * n_slots
        + 4 * (len(trace.lifetimes.first) + best_steps + makers + (n_cells + 1) + (MOST_TOKENS * n_cells + 1))
        + len(trace.text)
        + len(trace.work)
    )


@pytest.mark.parametrize(
    ("model", "text", "longest"), [("spm", "a☃ the", 4), ("toy", "acb", 2), ("toy", "", 0)]
)
def test_the_longest_symbol_is_one_from_the_start_or_a_merged_one(model, text, longest):
    trace = record(MODELS[f"demo:{model}"], text, "heap")
    trace.prepare()
    assert trace.longest_symbol == longest


@pytest.mark.parametrize("encoder", ["heap", "backtrack", "table", "greedy", "fewest", "words"])
def test_a_byte_can_become_more_than_one_token(encoder, tmp_path):
    names, types = ["<unk>", "<s>", "</s>", "cd"], [CONTROL] * 3 + [NORMAL]
    path = write_vocab(tmp_path / "no_bytes.gguf", tokens=names, scores=[0.0] * 4, types=types)
    assert_ends_as_encoded(guiapp.open_model(path), "ab</s>cd</s>", encoder)


def test_recording_can_be_stopped():
    class StoppedError(Exception):
        pass

    def stop(share):
        raise StoppedError

    with pytest.raises(StoppedError):
        record(MODELS["demo:spm"], "lions and sheep " * 500, "heap", progress=stop)


def test_an_unknown_encoder_is_told():
    with pytest.raises(EncodeError, match="no encoder “fork”"):
        record(MODELS["demo:bpe"], "x", "fork")


def test_every_step_of_every_algorithm_has_its_columns():
    steps = {
        member
        for module in pkgutil.iter_modules(algorithms.__path__)
        for member in vars(importlib.import_module(f"guiapp.core.encode.reference.{module.name}")).values()
        if dataclasses.is_dataclass(member) and isinstance(member, type) and hasattr(member, "apply")
    }
    bases = {base for step in steps for base in step.__mro__[1:]}
    assert steps - bases <= set(DECISIONS)


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
