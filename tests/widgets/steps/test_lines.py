"""Titles and sentences that change with every step without moving what is around them."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from guiapp.core.explain.code_marks import code
from guiapp.widgets.shared.shaped_texts import MonoTexts
from guiapp.widgets.shared.text_zoom import TextZoom
from guiapp.widgets.shared.theme import Theme, ThemeSource
from guiapp.widgets.steps.cards import with_code
from guiapp.widgets.steps.drawing import Drawing
from guiapp.widgets.steps.lines import SentenceView, TextLine


@pytest.fixture
def column(qtbot):
    """A window of 300 pixels with a sentence over a line."""
    theme_source = ThemeSource(QApplication.instance(), "light")
    window = QWidget()
    drawing = Drawing(theme_source, TextZoom(window), MonoTexts())
    sentence, line = SentenceView(drawing), TextLine(Theme.ui_font(13), drawing)
    layout = QVBoxLayout(window)
    layout.addWidget(sentence)
    layout.addWidget(line)
    window.resize(300, 200)
    window.show()
    qtbot.addWidget(window)
    qtbot.waitExposed(window)
    return sentence, line, theme_source, window


def test_a_sentence_grows_and_stays_high_until_told(column, qtbot):
    sentence, line, *_ = column
    sentence.show_sentence("`a` + `b` → `ab`.")
    low, top = sentence.height(), line.y()
    assert sentence.text() == "a + b → ab."
    sentence.show_sentence("A sentence of many words that needs more room than one line of 300 pixels has.")
    qtbot.waitUntil(lambda: line.y() > top)
    assert sentence.height() >= 2 * (low - 2)
    high = sentence.height()
    sentence.show_sentence("Short.")
    assert sentence.height() == high
    sentence.forget_height()
    assert sentence.height() == low


def test_code_in_a_sentence_has_the_colour_of_text(column):
    sentence, _, theme_source, _ = column

    def darkest() -> int:
        image = sentence.grab().toImage()
        return min(image.pixelColor(x, y).lightness() for x in range(200) for y in range(image.height()))

    sentence.show_sentence("🦁🦁")
    sentence.show_sentence("lll lll")
    plain = darkest()
    sentence.show_sentence("`lll` lll")
    assert darkest() < plain
    assert theme_source.theme.text.lightness() < theme_source.theme.dim.lightness()


def test_a_long_title_is_cut_and_takes_no_room(column):
    _, line, *_ = column
    before = line.size()
    line.show_text("a title that is much longer than the window is wide " * 3)
    assert line.size() == before
    assert line.accessibleName() == line.text()


def test_a_token_with_a_backtick_is_code_like_others(column):
    view, _, theme_source, _ = column
    view.show_sentence(f"{code('`a')} + {code('b')} → {code('`ab')}, rank 7.")
    assert view.text() == "`a + b → `ab, rank 7."
    assert [view.text()[part.start :][: part.length] for part in view._code_formats()] == ["`a", "b", "`ab"]
    assert ">`a</b> or" in with_code(f"{code('`a')} or `b`", theme_source.theme.text)
