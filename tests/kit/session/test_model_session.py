"""The state that all pages share, through its signals."""

import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer

import guiapp
from guiapp.errors import VocabError
from guiapp.kit.document import live_spans
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession


def load(name, pre, progress):
    progress(0.5)
    if name == "broken.gguf":
        raise VocabError("broken.gguf is no GGUF file. Choose another one.")
    return FakeTokenizer(name)


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(b"one two three"), load=load)
    with qtbot.waitSignal(made.spans.encoded):
        made.loader.open("first.gguf")
    yield made
    made.close()


def edit(qtbot, session, *change):
    session.document.replace(*change)
    qtbot.waitUntil(lambda: not session.is_encoding)


def test_opening_a_model_encodes_the_text(session):
    assert session.vocabulary.name == "first.gguf"
    assert session.tokens.ids(0, 9).tolist() == [0, 1, 3, 4]
    assert [session.tokens.span(index) for index in range(4)] == [(0, 0), (0, 3), (3, 7), (7, 13)]


def test_no_old_token_is_left_when_another_vocabulary_is_told(session, qtbot):
    left = []
    session.vocabulary_changed.connect(lambda: left.append(len(session.tokens)))
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("second.gguf")
    assert left == [0]


def test_a_small_edit_is_encoded_at_once(session):
    session.document.replace(3, 3, b" two")
    assert session.tokens.ids(0, 9).tolist() == [0, 1, 3, 3, 4]
    assert [session.tokens.span(index) for index in range(5)] == [(0, 0), (0, 3), (3, 7), (7, 11), (11, 17)]
    assert session.statistics.n_characters == 17


@pytest.mark.parametrize(("hovered", "left"), [(2, 2), (3, None)])
def test_a_token_is_pointed_at_as_long_as_there_are_so_many(session, hovered, left, qtbot):
    session.hover_token(hovered)
    edit(qtbot, session, 7, 13, b"")  # leaves three
    assert (len(session.tokens), session.hovered_token) == (3, left)


@pytest.fixture
def in_the_background(monkeypatch):
    """No edit is small enough to be encoded at once."""
    monkeypatch.setattr(live_spans, "MOST_AT_ONCE", -1)


@pytest.mark.usefixtures("in_the_background")
def test_a_large_edit_is_encoded_in_the_background(session, qtbot):
    edit(qtbot, session, 3, 3, b" two")
    assert session.tokens.ids(0, 9).tolist() == [0, 1, 3, 3, 4]


@pytest.mark.usefixtures("in_the_background")
def test_removed_text_takes_its_spans_along(session):
    session.document.replace(1, 9, b"")
    spans = [session.tokens.span(index) for index in range(len(session.tokens))]
    assert spans == [(0, 0), (0, 1), (1, 5)]


def test_the_old_model_serves_until_the_new_one_is_ready(qtbot):
    may_end = threading.Event()

    def slow_load(name, pre, progress):
        if name == "slow":
            may_end.wait(PATIENCE_S)
        return FakeTokenizer(name)

    session = ModelSession(TextSession(b"one"), load=slow_load)
    with qtbot.waitSignal(session.spans.encoded):
        session.loader.open("first")
    session.loader.open("slow")
    assert session.loader.loading_name == "slow"
    edit(qtbot, session, 3, 3, b" two")
    assert session.tokens.ids(0, 9).tolist() == [0, 1, 3]
    with qtbot.waitSignal(session.vocabulary_changed):
        may_end.set()
    assert session.vocabulary.name == "slow"
    session.close()


def test_the_selected_token_of_a_stretch_is_the_one_that_it_begins_in(session):
    selected = []
    session.selected_token_changed.connect(lambda: selected.append(session.selected_token))
    session.text.select(4, 9)
    assert session.document.selection == (4, 9)
    assert selected == [2]


def test_a_token_without_text_can_be_selected(session):
    session.document.set_caret(9)
    session.select_token(0)
    assert (session.selected_token, session.document.caret) == (0, 9)


def test_selection_is_given_up_when_its_token_is_gone(session, qtbot):
    session.select_token(3)
    edit(qtbot, session, 0, 13, b"")
    assert session.selected_token is None or session.selected_token < len(session.tokens)


def test_under_an_encoder_that_only_approximates_touched_tokens_are_counted(session, qtbot):
    with qtbot.waitSignal(session.spans.encoded):
        session.set_encoder("slow")
    session.document.select(2, 5)
    counts = session.selection_statistics
    assert (counts.n_tokens, counts.is_exact) == (3, False)


def test_without_selected_text_there_is_nothing_to_count(session):
    session.document.set_caret(4)
    assert session.selection_statistics is None


def test_the_round_trip_is_known_soon_after_the_tokens(session, qtbot):
    qtbot.waitUntil(lambda: session.round_trip.result is not None)
    assert session.round_trip.result.is_same
    session.document.replace(0, 3, b"four")
    assert session.round_trip.result is None
    qtbot.waitUntil(lambda: session.round_trip.result is not None)
    assert session.round_trip.result.offset == 0


def test_a_text_without_any_token_is_compared_too(qtbot):
    session = ModelSession(
        TextSession(b"unheard-of"), load=lambda name, pre, progress: guiapp.open_model(name)
    )
    session.set_encoder("words")
    session.loader.open("demo:toy")
    qtbot.waitUntil(lambda: None not in (session.round_trip.result, session.encoder_check.result))
    assert len(session.tokens) == 0
    assert session.round_trip.result.offset == 0
    assert session.encoder_check.result.share == 0
    session.close()
