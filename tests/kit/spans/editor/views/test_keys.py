"""What keys and input methods do in the editor."""

import pytest
from PySide6.QtCore import QEvent, QKeyCombination, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication

from guiapp.kit.spans.editor import COMMANDS
from guiapp.kit.spans.view import SIDE_PX

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
FAMILY = "👨‍👩‍👧"


def test_typed_keys_become_text(opened, qtbot):
    editor = opened("")
    qtbot.keyClicks(editor, "Hello")
    qtbot.keyClick(editor, Key.Key_Return)
    qtbot.keyClick(editor, Key.Key_Tab)
    qtbot.keyClicks(editor, "x")
    assert editor.document.text() == b"Hello\n\tx"


def test_erasing_takes_whole_graphemes(opened, qtbot):
    editor = opened("a" + FAMILY + "e\u0301\r\n")
    editor.document.set_caret(editor.document.size)
    left = []
    for _ in range(3):
        qtbot.keyClick(editor, Key.Key_Backspace)
        left.append(editor.document.text().decode())
    assert left == ["a" + FAMILY + "e\u0301", "a" + FAMILY, "a"]


def test_delete_and_word_keys_erase_forward_and_backward(opened, qtbot):
    editor = opened("one two three four")
    editor.document.set_caret(4)
    qtbot.keyClick(editor, Key.Key_Delete)
    qtbot.keyClick(editor, Key.Key_Delete, CTRL)
    assert editor.document.text() == b"one three four"
    qtbot.keyClick(editor, Key.Key_Backspace, CTRL)
    assert editor.document.text() == b"three four"


def test_undo_and_redo_keys_work_on_the_document(opened, qtbot):
    editor = opened("")
    qtbot.keyClicks(editor, "two words")
    qtbot.keyClick(editor, Key.Key_Z, CTRL)
    assert editor.document.text() == b"two "
    qtbot.keyClick(editor, Key.Key_Z, CTRL | SHIFT)
    assert editor.document.text() == b"two words"


def test_copies_keep_bytes_that_are_no_text(opened, qtbot):
    editor = opened(b"a\xff\r\nb")
    qtbot.keyClick(editor, Key.Key_A, CTRL)
    qtbot.keyClick(editor, Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "a\ufffd\r\nb"
    qtbot.keyClick(editor, Key.Key_End, CTRL)
    qtbot.keyClick(editor, Key.Key_V, CTRL)
    assert editor.document.text() == b"a\xff\r\nba\xff\r\nb"


def test_a_byte_order_mark_is_cut_and_pasted(opened, qtbot):
    editor = opened("\ufeffab")
    for key in (Key.Key_A, Key.Key_X, Key.Key_V):
        qtbot.keyClick(editor, key, CTRL)
    assert editor.document.text() == "\ufeffab".encode()


def test_cutting_and_pasting_foreign_text(opened, qtbot):
    editor = opened("one two")
    editor.document.select(0, 4)
    qtbot.keyClick(editor, Key.Key_X, CTRL)
    assert editor.document.text() == b"two"
    QGuiApplication.clipboard().setText("世\n")
    qtbot.keyClick(editor, Key.Key_V, CTRL)
    assert editor.document.text() == "世\ntwo".encode()


def test_pasting_nothing_changes_nothing(opened, qtbot):
    editor = opened("text")
    QGuiApplication.clipboard().clear()
    qtbot.keyClick(editor, Key.Key_V, CTRL)
    assert editor.document.text() == b"text"


def test_a_huge_paste_shows_its_end(opened, qtbot):
    editor = opened("")
    QGuiApplication.clipboard().setText("line\n" * 200_000)
    editor.paste()
    assert editor.document.size == 1_000_000
    assert 0 <= editor.rows.position_of(editor.document.caret).y < editor.viewport().height()


def test_what_is_being_composed_shows_but_is_no_text_until_committed(opened):
    editor = opened("ab")
    editor.document.set_caret(1)
    QApplication.sendEvent(editor, QInputMethodEvent("かな", []))
    assert editor.document.text() == b"ab"
    assert editor.rows.layout(0).display.text == "aかなb"
    commit = QInputMethodEvent()
    commit.setCommitString("仮名")
    QApplication.sendEvent(editor, commit)
    assert editor.document.text() == "a仮名b".encode()
    assert editor.rows.layout(0).display.text == "a仮名b"


def test_another_text_may_come_while_one_is_being_composed(opened):
    editor = opened("a long text\nab")
    editor.document.set_caret(14)
    QApplication.sendEvent(editor, QInputMethodEvent("かな", []))
    editor.document.set_text(b"short")
    assert editor.rows.layout(0).display.text == "short"
    QApplication.sendEvent(editor, QInputMethodEvent("かな", []))
    assert editor.rows.layout(0).display.text == "かなshort"


LINES, CARET = "one two\nthree four\nfive six", 14
PLACES = {
    "PreviousChar": 13, "NextChar": 15, "PreviousWord": 8, "NextWord": 18, "PreviousLine": 6, "NextLine": 25,
    "PreviousPage": 6, "NextPage": 25, "StartOfLine": 8, "EndOfLine": 18, "StartOfDocument": 0,
    "EndOfDocument": 27,
}  # fmt: skip


def overrides_shortcut(editor, sequence):
    """Whether the editor keeps a key for itself that is also a shortcut of the window."""
    key = sequence[0]
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key.key(), key.keyboardModifiers())
    event.ignore()
    QApplication.sendEvent(editor, event)
    return event.isAccepted()


