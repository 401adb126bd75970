"""Names of files as they are typed, stretches of text in colours, and looks that change while shown."""

from pathlib import Path

import pytest
from hands import turn_wheel
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from guiapp.kit.widgets.file_dialogs import with_ending
from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.theme import Theme

FORMATS = {".html": "Page (*.html)", ".svg": "Drawing (*.svg)"}


@pytest.mark.parametrize(
    ("typed", "chosen", "expected"),
    [
        ("run", "", "run.html"),
        ("run", "Drawing (*.svg)", "run.svg"),
        ("run.v2", "Drawing (*.svg)", "run.v2.svg"),
        ("run.SVG", "Page (*.html)", "run.SVG"),
    ],
)
def test_a_name_gets_the_ending_of_the_chosen_format(typed, chosen, expected):
    assert with_ending(Path("there", typed), FORMATS, chosen) == Path("there", expected)


def test_the_wheel_scrolls_long_texts_and_leaves_zooming_to_others(qtbot):
    text = StyledText(Theme.mono_font(12), 2)
    qtbot.addWidget(text)
    text.resize(200, 40)
    text.show()
    text.set_spans([Span("line\n" * 20, QColor("red"))])
    QApplication.processEvents()
    assert not turn_wheel(text.viewport(), QPoint(5, 5), -120, Qt.KeyboardModifier.ControlModifier)
    assert text.verticalScrollBar().value() == 0
    turn_wheel(text.viewport(), QPoint(5, 5), -120)
    assert text.verticalScrollBar().value() > 0
