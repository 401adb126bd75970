"""Answers that are found in runs."""

import pytest

import guiapp
from guiapp.analysis.lessons.lesson import MOST_LISTED, computed_answer
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.recorder import record


def answer(text, answer_is, place="start"):
    tokenizer = guiapp.open_model("demo:toy")
    debugger = Debugger(record(tokenizer, text), tokenizer.vocabulary)
    return computed_answer(answer_is, debugger, place)


@pytest.mark.parametrize(
    ("text", "answer_is", "told"),
    [
        (b"", "n_tokens", "0 tokens."),
        (b"a", "n_tokens", "1 token."),
        (b"", "tokens", "None."),
        (b"abcb", "tokens", "`ab`, `cb`."),
        (b"aa", "ids", "0, 0."),
        (b"ab", "operation back hit 2", None),
    ],
)
def test_what_is_known_of_the_whole_text_is_told(text, answer_is, told):
    assert answer(text, answer_is) == told


@pytest.mark.parametrize(("n_more", "told"), [(0, "."), (1, ", and 1 more."), (2, ", and 2 more.")])
def test_of_many_tokens_the_first_are_listed(n_more, told):
    said = answer(b"a" * (MOST_LISTED + n_more), "ids")
    assert said == ", ".join(["0"] * MOST_LISTED) + told
