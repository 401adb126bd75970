"""Races tell where encoders, and models, part."""

import re
from itertools import combinations, pairwise

import numpy as np
import pytest
from conftest import VOCABS
from model_files import opened
from planted import PLANTS
from random_texts import random_texts

import guiapp
from guiapp.analysis.compare.comparison import ModelSide, compare_text
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.race import (
    RaceDifference,
    first_difference,
    first_other_step,
    keep_in_step,
    outcome,
    work,
)
from guiapp.analysis.trace.recorder import record

BPE = guiapp.open_model("demo:bpe")
DIFFERENCES = {
    ("toy", "abacb", "heap", "greedy"): (2, 5, 2, "heap merges `cb`, rank 1; greedy takes `ac`, bytes 2–4."),
    ("toy", "acbacb", "heap", "words"): (
        0,
        9,
        1,
        "heap leaves `acbacb` in parts: no rule joins them; words skips `acbacb`: it is not a token.",
    ),
    ("bpe", "acbx in acbx", "table", "fewest"): (
        7,
        22,
        29,
        "table chooses `·a`, bytes 7–9; fewest chooses `ac`, bytes 8–10.",
    ),
    ("wordpiece", "Zürich is unbelievable", "wordpiece", "words"): (
        0,
        8,
        2,
        "wordpiece takes `·zu`, bytes 0–3; words takes `[UNK]`, bytes 0–7.",
    ),
    ("rwkv", "in the sun acbx", "rwkv", "words"): (
        6,
        3,
        3,
        "rwkv takes `·su`, bytes 6–9; words skips `·sun`: it is not a token.",
    ),
}


def run(tokenizer, text, encoder):
    return debugger_for(tokenizer, record(tokenizer, text, encoder))


@pytest.mark.parametrize(("model", "text", "ours", "theirs"), DIFFERENCES)
def test_where_and_why_two_runs_part(model, text, ours, theirs):
    tokenizer = guiapp.open_model(f"demo:{model}")
    difference = first_difference(run(tokenizer, text, ours), run(tokenizer, text, theirs))
    byte, *steps, reason = DIFFERENCES[model, text, ours, theirs]
    assert difference == RaceDifference(byte, tuple(steps), f"From byte {byte} on they differ: {reason}")


def test_exact_encoders_never_part():
    for text in random_texts(5, 10):
        assert first_difference(run(BPE, text, "heap"), run(BPE, text, "backtrack")) is None


@pytest.mark.parametrize("other", ["greedy", "fewest"])
def test_a_difference_is_reported_where_the_tokens_differ(other):
    n_differences = 0
    for text in random_texts(6, 40):
        ours, theirs = run(BPE, text, "heap"), run(BPE, text, other)
        difference = first_difference(ours, theirs)
        same = ours.trace.result.ids.tolist() == theirs.trace.result.ids.tolist()
        assert (difference is None) == same
        if difference is not None:
            n_differences += 1
            assert difference.reason.count("; ") >= 1
            assert all(
                0 <= step < debugger.n_steps
                for step, debugger in zip(difference.steps, (ours, theirs), strict=True)
            )
    assert n_differences


def test_a_difference_is_the_same_from_both_sides():
    for text in random_texts(7, 40):
        ours, theirs = run(BPE, text, "heap"), run(BPE, text, "words")
        difference, turned = first_difference(ours, theirs), first_difference(theirs, ours)
        assert (difference is None) == (turned is None)
        if difference is not None:
            assert (difference.byte, difference.steps) == (turned.byte, turned.steps[::-1])


# Two models

MODELS = ("llama-bpe", "qwen2", "gemma-4", "bert-bge", "gpt-2")
PAIRS = tuple(combinations(MODELS, 2))
SUM = "total = 1024 * 20_000_000"
PARTINGS = {
    ("llama-bpe", "qwen2", SUM): (
        8,
        "llama-bpe takes the whole piece `102`, bytes 8–11; qwen2 splits off the piece `1`.",
    ),
    ("gemma-4", "gpt-2", SUM): (7, "gemma-4 joins nothing with `·`; gpt-2 merges `·1`, rank 96."),
    ("llama-bpe", "qwen2", "汉字 a"): (
        0,
        "llama-bpe merges `汉`, rank 250,144; qwen2 merges `汉字`, rank 114,055.",
    ),
    ("bert-bge", "gpt-2", "a Zürich"): (
        1,
        "bert-bge takes `·zurich`, bytes 2–9; gpt-2 merges `·Z`, rank 912.",
    ),
    ("qwen2", "gpt-2", "<|im_start|>"): (
        0,
        "qwen2 cuts out the special token `<|im_start|>`; gpt-2 splits off the piece `<|`.",
    ),
    ("qwen2", "gemma-4", "hello"): (
        0,
        "qwen2 has no token there; gemma-4 adds `<bos>` before the text.",
    ),
    ("llama-bpe", "bert-bge", "hello"): (
        5,
        "llama-bpe has no token there; bert-bge adds `[SEP]` after the text.",
    ),
}


@pytest.fixture(scope="module")
def models():
    return {name: opened(VOCABS / f"ggml-vocab-{name}.gguf") for name in MODELS}


def both_orders(models, names, text):
    ours, theirs = (run(models[name], text, None) for name in names)
    return (ours, theirs, names), (theirs, ours, names[::-1])


