"""Tokens that were found, as a table of Qt."""

import numpy as np
import pytest
from PySide6.QtCore import Qt

from guiapp.kit.state.settings import SharedSpelling
from guiapp.pages.tree.results import ResultsTableModel

TEXT, ALIGNMENT, TOOLTIP = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.TextAlignmentRole,
    Qt.ItemDataRole.ToolTipRole,
)
MIDDLE = Qt.AlignmentFlag.AlignVCenter
RIGHT, LEFT = Qt.AlignmentFlag.AlignRight | MIDDLE, Qt.AlignmentFlag.AlignLeft | MIDDLE


@pytest.fixture
def table(model):
    made = ResultsTableModel(SharedSpelling())
    made.show(model.picture, np.array([8, 5, 0], np.int32))
    return made


def cells(table, role=TEXT):
    return [
        [table.data(table.index(row, column), role) for column in range(table.columnCount())]
        for row in range(table.rowCount())
    ]


def test_all_cells_and_titles(table):
    assert cells(table) == [
        ["8", "acbb", "0", "61 63 62 62", "normal"],
        ["5", "ac", "1", "61 63", "normal"],
        ["0", "a", "3", "61", "normal"],
    ]
    assert cells(table, ALIGNMENT) == [[RIGHT, LEFT, RIGHT, LEFT, LEFT]] * 3
    assert cells(table, TOOLTIP) == [[None] * 5] * 3
    across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
    assert [table.headerData(at, across) for at in range(5)] == ["id", "token", "below", "bytes", "type"]
    assert [table.headerData(at, across, ALIGNMENT) for at in range(5)] == [RIGHT, LEFT, RIGHT, LEFT, LEFT]
    assert [table.headerData(at, across, TOOLTIP) for at in range(5)] == [None] * 5
    assert [table.headerData(0, down, role) for role in (TEXT, ALIGNMENT)] == [None, None]


def test_rows_have_no_rows_below_them(table):
    first = table.index(0, 0)
    assert (table.rowCount(first), table.columnCount(first)) == (0, 0)


def test_only_the_rows_asked_for_become_text(table):
    assert table.as_text([1]) == "id\ttoken\tbelow\tbytes\ttype\n5\tac\t1\t61 63\tnormal\n"
    assert [table.token(row) for row in range(3)] == [8, 5, 0]


def test_another_tree_resets_the_table_and_without_one_it_is_empty(table, qtbot):
    one = table.index(0, 0)
    with qtbot.waitSignals([table.modelAboutToBeReset, table.modelReset]):
        table.show(None, np.array([1, 2], np.int32))
    assert (table.rowCount(), table.columnCount()) == (0, 5)
    assert table.data(one) is None
    assert table.as_text([0]) == "id\ttoken\tbelow\tbytes\ttype\n"
