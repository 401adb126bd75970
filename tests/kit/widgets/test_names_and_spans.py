"""Names of files as they are typed, stretches of text in colours, and looks that change while shown."""

from pathlib import Path

import pytest
from hands import turn_wheel
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QTextCursor
from PySide6.QtWidgets import QApplication, QLabel

from guiapp.kit.widgets.labels import Span, StyledText
from guiapp.kit.widgets.notices import with_ending
from guiapp.kit.widgets.theme import DARK, LIGHT, Theme, ThemeSource, set_role

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


def test_spans_have_their_colours(qtbot):
    text = StyledText(Theme.mono_font(12), 2)
    qtbot.addWidget(text)
    red, blue = QColor("red"), QColor("blue")
    text.set_spans([Span("ab", red, blue, is_bold=True), Span("cd", blue)])
    looks = []
    for place in (1, 2, 3, 4):
        cursor = QTextCursor(text.document())
        cursor.setPosition(place)
        look = cursor.charFormat()
        looks.append((look.foreground().color(), look.background().color() == blue, look.fontWeight() > 500))
    assert looks == [(red, True, True)] * 2 + [(blue, False, False)] * 2
    assert (text.toPlainText(), text.textCursor().position()) == ("abcd", 0)
    text.set_spans([Span("e", red)])
    assert text.toPlainText() == "e"
    text.show()
    before = text.height()
    text.set_font(Theme.mono_font(24))
    assert text.height() > 1.5 * before
    assert text.sizeHint().height() == text.height()


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


def test_a_look_that_changes_while_it_is_shown_is_seen_at_once(qtbot, qapp):
    themes = ThemeSource(qapp, "dark")
    label = QLabel("text")
    qtbot.addWidget(label)
    label.show()
    shown = []
    for role in ("", "dim", "strong"):
        set_role(label, role)
        shown.append((label.palette().windowText().color(), label.font().weight()))
    assert shown[1][0] == DARK.dim
    assert len(set(map(str, shown))) == 3
    themes.choose("light")
    set_role(label, "dim")
    assert label.palette().windowText().color() == LIGHT.dim
