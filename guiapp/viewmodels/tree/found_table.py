"""Tokens that a search or a figure found, as rows for Qt's table views."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from guiapp.core.explain.visible_text import visible_text
from guiapp.core.tree.picture import TreePicture
from guiapp.viewmodels.tokens.details import hex_bytes

AnyIndex = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NO_INDEX = QModelIndex()


class Column(NamedTuple):
    title: str
    alignment: Qt.AlignmentFlag
    text: Callable[[TreePicture, int], str]


COLUMNS = (
    Column("id", RIGHT, lambda picture, token: str(token)),
    Column("text", LEFT, lambda picture, token: visible_text(picture.tree.token_bytes(token), 60)),
    Column("below", RIGHT, lambda picture, token: f"{int(picture.tree.columns.sizes[token]) - 1:,}"),
    Column("bytes", LEFT, lambda picture, token: hex_bytes(picture.tree.token_bytes(token))),
    Column("type", LEFT, lambda picture, token: picture.vocabulary.kind(token)),
)


class FoundTableModel(QAbstractTableModel):
    """One row for each token; what it says is made when it is looked at."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._picture: TreePicture | None = None
        self._tokens = np.zeros(0, np.int32)

    def show(self, picture: TreePicture | None, tokens: NDArray[np.int32]) -> None:
        """List some tokens of a tree."""
        self.beginResetModel()
        self._picture, self._tokens = picture, tokens
        self.endResetModel()

    def token(self, row: int) -> int:
        return int(self._tokens[row])

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() or self._picture is None else len(self._tokens)

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return COLUMNS[section].alignment
        return COLUMNS[section].title if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        if role != Qt.ItemDataRole.DisplayRole or self._picture is None:
            return None
        return column.text(self._picture, self.token(index.row()))

    def as_text(self, rows: Iterable[int]) -> str:
        """Rows as lines with tabs, under a line of titles."""
        lines = ["\t".join(column.title for column in COLUMNS)]
        picture = self._picture
        if picture is not None:
            lines += ["\t".join(column.text(picture, self.token(row)) for column in COLUMNS) for row in rows]
        return "\n".join(lines) + "\n"
