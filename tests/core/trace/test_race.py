"""Races tell where encoders part."""

import pytest
from random_texts import random_texts

import guiapp
from guiapp.core.trace.race import first_difference, follow
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for

TOY = guiapp.open_model("demo:toy")
BPE = guiapp.open_model("demo:bpe")


def run(tokenizer, text, encoder):
    return debugger_for(tokenizer, record(tokenizer, text, encoder))


def test_greedy_parts_from_merging_at_the_third_letter():
    found = first_difference(run(TOY, "abacb", "heap"), run(TOY, "abacb", "greedy"))
    assert found.byte == 2
    assert "greedy took `ac`, bytes 2–4." in found.reason
    assert "heap merged `cb`, rank 1." in found.reason


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


def test_both_are_always_in_the_same_piece():
    ours, theirs = run(BPE, "How do lions sleep?", "heap"), run(BPE, "How do lions sleep?", "scan")
    for position in range(ours.n_steps + 1):
        ours.go_to(position)
        follow(ours, theirs)
        piece = ours.trace.piece_at(position)
        if piece >= 0:
            assert theirs.trace.piece_at(theirs.position) == piece
    assert theirs.position == theirs.n_steps


@pytest.mark.parametrize(
    ("text", "byte", "left_out"),
    [
        ("How", 0, "How"),
        ("How unbelievably", 0, "How"),
        ("in xyzzy", 2, "·xyzzy"),
        ("How do the lions sleep in New York?", 0, "How"),
    ],
)
def test_what_an_encoder_leaves_out_is_told(text, byte, left_out):
    found = first_difference(run(BPE, text, "heap"), run(BPE, text, "words"))
    assert found.byte == byte
    assert found.reason.endswith(f"words left `{left_out}` out: it is no token.")


def test_a_difference_is_told_from_both_sides_alike():
    for text in random_texts(7, 40):
        ours, theirs = run(BPE, text, "heap"), run(BPE, text, "words")
        found, turned = first_difference(ours, theirs), first_difference(theirs, ours)
        assert (found is None) == (turned is None)
        if found is not None:
            assert (found.byte, found.steps) == (turned.byte, turned.steps[::-1])


def test_tokens_behind_the_first_different_one_are_no_reason():
    model = guiapp.open_model("demo:wordpiece")
    text = "Zürich is unbelievable"
    found = first_difference(run(model, text, "wordpiece"), run(model, text, "words"))
    assert found.byte == 0
    assert "words took `[UNK]`, bytes 0–7." in found.reason
