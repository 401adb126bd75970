"""The summary as a table model for Qt's views: sorting, values for bars, and text."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, Qt

from guiapp.analysis.compare.comparison import UNSPACED, Counts, Tally
from guiapp.analysis.compare.texts_report import (
    NO_ENDING,
    CountColumn,
    Terms,
    count_columns,
    file_types_in,
    number,
    scripts_in,
)
from guiapp.analysis.export.tables import NONE
from guiapp.analysis.tree.picture import SCRIPT_NAMES
from guiapp.core.text.numbers_in_words import printable, quoted
from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.tables import LEFT, RIGHT, AnyIndex, Column, RowTable
from guiapp.pages.compare.summary import SummaryModel, SummaryRow

ROW_ROLE = Qt.ItemDataRole.UserRole  # the SummaryRow
BAR_ROLE = ROW_ROLE + 1  # a Bar, or None
LONGEST_ENDING = 12


class Bar(NamedTuple):
    """A value with the range of its column: what exceeds `least` is extra cost."""

    value: float
    least: float
    most: float


def columns_of(counts: list[Counts], terms: Terms) -> tuple[list[CountColumn], list[CountColumn]]:
    """Columns for these models, and columns with bars, for the scripts and file types that the texts have."""
    with_bars = []
    if counts:
        for script in scripts_in(counts[0].whole):
            unit = "letter" if SCRIPT_NAMES[script] in UNSPACED else "word"
            tip, value = f"Tokens per {unit}, {SCRIPT_NAMES[script]}", partial(_script_fertility, script)
            with_bars.append(CountColumn(SCRIPT_NAMES[script], tip, value, number))
        types = file_types_in(counts[0])
        for name in types if len(types) > 1 else ():
            title, tip = quoted(name, LONGEST_ENDING) or NO_ENDING, "Tokens per word in files of this type"
            with_bars.append(CountColumn(title, tip, partial(_type_fertility, name), number))
    return list(count_columns(counts, terms)), with_bars


class SummaryTable(RowTable[SummaryRow]):
    """A row for each model, with its name in column 0; sorted by the last call of `sort`, at first as added.

    Added, removed or moved rows and columns reset the model; new values do not.
    """

    def __init__(self, summary: SummaryModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._summary = summary
        self.rows: list[SummaryRow] = []  # as sorted
        self._titles: dict[SummaryRow, str] = {}
        self._columns: list[CountColumn] = []
        self._heads: list[Column[SummaryRow]] = []
        self._values: dict[SummaryRow, list[float | None]] = {}
        self._ranges: list[tuple[float, float] | None] = []
        self._shown: list[tuple[object, ...]] = []
        self._sorted_by = "", Qt.SortOrder.AscendingOrder
        summary.changed.connect(self._refresh)
        self._refresh()

    def title_of(self, row: SummaryRow) -> str:
        return self._titles[row]

    def number_of(self, row: SummaryRow) -> int:
        """The row's number before sorting, from 0, as its marker shows."""
        return self._summary.rows.index(row)

    @property
    def columns(self) -> list[Column[SummaryRow]]:
        return self._heads

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def row(self, index: int) -> SummaryRow:
        return self.rows[index]

    @property
    def order(self) -> tuple[str, bool]:
        title, order = self._sorted_by
        return title, order is Qt.SortOrder.DescendingOrder

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.ToolTipRole and orientation is Qt.Orientation.Horizontal:
            return f"{self._columns[section - 1].tip}\nClick to sort" if section else "Click to sort"
        return super().headerData(section, orientation, role)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = self.rows[index.row()], index.column() - 1
        match role:
            case Qt.ItemDataRole.AccessibleTextRole:
                state = self._summary.state_of(row)
                figure = f"{self._columns[column].title} {self._cell(column, row)}" if column >= 0 else ""
                return ", ".join(filter(None, (self._titles[row], state or figure)))
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(self._tip(row, column))
            case _ if role == ROW_ROLE:
                return row
            case _ if role == BAR_ROLE:
                return self._bar(row, column) if column >= 0 else None
        return super().data(index, role)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by the values of a column, unknown ones last, or by names; -1 restores the order of adding."""
        title = "" if column < 0 else "model" if column == 0 else self._columns[column - 1].title
        self._sorted_by = title, order
        self._refresh()
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns))

    def _cell(self, column: int, row: SummaryRow) -> str:
        if state := self._summary.state_of(row):
            return "" if column else state
        if (values := self._values.get(row)) is None:
            return ""
        return NONE if (value := values[column]) is None else self._columns[column].text(value)

    def _bar(self, row: SummaryRow, column: int) -> Bar | None:
        values, spread = self._values.get(row), self._ranges[column]
        if values is None or spread is None or (value := values[column]) is None:
            return None
        return Bar(value, *spread)

    def _tip(self, row: SummaryRow, column: int) -> str:
        if state := self._summary.state_of(row):
            return printable(state)
        name = printable(row.name)
        if column < 0:
            return "\n".join(filter(None, (self._titles[row], name)))
        return self._columns[column].tip

    def _refresh(self) -> None:
        rows = self._summary.rows
        titles = dict(zip(rows, self._summary.titles(), strict=True))
        counted = [row for row in rows if row.counts is not None and not self._summary.state_of(row)]
        counts = [row.counts for row in counted if row.counts is not None]
        numbers, with_bars = columns_of(counts, self._summary.terms.for_models([row.name for row in counted]))
        columns = [*numbers, *with_bars]
        values = {
            row: [column.value(each, at) for column in columns]
            for at, (row, each) in enumerate(zip(counted, counts, strict=True))
        }
        ordered = self._ordered(rows, titles, columns, values)
        is_new = ordered != self.rows or _heads(columns) != _heads(self._columns)
        if is_new:
            self.beginResetModel()
        self.rows, self._titles, self._columns, self._values = ordered, titles, columns, values
        figures = (Column(each.title, RIGHT, partial(self._cell, at)) for at, each in enumerate(columns))
        self._heads = [Column("model", LEFT, titles.__getitem__), *figures]
        writes_all = {row for row, each in zip(counted, counts, strict=True) if not each.whole.n_unknown}
        best = {row: values[row] for row in writes_all} or values  # unknown tokens do not count as a saving
        first_bar = len(numbers)
        self._ranges = [_range(values, best, at) if at >= first_bar else None for at in range(len(columns))]
        before, self._shown = self._shown, list(map(self._shown_of, ordered))
        if is_new:
            self.endResetModel()
            return
        for at, (shown, old) in enumerate(zip(self._shown, before, strict=True)):
            if shown != old:  # painting a row takes milliseconds, while the user types
                self.dataChanged.emit(self.index(at, 0), self.index(at, len(columns)))

    def _shown_of(self, row: SummaryRow) -> tuple[object, ...]:
        """All values that a row is painted from."""
        summary = self._summary
        is_old = row.session is None and summary.is_due(row)
        may = summary.can_become_column(row), summary.can_remove(row)
        cells = [self._cell(at, row) for at in range(len(self._columns))]
        return self._titles[row], cells, self._values.get(row), self._ranges, is_old, may

    def _ordered(
        self,
        rows: list[SummaryRow],
        titles: dict[SummaryRow, str],
        columns: list[CountColumn],
        values: dict[SummaryRow, list[float | None]],
    ) -> list[SummaryRow]:
        title, order = self._sorted_by
        is_down = order is Qt.SortOrder.DescendingOrder
        if title == "model":
            return sorted(rows, key=lambda row: titles[row].casefold(), reverse=is_down)
        found = [column.title for column in columns]
        if title not in found:
            return rows
        at = found.index(title)
        known = {row: value for row in values if (value := values[row][at]) is not None}
        unknown = [row for row in rows if row not in known]
        return [*sorted(known, key=known.__getitem__, reverse=is_down), *unknown]


def _heads(columns: list[CountColumn]) -> list[tuple[str, str]]:
    return [(column.title, column.tip) for column in columns]


def _range(
    values: dict[SummaryRow, list[float | None]], best: dict[SummaryRow, list[float | None]], column: int
) -> tuple[float, float] | None:
    """The least value among the rows of `best`, and the greatest of all."""
    known, least = (
        [value for each in rows.values() if (value := each[column]) is not None] for rows in (values, best)
    )
    return (min(least or known), max(known)) if known else None


def _script_fertility(script: int, counts: Counts, _: int) -> float | None:
    return counts.whole.script_fertility(script)


def _type_fertility(name: str, counts: Counts, _: int) -> float | None:
    tally: Tally | None = counts.file_types.get(name)
    return None if tally is None else tally.fertility
