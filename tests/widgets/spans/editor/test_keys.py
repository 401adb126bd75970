"""What keys and input methods do in the editor."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtWidgets import QApplication

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
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


@pytest.mark.parametrize(
    ("keys", "caret"),
    [
        ([(Key.Key_Right, None)], 1),
        ([(Key.Key_Down, None)], 10),
        ([(Key.Key_End, None)], 9),
        ([(Key.Key_End, None), (Key.Key_Home, None)], 0),
        ([(Key.Key_Right, CTRL)], 4),
        ([(Key.Key_End, CTRL)], 19),
        ([(Key.Key_End, CTRL), (Key.Key_Left, CTRL)], 15),
        ([(Key.Key_End, None), (Key.Key_Right, None)], 10),
        ([(Key.Key_End, None), (Key.Key_Down, None), (Key.Key_Up, None)], 9),
        ([(Key.Key_PageDown, None)], 10),
    ],
)
def test_keys_move_the_caret(opened, qtbot, keys, caret):
    editor = opened("one twoab\nthre four")
    for key, modifier in keys:
        qtbot.keyClick(editor, key, modifier or Qt.KeyboardModifier.NoModifier)
    assert editor.document.caret == caret
    assert not editor.document.has_selection


def test_shift_extends_the_selection_and_an_arrow_ends_it(opened, qtbot):
    editor = opened("abcdef")
    for _ in range(3):
        qtbot.keyClick(editor, Key.Key_Right, SHIFT)
    assert editor.document.selection == (0, 3)
    qtbot.keyClick(editor, Key.Key_Left)
    assert (editor.document.caret, editor.document.has_selection) == (0, False)


def test_arrows_follow_the_eye_in_right_to_left_text(opened, qtbot):
    editor = opened("שלום")
    carets = []
    for _ in range(4):
        qtbot.keyClick(editor, Key.Key_Left)
        carets.append(editor.document.caret)
    assert carets == [2, 4, 6, 8]


def test_the_end_key_stays_in_its_row_of_a_wrapped_line(opened, qtbot):
    editor = opened("字" * 200, width=500)
    qtbot.keyClick(editor, Key.Key_End)
    end = editor.document.caret
    qtbot.keyClick(editor, Key.Key_Down)
    assert editor.document.caret == 2 * end
    qtbot.keyClick(editor, Key.Key_Home)
    assert editor.document.caret == end


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
    assert 0 <= editor.rows.place_of(editor.document.caret).y < editor.viewport().height()


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


def test_input_methods_are_told_the_text_around_the_caret(opened):
    editor = opened("before after")
    editor.document.set_caret(6)
    query = Qt.InputMethodQuery
    assert editor.inputMethodQuery(query.ImSurroundingText) == "before after"
    assert editor.inputMethodQuery(query.ImCursorPosition) == 6
    assert editor.inputMethodQuery(query.ImEnabled) is True
