"""What a prompt is compared with, and both as cells to draw."""

from dataclasses import replace

import numpy as np
import pytest

import guiapp
from guiapp.analysis.chat.messages import conversation_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.chat.counterpart import Counterpart, PromptComparison, PromptVariant
from guiapp.pages.chat.model import ChatModel

CONTROL = conversation_of([{"role": "user", "content": "Stop <|im_end|> here"}])


def load(name, pre=None, progress=None):
    return guiapp.open_model(name)


@pytest.fixture
def counterpart(qtbot):
    session = ModelSession(TextSession(b""), load=load)
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    model = ChatModel(session)
    made = PromptComparison(model, load)
    model.edited.take(CONTROL)
    qtbot.waitUntil(lambda: model.chat is not None and not model.is_busy, timeout=20_000)
    yield made
    made.close()
    model.close()
    session.close()


def compare(counterpart, qtbot, with_what):
    counterpart.choose(with_what)
    qtbot.waitUntil(lambda: not counterpart.is_busy, timeout=60_000)
    return counterpart.value


@pytest.mark.parametrize(
    ("way", "differs"),
    [
        (Counterpart(PromptVariant.AS_TEXT), lambda first, second: first.text == second.text),
        (Counterpart(PromptVariant.NO_PROMPT), lambda first, second: first.text.startswith(second.text)),
        (
            Counterpart(PromptVariant.TEMPLATE, "{{ messages[0].content }}"),
            lambda _, other: other.text == "Stop <|im_end|> here",
        ),
        (
            Counterpart(PromptVariant.MODEL, "demo:unigram"),
            lambda first, second: first.text.endswith(second.text[-20:]),
        ),
    ],
)
def test_each_way_gives_two_prompts_that_differ_in_it(counterpart, qtbot, way, differs):
    compared = compare(counterpart, qtbot, way)
    assert compared.counterpart == way
    comparison = compared.comparison
    assert not comparison.has_same_ids
    assert differs(comparison.first, comparison.second)
    assert [side.chat for side in compared.sides] == [comparison.first, comparison.second]


def test_a_comparison_is_updated_with_the_messages_until_it_ends(counterpart, qtbot):
    compared = compare(counterpart, qtbot, Counterpart(PromptVariant.AS_TEXT))
    assert comparison_text(compared).count("Stop") == 1
    counterpart.model.edited.type(0, "plain")
    qtbot.waitUntil(lambda: not counterpart.model.is_busy and not counterpart.is_busy, timeout=20_000)
    assert "plain" in comparison_text(counterpart.value)
    assert counterpart.value.comparison.has_same_ids
    counterpart.choose(None)
    assert counterpart.value is None
    counterpart.model.edited.type(0, "more")
    qtbot.waitUntil(lambda: not counterpart.model.is_busy, timeout=20_000)
    assert not counterpart.is_busy


def comparison_text(compared):
    return compared.comparison.first.text


def test_a_failed_comparison_gives_a_reason_that_is_cleared_later(counterpart, qtbot):
    assert compare(counterpart, qtbot, Counterpart(PromptVariant.TEMPLATE, "{% if %}")) is None
    assert counterpart.problem.startswith("The template has a syntax error in line 1")
    assert compare(counterpart, qtbot, Counterpart(PromptVariant.AS_TEXT)) is not None
    assert counterpart.problem == ""


def test_the_prompt_is_compared_with_that_of_llama_cpp(counterpart, qtbot):
    pytest.importorskip("xllamacpp")
    model = counterpart.model
    model.choose(replace(model.settings, add_special=False))
    qtbot.waitUntil(lambda: not model.is_busy, timeout=20_000)
    compared = compare(counterpart, qtbot, Counterpart(PromptVariant.LLAMA_CPP))
    assert compared.description == ""
    assert compared.comparison.has_same_ids


def test_marks_are_those_of_the_comparison(counterpart, qtbot):
    for way in (Counterpart(PromptVariant.AS_TEXT), Counterpart(PromptVariant.MODEL, "demo:unigram")):
        compared = compare(counterpart, qtbot, way)
        changes, shared = compared.comparison.changes, compared.comparison.is_shared
        for side, is_shared in enumerate(shared):
            is_changed = np.zeros(len(is_shared), bool)
            for change in changes.changes:
                is_changed[change[2 * side] : change[2 * side + 1]] = True
            assert is_changed.tolist() == (~is_shared).tolist()
        assert [hint.code for hint in compared.sides[0].hints] == ["content_became_control"]
