"""Tokens that a search or a figure found, as rows for Qt's table views."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.tree.picture import TreePicture
from guiapp.kit.state.row_table import LEFT, RIGHT, Column, RowTable
from guiapp.kit.state.spelling import SharedSpelling
from guiapp.kit.tokens.details import hex_bytes


class FoundToken(NamedTuple):
    """A token of a tree."""

    picture: TreePicture
    token: int
    spelling: Spelling


COLUMNS = (
    Column[FoundToken]("id", RIGHT, lambda row: str(row.token)),
    Column[FoundToken](
        "token", LEFT, lambda row: row.spelling.token(row.picture.vocabulary, row.token, limit=60)
    ),
    Column[FoundToken]("below", RIGHT, lambda row: f"{int(row.picture.tree.columns.sizes[row.token]) - 1:,}"),
    Column[FoundToken]("bytes", LEFT, lambda row: hex_bytes(row.picture.tree.token_bytes(row.token))),
    Column[FoundToken]("type", LEFT, lambda row: row.picture.vocabulary.kind(row.token)),
)


class FoundTableModel(RowTable[FoundToken]):
    """One row for each token."""

    def __init__(self, spelling: SharedSpelling, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._spelling = spelling
        self._picture: TreePicture | None = None
        self._tokens = np.zeros(0, np.int32)
        spelling.changed.connect(self.tell_all_anew)

    def show(self, picture: TreePicture | None, tokens: NDArray[np.int32]) -> None:
        """List some tokens of a tree."""
        self.beginResetModel()
        self._picture, self._tokens = picture, tokens
        self.endResetModel()

    def token(self, row: int) -> int:
        return int(self._tokens[row])

    @property
    def columns(self) -> Sequence[Column[FoundToken]]:
        return COLUMNS

    @property
    def n_rows(self) -> int:
        return 0 if self._picture is None else len(self._tokens)

    def row(self, index: int) -> FoundToken | None:
        if self._picture is None:
            return None
        return FoundToken(self._picture, self.token(index), self._spelling.now)
