"""The table of tokens, linked with the session."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication
from toy_source import ToySource
from toy_vocabulary import toy_vocabulary

from guiapp.kit.session.token_details import TokenDetailsModel
from guiapp.kit.widgets.tables import TokenTableModel
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.text.token_table_view import TokenTableView


@pytest.fixture
def source():
    return ToySource(toy_vocabulary({"a": 0.0, "▁b": -1.0}), [0, 1] * 20)


@pytest.fixture
def table(source, qtbot):
    details = TokenDetailsModel(source)
    model = TokenTableModel(source, details)
    view = TokenTableView(model, source, ThemeSource(QApplication.instance(), "light"))
    qtbot.addWidget(view)
    view.resize(700, 200)
    view.show()
    qtbot.waitExposed(view)
    yield view
    details.close()


def row_place(table, row):
    return table.visualRect(table.model().index(row, 2)).center()


def test_a_click_selects_the_token(source, table, qtbot):
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=row_place(table, 3))
    assert source.selected_token == 3


def test_keys_walk_through_the_tokens(source, table, qtbot):
    source.select_token(3)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert source.selected_token == 4


def test_the_sessions_token_becomes_the_present_row(source, table):
    source.select_token(39)
    assert table.currentIndex().row() == 39
    assert table.viewport().rect().contains(row_place(table, 39))
    assert [index.row() for index in table.selectionModel().selectedRows()] == [39]


def test_the_pointer_hovers_tokens(source, table, qtbot):
    qtbot.mouseMove(table.viewport(), row_place(table, 2))
    qtbot.waitUntil(lambda: source.hovered_token == 2)
    QApplication.sendEvent(table, QEvent(QEvent.Type.Leave))
    assert source.hovered_token is None


def test_selected_rows_are_copied_in_order(source, table, qtbot):
    viewport, left = table.viewport(), Qt.MouseButton.LeftButton
    qtbot.mouseClick(viewport, left, pos=row_place(table, 4))
    qtbot.mouseClick(viewport, left, Qt.KeyboardModifier.ControlModifier, row_place(table, 1))
    qtbot.keySequence(table, QKeySequence(QKeySequence.StandardKey.Copy))
    lines = QApplication.clipboard().text().splitlines()
    assert [line.split("\t")[0] for line in lines] == ["#", "2", "5"]


def test_millions_of_rows_are_shown(source, table, qtbot):
    source.set_tokens(np.ones(5_000_000, np.int32))
    source.select_token(4_999_999)
    assert table.viewport().rect().contains(row_place(table, 4_999_999))


def test_fewer_tokens_leave_the_selection_to_the_text(source, table):
    source.select_token(39)
    asked = []
    source.selected_token_changed.connect(lambda: asked.append(source.selected_token))
    source.set_tokens([0, 1] * 5)
    assert asked == []
    source.selected_token_changed.emit()
    assert table.selectionModel().selectedRows() == []


def test_one_row_is_marked_whatever_keys_are_held(source, table, qtbot):
    qtbot.keyPress(table, Qt.Key.Key_Control, Qt.KeyboardModifier.ControlModifier)
    for index in (3, 5):
        source.select_token(index)
        assert [row.row() for row in table.selectionModel().selectedRows()] == [index]
    qtbot.keyRelease(table, Qt.Key.Key_Control)


def test_a_table_that_was_hidden_shows_the_selected_token(source, table):
    table.hide()
    source.select_token(7)
    table.show()
    assert [row.row() for row in table.selectionModel().selectedRows()] == [7]
