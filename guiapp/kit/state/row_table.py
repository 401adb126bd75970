"""Rows of words for Qt's table views, made when they are looked at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

AnyIndex = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")

MOST_COPIED_ROWS = 100_000
MOST_SEARCHED_ROWS = 200  # by letters that are typed: what a row says may take a millisecond to find out
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
ATTRIBUTES_ROLE = Qt.ItemDataRole.UserRole + 1  # of the `Attribute` of a row's token, as a number
NO_INDEX = QModelIndex()
DISPLAY, ALIGNMENT = Qt.ItemDataRole.DisplayRole.value, Qt.ItemDataRole.TextAlignmentRole.value


class Column(NamedTuple, Generic[Row]):
    """What a column is called, and what it says of a row."""

    title: str
    alignment: Qt.AlignmentFlag
    text: Callable[[Row], str]


class RowTable(QAbstractTableModel, Generic[Row]):
    """A table whose columns say something about each row."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[Column[Row]]: ...

    @property
    @abstractmethod
    def n_rows(self) -> int: ...

    @abstractmethod
    def row(self, index: int) -> Row | None:
        """None where it is gone already, and the view not told yet."""

    @property
    def order(self) -> tuple[str | None, bool]:
        """The title of the column that rows are sorted by, if any, and whether the last come first."""
        return None, False

    def title(self, column: Column[Row]) -> str:
        return column.title

    def heading(self, column: Column[Row]) -> str:
        """The title, behind an arrow where rows are sorted by it: Qt's own would lie over letters."""
        sorted_by, is_descending = self.order
        arrow = "" if column.title != sorted_by else "▾ " if is_descending else "▴ "
        return arrow + self.title(column)

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else self.n_rows

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self.columns[section].alignment
        return self.heading(self.columns[section]) if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == ALIGNMENT:
            return self.columns[index.column()].alignment
        if role != DISPLAY or (row := self.row(index.row())) is None:
            return None  # soon: a view asks for seven roles of each cell in each frame
        return self.columns[index.column()].text(row)

    def match(
        self,
        start: AnyIndex,
        role: int,
        value: object,
        hits: int = 1,
        flags: Qt.MatchFlag = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchWrap,
    ) -> list[QModelIndex]:
        """Where a view goes when letters are typed; in a long table nowhere, for it would make all words."""
        return super().match(start, role, value, hits, flags) if self.n_rows <= MOST_SEARCHED_ROWS else []

    def as_text(self, rows: Iterable[int]) -> str:
        """Rows as lines of tab-separated columns under a line of titles, at most MOST_COPIED_ROWS of them."""
        lines = ["\t".join(map(self.title, self.columns))]
        for index in rows:
            if len(lines) > MOST_COPIED_ROWS:
                lines.append("…")
                break
            if (row := self.row(index)) is not None:
                lines.append("\t".join(column.text(row) for column in self.columns))
        return "\n".join(lines) + "\n"

    def notify_all_changed(self) -> None:
        """What the rows say is new, and their number is not."""
        if self.n_rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self.n_rows - 1, len(self.columns) - 1))
