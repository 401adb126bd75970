"""What screen readers get of the editor."""

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication
from span_fakes import FakeSpans

from guiapp.viewmodels.text.document import TextDocument
from guiapp.widgets.shared.theme import ThemeSource
from guiapp.widgets.spans.accessibility import STRETCH_BYTES
from guiapp.widgets.spans.editor import SpanEditor

TEXT = "a🚀é\n".encode() + b"\xff" + b"b"


@pytest.fixture
def make_editor(qtbot):
    def make(data):
        document = TextDocument(data)
        editor = SpanEditor(document, FakeSpans(document), ThemeSource(QApplication.instance(), "dark"))
        qtbot.addWidget(editor)
        return editor, document, QAccessible.queryAccessibleInterface(editor)

    return make


def test_text_and_caret_are_told_in_utf16_units(make_editor):
    _, document, accessible = make_editor(TEXT)
    text = accessible.textInterface()
    assert text.characterCount() == 7
    assert text.text(0, -1) == "a🚀é\n\ufffdb"
    assert text.text(1, 3) == "🚀"
    document.set_caret(TEXT.index(b"\n"))
    assert text.cursorPosition() == 4


@pytest.mark.parametrize(("position", "offset"), [(0, 0), (1, 1), (3, 5), (4, 7), (5, 8), (6, 9), (7, 10)])
def test_the_caret_is_moved_to_the_byte_that_was_meant(make_editor, position, offset):
    _, document, accessible = make_editor(TEXT)
    accessible.textInterface().setCursorPosition(position)
    assert document.caret == offset


def test_the_token_at_the_caret_is_the_description(make_editor):
    _, document, accessible = make_editor(b"one two")
    document.set_caret(4)
    assert accessible.text(QAccessible.Text.Description) == "Token token 2, id 2"
    assert accessible.text(QAccessible.Text.Name) == "Text"


def test_text_can_be_changed_and_that_be_undone(make_editor):
    _, document, accessible = make_editor("é two".encode())
    accessible.editableTextInterface().replaceText(2, 5, "🚀")
    assert document.text() == "é 🚀".encode()
    document.undo()
    assert document.text() == "é two".encode()


def test_of_a_long_text_the_part_around_the_caret_is_shown(make_editor):
    _, document, accessible = make_editor("é\n".encode() * 100_000)
    document.set_caret(150_000)
    text = accessible.textInterface()
    assert text.characterCount() < STRETCH_BYTES * 3
    at = text.cursorPosition()
    text.setCursorPosition(at)
    assert document.caret == 150_000
    assert text.text(at - 2, at) == "é\n"


def test_interfaces_that_there_are_not_are_none(make_editor):
    _, _, accessible = make_editor(b"one")
    assert accessible.valueInterface() is None
    assert accessible.actionInterface() is None


@pytest.fixture
def screen_reader():
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


@pytest.mark.usefixtures("screen_reader")
def test_editing_is_told_without_complaint(make_editor):
    editor, document, _ = make_editor(TEXT)
    document.select(0, 5)
    editor.type_text("x🚀")
    document.undo()
    assert document.text() == TEXT
