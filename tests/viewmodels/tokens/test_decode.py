"""Pasted ids and their text, also while an older list is still decoded."""

import pytest
from fake_tokenizer import FakeTokenizer
from PySide6.QtWidgets import QApplication

from guiapp.viewmodels.tokens import decode
from guiapp.viewmodels.tokens.decode import DecodeModel
from guiapp.viewmodels.workspace import Workspace


@pytest.fixture
def workspace(qtbot):
    made = Workspace(b"one", load=lambda *asked: FakeTokenizer())
    with qtbot.waitSignal(made.vocabulary_changed):
        made.loader.open("fake.gguf")
    yield made
    made.close()


@pytest.fixture
def model(workspace):
    made = DecodeModel(workspace)
    yield made
    made.wait()


def decoded(model, qtbot, text):
    with qtbot.waitSignal(model.changed):
        model.set_ids_text(text)
    return model.result


def test_ids_become_text_and_mistakes_a_place(model, qtbot):
    assert decoded(model, qtbot, "1 3").decoded == b"one two"
    assert model.result.token_ids.tolist() == [1, 3]
    wrong = decoded(model, qtbot, "1 two")
    assert (wrong.decoded, wrong.error_span) == (b"", (2, 5))
    assert "“two”" in wrong.error


@pytest.mark.parametrize(("token_id", "is_known"), [(8, True), (9, False)])
def test_the_last_id_is_known_and_the_next_is_not(model, workspace, qtbot, token_id, is_known):
    assert len(workspace.vocabulary) == 9
    assert (decoded(model, qtbot, str(token_id)).error == "") == is_known


def test_special_tokens_are_left_out_as_asked(model, workspace, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(workspace.tokenizer, "decode_bytes", lambda ids, *how: asked.append(how) or b"")
    decoded(model, qtbot, "0 1")
    for choose, value in ((model.set_remove_special, True), (model.set_unparse_special, False)):
        with qtbot.waitSignal(model.changed):
            choose(value)
        choose(value)
        assert not model.is_busy  # it is so already
    assert asked == [(False, True), (True, True), (True, False)]
    assert (model.remove_special, model.unparse_special) == (True, False)


@pytest.mark.parametrize("left", ["", "no model"])
def test_ids_that_are_gone_are_not_decoded_any_more(model, workspace, hold, monkeypatch, qtbot, left):
    gate = hold(decode, "parse_ids")
    model.set_ids_text("1 3")
    assert model.is_busy
    if left:
        monkeypatch.setattr(type(workspace), "tokenizer", None)
        workspace.vocabulary_changed.emit()
    else:
        model.set_ids_text("")
    assert not model.is_busy
    gate.set()
    model._job.finish(60)
    QApplication.processEvents()
    assert model.result.decoded == b""
    assert bool(model.result.error) == bool(left)


def test_tokens_are_told_by_their_text(model, workspace, monkeypatch):
    assert model.token_text(3).text == "·two"
    monkeypatch.setattr(type(workspace), "vocabulary", None)
    assert model.token_text(3).text == ""
