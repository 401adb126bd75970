"""Rows are told of when they are looked at, and only then."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QTableView

from guiapp.kit.widgets.tables import LEFT, MOST_SEARCHED_ROWS, Column, RowTable


class Numbers(RowTable[int]):
    """0, 1, 2 … in words; `told` are those that somebody asked for."""

    def __init__(self, n_rows: int) -> None:
        super().__init__()
        self.n_rows, self.told = n_rows, []
        self.columns = (Column("number", LEFT, self._tell),)

    n_rows = columns = None  # type: ignore[assignment]  # those of an instance, not properties

    def row(self, index: int) -> int:
        return index

    def _tell(self, number: int) -> str:
        self.told.append(number)
        return str(number)


@pytest.mark.parametrize(("n_rows", "found"), [(MOST_SEARCHED_ROWS, 100), (MOST_SEARCHED_ROWS + 1, 0)])
def test_letters_find_a_row_unless_all_of_a_long_table_would_be_told(qtbot, n_rows, found):
    view, numbers = QTableView(), Numbers(n_rows)
    qtbot.addWidget(view)
    view.setModel(numbers)
    view.setCurrentIndex(numbers.index(0, 0))
    view.keyboardSearch("100")
    assert view.currentIndex().row() == found
    assert bool(numbers.told) == bool(found)
