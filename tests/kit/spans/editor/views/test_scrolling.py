"""What is in sight of the editor while it is scrolled, zoomed and edited."""

import pytest
from editor_hands import wheel
from hands import turn_wheel
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication

from guiapp.kit.spans.editor import LineCost, LineMargin
from guiapp.kit.spans.rows import MARGIN_PX
from guiapp.kit.widgets.theme import ThemeSource

CTRL = Qt.KeyboardModifier.ControlModifier


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


def test_the_wheel_the_bar_and_fingers_scroll_by_rows_pages_and_pixels(opened):
    editor = opened("\n".join(f"line {number}" for number in range(200)))
    bar, row_px = editor.verticalScrollBar(), editor.rows.metrics.row_height
    assert (bar.singleStep(), bar.pageStep()) == (row_px, editor.viewport().height())
    at, none = QPointF(50, 50), Qt.MouseButton.NoButton
    for pixels in (-40, 7):
        delta = QPoint(0, pixels), QPoint(0, pixels * 8)
        event = QWheelEvent(
            at, at, *delta, none, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.ScrollUpdate, False
        )
        QApplication.sendEvent(editor.viewport(), event)
        assert event.isAccepted()
    assert bar.value() == 33 == -round(editor.rows.visible()[0].y) + MARGIN_PX + row_px
    bar.triggerAction(QAbstractSlider.SliderAction.SliderSingleStepAdd)
    assert bar.value() == 33 + row_px


def test_zooming_goes_through_its_steps_and_ends(opened, qtbot):
    editor, sizes = opened("text"), []
    editor.zoom_changed.connect(lambda: sizes.append(editor.font_px))
    for steps in (1, 1, -3, 100, 1, -100, -1):
        editor.zoom(steps)
    editor.set_font_px(1000)
    editor.set_font_px(19)
    editor.zoom(1)
    editor.set_font_px(20)
    wheel(editor, -1, CTRL)
    assert sizes == [17, 18, 15, 48, 9, 48, 19, 22, 20, 18]
    assert editor.rows.metrics.font.pixelSize() == 18


def test_a_revealed_span_is_shown_from_start_to_end(opened):
    editor = opened("\n".join(f"line {number:03}" for number in range(200)))
    for first, last in ((15, 18), (2, 4), (100, 150), (100, 102)):
        start, end = editor.document.line_start(first), editor.document.line_start(last)
        editor.reveal(start, end)
        assert editor.rows.shows(start)
        assert editor.rows.shows(end) or last == 150
        assert editor.verticalScrollBar().value() == round(editor.rows.scroll_y)
    assert round(editor.rows.position_of(editor.document.line_start(102)).y) > 0


class Margin(LineMargin):
    def cost_of(self, start, end):
        return LineCost(1)

    def n_before(self):
        return 9


def test_the_wheel_over_the_margin_turns_the_text(opened, qtbot):
    editor = opened("line\n" * 200)
    margin = Margin(editor.document, editor, ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(margin)
    margin.show()
    turn_wheel(margin, QPoint(5, 5), -120)
    assert editor.verticalScrollBar().value() > 0
