"""The tokens of the present text as rows for Qt's table views, made when they are looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Qt, Signal

from guiapp.analysis.explain.spelling import Spelling
from guiapp.core.vocabulary.vocabulary import SCORED, Vocabulary
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.row_table import ATTRIBUTES_ROLE, LEFT, NO_INDEX, RIGHT, AnyIndex, Column, RowTable
from guiapp.kit.tokens.details import TokenDetailsModel, hex_bytes

if TYPE_CHECKING:
    from guiapp.analysis.explain.merge_tree import Explainer

TINT_ROLE = Qt.ItemDataRole.UserRole  # which colour a token has in the text


class TokenRow(NamedTuple):
    """One token of a text, and what is known about its vocabulary."""

    position: int
    token_id: int
    span: tuple[int, int]
    vocabulary: Vocabulary
    spelling: Spelling
    explainer: Explainer | None


def _worth(row: TokenRow) -> str:
    if row.vocabulary.type in SCORED:
        return f"{row.vocabulary.score(row.token_id):,.6g}"
    rank = row.explainer.merge_rank(row.token_id) if row.explainer else None
    return "" if rank is None else f"{rank:,}"


COLUMNS = (
    Column[TokenRow]("#", RIGHT, lambda row: f"{row.position + 1:,}"),
    Column[TokenRow]("id", RIGHT, lambda row: str(row.token_id)),
    Column[TokenRow]("token", LEFT, lambda row: row.spelling.token(row.vocabulary, row.token_id)),
    Column[TokenRow]("bytes", LEFT, lambda row: hex_bytes(row.vocabulary.token_bytes(row.token_id))),
    Column[TokenRow]("type", LEFT, lambda row: row.vocabulary.kind(row.token_id)),
    Column[TokenRow]("score", RIGHT, _worth),
    Column[TokenRow]("span", RIGHT, lambda row: f"{row.span[0]:,}–{row.span[1]:,}"),
)
WORTH_COLUMN = [column.title for column in COLUMNS].index("score")


class TokenTableModel(RowTable[TokenRow]):
    """Each token of the session's encoding as a row; nothing is kept per row.

    An edit changes what the rows say and adds or removes rows at the end, so that it costs the same
    for any number of tokens.

    is_shrinking  rows are being removed; a view that makes another row the present one does so by itself

    Signals:
        rows_changed(): the rows are those of the tokens now.
    """

    rows_changed = Signal()

    def __init__(
        self, source: ModelSession, details: TokenDetailsModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._details = details
        self._n_rows = 0
        self.is_shrinking = False
        source.tokens_changed.connect(self._on_tokens_changed)
        details.explainer_changed.connect(self._refresh)
        source.spelling.changed.connect(self._refresh)
        self._on_tokens_changed()

    @property
    def columns(self) -> Sequence[Column[TokenRow]]:
        return COLUMNS

    @property
    def n_rows(self) -> int:
        return self._n_rows

    def title(self, column: Column[TokenRow]) -> str:
        vocabulary = self._source.vocabulary
        is_ranked = vocabulary is not None and vocabulary.type not in SCORED
        return "rank" if is_ranked and column is COLUMNS[WORTH_COLUMN] else column.title

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == TINT_ROLE:
            return int(self._source.tokens.between(index.row(), index.row() + 1).tints[0])
        if role == ATTRIBUTES_ROLE:
            row = self.row(index.row())
            return None if row is None else int(row.vocabulary.effective_attributes[row.token_id])
        return super().data(index, role)

    def row(self, index: int) -> TokenRow | None:
        vocabulary = self._source.vocabulary
        if vocabulary is None or not 0 <= index < len(self._source.tokens):
            return None
        tokens, spelling = self._source.tokens, self._source.spelling.now
        token_id = int(tokens.ids(index, index + 1)[0])
        return TokenRow(index, token_id, tokens.span(index), vocabulary, spelling, self._details.explainer)

    def _on_tokens_changed(self) -> None:
        n_rows = len(self._source.tokens)
        if n_rows > self._n_rows:
            self.beginInsertRows(NO_INDEX, self._n_rows, n_rows - 1)
            self._n_rows = n_rows
            self.endInsertRows()
        elif n_rows < self._n_rows:
            self.is_shrinking = True
            self.beginRemoveRows(NO_INDEX, n_rows, self._n_rows - 1)
            self._n_rows = n_rows
            self.endRemoveRows()
            self.is_shrinking = False
        self._refresh()
        self.rows_changed.emit()

    def _refresh(self) -> None:
        self.notify_all_changed()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, WORTH_COLUMN, WORTH_COLUMN)
