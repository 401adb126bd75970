"""What clicks, drags and drops do in the editor."""

import pytest
from editor_hands import click, place_of_byte
from hands import drop
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.kit.spans.editor import AUTOSCROLL_MS
from guiapp.kit.spans.view import SIDE_PX

LEFT, NO_KEY = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
FAMILY = "👨‍👩‍👧"
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
        click(qtbot, editor, point)
        assert document.caret in (offset, document.next_grapheme(offset))


def test_clicking_and_hovering_emit_the_token(opened, qtbot):
    editor = opened("one two")
    with qtbot.waitSignal(editor.token_clicked) as clicked:
        click(qtbot, editor, place_of_byte(editor, 5))
    assert clicked.args == [2]
    with qtbot.waitSignal(editor.hovered) as hovered:
        qtbot.mouseMove(editor.viewport(), place_of_byte(editor, 1))
    assert hovered.args == [1]


def test_added_tokens_can_be_clicked_but_are_no_text(opened, qtbot):
    editor, tokens = opened("one two"), []
    editor.token_clicked.connect(tokens.append)
    row_px, rows = editor.rows.metrics.row_height, editor.rows
    for y in (rows.position_of(0).y - row_px / 2, rows.text_end_y + row_px / 2):
        click(qtbot, editor, QPoint(SIDE_PX + 10, round(y)))
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


def test_dropped_text_goes_where_it_falls_and_files_are_left_to_others(opened):
    editor = opened("ab")
    mime = QMimeData()
    mime.setText("X")
    point = place_of_byte(editor, 1) - QPoint(4, 0)
    editor.clearFocus()
    assert drop(editor.viewport(), point, mime)
    assert (editor.document.text(), editor.hasFocus()) == (b"aXb", True)
    mime.setUrls(["file:///model.gguf"])
    assert not drop(editor.viewport(), point, mime)
    assert editor.document.text() == b"aXb"


def move(editor, point, button=LEFT):
    """With the button held, from wherever the mouse was."""
    where = QPointF(editor.viewport().mapToGlobal(point))
    event = QMouseEvent(QEvent.Type.MouseMove, QPointF(point), where, Qt.MouseButton.NoButton, button, NO_KEY)
    QApplication.sendEvent(editor.viewport(), event)


def test_other_buttons_and_trembling_hands_leave_the_selection_alone(opened, qtbot):
    editor = opened("one two three")
    editor.document.select(4, 7)
    place = place_of_byte(editor, 9)
    qtbot.mouseClick(editor.viewport(), Qt.MouseButton.RightButton, pos=place)
    qtbot.mouseDClick(editor.viewport(), Qt.MouseButton.RightButton, pos=place)
    assert editor.document.selection == (4, 7)
    qtbot.mousePress(editor.viewport(), LEFT, pos=place)
    move(editor, place + QPoint(QApplication.startDragDistance() - 1, 0))
    assert not editor.document.has_selection
    move(editor, place + QPoint(QApplication.startDragDistance(), 0))
    assert editor.document.has_selection
    qtbot.mouseRelease(editor.viewport(), LEFT, pos=place)
    selected = editor.document.selection
    move(editor, place_of_byte(editor, 0), Qt.MouseButton.NoButton)
    assert editor.document.selection == selected


def test_dragging_from_a_double_click_selects_whole_words(opened, qtbot):
    editor = opened("one two three four")
    document, viewport = editor.document, editor.viewport()
    qtbot.mouseDClick(viewport, LEFT, pos=place_of_byte(editor, 9))
    selections = [document.selection]
    for offset in (15, 5, 1, 10):
        move(editor, place_of_byte(editor, offset))
        selections.append((document.anchor, document.caret))
    assert selections == [(8, 13), (8, 18), (13, 4), (13, 0), (8, 13)]
    qtbot.mouseRelease(viewport, LEFT, pos=place_of_byte(editor, 10))
    click(qtbot, editor, place_of_byte(editor, 1) - QPoint(3, 0))  # far from the second click
    assert document.selection == (1, 1)
    click(qtbot, editor, QPoint(600, 300))  # beside the text
    qtbot.mouseDClick(viewport, LEFT, pos=QPoint(600, 300))
    assert document.selection == (18, 18)


def test_a_drag_out_of_the_window_scrolls_until_it_comes_back(opened, qtbot):
    editor = opened("\n".join(f"line {number}" for number in range(200)))
    bar, document, height = editor.verticalScrollBar(), editor.document, editor.viewport().height()
    qtbot.mousePress(editor.viewport(), LEFT, pos=place_of_byte(editor, 20))
    move(editor, QPoint(50, height + 40))
    qtbot.waitUntil(lambda: bar.value() > 300)
    assert editor.rows.position_of(document.caret).y + editor.rows.metrics.row_height > height - 40
    move(editor, QPoint(50, height - 60))
    stopped = bar.value()
    qtbot.wait(3 * AUTOSCROLL_MS)
    assert bar.value() == stopped
    move(editor, QPoint(50, -60))
    qtbot.waitUntil(lambda: bar.value() == 0)
    assert document.selection[1] in range(19, 22)
    qtbot.mouseRelease(editor.viewport(), LEFT, pos=QPoint(50, -60))
    bar.setValue(500)
    qtbot.wait(3 * AUTOSCROLL_MS)
    assert bar.value() == 500


def test_tips_and_hovering_end_outside_the_text(opened, qtbot):
    editor, hovered, clicked = opened("one é"), [], []
    editor.hovered.connect(hovered.append)
    editor.token_clicked.connect(clicked.append)
    for point in (
        place_of_byte(editor, 1),
        place_of_byte(editor, 2),
        QPoint(600, 300),
        place_of_byte(editor, 0),
    ):
        qtbot.mouseMove(editor.viewport(), point)
        qtbot.waitUntil(lambda at=point: hovered[-1:] == [editor.token_at(QPointF(at))])
        click(qtbot, editor, point)
        tip = QHelpEvent(QEvent.Type.ToolTip, point, editor.viewport().mapToGlobal(point))
        QApplication.sendEvent(editor.viewport(), tip)
        assert QToolTip.text() == editor.tip(QPointF(point)) or not QToolTip.isVisible()
        assert QToolTip.isVisible() == (point.x() < 600)
    QApplication.sendEvent(editor.viewport(), QEvent(QEvent.Type.Leave))
    assert hovered == [1, -1, 1, -1]
    assert clicked == [1, 1, 1]
    QToolTip.hideText()
