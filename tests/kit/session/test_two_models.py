"""Two models look at one text: both are in step with it, and know what is pointed at in the other."""

import random
from itertools import permutations

import pytest
from instant_recorder import load_once
from random_edits import edit_at_random

from guiapp.analysis.editing.token_store import Options
from guiapp.core.demo import sample_text
from guiapp.kit.document import live_spans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession

BOTH = ("demo:bpe", Options()), ("demo:spm", Options(add_special=False))


@pytest.fixture
def text(qapp):
    made = TextSession(sample_text("welcome")[:400])
    yield made
    made.close()


@pytest.fixture
def open_models(text, qtbot):
    """Opens models beside each other."""
    made = []

    def make(*requested):
        for name, options in requested:
            made.append(ModelSession(text, options, load_once))
            made[-1].loader.open(name)
        qtbot.waitUntil(lambda: all(len(model.tokens) for model in made))
        return made

    yield make
    for model in made:
        model.close()


@pytest.fixture
def models(open_models):
    return open_models(*BOTH)


def shown(model):
    tokens = model.tokens
    return [tokens.span(index) for index in range(len(tokens))], tokens.ids(0, len(tokens)).tolist()


def encoded_from_scratch(model):
    options = model.options
    encoding = model.tokenizer.encode(
        model.document.text(), options.add_special, options.parse_special, options.encoder
    )
    return list(map(tuple, encoding.spans.tolist())), encoding.token_ids.tolist()


@pytest.mark.parametrize("most_at_once", [1 << 15, 30], ids=["at once", "some in the background"])
@pytest.mark.parametrize("seed", range(3))
def test_both_have_the_tokens_of_the_text_after_each_edit(
    text, models, qtbot, monkeypatch, seed, most_at_once
):
    monkeypatch.setattr(live_spans, "MOST_AT_ONCE", most_at_once)
    rng = random.Random(seed)
    for _ in range(40):
        edit_at_random(text.document, rng)
        if rng.random() < 0.5:  # else the next edit comes before a job may have ended
            qtbot.waitUntil(lambda: not any(model.is_encoding for model in models))
            for model in models:
                assert shown(model) == encoded_from_scratch(model)


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=str)
def test_every_signal_is_emitted_after_both_models_are_updated(text, open_models, order):
    emitted = []

    def note(name, *given):
        emitted.append(name)
        assert [shown(model) for model in models] == [encoded_from_scratch(model) for model in models]
        for model in models:
            start, end = model.tokens.span(model.selected_token)
            assert start <= text.document.caret <= end
        if name in ("one", "other"):
            edit, tokens = given
            assert tokens is models[name == "other"].tokens
            assert text.document.slice(edit.start, edit.start + edit.added) == b"new"

    text.document.edited.connect(lambda edit: note("before all models"))
    one, other = models = open_models(*BOTH)
    signals = {
        "edited": text.document.edited,
        "one": one.tokens_changed,
        "other": other.tokens_changed,
        "file": text.file_changed,
    }
    for name in (list(signals)[at] for at in order):
        signals[name].connect(lambda *given, name=name: note(name, *given))
    text.document.replace(20, 25, b"new")
    assert sorted(emitted) == sorted([*signals, "before all models"])  # one signal each


def test_signals_of_a_new_model_have_a_consistent_selection(text, models, qtbot):
    one, other = models
    emitted = []
    text.document.set_caret(30)

    def note(*given):
        emitted.append((one.vocabulary.type.value, len(one.tokens) > 0))
        selected = one.selected_token
        assert selected is None if not emitted[-1][1] else one.tokens.span(selected)[0] <= 30

    for signal in (
        one.vocabulary_changed,
        one.options_changed,
        one.tokens_changed,
        one.selected_token_changed,
    ):
        signal.connect(note)
    with qtbot.waitSignal(one.spans.encoded):
        one.loader.open("demo:wordpiece")
    name = one.vocabulary.type.value
    assert emitted == [(name, False)] * 4 + [(name, True)] * 2
    assert shown(other) == encoded_from_scratch(other)


def test_what_is_selected_in_one_is_selected_in_the_other_where_it_begins(text, models):
    one, other = models
    text.document.set_caret(0)
    for index in (5, 20, 3, 4):
        one.select_token(index)
        start, _ = one.tokens.span(index)
        spans = other.tokens.span(other.selected_token)
        assert (one.selected_token, text.document.caret) == (index, start)
        assert spans[0] <= start < spans[1]
    text.document.set_caret(one.tokens.span(4)[1])  # touches it, and the one behind
    other.select_token(0)
    assert other.selected_token == 0
    one.select_token(5)
    one.select_token(4)
    assert text.document.caret == one.tokens.span(4)[1]
    spans = other.tokens.span(other.selected_token)
    assert spans[0] <= one.tokens.span(4)[0] < spans[1]
    text.select(30, 50)
    assert text.document.selection == (30, 50)
    for model in models:
        start, end = model.tokens.span(model.selected_token)
        assert start <= 30 < end


def test_a_token_without_text_is_selected_and_hovered_in_one_alone(text, open_models):
    one, other = open_models(("demo:spm", Options()), ("demo:bpe", Options()))
    assert one.tokens.span(0) == (0, 0)
    text.document.set_caret(9)
    before = other.selected_token
    one.select_token(0)
    one.hover_token(0)
    assert (one.selected_token, one.hovered_token) == (0, 0)
    assert (other.selected_token, other.hovered_token) == (before, None)


def test_what_the_mouse_is_on_in_one_is_marked_in_the_other_also_after_an_edit(text, models):
    one, other = models
    emitted = []
    other.hovered_token_changed.connect(lambda: emitted.append(other.hovered_token))
    one.hover_token(7)
    start, _ = one.tokens.span(7)
    assert (one.hovered_token, emitted) == (7, [other.hovered_token])
    spans = other.tokens.span(emitted[-1])
    assert spans[0] <= start < spans[1]
    text.document.replace(0, 0, b"more and more ")
    start, _ = one.tokens.span(7)
    spans = other.tokens.span(other.hovered_token)
    assert spans[0] <= start < spans[1]
    other.hover_token(2)
    assert other.hovered_token == 2
    start, _ = other.tokens.span(2)
    spans = one.tokens.span(one.hovered_token)
    assert spans[0] <= start < spans[1]
    text.document.set_text(b"")
    assert (one.hovered_token, other.hovered_token) == (None, None)


def test_a_model_that_is_closed_leaves_the_text_to_the_other(text, models):
    one, other = models
    other.hover_token(2)
    other.close()
    other.close()
    assert (text.hovered, one.hovered_token) == (None, None)
    emitted = []
    other.tokens_changed.connect(lambda *given: emitted.append(given))
    text.document.replace(0, 5, b"closed")
    one.hover_token(3)
    one.select_token(3)
    assert emitted == []
    assert shown(one) == encoded_from_scratch(one)
