"""What is in sight of the editor while it is scrolled, zoomed and edited."""

import gc

import pytest
from editor_hands import wheel
from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from guiapp.widgets.spans.block import BlockLayout

CTRL = Qt.KeyboardModifier.ControlModifier


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


def sizes_of_pictures_and_layouts():
    """Pixels of all pixmaps, and bytes of text that is laid out anywhere."""
    kept = gc.get_objects()
    n_pixels = sum(each.width() * each.height() for each in kept if isinstance(each, QPixmap))
    return n_pixels, sum(len(each.data) for each in kept if isinstance(each, BlockLayout))


def test_what_was_scrolled_through_does_not_stay_in_memory(opened):
    editor = opened("\n".join(f"{number} is the number of a line" * 9 for number in range(2000)))
    before = sizes_of_pictures_and_layouts()
    for _ in range(100):
        wheel(editor, -2)
        QApplication.processEvents()
    n_pixels, n_laid_out = sizes_of_pictures_and_layouts()
    assert n_pixels - before[0] < 4 * editor.viewport().width() * editor.viewport().height()
    assert n_laid_out - before[1] < 1 << 16
