"""Read-only text that is as high as what it shows."""

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.widgets.shared.styled_text import Span, StyledText
from guiapp.widgets.shared.theme import SMALL_FONT_PX, Theme


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
