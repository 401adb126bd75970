from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QInputMethodEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication
from span_fakes import BYTE, UNKNOWN, USER, FakeSpans

from guiapp.viewmodels.text_document import TextDocument
from guiapp.widgets.span_clipboard import leave_plain_text
from guiapp.widgets.span_editor import SpanEditor
from guiapp.widgets.span_view import SIDE_PX
from guiapp.widgets.theme import ThemeSource

Key = Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
FAMILY = "👨‍👩‍👧"


@pytest.fixture
def steady_caret_and_plain_clipboard(qapp):
    hints = QGuiApplication.styleHints()
    flash_ms = hints.cursorFlashTime()
    hints.setCursorFlashTime(0)
    yield
    hints.setCursorFlashTime(flash_ms)
    leave_plain_text()


@pytest.fixture
def opened(qtbot, qapp, steady_caret_and_plain_clipboard):
    """A function that opens an editor on a text, with its document and its spans as attributes."""
    themes = ThemeSource(qapp, "dark")

    def open_editor(text: str | bytes, width: int = 700, height: int = 400) -> SpanEditor:
        document = TextDocument(text.encode() if isinstance(text, str) else text)
        spans = FakeSpans(document)
        editor = SpanEditor(document, spans, themes)
        editor.document, editor.spans = document, spans
        qtbot.addWidget(editor)
        editor.resize(width, height)
        editor.show()
        qtbot.waitExposed(editor)
        editor.setFocus()
        qtbot.waitUntil(editor.hasFocus)
        return editor

    return open_editor


def place_of_byte(editor: SpanEditor, offset: int) -> QPoint:
    """The middle of the character that begins at an offset."""
    at = editor.rows.place_of(offset)
    start = editor.rows.block_span(at.block)[0]
    geometry = editor.rows.layout(at.block).geometry(at.row)
    cell = geometry.cells.tolist().index(offset - start)
    x = (geometry.leading[cell] + geometry.trailing[cell]) / 2
    return QPoint(round(SIDE_PX + x), round(at.y + editor.rows.metrics.row_height / 2))


def click(qtbot, editor: SpanEditor, point: QPoint, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.LeftButton, modifier, point)


