"""Pasting ids to see their text."""

from __future__ import annotations

import threading

import pytest
from conftest import PATIENCE_S
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QPlainTextEdit, QPushButton
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.core.encode.detokenizing import detokenize
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.core.vocabulary.vocabulary import Rules, SpecialIds
from guiapp.errors import EncodeError
from guiapp.kit.widgets.labels import StyledText
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.text import decode_dialog
from guiapp.pages.text.decode_dialog import DecodeDialog


class ToyTokenizer:
    def __init__(self, vocabulary):
        self.vocabulary = vocabulary

    def decode_bytes(self, ids, remove_special, unparse_special):
        return detokenize(self.vocabulary, ids, remove_special, unparse_special)


@pytest.fixture
def source():
    vocabulary = toy_vocabulary(
        {"<s>": Attribute.CONTROL, "Hello": -1.0, "▁<b>": -2.0, b"\xff": -3.0},
        rules=Rules(add_bos=True, escape_spaces=True),
        special_ids=SpecialIds(bos=0),
    )
    toy = ToySource(vocabulary, [])
    toy.tokenizer = ToyTokenizer(vocabulary)
    return toy


@pytest.fixture
def dialog(source, qtbot):
    window = DecodeDialog(source, ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    return window


def editor(dialog, name) -> QPlainTextEdit:
    return next(part for part in dialog.findChildren(QPlainTextEdit) if part.accessibleName() == name)


def button(dialog, title) -> QPushButton:
    return next(part for part in dialog.findChildren(QPushButton) if part.text() == title)


def type_ids(qtbot, dialog, text):
    qtbot.keyClicks(editor(dialog, "Token ids"), text)
    qtbot.waitUntil(lambda: not dialog.decoded.is_busy)


def test_typed_ids_are_decoded_at_once(dialog, qtbot):
    type_ids(qtbot, dialog, "[0, 1, 2]")
    assert editor(dialog, "Decoded text").toPlainText() == "<s>Hello <b>"
    assert dialog.outcome.token_ids.tolist() == [0, 1, 2]
    assert "3 TOKENS" in [label.text() for label in dialog.findChildren(QLabel)]


def test_an_error_is_shown_where_it_is_and_nothing_can_be_inserted(dialog, qtbot):
    type_ids(qtbot, dialog, "1 two")
    marks = editor(dialog, "Token ids").extraSelections()
    assert [mark.cursor.selectedText() for mark in marks] == ["two"]
    assert "“two” at character 3 is not a whole number." in [
        label.text() for label in dialog.findChildren(QLabel)
    ]
    assert not button(dialog, "Insert into text").isEnabled()
    assert dialog.outcome.decoded == b""


def test_error_marks_are_right_after_emoji(dialog, qtbot):
    editor(dialog, "Token ids").setPlainText("1 🚀🚀 2")
    qtbot.waitUntil(lambda: bool(editor(dialog, "Token ids").extraSelections()))
    mark = editor(dialog, "Token ids").extraSelections()[0]
    assert mark.cursor.selectedText() == "🚀🚀"


def test_special_tokens_can_be_left_out(dialog, qtbot):
    type_ids(qtbot, dialog, "0 1 0")
    remove, unparse = dialog.findChildren(QCheckBox)
    qtbot.mouseClick(remove, Qt.MouseButton.LeftButton, pos=remove.rect().center())
    qtbot.waitUntil(lambda: dialog.outcome.decoded == b"Hello<s>")
    qtbot.mouseClick(unparse, Qt.MouseButton.LeftButton, pos=unparse.rect().center())
    qtbot.waitUntil(lambda: dialog.outcome.decoded == b"Hello")


@pytest.mark.parametrize("title", ["Insert into text", "Replace text"])
def test_the_bytes_are_handed_over_unchanged(dialog, qtbot, title):
    type_ids(qtbot, dialog, "1 3")
    signal = dialog.insert_requested if title.startswith("Insert") else dialog.replace_requested
    with qtbot.waitSignal(signal) as caught:
        qtbot.mouseClick(button(dialog, title), Qt.MouseButton.LeftButton)
    assert caught.args == [b"Hello\xff"]
    assert not dialog.isVisible()


def test_the_ids_are_decoded_again_by_another_vocabulary(source, dialog, qtbot):
    type_ids(qtbot, dialog, "1")
    source.vocabulary = toy_vocabulary({"x": 0.0, "y": 0.0})
    source.tokenizer = ToyTokenizer(source.vocabulary)
    source.vocabulary_changed.emit()
    qtbot.waitUntil(lambda: dialog.outcome.decoded == b"y")
    source.tokenizer = None
    source.vocabulary_changed.emit()
    assert dialog.outcome.error.startswith("Open a model first")


def test_nothing_stale_can_be_inserted_while_new_ids_are_decoded(dialog, source, qtbot):
    type_ids(qtbot, dialog, "1")
    go_on = threading.Event()
    decode = source.tokenizer.decode_bytes
    source.tokenizer.decode_bytes = lambda *inputs: go_on.wait(PATIENCE_S) and decode(*inputs)
    editor(dialog, "Token ids").setPlainText("1 1")
    assert dialog.decoded.is_busy
    assert not button(dialog, "Insert into text").isEnabled()
    go_on.set()
    qtbot.waitUntil(button(dialog, "Insert into text").isEnabled)
    assert dialog.outcome.decoded == b"HelloHello"


def test_an_error_goes_away_and_the_text_is_copied(dialog, qtbot):
    type_ids(qtbot, dialog, "1 two")
    error = next(label for label in dialog.findChildren(QLabel) if "two" in label.text())
    assert error.isVisible()
    editor(dialog, "Token ids").setPlainText("1 3")
    qtbot.waitUntil(button(dialog, "Copy text").isEnabled)
    assert not error.isVisible()
    qtbot.mouseClick(button(dialog, "Copy text"), Qt.MouseButton.LeftButton)
    assert QApplication.clipboard().text() == "Hello\ufffd"


def test_of_very_long_results_the_beginning_is_shown(dialog, qtbot, monkeypatch):
    monkeypatch.setattr(decode_dialog, "MOST_CHARACTERS", 10)
    monkeypatch.setattr(decode_dialog, "MOST_TOKENS", 2)
    for ids, text, heading in (
        ("1 1", "HelloHello", "2 TOKENS"),
        ("1 1 1", "HelloHello…", "3 TOKENS, FIRST 2 SHOWN"),
    ):
        editor(dialog, "Token ids").setPlainText(ids)
        qtbot.waitUntil(lambda text=text: editor(dialog, "Decoded text").toPlainText() == text)
        assert heading in [label.text() for label in dialog.findChildren(QLabel)]
        assert dialog.findChild(StyledText).toPlainText().split() == ["Hello", "Hello"]


def test_a_decoding_error_is_reported_without_a_mark(dialog, source, qtbot):
    def refuse(*given):
        raise EncodeError("It cannot be.")

    source.tokenizer.decode_bytes = refuse
    type_ids(qtbot, dialog, "1")
    assert (dialog.outcome.decoded, dialog.outcome.error) == (b"", "It cannot be.")
    assert not editor(dialog, "Token ids").extraSelections()
    editor(dialog, "Token ids").setPlainText("4")
    qtbot.waitUntil(lambda: "not between 0 and 3" in dialog.outcome.error)
