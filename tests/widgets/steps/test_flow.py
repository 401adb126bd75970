"""The rows in which the text stands as tokens."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.widgets.shared.theme import TEXT_FONT_PX
from guiapp.widgets.steps.boxes import height_of_rows, rows_within

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


def test_an_empty_text_is_called_empty(make_steps_page):
    assert make_steps_page(text=b"").trace.flow.why_empty == "The text is empty."


def test_rows_that_there_is_room_for_are_counted_in_any_size():
    for n_rows in (1, 2, 3):
        for size_px in range(9, 49):
            factor = size_px / TEXT_FONT_PX
            assert rows_within(round(height_of_rows(n_rows) * factor) / factor) == n_rows


def test_the_tip_of_a_token_has_its_spelling_in_the_file(make_steps_page, qtbot):
    page = make_steps_page("rwkv", "für".encode())
    page.model.to_end()
    box = next(box for box in page.trace.flow.boxes if "ü" in box.element.text)
    place = box.rect.center().toPoint()
    event = QHelpEvent(QEvent.Type.ToolTip, place, page.trace.flow.mapToGlobal(place))
    QApplication.sendEvent(page.trace.flow, event)
    assert "in the file: " in QToolTip.text()
    assert "\\xc3\\xbc" in QToolTip.text()
    QToolTip.hideText()


def test_of_a_long_text_only_rows_in_sight_are_laid_out_and_the_wheel_brings_more(make_steps_page):
    page = make_steps_page(text=b"How do the lions sleep in New York? " * 60)
    page.resize(900, 700)
    page.model.to_byte(500)
    QApplication.processEvents()
    flow, place = page.trace.flow, QPointF(200, 30)
    down = QWheelEvent(
        place,
        place,
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )

    def seen_ends():
        return [row.end for row in flow.gutter_rows if 0 < row.middle < flow.height()]

    before = seen_ends()
    assert before[-1] == flow.gutter_rows[-1].end
    QApplication.sendEvent(flow, down)
    assert down.isAccepted()
    assert seen_ends()[:-1] == before[1:]
    page.model.step()
    assert seen_ends()[-1] <= before[-1]