@pytest.mark.real_vocabs
@pytest.mark.parametrize(("ours", "theirs", "text"), PARTINGS)
def test_where_and_why_two_models_part(models, ours, theirs, text):
    byte, reason = PARTINGS[ours, theirs, text]
    for each in both_orders(models, (ours, theirs), text):
        difference = first_difference(*each)
        deeds = reason[:-1].split("; ")
        expected_text = "; ".join(deeds if each[2][0] == ours else deeds[::-1]) + "."
        assert (difference.byte, difference.reason) == (
            byte,
            f"From byte {byte} on they differ: {expected_text}",
        )


@pytest.mark.real_vocabs
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_two_models_part_where_their_spans_are_compared_to_differ(models, pair):
    """From any byte on; what is put around a text counts if nothing else differs, or nothing else there."""
    n_differences = 0
    for text in random_texts(8, 12):
        spans = compare_text(
            [ModelSide(name, models[name]) for name in pair], text
        ).spans.differences.tolist()
        with_text = [row for row in spans if row[0] < row[1]] or spans
        sides = both_orders(models, pair, text)
        for offset in (None, 0, len(text), *range(1, len(text), 1 + len(text) // 5)):
            after = [start for start, end in with_text if end > (offset or 0)]
            start = [*after, *(start for start, _ in with_text[-1:]), None][0]
            if (
                offset is not None
                and [offset, offset] in spans
                and (start is None or start > offset or not after)
            ):
                start = offset
            difference, turned = (first_difference(*side, offset) for side in sides)
            assert (difference and difference.byte, turned and turned.byte) == (start, start)
            if difference is not None:
                n_differences += 1
                assert difference.steps == turned.steps[::-1]
                assert all(
                    0 <= step < side[0].n_steps for step, side in zip(difference.steps, sides, strict=True)
                )
                assert all(f" {name} " in difference.reason for name in pair)
    assert n_differences


@pytest.mark.real_vocabs
def test_a_merge_that_is_swapped_is_what_two_copies_of_a_model_part_at(tmp_path):
    plant = next(each for each in PLANTS if (each.name, each.model) == ("one merge swapped", "gpt-2"))
    first, second = map(guiapp.open_model, plant.write(tmp_path))
    pairs = zip(first.vocabulary.merges, second.vocabulary.merges, strict=True)
    assert [pair for pair, other in pairs if pair != other] == [("Ġj".encode(), b"ump"), (b"ump", b"ed")]
    ours, theirs = (run(each, " jumped", None) for each in (first, second))
    difference = first_difference(ours, theirs, ("A", "B"))
    rank = first.vocabulary.merges.index(("Ġj".encode(), b"ump"))
    expected_text = f"A merges `·jump`, rank {rank:,}; B merges `umped`, rank {rank:,}."
    assert (difference.byte, difference.reason) == (0, f"From byte 0 on they differ: {expected_text}")


@pytest.mark.real_vocabs
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
def test_one_model_goes_along_with_another_by_the_place_in_the_text(models, pair):
    for text in (SUM.encode(), *random_texts(9, 6)):
        for leader, follower, _ in both_orders(models, pair, text):
            seen = []
            pieces, others = leader.trace.pieces, follower.trace.pieces
            for position in range(leader.n_steps + 1):
                leader.go_to(position)
                seen.append(keep_in_step(leader, follower))
                begins = np.flatnonzero((pieces.first_step == position) & (pieces.done_step > position))
                if len(begins):
                    place = pieces.start[begins[0]]
                    assert np.all(others.done_step[others.end < place] < seen[-1])
                    assert np.all(others.first_step[others.start >= place] >= seen[-1])
            assert all(before <= following for before, following in pairwise(seen))
            assert (seen[0], seen[-1]) == (0, follower.n_steps)


OUTCOMES = [
    (
        ("toy", "abacb"),
        "heap",
        "greedy",
        "tokens differ at byte 2: `a` `cb` against `ac` `b`.",
    ),
    (("toy", "abacb"), "heap", "scan", "the same 3 tokens."),
    (("toy", "a"), "heap", "heap", "the same 1 token."),
    (("bpe", "unbelievably"), "heap", "words", "against none."),
    (
        ("bpe", "unbelievably hippopotamus"),
        "words",
        "scan",
        " at 13 positions, such as byte 0: none against ",
    ),
]


@pytest.mark.parametrize(("text", "first", "second", "expected_text"), OUTCOMES)
def test_a_race_ends_with_the_work_of_both_and_the_tokens_that_differ(text, first, second, expected_text):
    tokenizer = guiapp.open_model(f"demo:{text[0]}")
    ours, theirs = (run(tokenizer, text[1], encoder) for encoder in (first, second))
    assert expected_text in outcome(ours, theirs)
    n_ours, n_theirs = (int(work(each.trace)[-1]) for each in (ours, theirs))
    assert re.match(f"Operations in all: A {n_ours:,}, B {n_theirs:,}. ", outcome(ours, theirs, ("A", "B")))
    assert outcome(ours, theirs).count("`") <= 16
    step = first_other_step(ours, theirs)
    assert (step is None) is (first == second)


@pytest.mark.parametrize("text", ["How do lions sleep?", "unbelievably unbelievable", "a", ""])
def test_textbook_merging_checks_all_neighbours_for_each_merge(text):
    tokenizer = guiapp.open_model("demo:bpe")
    debugger = debugger_for(tokenizer, record(tokenizer, text, "scan"))
    trace, done = debugger.trace, work(debugger.trace)
    for step in range(debugger.n_steps):
        operation, piece = trace.operation(step), trace.piece_at(step)
        if operation in ("merge", "done"):
            n_pairs = max(len(debugger.states.piece_tokens(step, piece).ids) - 1, 0)
            assert done[step + 1] - done[step] == n_pairs
    assert done[0] == 0
    assert len(done) == debugger.n_steps + 1