@pytest.mark.parametrize("name", PLACES)
def test_each_key_takes_the_caret_to_its_place_and_with_shift_selects(opened, qtbot, name):
    editor = opened(LINES)
    for prefix in ("MoveTo", "Select"):
        for sequence in QKeySequence.keyBindings(QKeySequence.StandardKey[prefix + name]):
            assert overrides_shortcut(editor, sequence)
            editor.document.set_caret(CARET)
            qtbot.keySequence(editor, sequence)
            start = CARET if prefix == "Select" else PLACES[name]
            assert editor.document.selection == tuple(sorted((start, PLACES[name])))
            assert editor.document.caret == PLACES[name]


def test_commands_are_taken_from_the_window_and_other_keys_left_to_it(opened, qtbot):
    editor = opened("text")
    for command, _ in COMMANDS:
        for sequence in QKeySequence.keyBindings(command):
            assert overrides_shortcut(editor, sequence)
    for modifiers in (CTRL, ALT):
        QApplication.sendEvent(editor, QKeyEvent(QEvent.Type.KeyPress, Key.Key_K, modifiers, "k"))
        assert not overrides_shortcut(editor, QKeySequence(QKeyCombination(modifiers, Key.Key_K)))
    QApplication.sendEvent(editor, QKeyEvent(QEvent.Type.KeyPress, Key.Key_Q, CTRL | ALT, "@"))
    qtbot.keyClick(editor, Key.Key_Enter)
    assert editor.document.text() == b"@\ntext"


def test_arrows_keep_their_column_over_shorter_lines_until_it_is_left(opened, qtbot):
    editor = opened("a longer line\nab\nanother long line\nab\nthe last line")
    editor.document.set_caret(7)
    columns = []
    for key in ["Down", "Down", "Left", "Down", "Down", "Down", "Up"]:
        qtbot.keySequence(editor, QKeySequence(key))
        document = editor.document
        columns.append(document.caret - document.line_start(document.line_of(document.caret)))
    assert columns == [2, 7, 6, 2, 6, 13, 2]
    editor.document.set_caret(0)
    qtbot.keyClick(editor, Key.Key_Up)
    assert editor.document.caret == 0


