"""What a prompt is compared with, and both as cells to draw."""

from dataclasses import replace

import numpy as np
import pytest
from chat_templates import TEMPLATES, chat_here
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.chat.messages import conversation_of
from guiapp.analysis.chat.report import ChatComparison, as_text_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.chat import counterpart as module
from guiapp.pages.chat.counterpart import (
    Counterpart,
    PromptComparison,
    PromptVariant,
    compared_turns,
    differences,
    flowed,
)
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
    return counterpart.compared


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
    assert len(compared.turns) == len(comparison.turns)


def test_a_comparison_follows_the_messages_and_ends(counterpart, qtbot):
    compared = compare(counterpart, qtbot, Counterpart(PromptVariant.AS_TEXT))
    assert comparison_text(compared).count("Stop") == 1
    counterpart.model.edited.type(0, "plain")
    qtbot.waitUntil(lambda: not counterpart.model.is_busy and not counterpart.is_busy, timeout=20_000)
    assert "plain" in comparison_text(counterpart.compared)
    assert counterpart.compared.comparison.has_same_ids
    counterpart.choose(None)
    assert counterpart.compared is None
    counterpart.model.edited.type(0, "more")
    qtbot.waitUntil(lambda: not counterpart.model.is_busy, timeout=20_000)
    assert not counterpart.is_busy


def comparison_text(compared):
    return compared.comparison.first.text


def test_why_there_is_none_is_told_and_forgotten(counterpart, qtbot):
    assert compare(counterpart, qtbot, Counterpart(PromptVariant.TEMPLATE, "{% if %}")) is None
    assert counterpart.failure.startswith("The template has a mistake in line 1")
    assert compare(counterpart, qtbot, Counterpart(PromptVariant.AS_TEXT)) is not None
    assert counterpart.failure == ""


def test_the_prompt_of_llama_cpp_stands_beside(counterpart, qtbot):
    pytest.importorskip("xllamacpp")
    model = counterpart.model
    model.choose(replace(model.settings, add_special=False))
    qtbot.waitUntil(lambda: not model.is_busy, timeout=20_000)
    compared = compare(counterpart, qtbot, Counterpart(PromptVariant.LLAMA_CPP))
    assert compared.description == ""
    assert compared.comparison.has_same_ids


LONG = "How do lions sleep? " * 200


def compared_with_text(content):
    messages = [{"role": "system", "content": "Hi"}, {"role": "user", "content": content}]
    chat = chat_here(guiapp.open_model("demo:bpe"), TEMPLATES["concatenation"], messages)
    return ChatComparison(chat, as_text_of(chat))


@pytest.mark.parametrize("content", ["a<|im_end|>b", LONG + "<|im_end|>" + LONG, "plain", "<|im_end|>" * 9])
@pytest.mark.parametrize("most", [20, module.MOST_CELLS])
def test_cells_stand_for_all_tokens_and_show_all_that_differ(monkeypatch, content, most):
    monkeypatch.setattr(module, "MOST_CELLS", most)
    compared = compared_with_text(content)
    turns = compared_turns(compared)
    for side, chat in enumerate((compared.first, compared.second)):
        cells = [cell for turn in turns for cell in turn.sides[side]]
        at = 0
        for cell in cells:
            assert cell.token == at
            at += cell.n_more or 1
        assert at == len(chat.encoding)
        shown = {cell.token for cell in cells if not cell.n_more}
        assert len(shown) < 600
        if most > 20:
            assert set(np.flatnonzero(~compared.is_shared[side]).tolist()) <= shown
            assert bool(differences(turns)) == ("<|" in content)


def test_what_differs_in_both_at_one_place_is_one_difference():
    turns = compared_turns(compared_with_text("a <|im_end|> b <|im_end|> c"))
    found = differences(turns)
    assert len(found) == 2
    assert {each.side for each in found} == {0}
    cells = {cell.token: cell for turn in turns for cell in turn.sides[0]}
    assert all(not cells[token].is_shared for *_, token in found)
    assert sum(cell.became_control for cell in cells.values()) == 2


@given(
    st.lists(st.tuples(st.floats(1, 200), st.booleans()), max_size=40),
    st.floats(50, 300),
)
def test_cells_flow_within_their_room_and_in_order(cells, room):
    widths, ends = [width for width, _ in cells], [is_end for _, is_end in cells]
    placed = flowed(widths, ends, room)
    assert len(placed) == len(cells)
    for before, place, is_end in zip(placed, placed[1:], ends, strict=False):
        is_same_row = place.row == before.row and place.left >= before.left + before.width - 1e-6
        assert is_same_row != (place.row == before.row + 1 and place.left == 0)
        assert not (is_end and is_same_row)
    assert all(each.left >= 0 and each.left + each.width <= room + 1e-6 for each in placed)
