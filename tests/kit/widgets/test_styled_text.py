"""Read-only text that is as high as what it shows."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme


@pytest.mark.parametrize("line", ["plain", "汉武帝飞🚀向了", "हिन्दी ภาษาไทย བོད་ཡིག"])
def test_lines_of_any_script_are_shown_whole(qtbot, line):
    window = QWidget()
    qtbot.addWidget(window)
    text = StyledText(Theme.mono_font(SMALL_FONT_PX), 3, window)
    text.resize(800, 100)
    window.show()
    heights = []
    for n_lines in (1, 2, 3, 4):
        text.set_spans([Span("\n".join([line] * n_lines), QColor("black"))])
        QApplication.processEvents()
        heights.append(text.height())
        assert (text.verticalScrollBar().maximum() > 0) is (n_lines > 3)
    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_no_letter_lies_under_the_scroll_bar(qtbot, qapp):
    window = QWidget()
    qtbot.addWidget(window)
    qapp.setStyleSheet("QScrollBar:vertical { width: 10px; }")
    for width in range(150, 220, 7):  # of which some wrap otherwise with the bar
        text = StyledText(Theme.mono_font(SMALL_FONT_PX), 3, window)
        text.set_spans([Span("0123456789" * 40, QColor("black"))])
        text.resize(width, 30)
        window.show()
        text.show()
        assert text.verticalScrollBar().isVisible()
        assert text.document().idealWidth() <= text.viewport().width() == width - 10
    qapp.setStyleSheet("")
