"""Rows of words, for Qt's views."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QTableView

from guiapp.kit.widgets import tables as row_table
from guiapp.kit.widgets.tables import LEFT, MOST_SEARCHED_ROWS, Column, RowTable


class Numbers(RowTable[int]):
    """0, 1, 2 … in words; `told` are those that somebody asked for."""

    def __init__(self, n_rows: int) -> None:
        super().__init__()
        self.n_rows, self.told = n_rows, []
        self.columns = (Column("number", LEFT, self._tell),)

    n_rows = columns = None  # type: ignore[assignment]  # those of an instance, not properties

    def row(self, index: int) -> int | None:
        return index if 0 <= index < self.n_rows else None

    def _tell(self, number: int) -> str:
        self.told.append(number)
        return str(number)


@pytest.mark.parametrize(("n_rows", "expected_row"), [(MOST_SEARCHED_ROWS, 100), (MOST_SEARCHED_ROWS + 1, 0)])
def test_typing_letters_finds_a_row_unless_the_table_is_long(qtbot, n_rows, expected_row):
    view, numbers = QTableView(), Numbers(n_rows)
    qtbot.addWidget(view)
    view.setModel(numbers)
    view.setCurrentIndex(numbers.index(0, 0))
    view.keyboardSearch("100")
    assert view.currentIndex().row() == expected_row
    assert bool(numbers.told) == bool(expected_row)


def test_rows_are_copied_with_titles_up_to_a_marked_limit(monkeypatch):
    numbers = Numbers(200)
    assert numbers.as_text([3, 500, -1, 1]).splitlines() == ["number", "3", "1"]
    monkeypatch.setattr(row_table, "MOST_COPIED_ROWS", 100)
    lines = numbers.as_text(range(105)).splitlines()
    assert (len(lines), lines[-1]) == (102, "…")
