"""The tokens of the present text as rows for Qt's table views, made when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from guiapp.core.explain.visible_text import visible_text
from guiapp.core.vocab.vocabulary import Vocabulary
from guiapp.viewmodels.tokens.details import SCORED, TokenDetailsModel, hex_bytes
from guiapp.viewmodels.tokens.source import TokenSource

if TYPE_CHECKING:
    from guiapp.core.explain.explainer import Explainer

AnyIndex = QModelIndex | QPersistentModelIndex

MOST_COPIED_ROWS = 100_000
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NO_INDEX = QModelIndex()
TINT_ROLE = Qt.ItemDataRole.UserRole  # which colour a token has in the text
ATTRIBUTES_ROLE = TINT_ROLE + 1  # of `Attribute`, as a number


class Row(NamedTuple):
    """One token of a text, and what is known about its vocabulary."""

    position: int
    token_id: int
    span: tuple[int, int]
    vocabulary: Vocabulary
    explainer: Explainer | None


class Column(NamedTuple):
    title: str
    alignment: Qt.AlignmentFlag
    text: Callable[[Row], str]


def _worth(row: Row) -> str:
    if row.vocabulary.type in SCORED:
        return f"{row.vocabulary.score(row.token_id):,.6g}"
    rank = row.explainer.merge_rank(row.token_id) if row.explainer else None
    return "" if rank is None else f"{rank:,}"


COLUMNS = (
    Column("#", RIGHT, lambda row: f"{row.position + 1:,}"),
    Column("id", RIGHT, lambda row: str(row.token_id)),
    Column("text", LEFT, lambda row: visible_text(row.vocabulary.token_bytes(row.token_id))),
    Column("raw", LEFT, lambda row: visible_text(row.vocabulary.raw_text(row.token_id))),
    Column("bytes", LEFT, lambda row: hex_bytes(row.vocabulary.token_bytes(row.token_id))),
    Column("type", LEFT, lambda row: row.vocabulary.kind(row.token_id)),
    Column("score", RIGHT, _worth),
    Column("span", RIGHT, lambda row: f"{row.span[0]:,}–{row.span[1]:,}"),
)
WORTH_COLUMN = [column.title for column in COLUMNS].index("score")


class TokenTableModel(QAbstractTableModel):
    """Each token of the session's encoding as a row; nothing is kept per row.

    An edit changes what the rows say and adds or removes rows at the end, so that it costs the same
    for any number of tokens.

    is_shrinking  rows are being removed; a view that makes another row the present one does so by itself

    Signals:
        rows_changed(): the rows are those of the tokens now.
    """

    rows_changed = Signal()

    def __init__(
        self, source: TokenSource, details: TokenDetailsModel, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._details = details
        self._n_rows = 0
        self.is_shrinking = False
        source.tokens_changed.connect(self._follow)
        details.explainer_changed.connect(self._refresh)
        self._follow()

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else self._n_rows

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return COLUMNS[section].alignment
        return self._titles()[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        column = COLUMNS[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        if role == TINT_ROLE:
            return int(self._source.tokens.between(index.row(), index.row() + 1).tints[0])
        if (
            role not in (Qt.ItemDataRole.DisplayRole, ATTRIBUTES_ROLE)
            or (row := self._row(index.row())) is None
        ):
            return None
        return int(row.vocabulary.signs[row.token_id]) if role == ATTRIBUTES_ROLE else column.text(row)

    def rows_as_text(self, rows: Iterable[int]) -> str:
        """Rows as lines of tab-separated columns under a line of titles, at most MOST_COPIED_ROWS of them."""
        lines = ["\t".join(self._titles())]
        for index in rows:
            if len(lines) > MOST_COPIED_ROWS:
                lines.append("…")
                break
            if (row := self._row(index)) is not None:
                lines.append("\t".join(column.text(row) for column in COLUMNS))
        return "\n".join(lines) + "\n"

    def _titles(self) -> list[str]:
        titles = [column.title for column in COLUMNS]
        vocabulary = self._source.vocabulary
        if vocabulary is not None and vocabulary.type not in SCORED:
            titles[WORTH_COLUMN] = "rank"
        return titles

    def _row(self, index: int) -> Row | None:
        vocabulary = self._source.vocabulary
        if vocabulary is None or not 0 <= index < len(self._source.tokens):
            return None
        token_id = int(self._source.tokens.ids(index, index + 1)[0])
        return Row(index, token_id, self._source.tokens.span(index), vocabulary, self._details.explainer)

    def _follow(self) -> None:
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
        if self._n_rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self._n_rows - 1, len(COLUMNS) - 1))
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, WORTH_COLUMN, WORTH_COLUMN)
