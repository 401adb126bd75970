"""Rows that are scrolled: painted ones, and those of tables to go through and to copy."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.widgets.tables import (
    LEFT,
    RIGHT,
    ROW_PX,
    Column,
    PaintedRows,
    RowsView,
    RowTable,
    draw_chip,
    shared_out,
)
from guiapp.kit.widgets.theme import DARK, LIGHT, Theme

CTRL, Key = Qt.KeyboardModifier.ControlModifier, Qt.Key
BUTTON = Qt.MouseButton.LeftButton


class ColouredRows(PaintedRows):
    """Notes which rows are painted, and where."""

    def __init__(self, theme_source):
        super().__init__(theme_source, "Rows")
        self.count, self.chosen, self.painted = 9, -1, {}

    @property
    def n_rows(self):
        return self.count

    @property
    def chosen_row(self):
        return self.chosen

    def paint_row(self, painter, theme, row, place):
        self.painted[row] = place


@pytest.fixture
def rows(qtbot, theme_source):
    rows = ColouredRows(theme_source)
    qtbot.addWidget(rows)
    rows.resize(300, 3 * ROW_PX + 20)
    rows.show()
    qtbot.waitExposed(rows)
    return rows


class Words(RowTable):
    """Numbered words."""

    columns = (
        Column("#", RIGHT, lambda row: str(row[0])),
        Column("word", LEFT, lambda row: row[1]),
        Column("length", RIGHT, lambda row: str(len(row[1]))),
    )
    n_rows = 40

    def row(self, index):
        return index, "a" * (index % 7 + 1)


@pytest.fixture
def table(qtbot):
    view = RowsView(Words(), "Words", lambda room: (40, room - 40, 0) if room < 300 else (40, room - 90, 50))
    view.seen = []
    view.looked_at.connect(view.seen.append)
    qtbot.addWidget(view)
    view.resize(400, 200)
    view.show()
    qtbot.waitExposed(view)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    return view


def click(qtbot, view, row, modifier=Qt.KeyboardModifier.NoModifier):
    place = view.visualRect(view.model().index(row, 1)).center()
    qtbot.mouseClick(view.viewport(), BUTTON, modifier, place)


def test_rows_that_people_go_to_are_looked_at_and_others_are_not(table, qtbot):
    table.setFocus()
    click(qtbot, table, 2)
    assert table.seen[-1] == 2
    table.seen.clear()
    qtbot.keyClick(table, Key.Key_Down)
    assert set(table.seen) == {3}
    table.seen.clear()
    table.go_to(5)
    assert (table.seen, table.selected_rows, table.currentIndex().row()) == ([], [5], 5)
    click(qtbot, table, 3, CTRL)
    click(qtbot, table, 1, CTRL)
    assert table.selected_rows == [1, 3, 5]
    assert set(table.seen) == {3, 1}
    table.seen.clear()
    click(qtbot, table, 1, CTRL)
    assert (table.selected_rows, table.seen) == ([3, 5], [])
    table.go_to(1)
    assert table.selected_rows == [1], "the present row that is not selected becomes so"
    table.go_to(None)
    assert (table.selected_rows, table.seen) == ([], [])
    qtbot.keyClick(table, Key.Key_Down)
    assert table.seen[-1] == 2


def test_a_row_that_is_in_sight_stays_where_it_is_and_another_comes_to_the_middle(table):
    bar = table.verticalScrollBar()
    table.go_to(3)
    assert bar.value() == 0
    table.go_to(30)
    middle, scrolled = table.visualRect(table.model().index(30, 0)).center().y(), bar.value()
    assert middle == pytest.approx(table.viewport().height() / 2, abs=1.5 * table.rowHeight(0))
    table.go_to(31)
    assert bar.value() == scrolled
    bar.setValue(0)
    table.go_to(31)
    assert bar.value() == 0, "people have scrolled away from it"
    table.go_to(1)
    assert (bar.value(), table.selected_rows) == (0, [1])


def test_selected_rows_are_copied_in_their_order(table, qtbot):
    table.setFocus()
    click(qtbot, table, 3)
    click(qtbot, table, 1, CTRL)
    qtbot.keyClick(table, Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "#\tword\tlength\n1\taa\t2\n3\taaaa\t4\n"
    assert [action.text() for action in table.actions()] == ["Copy rows"]
    assert table.contextMenuPolicy() is Qt.ContextMenuPolicy.ActionsContextMenu


@pytest.mark.parametrize(
    ("room", "shares", "least", "widths"),
    [
        (100, (1, 1), (), [50, 50]),
        (100, (3, 1), (), [75, 25]),
        (100, (3, 1), (0, 40), [60, 40]),
        (100, (1, 1, 2), (60, 0, 0), [60, 13, 27]),
        (100, (1, 1), (80, 80), [80, 80]),
        (90, (1, 2, 6), (30, 10, 20), [30, 15, 45]),
        (0, (1, 2), (5, 5), [5, 5]),
    ],
)
def test_room_is_shared_out_and_what_some_need_more_others_have_less(room, shares, least, widths):
    assert shared_out(room, shares, least) == pytest.approx(widths, abs=1)


KINDS = Attribute.NORMAL, Attribute.CONTROL, Attribute.USER_DEFINED, Attribute.BYTE, Attribute.UNKNOWN


def picture(theme: Theme, attributes: Attribute) -> bytes:
    image = QImage(60, 24, QImage.Format.Format_RGB32)
    image.fill(theme.panel)
    with QPainter(image) as painter:
        draw_chip(painter, theme, QRectF(1, 1, 58, 22), "12", attributes, theme.span_color(0))
    return bytes(image.constBits())


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_no_two_kinds_of_tokens_look_alike(qapp, theme):
    assert len({picture(theme, kind) for kind in KINDS}) == len(KINDS)
