"""The rows in which the text stands as tokens."""

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.core.explain.visible_text import visible_text
from guiapp.widgets.shared.theme import TEXT_FONT_PX, ThemeSource
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


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_end_shows_tokens_as_the_other_pages_do(make_steps_page, theme):
    page = make_steps_page(text="Wo\tsind die Löwen?<|im_start|> in\n New York".encode(), theme=theme)
    page.model.to_end()
    flow, colors = page.trace.flow, ThemeSource(QApplication.instance(), theme).theme
    picture = flow.grab().toImage()
    text = page.model.debugger.trace.text
    for box in flow.boxes:
        element = box.element
        is_control = element.text in ("<|begin_of_text|>", "<|im_start|>")
        assert element.text == "<|begin_of_text|>" or element.text == visible_text(
            text[element.start : element.end]
        )
        inner = box.rect.adjusted(4, 4, -4, -4).topLeft().toPoint()
        edge = QPoint(round(box.rect.center().x()), round(box.rect.top()) + 1)
        assert (picture.pixelColor(inner) in colors.span_colors) is not is_control
        assert (picture.pixelColor(edge) != picture.pixelColor(inner)) is is_control  # a ring
    assert any(box.element.text.startswith("·") for box in flow.boxes)
