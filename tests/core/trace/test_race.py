"""Races tell where encoders part."""

import pytest
from random_texts import random_texts

import guiapp
from guiapp.core.trace.race import Difference, first_difference, follow
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for

BPE = guiapp.open_model("demo:bpe")
DIFFERENCES = {
    ("toy", "abacb", "heap", "greedy"): (2, 5, 2, "heap merged `cb`, rank 1. greedy took `ac`, bytes 2–4."),
    ("toy", "acbacb", "heap", "words"): (
        0,
        9,
        1,
        "heap left `acbacb` in parts: nothing joins them. words left `acbacb` out: it is no token.",
    ),
    ("toy", " acbx abacb", "heap", "greedy"): (
        1,
        4,
        2,
        "heap merged `cb`, rank 1. greedy took `ac`, bytes 1–3.",
    ),
    ("toy", "ab xab", "heap", "words"): (
        4,
        6,
        3,
        "heap merged `ab`, rank 0. words left `xab` out: it is no token.",
    ),
    ("bpe", "a ☃☂b", "heap", "words"): (
        1,
        6,
        2,
        "heap merged `Ġâ`, rank 1,665. words left `·☃☂b` out: it is no token.",
    ),
    ("bpe", "acbx in acbx", "table", "fewest"): (
        7,
        22,
        29,
        "table chose `Ġa`, bytes 7–9. fewest chose `ac`, bytes 8–10.",
    ),
    ("bpe", "How do the lions sleep", "heap", "words"): (
        0,
        7,
        1,
        "heap left `How` in parts: nothing joins them. words left `How` out: it is no token.",
    ),
    ("spm", "abacb the", "fewest", "words"): (
        0,
        25,
        2,
        "fewest chose `▁ab`, bytes 0–2. words took `<unk>`, bytes 0–5.",
    ),
    ("wordpiece", "Zürich is unbelievable", "wordpiece", "words"): (
        0,
        8,
        2,
        "wordpiece took `▁zu`, bytes 0–3. words took `[UNK]`, bytes 0–7.",
    ),
    ("rwkv", "in the sun acbx", "rwkv", "words"): (
        6,
        3,
        3,
        "rwkv took `·su`, bytes 6–9. words left `·sun` out: it is no token.",
    ),
}


def run(tokenizer, text, encoder):
    return debugger_for(tokenizer, record(tokenizer, text, encoder))


@pytest.mark.parametrize(("model", "text", "ours", "theirs"), DIFFERENCES)
def test_where_and_why_two_runs_part(model, text, ours, theirs):
    tokenizer = guiapp.open_model(f"demo:{model}")
    found = first_difference(run(tokenizer, text, ours), run(tokenizer, text, theirs))
    byte, *steps, reason = DIFFERENCES[model, text, ours, theirs]
    assert found == Difference(byte, tuple(steps), f"From byte {byte} on they differ. {reason}")


@pytest.mark.parametrize(
    ("model", "text", "leader", "follower", "expected"),
    [
        ("toy", "abacb acb", "heap", "greedy", [0, 0, 2, 3, 4, 5, 5, 5, 5, 6, 7, 8, 8, 8, 8, 9]),
        ("toy", "abacb acb", "greedy", "heap", [0, 0, 2, 3, 4, 8, 9, 10, 14, 15]),
        ("spm", "<s>ab acb", "heap", "scan", [0, 0, 0, 0, 4, 5, 6, *[7] * 8, 9, 9]),
        (
            "bpe",
            "on lion <|im_start|>on",
            "heap",
            "words",
            [*[0] * 5, 3, 6, 9, *[10] * 12, 11, 11, 11, 11, 11, 12, 12, 12],
        ),
        ("bpe", "on lion <|im_start|>on", "words", "heap", [0, 0, 0, 5, 6, 6, 6, 7, 7, 7, 19, 27, 27]),
        ("toy", "", "heap", "greedy", [0]),
    ],
)
def test_one_goes_along_piece_by_piece(model, text, leader, follower, expected):
    tokenizer = guiapp.open_model(f"demo:{model}")
    ours, theirs = run(tokenizer, text, leader), run(tokenizer, text, follower)
    found = []
    for position in range(ours.n_steps + 1):
        ours.go_to(position)
        found.append(follow(ours, theirs))
        assert theirs.position == found[-1]
    assert found == expected


def test_exact_encoders_never_part():
    for text in random_texts(5, 10):
        assert first_difference(run(BPE, text, "heap"), run(BPE, text, "backtrack")) is None


@pytest.mark.parametrize("other", ["greedy", "fewest"])
def test_a_difference_is_told_where_the_tokens_differ(other):
    n_found = 0
    for text in random_texts(6, 40):
        ours, theirs = run(BPE, text, "heap"), run(BPE, text, other)
        found = first_difference(ours, theirs)
        same = ours.trace.result.ids.tolist() == theirs.trace.result.ids.tolist()
        assert (found is None) == same
        if found is not None:
            n_found += 1
            assert found.reason.count(".") >= 3
            assert all(
                0 <= step < debugger.n_steps
                for step, debugger in zip(found.steps, (ours, theirs), strict=True)
            )
    assert n_found


def test_a_difference_is_told_from_both_sides_alike():
    for text in random_texts(7, 40):
        ours, theirs = run(BPE, text, "heap"), run(BPE, text, "words")
        found, turned = first_difference(ours, theirs), first_difference(theirs, ours)
        assert (found is None) == (turned is None)
        if found is not None:
            assert (found.byte, found.steps) == (turned.byte, turned.steps[::-1])
