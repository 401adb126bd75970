"""What clicks, drags and drops do in the editor."""

import pytest
from editor_hands import click, place_of_byte
from hands import drop
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt

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


def test_dropped_text_goes_where_it_falls_and_files_are_left_to_others(opened):
    editor = opened("ab")
    mime = QMimeData()
    mime.setText("X")
    point = place_of_byte(editor, 1) - QPoint(4, 0)
    assert drop(editor.viewport(), point, mime)
    assert editor.document.text() == b"aXb"
    mime.setUrls(["file:///model.gguf"])
    assert not drop(editor.viewport(), point, mime)
    assert editor.document.text() == b"aXb"
