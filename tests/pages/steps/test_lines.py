"""Titles and sentences that change with every step without moving what is around them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from pictures import paintings_of
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from guiapp.analysis.explain.code_marks import code
from guiapp.kit.widgets.shaped_texts import MonoTexts
from guiapp.kit.widgets.text_zoom import TextZoom
from guiapp.kit.widgets.theme import Theme, ThemeSource
from guiapp.pages.steps.cards import DrawingContext, SentenceView, TextLine, title_line, with_code


@pytest.fixture
def column(qtbot):
    """A window of 300 pixels with a sentence over a line."""
    theme_source = ThemeSource(QApplication.instance(), "light")
    window = QWidget()
    drawing = DrawingContext(theme_source, TextZoom(window), MonoTexts())
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


def test_lines_stand_at_their_side_and_are_cut_where_there_is_no_room(column):
    *_, theme_source, window = column
    drawing = DrawingContext(theme_source, TextZoom(window), MonoTexts())
    title, right = title_line(drawing, "A title"), TextLine(Theme.mono_font(13), drawing, is_right=True)
    theme = theme_source.theme
    right.show_text("step 1")
    for view, text, color in ((title, "A TITLE", theme.dim), (right, "step 1", theme.text)):
        view.resize(200, 20)
        (mark,) = paintings_of(view).written
        assert (mark.text, mark.pen) == (text, color.name())
        assert mark.place.center().y() == pytest.approx(10, abs=1)
        free = mark.place.left() if view is title else 200 - mark.place.right()
        assert free == pytest.approx(0, abs=1)
        view.resize(40, 20)
        assert paintings_of(view).written[0].text.endswith("…")
    right.reserve("step 1,000 of 1,000")
    width, height = right.width(), right.sizeHint().height()
    assert paintings_of(right).written[0].text == "step 1"
    drawing.zoom.set_factor(2)
    assert right.width() == pytest.approx(2 * width, abs=2)
    assert right.sizeHint().height() == pytest.approx(2 * height, rel=0.2)


def test_parts_of_a_sentence_follow_each_other_on_one_line_or_more(column):
    view, _, theme_source, _ = column
    theme = theme_source.theme
    view.show_sentence("`a` + `b` → `ab`.")
    marks = paintings_of(view).written
    assert [(mark.text, mark.look, mark.pen) for mark in marks] == [
        (text, "bold" if number % 2 == 0 else "", (theme.text if number % 2 == 0 else theme.dim).name())
        for number, text in enumerate(("a", " + ", "b", " → ", "ab", "."))
    ]
    for one, other in pairwise(mark.place for mark in marks):
        assert one.right() == pytest.approx(other.left(), abs=1)
        assert one.center().y() == pytest.approx(other.center().y(), abs=2)
    assert view.accessibleDescription() == "a + b → ab."
    long = "A sentence of `many` words that needs more room than one line of 300 pixels has, 🦁 too."
    view.show_sentence(long)
    marks = paintings_of(view).written
    words = [(word, mark.look, mark.pen) for mark in marks for word in mark.text.split()]
    assert [word for word, *_ in words] == long.replace("`", "").split()
    assert [word for word, look, pen in words if look == "bold" and pen == theme.text.name()] == ["many"]
    n_lines = len({round(mark.place.top()) for mark in marks})
    assert n_lines > 1
    assert all(mark.place.right() <= view.width() + 1 for mark in marks)
    assert view.height() >= max(mark.place.bottom() for mark in marks) - 1
    view.resize(150, view.height())
    narrow = {round(mark.place.top()) for mark in paintings_of(view).written}
    assert len(narrow) > n_lines
    assert max(mark.place.right() for mark in paintings_of(view).written) <= 151