def wheel(editor: SpanEditor, notches: float, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    at = QPointF(50, 50)
    where = QPointF(editor.viewport().mapToGlobal(at))
    turned = QPoint(0, int(120 * notches))
    event = QWheelEvent(
        at, where, QPoint(), turned, Qt.MouseButton.NoButton, modifiers, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(editor.viewport(), event)


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


TEXTS = ["plain words", "世界 wide", f"a{FAMILY}b🇩🇪c", "שלום abc עולם", "tab\tand é", "字" * 90, "x" * 3000]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: text[:8])
def test_a_click_on_a_character_hits_its_bytes(opened, qtbot, text):
    editor = opened(text)
    document = editor.document
    offset, offsets = 0, []
    while offset < document.size and len(offsets) < 150:
        offsets.append(offset)
        offset = document.next_grapheme(offset)
    for offset in offsets:
        point = place_of_byte(editor, offset)
        assert document.character_start(editor._byte_at(QPointF(point))) in range(
            offset, document.next_grapheme(offset)
        )
        click(qtbot, editor, point)
        assert document.caret in (offset, document.next_grapheme(offset))


def test_a_click_tells_the_token_and_the_mouse_tells_hovering(opened, qtbot):
    editor = opened("one two")
    with qtbot.waitSignal(editor.token_clicked) as clicked:
        click(qtbot, editor, place_of_byte(editor, 5))
    assert clicked.args == [2]
    with qtbot.waitSignal(editor.hovered) as hovered:
        qtbot.mouseMove(editor.viewport(), place_of_byte(editor, 1))
    assert hovered.args == [1]


def test_added_tokens_can_be_clicked_but_are_no_text(opened, qtbot):
    editor = opened("one two")
    tokens = []
    editor.token_clicked.connect(tokens.append)
    for chip in editor._chips():
        click(qtbot, editor, chip.rect.center().toPoint())
    assert tokens == [0, len(editor.spans.ids) - 1]
    assert editor.document.text() == b"one two"


def test_dragging_selects_and_shift_click_extends(opened, qtbot):
    editor = opened("one two three")
    start, end = place_of_byte(editor, 1), place_of_byte(editor, 6)
    qtbot.mousePress(editor.viewport(), Qt.MouseButton.LeftButton, pos=start - QPoint(3, 0))
    qtbot.mouseMove(editor.viewport(), end - QPoint(3, 0))
    qtbot.mouseRelease(editor.viewport(), Qt.MouseButton.LeftButton, pos=end)
    assert editor.document.selection == (1, 6)
    click(qtbot, editor, place_of_byte(editor, 9) - QPoint(3, 0), SHIFT)
    assert editor.document.selection == (1, 9)


def test_a_double_click_selects_a_word_and_a_third_one_the_line(opened, qtbot):
    editor = opened("first line\nsecond line")
    point = place_of_byte(editor, 13)
    click(qtbot, editor, point)
    qtbot.mouseDClick(editor.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert editor.document.slice(*editor.document.selection) == b"second"
    click(qtbot, editor, point)
    assert editor.document.slice(*editor.document.selection) == b"second line"


def test_copies_keep_bytes_that_are_no_text(opened, qtbot):
    editor = opened(b"a\xff\r\nb")
    qtbot.keyClick(editor, Key.Key_A, CTRL)
    qtbot.keyClick(editor, Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "a\ufffd\r\nb"
    qtbot.keyClick(editor, Key.Key_End, CTRL)
    qtbot.keyClick(editor, Key.Key_V, CTRL)
    assert editor.document.text() == b"a\xff\r\nba\xff\r\nb"


def test_cutting_and_pasting_foreign_text(opened, qtbot):
    editor = opened("one two")
    editor.document.select(0, 4)
    qtbot.keyClick(editor, Key.Key_X, CTRL)
    assert editor.document.text() == b"two"
    QGuiApplication.clipboard().setText("世\n")
    qtbot.keyClick(editor, Key.Key_V, CTRL)
    assert editor.document.text() == "世\ntwo".encode()


def test_a_huge_paste_shows_its_end(opened, qtbot):
    editor = opened("")
    QGuiApplication.clipboard().setText("line\n" * 200_000)
    editor.paste()
    assert editor.document.size == 1_000_000
    assert 0 <= editor.rows.place_of(editor.document.caret).y < editor.viewport().height()


def test_read_only_text_can_be_selected_and_copied_only(opened, qtbot):
    editor = opened("text")
    editor.set_read_only(True)
    for key, modifier in ((Key.Key_A, CTRL), (Key.Key_X, CTRL), (Key.Key_Delete, SHIFT), (Key.Key_V, CTRL)):
        qtbot.keyClick(editor, key, modifier)
    qtbot.keyClicks(editor, "typed")
    assert editor.document.text() == b"text"
    qtbot.keyClick(editor, Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "text"


def test_dropped_text_goes_where_it_falls_and_files_are_left_to_others(opened):
    editor = opened("ab")
    mime = QMimeData()
    mime.setText("X")
    point = QPointF(place_of_byte(editor, 1)) - QPointF(4, 0)

    def drop() -> bool:
        common = (
            Qt.DropAction.CopyAction,
            mime,
            Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )
        entered = QDragEnterEvent(point.toPoint(), *common)
        QApplication.sendEvent(editor.viewport(), entered)
        QApplication.sendEvent(editor.viewport(), QDropEvent(point, *common))
        return entered.isAccepted()

    assert drop()
    assert editor.document.text() == b"aXb"
    mime.setUrls(["file:///model.gguf"])
    assert not drop()
    assert editor.document.text() == b"aXb"


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


def test_input_methods_are_told_the_text_around_the_caret(opened):
    editor = opened("before after")
    editor.document.set_caret(6)
    query = Qt.InputMethodQuery
    assert editor.inputMethodQuery(query.ImSurroundingText) == "before after"
    assert editor.inputMethodQuery(query.ImCursorPosition) == 6
    assert editor.inputMethodQuery(query.ImEnabled) is True


def test_revealing_scrolls_just_far_enough(opened):
    editor = opened("\n".join(f"line {number}" for number in range(5000)))
    target = editor.document.text().index(b"line 4000")
    editor.reveal(target, target + 9)
    assert 0 <= editor.rows.place_of(target).y < editor.viewport().height()
    scrolled = editor.verticalScrollBar().value()
    editor.reveal(target, target + 9)
    assert editor.verticalScrollBar().value() == scrolled > 0


def test_scrolling_by_wheel_and_bar_reaches_both_ends(opened):
    editor = opened("\n".join("long line " * (number % 40) for number in range(3000)))
    bar = editor.verticalScrollBar()
    bar.setValue(bar.maximum())
    last = editor.rows.visible()[-1]
    assert last.start + last.layout.size == editor.document.size
    assert bar.value() == bar.maximum()
    bar.setValue(0)
    assert editor.rows.visible()[0].start == 0
    wheel(editor, -2)
    assert bar.value() == 6 * editor.rows.metrics.row_height


def test_nothing_on_screen_jumps_when_estimates_above_are_corrected(opened):
    editor = opened("\n".join("字" * 300 for _ in range(500)))
    editor.verticalScrollBar().setValue(editor.verticalScrollBar().maximum() // 2)
    for _ in range(30):
        before = {block.start: block.y for block in editor.rows.visible()}
        wheel(editor, 1)
        moved = {block.y - before[block.start] for block in editor.rows.visible() if block.start in before}
        assert moved == {3 * editor.rows.metrics.row_height}


def test_an_edit_above_leaves_what_shows_in_its_place(opened):
    editor = opened("\n".join(f"line {number}" for number in range(2000)))
    editor.verticalScrollBar().setValue(20_000)
    before = [block.y for block in editor.rows.visible()]
    top = editor.rows.visible()[0].start
    editor.document.replace(0, 7, b"several\nnew\nlines\n")
    assert editor.rows.visible()[0].start == top + 11
    assert [block.y for block in editor.rows.visible()] == before


def test_zooming_keeps_the_text_at_the_top(opened, qtbot):
    editor = opened("\n".join(f"line {number}" for number in range(2000)))
    editor.verticalScrollBar().setValue(20_000)
    top = editor.rows.visible()[0].start
    with qtbot.waitSignal(editor.zoom_changed):
        wheel(editor, 1, CTRL)
    assert editor.font_px == 17
    assert editor.rows.visible()[0].start == top


@pytest.mark.parametrize("is_in_sight", [True, False])
def test_zooming_keeps_the_caret_in_sight_if_it_was(opened, is_in_sight):
    editor = opened("\n".join(f"line {number}" for number in range(2000)))
    editor.document.set_caret(editor.rows.visible()[-2].start)
    if not is_in_sight:
        editor.verticalScrollBar().setValue(20_000)
    for _ in range(4):
        editor.zoom(1)
    assert editor.rows.shows(editor.document.caret) is is_in_sight


def test_fingers_that_rest_with_ctrl_held_do_not_zoom(opened):
    editor = opened("text")
    wheel(editor, 0, CTRL)
    assert editor.font_px == 16


def test_the_scroll_bar_has_no_handle_where_everything_shows(opened):
    editor = opened("short")
    assert not editor.verticalScrollBar().isEnabled()
    editor.document.set_text(b"line\n" * 500)
    assert editor.verticalScrollBar().isEnabled()


def pixels_of(editor: SpanEditor) -> bytes:
    image = editor.viewport().grab().toImage()
    return bytes(image.constBits())


@pytest.mark.parametrize("kind", [USER, BYTE, UNKNOWN])
def test_special_tokens_look_different_from_plain_ones(opened, kind):
    editor = opened("one two three")
    plain = pixels_of(editor)
    editor.spans.special = {b" two": kind}
    editor.spans.tokenize()
    assert pixels_of(editor) != plain


def test_selected_and_hovered_tokens_and_whitespace_signs_show(opened):
    editor = opened("one two three")
    looks = [pixels_of(editor)]
    for change in (
        lambda: editor.set_selected_token(2),
        lambda: editor.set_hovered_token(3),
        lambda: editor.set_shows_whitespace(False),
    ):
        change()
        looks.append(pixels_of(editor))
    assert len(set(looks)) == 4


def test_every_kind_of_text_is_painted_without_complaint(opened):
    messy = "汉🚀 \u2028\x00\ufeff\tשלום e\u0301\u0301 नमस्ते   \r\n".encode() + b"\xff\xe2\x82" + b" " * 500
    editor = opened(messy * 20)
    editor.document.select(10, 400)
    empty = opened("")
    empty.set_placeholder("Type or drop a text")
    assert len(set(pixels_of(editor))) > 20
    assert len(set(pixels_of(empty))) > 5


def test_the_tip_of_a_character_tells_its_bytes_and_where_tokens_part_it(opened):
    editor = opened("字")
    assert editor.bytes_tip(QPointF(place_of_byte(editor, 0))) == "E5 AD | 97"
    assert editor.bytes_tip(QPointF(600, 300)) == ""


def test_the_context_menu_holds_the_actions_given(opened):
    editor = opened("")
    action = QAction("Copy ids", editor)
    editor.addAction(action)
    assert editor.contextMenuPolicy() == Qt.ContextMenuPolicy.ActionsContextMenu
    assert editor.accessibleName()


def test_only_the_rows_in_sight_are_laid_out(opened, qtbot):
    editor = opened("字 words " * 100_000)
    qtbot.keyClicks(editor, "abc")
    assert len(editor.rows._layouts) < 20


def test_rows_that_take_too_long_for_one_frame_are_painted_in_the_next_ones(opened, qtbot):
    editor = opened("\n".join(f"row {row} שלום" for row in range(30)))
    at_once = pixels_of(editor)
    editor.set_frame_time(0)
    editor.set_shows_whitespace(True)  # begins anew
    editor.viewport().repaint()
    assert not editor.is_painted
    qtbot.waitUntil(lambda: editor.is_painted)
    assert pixels_of(editor) == at_once


def test_rows_that_wait_for_their_frame_are_found_again_after_scrolling(opened, qtbot):
    editor = opened("\n".join(f"row {row} of many rows" for row in range(60)))
    editor.set_frame_time(0)
    editor.set_shows_whitespace(True)
    editor.viewport().repaint()
    wheel(editor, -1)
    qtbot.waitUntil(lambda: editor.is_painted)
    in_turns = pixels_of(editor)
    editor.set_frame_time(1000)
    editor.set_shows_whitespace(True)
    assert in_turns == pixels_of(editor)