def test_page_keys_scroll_by_all_rows_but_one_and_come_back(opened, qtbot):
    editor = opened("\n".join(f"line {number:03}" for number in range(100)))
    document, row_px = editor.document, editor.rows.metrics.row_height
    document.set_caret(document.line_start(50) + 4)
    editor.reveal(document.caret, document.caret)
    scrolled, n_rows = editor.verticalScrollBar().value(), editor.viewport().height() // row_px - 1
    for key, line in ((Key.Key_PageDown, 50 + n_rows), (Key.Key_PageUp, 50), (Key.Key_PageUp, 50 - n_rows)):
        qtbot.keyClick(editor, key)
        assert document.caret == document.line_start(line) + 4
        assert editor.verticalScrollBar().value() == scrolled + (line - 50) * row_px


def test_arrow_keys_move_visually_in_right_to_left_text(opened, qtbot):
    editor, seen = opened("שלום עולם\nab"), []
    keys = "Left Ctrl+Left Ctrl+Right Shift+Left Left Shift+Left Right Ctrl+End Right"
    for key in keys.split():
        qtbot.keySequence(editor, QKeySequence(key))
        seen.append(editor.document.caret)
    assert seen == [2, 9, 0, 2, 2, 4, 2, 20, 20]
    editor.document.set_caret(18)
    for key, caret in ((Key.Key_Left, 17), (Key.Key_Right, 15)):
        qtbot.keyClick(editor, key)
        assert editor.document.caret == caret


def test_home_and_end_stay_within_a_row_of_a_wrapped_line(opened, qtbot):
    editor = opened("字" * 40 + "\nab", width=500)
    editor.document.set_caret(119)
    qtbot.keyClick(editor, Key.Key_Home)
    start = editor.document.caret
    assert 0 < start < 119
    for key, caret in ((Key.Key_End, 120), (Key.Key_Right, 121), (Key.Key_Left, 120)):
        qtbot.keyClick(editor, key)
        assert editor.document.caret == caret
    editor.document.set_caret(3)
    for key, caret in ((Key.Key_End, start), (Key.Key_End, start), (Key.Key_Home, 0), (Key.Key_Down, start)):
        qtbot.keyClick(editor, key)
        assert editor.document.caret == caret


def test_an_input_method_replaces_text_and_queries_its_location(opened):
    editor = opened("ab" * 300 + "é字c" + "de" * 300)
    document, query = editor.document, Qt.InputMethodQuery
    document.set_caret(605)
    commit = QInputMethodEvent()
    commit.setCommitString("XY", -2, 3)
    QApplication.sendEvent(editor, commit)
    assert document.slice(598, 604) == b"abXYde"
    document.select(600, 602)
    answers = [editor.inputMethodQuery(each) for each in (query.ImCurrentSelection, query.ImSurroundingText)]
    assert answers[0] == "XY"
    assert answers[1] == ("ab" * 300 + "XY" + "de" * 300)[602 - 256 : 602 + 256]
    assert editor.inputMethodQuery(query.ImCursorPosition) == 256
    caret = editor.inputMethodQuery(query.ImCursorRectangle)
    place = editor.rows.position_of(602)
    assert (round(caret.center().x() - place.x), round(caret.top() - place.y)) == (SIDE_PX, 1)
    assert editor.inputMethodQuery(query.ImFont) == editor.rows.metrics.font
    assert editor.inputMethodQuery(query.ImEnabled) is True
    document.set_text(b"ab")
    attribute = QInputMethodEvent.Attribute(QInputMethodEvent.AttributeType.Cursor, 1, 1, None)
    QApplication.sendEvent(editor, QInputMethodEvent("かなか", [attribute]))
    inner = editor.inputMethodQuery(query.ImCursorRectangle).left()
    QApplication.sendEvent(editor, QInputMethodEvent("かなか", []))
    assert editor.inputMethodQuery(query.ImCursorRectangle).left() > inner


def test_without_a_selection_nothing_is_copied_or_cut(opened, qtbot):
    editor = opened("text")
    QGuiApplication.clipboard().setText("before")
    for key in (Key.Key_C, Key.Key_X):
        qtbot.keyClick(editor, key, CTRL)
    assert QGuiApplication.clipboard().text() == "before"
    assert not editor.document.can_undo
