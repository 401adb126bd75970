"""Tokens of a vocabulary as rows for Qt's table views, made when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.vocabulary_list import columns as core
from guiapp.analysis.vocabulary_list.figures import TokenFigures
from guiapp.kit.state.row_table import LEFT, RIGHT, Column, RowTable
from guiapp.pages.vocabulary.model import VocabularyModel


class Row(NamedTuple):
    """One token."""

    figures: TokenFigures
    token: int
    spelling: Spelling


def _said(column: core.Column, row: Row) -> str:
    return column.text(row.figures, row.token, row.spelling)


COLUMNS = {
    column.name: Column[Row](column.name, RIGHT if column.is_figure else LEFT, partial(_said, column))
    for column in core.COLUMNS
}


class VocabularyTableModel(RowTable[Row]):
    """Each token that is listed as a row; nothing is kept per row."""

    def __init__(self, model: VocabularyModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._columns: list[Column[Row]] = []
        self._ids = model.shown.ids
        model.shown_changed.connect(self._show)
        model.columns_changed.connect(self._show)
        model.session.spelling.changed.connect(self.tell_all_anew)
        self._show()

    @property
    def columns(self) -> Sequence[Column[Row]]:
        return self._columns

    @property
    def n_rows(self) -> int:
        return len(self._ids)

    @property
    def order(self) -> tuple[str, bool]:
        wanted = self._model.shown.wanted
        return wanted.sort, wanted.is_descending

    def token(self, row: int) -> int:
        return int(self._ids[row])

    def row(self, index: int) -> Row | None:
        prepared = self._model.prepared
        if prepared is None or index >= len(self._ids):
            return None
        return Row(prepared.figures, self.token(index), self._model.session.spelling.now)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and orientation is Qt.Orientation.Horizontal:
            return core.BY_NAME[self._columns[section].title].about
        return super().headerData(section, orientation, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask for another order; by no column for -1."""
        name = self._columns[column].title if 0 <= column < len(self._columns) else ""
        self._model.sort_by(name, bool(name) and order is Qt.SortOrder.DescendingOrder)

    def _show(self) -> None:
        columns = [COLUMNS[column.name] for column in self._model.shown_columns]
        self.beginResetModel()
        self._columns, self._ids = columns, self._model.shown.ids
        self.endResetModel()
