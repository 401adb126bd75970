"""Tokens or merge rules of two compared vocabularies as rows for Qt's table views."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from guiapp.core.explain.visible_text import isolate, visible_text
from guiapp.viewmodels.compare.vocabulary_details import NOTHING, Describer, worth_name
from guiapp.viewmodels.compare.vocabulary_rows import ABSENT, GROUPS, NO_ROWS, Group, Rows, token_of

AnyIndex = QModelIndex | QPersistentModelIndex
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NO_INDEX = QModelIndex()
LONGEST_TEXT = 60  # characters
MOST_COPIED_ROWS = 100_000

Row = tuple[int, int]


class Column(NamedTuple):
    """What a column says; without a title it is named after what the vocabularies' tokens are worth."""

    title: str
    alignment: Qt.AlignmentFlag
    text: Callable[[Describer, Group, Row], str]


def _seen(data: bytes) -> str:
    return visible_text(data, LONGEST_TEXT)


def _joined(rule: tuple[bytes, bytes]) -> str:
    return " + ".join(isolate(_seen(each)) for each in rule)


def _number(row: Row, side: int) -> str:
    return NOTHING if row[side] == ABSENT else str(row[side])


def _both(write: Callable[[Describer], Callable[[int, int], str]]) -> Callable[[Describer, Group, Row], str]:
    return lambda say, group, row: say.both(token_of(say.found, group, row), write(say))


NUMBERS = ("A", lambda say, group, row: _number(row, 0)), ("B", lambda say, group, row: _number(row, 1))
ABOUT = (
    Column("script", LEFT, lambda say, group, row: say.script(token_of(say.found, group, row))),
    Column("bytes", RIGHT, lambda say, group, row: f"{len(say.text(group, row)):,}"),
)
TOKEN_COLUMNS = (
    Column("token", LEFT, lambda say, group, row: _seen(say.text(group, row))),
    *(Column(f"id in {side}", RIGHT, text) for side, text in NUMBERS),
    Column("kind", LEFT, _both(lambda say: say.kind)),
    Column("", RIGHT, _both(lambda say: say.worth)),
    *ABOUT,
)
RULE_COLUMNS = (
    Column(
        "merge rule", LEFT, lambda say, group, row: " + ".join(isolate(_seen(each)) for each in say.rule(row))
    ),
    *(Column(f"place in {side}", RIGHT, text) for side, text in NUMBERS),
    Column("makes", LEFT, lambda say, group, row: _seen(say.text(group, row))),
    *ABOUT,
)


class VocabularyTable(QAbstractTableModel):
    """One row for each; what it says is made when it is looked at."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._describer: Describer | None = None
        self._group = GROUPS["all"]
        self._rows = NO_ROWS

    @property
    def columns(self) -> tuple[Column, ...]:
        return RULE_COLUMNS if self._group.is_rules else TOKEN_COLUMNS

    def show(self, describer: Describer | None, group: Group, rows: Rows) -> None:
        """List some rows of a group."""
        self.beginResetModel()
        self._describer, self._group, self._rows = describer, group, rows
        self.endResetModel()

    def row(self, index: int) -> Row:
        first, second = self._rows[index].tolist()
        return first, second

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() or self._describer is None else len(self._rows)

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.columns[section].alignment
        return self._title(self.columns[section]) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        if role != Qt.ItemDataRole.DisplayRole or self._describer is None:
            return None
        return column.text(self._describer, self._group, self.row(index.row()))

    def as_text(self, rows: Iterable[int]) -> str:
        """Rows as lines with tabs under a line of titles, at most MOST_COPIED_ROWS of them."""
        lines = ["\t".join(map(self._title, self.columns))]
        for number in rows:
            if self._describer is None or len(lines) > MOST_COPIED_ROWS:
                break
            row = self.row(number)
            lines.append("\t".join(each.text(self._describer, self._group, row) for each in self.columns))
        return "\n".join(lines) + "\n"

    def _title(self, column: Column) -> str:
        if column.title or self._describer is None:
            return column.title
        tokenizers = self._describer.found.tokenizers
        return "/".join(dict.fromkeys(worth_name(each.vocabulary) for each in tokenizers))
