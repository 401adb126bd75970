"""What screen readers get of the editor."""

from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication
from span_fakes import FakeSpans

from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans import accessibility
from guiapp.kit.spans.accessibility import STRETCH_BYTES
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.spans.view import SIDE_PX
from guiapp.kit.widgets.theme import ThemeSource

TEXT = "a🚀é\n".encode() + b"\xff" + b"b"


@pytest.fixture
def make_editor(qtbot):
    def make(data):
        document = TextDocument(data)
        editor = SpanEditor(document, FakeSpans(document), ThemeSource(QApplication.instance(), "dark"))
        qtbot.addWidget(editor)
        return editor, document, QAccessible.queryAccessibleInterface(editor)

    return make


def test_text_and_caret_use_utf16_units(make_editor):
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


def test_only_the_part_of_a_long_text_near_the_caret_is_exposed(make_editor):
    _, document, accessible = make_editor("é\n".encode() * 100_000)
    document.set_caret(150_000)
    text = accessible.textInterface()
    assert text.characterCount() < STRETCH_BYTES * 3
    at = text.cursorPosition()
    text.setCursorPosition(at)
    assert document.caret == 150_000
    assert text.text(at - 2, at) == "é\n"


@pytest.fixture
def screen_reader():
    QAccessible.setActive(True)
    yield
    QAccessible.setActive(False)


@pytest.mark.usefixtures("screen_reader")
def test_editing_with_a_screen_reader_works(make_editor):
    editor, document, _ = make_editor(TEXT)
    document.select(0, 5)
    editor.type_text("x🚀")
    document.undo()
    assert document.text() == TEXT


def test_a_screen_reader_can_select_change_and_scroll(make_editor, qtbot):
    editor, document, accessible = make_editor(TEXT)
    state, text, editing = accessible.state(), accessible.textInterface(), accessible.editableTextInterface()
    assert (state.editable, state.multiLine, state.selectableText) == (True, True, True)
    assert accessible.role() is QAccessible.Role.EditableText
    assert accessible.text(QAccessible.Text.Value) == "a🚀é\n\ufffdb"
    text.addSelection(1, 4)
    assert document.selection == (1, 7)
    text.setSelection(0, 5, 3)
    assert (document.anchor, document.caret) == (8, 5)
    text.removeSelection(0)
    assert (document.selection, text.selectionCount(), text.offsetAtPoint(QPoint(5, 5))) == ((5, 5), 0, -1)
    assert [text.text(*part) for part in ((1, 2), (2, 3), (0, 3), (-1, 1))] == ["", "🚀", "a🚀", "a"]
    editing.insertText(4, "字🚀")
    editing.deleteText(0, 3)
    assert document.text() == "é字🚀\n".encode() + b"\xffb"
    document.set_text(b"line\n" * 500)
    editor.show()
    qtbot.waitExposed(editor)
    text.scrollToSubstring(1500, 1504)
    assert editor.rows.shows(1500)
    document.set_caret(1502)
    place = editor.rows.position_of(1502)
    corner = editor.viewport().mapToGlobal(QPoint(round(SIDE_PX + place.x), round(place.y)))
    rect = text.characterRect(1502)
    assert abs(rect.center().x() - corner.x()) <= 1
    assert 0 < rect.height() < editor.rows.metrics.row_height
    assert rect.top() == corner.y() + 1


def test_events_use_utf16_units(make_editor, monkeypatch):
    events, is_active = [], True
    names = QAccessible.Event

    def note(event):
        kind = event.type()
        if kind in (names.TextInserted, names.TextUpdated):
            events.append((event.changePosition(), event.textInserted()))
        elif kind is names.TextSelectionChanged:
            events.append((event.selectionStart(), event.selectionEnd()))
        else:
            events.append(event.cursorPosition() if kind is names.TextCaretMoved else kind)

    _, document, _ = make_editor(TEXT)
    stand_in = SimpleNamespace(isActive=lambda: is_active, updateAccessibility=note, Event=names)
    monkeypatch.setattr(accessibility, "QAccessible", stand_in)
    document.replace(5, 7, b"x\xff")
    assert events[0] == (3, "x\ufffd")
    events.clear()
    document.select(1, 5)
    assert events == [(1, 3), 3, names.DescriptionChanged]
    is_active = False
    document.insert(b"y")
    assert len(events) == 3
