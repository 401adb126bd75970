"""The margin beside a text: a number for each line."""

import pytest
from editor_hands import wheel
from hands import turn_wheel
from pictures import in_words, paintings_of
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication
from span_fakes import FakeSpans

from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.editor import (
    WIDTH_PX,
    LineCost,
    LineMargin,
    SpanEditor,
)
from guiapp.kit.widgets.theme import ThemeSource

COSTS = {
    "plain": LineCost(1234),
    "dear": LineCost(56, True, "x2", 0.5),
    "long": LineCost(7, True, "", 1.0),
    "short": LineCost(8, True, "", 0.0),
    "untold": None,
}


class Margin(LineMargin):
    def cost_of(self, start, end):
        return COSTS[self._document.slice(start, end).decode().split()[0]]

    def n_before(self):
        return 9


@pytest.fixture
def margin(qtbot):
    def make(lines):
        document = TextDocument("\n".join(lines).encode())
        spans, themes = FakeSpans(document), ThemeSource(QApplication.instance(), "dark")
        editor = SpanEditor(document, spans, themes)
        made = Margin(document, editor, themes)
        made.themes, made.spans, made.editor = themes, spans, editor
        for widget in (editor, made):
            qtbot.addWidget(widget)
            widget.resize(WIDTH_PX if widget is made else 400, 300)
            widget.show()
        QApplication.processEvents()
        return made

    return make


def test_dear_lines_are_amber_with_a_bar(margin):
    beside = margin(COSTS)
    paintings = paintings_of(beside)
    assert in_words(paintings.marks, beside.themes.theme) == [
        "9 dim",
        "1,234 dim",
        *("x2 warning", " 56 text", "warning"),
        *(" 7 warning", "warning"),
        *(" 8 warning", "warning"),
    ]


def test_only_the_first_row_of_a_line_has_a_number_and_none_is_above_without_added_tokens(margin):
    beside = margin(["plain " + "word " * 30, "plain"])
    assert [text for text, _ in paintings_of(beside).texts] == ["9", "1,234", "1,234"]
    beside.spans.adds_special = False
    beside.spans.tokenize()
    assert [text for text, _ in paintings_of(beside).texts] == ["1,234", "1,234"]


def test_the_wheel_over_it_turns_the_text_and_it_moves_with_that(margin):
    beside = margin(["plain"] * 100)
    turn_wheel(beside, QPoint(5, 5), -120)
    moved = beside.editor.rows.scroll_y
    assert moved > 0
    assert paintings_of(beside).texts[0][1].top() < 0 or beside.editor.rows.scroll_y > 31
    wheel(beside.editor, 1)
    assert beside.editor.rows.scroll_y == 0
