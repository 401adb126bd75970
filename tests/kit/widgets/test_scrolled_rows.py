"""Rows of tables to go through and to copy, and the chips of tokens."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.widgets.tables import (
    LEFT,
    RIGHT,
    Column,
    RowsView,
    RowTable,
    draw_chip,
)
from guiapp.kit.widgets.theme import DARK, LIGHT, Theme

CTRL, Key = Qt.KeyboardModifier.ControlModifier, Qt.Key
BUTTON = Qt.MouseButton.LeftButton


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
