"""The margin beside a text: a number for each line."""

import pytest
from editor_hands import wheel
from hands import turn_wheel
from pictures import in_words, paintings_of
from PySide6.QtCore import QPoint, QRectF
from PySide6.QtWidgets import QApplication
from span_fakes import FakeSpans

from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.editor import (
    BAR_ROOM_PX,
    LEAST_BAR_PX,
    NUMBER_SIDE_PX,
    WIDTH_PX,
    LineCost,
    LineMargin,
    SpanEditor,
)
from guiapp.kit.spans.frame import PointedOut
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
        made.themes, made.spans = themes, spans
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
    rows = beside._editor.rows
    tops = [block.y for block in rows.visible()]
    bars = [mark.place for mark in paintings.drawn]
    assert [bar.width() for bar in bars] == [BAR_ROOM_PX / 2, BAR_ROOM_PX, LEAST_BAR_PX]
    assert {bar.right() for bar in bars} == {WIDTH_PX - NUMBER_SIDE_PX}
    assert {bar.height() for bar in bars} == {3}
    row_px = rows.metrics.row_height
    assert [top + row_px - 2 - bar.bottom() for top, bar in zip(tops[1:], bars, strict=False)] == [0, 0, 0]
    number_tops = [tops[0] - row_px, tops[0], tops[1], tops[1], *tops[2:4]]
    for mark, top in zip(paintings.written, number_tops, strict=True):
        assert abs(mark.place.center().y() - (top + (row_px - 3) / 2)) < 1
    assert all(mark.place.right() < WIDTH_PX - NUMBER_SIDE_PX + 1 for mark in paintings.written)


def test_only_the_first_row_of_a_line_has_a_number_and_none_is_above_without_added_tokens(margin):
    beside = margin(["plain " + "word " * 30, "plain"])
    assert [text for text, _ in paintings_of(beside).texts] == ["9", "1,234", "1,234"]
    beside.spans.adds_special = False
    beside.spans.tokenize()
    assert [text for text, _ in paintings_of(beside).texts] == ["1,234", "1,234"]


def test_the_line_that_is_pointed_out_is_marked_over_all_its_rows(margin):
    beside = margin(["plain", "dear"])
    row_px = beside._editor.rows.metrics.row_height
    first, second = (block.y for block in beside._editor.rows.visible())
    without = paintings_of(beside).shapes
    for line_start, top in ((0, first), (6, second)):
        beside.point_out(PointedOut(line_start + 1, line_start + 2, line_start, line_start + 5))
        (ground,) = [shape for shape in paintings_of(beside).shapes if shape not in without]
        assert ground == QRectF(0, top, WIDTH_PX, row_px)
    beside.point_out(None)
    assert paintings_of(beside).shapes == without


def test_the_wheel_over_it_turns_the_text_and_it_moves_with_that(margin):
    beside = margin(["plain"] * 100)
    turn_wheel(beside, QPoint(5, 5), -120)
    moved = beside._editor.rows.scroll_y
    assert moved > 0
    assert paintings_of(beside).texts[0][1].top() < 0 or beside._editor.rows.scroll_y > 31
    shown = beside.grab().toImage()
    wheel(beside._editor, 1)
    assert beside.grab().toImage() != shown
    assert beside._editor.rows.scroll_y == 0
