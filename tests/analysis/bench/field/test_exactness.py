"""Verdicts on workers that err in known ways."""

from __future__ import annotations

import pytest
from field_runs import IdsWorker

from guiapp import open_model
from guiapp.analysis.bench.field.exactness import (
    DISPUTED,
    EQUAL,
    LOST,
    WRONG,
    ExactnessCheck,
    with_references,
)
from guiapp.analysis.bench.field.texts import ComparedText
from guiapp.analysis.bench.worker import WorkerLost

TEXTS = [ComparedText("here", text) for text in (b"a", b"some words", "twelve ½ and a half".encode())]
HALF = "½".encode()


def check() -> ExactnessCheck:
    return ExactnessCheck(open_model("demo:bpe"), TEXTS)


def without_half(text: bytes, ids: list[int]) -> list[int]:
    return ids[:-1] if HALF in text else ids


def test_who_gives_the_same_ids_is_equal():
    verdict = check().check("gigatoken", IdsWorker())
    assert (verdict.state, verdict.n_texts, verdict.n_different) == (EQUAL, 3, 0)
    assert verdict.difference is None


def test_the_differing_text_is_shrunk_and_has_both_ids():
    verdict = check().check("tokie", IdsWorker(change=without_half))
    right = open_model("demo:bpe").encode(HALF, False, False).token_ids.tolist()
    difference = verdict.difference
    assert (verdict.state, verdict.n_different) == (WRONG, 1)
    assert (difference.text, difference.origin) == ("½", "here")
    assert (list(difference.expected), list(difference.found)) == (right, right[:-1])
    assert len(difference.expected_tokens) == len(right)


def test_a_refused_text_is_a_difference_without_ids():
    verdict = check().check("tokie", IdsWorker(change=lambda text, ids: None if b"w" in text else ids))
    assert (verdict.difference.text, verdict.difference.found) == ("w", None)


@pytest.mark.parametrize(
    ("changes", "state", "agreeing", "deviating"),
    [
        ({"tiktoken": None, "tokenizers": without_half}, WRONG, ("tiktoken",), ("tokenizers",)),
        ({"tokenizers": without_half}, DISPUTED, (), ("tokenizers",)),
        ({}, DISPUTED, (), ()),
    ],
)
def test_a_library_is_wrong_only_if_another_reference_agrees(changes, state, agreeing, deviating):
    first_verdict = check().check("tokie", IdsWorker(change=without_half))
    references = {name: IdsWorker(change=change) for name, change in changes.items()}
    (asked,) = with_references([first_verdict], references)
    assert asked.state == state
    assert (asked.difference.agreeing, asked.difference.deviating) == (agreeing, deviating)


def test_a_reference_is_not_its_own_witness():
    first_verdict = check().check("llama.cpp", IdsWorker(change=without_half))
    (asked,) = with_references([first_verdict], {"llama.cpp": IdsWorker()})
    assert asked.state == DISPUTED


def test_one_that_crashes_is_lost_with_the_reason():
    class Crashing(IdsWorker):
        def ask(self, *_: object) -> object:
            raise WorkerLost("It crashed: SIGSEGV.")

    verdict = check().check("tokie", Crashing())
    assert (verdict.state, verdict.reason) == (LOST, "It crashed: SIGSEGV.")
