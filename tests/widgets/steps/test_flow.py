"""The rows in which the text stands as tokens."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.widgets.shared.theme import TEXT_FONT_PX
from guiapp.widgets.steps.boxes import height_of_rows, rows_within


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
