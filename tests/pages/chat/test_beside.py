"""What a prompt is compared with, and what becomes of it."""

from dataclasses import replace

import pytest
from told import told_by

import guiapp
from guiapp.analysis.chat.messages import conversation_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.chat.beside import Beside, ChatBeside, Way
from guiapp.pages.chat.model import ChatModel

CONTROL = conversation_of([{"role": "user", "content": "Stop <|im_end|> here"}])


def load(name, pre=None, progress=None):
    return guiapp.open_model(name)


@pytest.fixture
def beside(qtbot):
    session = ModelSession(TextSession(b""), load=load)
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    model = ChatModel(session)
    made = ChatBeside(model, load)
    model.edited.take(CONTROL)
    qtbot.waitUntil(lambda: model.chat is not None and not model.is_busy, timeout=20_000)
    yield made
    made.close()
    model.close()
    session.close()


def compare(beside, qtbot, with_what):
    beside.choose(with_what)
    qtbot.waitUntil(lambda: not beside.is_busy, timeout=60_000)
    return beside.compared


@pytest.mark.parametrize(
    ("way", "differs"),
    [
        (Beside(Way.AS_TEXT), lambda first, second: first.text == second.text),
        (Beside(Way.NO_PROMPT), lambda first, second: first.text.startswith(second.text)),
        (
            Beside(Way.TEMPLATE, "{{ messages[0].content }}"),
            lambda _, other: other.text == "Stop <|im_end|> here",
        ),
        (Beside(Way.MODEL, "demo:unigram"), lambda first, second: first.text.endswith(second.text[-20:])),
    ],
)
def test_each_way_gives_two_prompts_that_differ_in_it(beside, qtbot, way, differs):
    compared = compare(beside, qtbot, way)
    assert compared.beside == way
    comparison = compared.comparison
    assert not comparison.has_same_ids
    assert differs(comparison.first, comparison.second)
    assert len(compared.turns) == len(comparison.turns)


def test_a_comparison_follows_the_messages_and_ends(beside, qtbot):
    compared = compare(beside, qtbot, Beside(Way.AS_TEXT))
    assert comparison_text(compared).count("Stop") == 1
    beside.model.edited.type(0, "plain")
    qtbot.waitUntil(lambda: not beside.model.is_busy and not beside.is_busy, timeout=20_000)
    assert "plain" in comparison_text(beside.compared)
    assert beside.compared.comparison.has_same_ids
    beside.choose(None)
    assert beside.compared is None
    beside.model.edited.type(0, "more")
    qtbot.waitUntil(lambda: not beside.model.is_busy, timeout=20_000)
    assert not beside.is_busy


def comparison_text(compared):
    return compared.comparison.first.text


def test_each_change_is_told_and_another_model_is_opened_once(beside, qtbot, monkeypatch):
    told, opened, model = told_by(beside), [], beside.model
    monkeypatch.setattr(beside, "_load", lambda *asked: opened.append(asked[0]) or load(*asked))

    def tells(act, *given):
        told.clear()
        act(*given)
        qtbot.waitUntil(lambda: not model.is_busy and not beside.is_busy)
        return list(told)

    assert (beside.beside, beside.compared, beside.failure, beside.is_busy) == (None, None, "", False)
    other = Beside(Way.MODEL, "demo:unigram")
    compares = ["changed"] * 3  # it begins, it ends, and what it gave
    assert (tells(beside.choose, other), tells(beside.choose, other)) == ([*compares, "changed"], [])
    assert tells(model.edited.type, 0, "more") == compares
    assert tells(model.edited.type, 0, "more") == []
    assert opened == ["demo:unigram"]
    assert tells(model.edited.remove, 0) == ["changed"]
    assert beside.compared is None
    assert tells(model.edited.undo) == compares
    beside.choose(Beside(Way.AS_TEXT))
    assert (beside.compared, beside.is_busy) == (None, True)
    beside.choose(None)
    assert (beside.compared, beside.is_busy) == (None, False)
    assert tells(model.edited.type, 0, "once more") == tells(beside.choose, None) == []
    tells(beside.choose, other)
    assert tells(beside.choose, None) == ["changed"]


def test_why_there_is_none_is_told_and_forgotten(beside, qtbot):
    assert compare(beside, qtbot, Beside(Way.TEMPLATE, "{% if %}")) is None
    assert beside.failure.startswith("The template has a mistake in line 1")
    assert compare(beside, qtbot, Beside(Way.AS_TEXT)) is not None
    assert beside.failure == ""


def test_the_prompt_of_llama_cpp_stands_beside(beside, qtbot):
    pytest.importorskip("xllamacpp")
    model = beside.model
    model.choose(replace(model.settings, add_special=False))
    qtbot.waitUntil(lambda: not model.is_busy, timeout=20_000)
    compared = compare(beside, qtbot, Beside(Way.LLAMA_CPP))
    assert compared.told == ""
    assert compared.comparison.has_same_ids
