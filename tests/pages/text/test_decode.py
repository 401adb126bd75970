"""Pasted ids and their text."""

import pytest
from fake_tokenizer import FakeTokenizer

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.errors import EncodeError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.text.decode_dialog import DecodeInput, DecodeModel


@pytest.fixture
def session(qtbot):
    made = ModelSession(TextSession(b"one"), load=lambda *asked: FakeTokenizer())
    with qtbot.waitSignal(made.vocabulary_changed):
        made.loader.open("fake.gguf")
    yield made
    made.close()


@pytest.fixture
def model(session):
    made = DecodeModel(session)
    yield made
    made.close()


def decoded(model, qtbot, text):
    model.decode(model.given._replace(text=text))
    qtbot.waitUntil(lambda: not model.is_busy)
    return model.result


def test_ids_become_text_and_mistakes_a_place(model, qtbot):
    assert decoded(model, qtbot, "1 3").decoded == b"one two"
    assert model.result.token_ids.tolist() == [1, 3]
    wrong = decoded(model, qtbot, "1 two")
    assert (wrong.decoded, wrong.error_span) == (b"", (2, 5))
    assert "“two”" in wrong.error


@pytest.mark.parametrize(("token_id", "is_known"), [(8, True), (9, False)])
def test_the_last_id_is_known_and_the_next_is_not(model, session, qtbot, token_id, is_known):
    assert len(session.vocabulary) == 9
    assert (decoded(model, qtbot, str(token_id)).error == "") == is_known


def test_special_tokens_are_left_out_as_asked(model, session, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(session.tokenizer, "decode_bytes", lambda ids, *how: asked.append(how) or b"")
    decoded(model, qtbot, "0 1")
    for switches in ((True, True), (True, False)):
        model.decode(DecodeInput("0 1", *switches))
        qtbot.waitUntil(lambda: not model.is_busy)
        model.decode(DecodeInput("0 1", *switches))
        assert not model.is_busy  # it is so already
    assert asked == [(False, True), (True, True), (True, False)]


def test_tokens_are_told_by_their_text(model, session, monkeypatch, qtbot):
    assert model.token_text(3)[0] == "·two"
    with qtbot.waitSignal(model.changed):
        session.spelling.choose(Spelling.FILE)
    monkeypatch.setattr(type(session), "vocabulary", None)
    assert model.token_text(3)[0] == ""


def test_what_the_tokenizer_cannot_decode_is_told_without_a_place(model, session, qtbot, monkeypatch):
    def refuse(*given):
        raise EncodeError("It cannot be.")

    monkeypatch.setattr(session.tokenizer, "decode_bytes", refuse)
    result = decoded(model, qtbot, "1")
    assert (result.decoded, result.token_ids.tolist(), result.error, result.error_span) == (
        *(b"", []),
        *("It cannot be.", None),
    )


def test_ids_mean_nothing_without_a_model(qtbot):
    model = DecodeModel(ModelSession(TextSession()))
    model.decode(DecodeInput("1"))
    assert model.result.error == "Open a model first: ids mean nothing without its vocabulary."
    assert model.token_text(1) == ("", Attribute(0))


def test_the_ids_of_another_model_are_decoded_again(model, session, qtbot):
    decoded(model, qtbot, "1")
    with qtbot.waitSignals([session.vocabulary_changed, model.changed]):
        session.loader.open("other.gguf")
    qtbot.waitUntil(lambda: not model.is_busy)
    assert model.result.decoded == b"one"
