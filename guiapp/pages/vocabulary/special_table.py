"""Special tokens as rows for Qt's table views."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from guiapp.analysis.vocabulary_list.special_tokens import SpecialToken
from guiapp.analysis.vocabulary_list.special_tokens_report import COLUMNS
from guiapp.kit.state.row_table import ATTRIBUTES_ROLE, LEFT, RIGHT, AnyIndex, Column, RowTable
from guiapp.pages.vocabulary.special_model import SpecialTokensModel

TITLES = [title for title, _ in COLUMNS]


class SpecialTable(RowTable[SpecialToken]):
    """One row for each token that is listed; tokens are written as people chose to."""

    def __init__(self, model: SpecialTokensModel) -> None:
        super().__init__(model)
        self._model = model
        self._columns = [
            Column(title, RIGHT if title == "id" else LEFT, self._token if title == "token" else text)
            for title, text in COLUMNS
        ]
        self._rows: Sequence[SpecialToken] = model.shown
        model.shown_changed.connect(self._follow)
        model.session.spelling.changed.connect(self.tell_all_anew)

    @property
    def columns(self) -> Sequence[Column[SpecialToken]]:
        return self._columns

    @property
    def n_rows(self) -> int:
        return len(self._rows)

    def row(self, index: int) -> SpecialToken:
        return self._rows[index]

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        vocabulary = self._model.session.vocabulary
        if role == ATTRIBUTES_ROLE and vocabulary is not None:
            return int(vocabulary.signs[self._rows[index.row()].token_id])
        return super().data(index, role)

    @property
    def order(self) -> tuple[str, bool]:
        column, is_descending = self._model.order
        return TITLES[column], is_descending

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._model.set_order(column, order is Qt.SortOrder.DescendingOrder)

    def _token(self, token: SpecialToken) -> str:
        return self._model.session.label_of(token.token_id)

    def _follow(self) -> None:
        self.beginResetModel()
        self._rows = self._model.shown
        self.endResetModel()
