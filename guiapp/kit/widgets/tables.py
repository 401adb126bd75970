"""Tables and lists: models of text rows for Qt's views, the style of token tables, and painted rows."""

from __future__ import annotations

import csv
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from io import StringIO
from typing import Generic, NamedTuple, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QFrame,
    QHeaderView,
    QTableView,
)

from guiapp.analysis.export.tables import Table, markdown_table
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.painter import draw_wave
from guiapp.kit.widgets.painting import CENTER, outline, write
from guiapp.kit.widgets.theme import UNIT_PX, Theme, ThemeSource, blend

AnyIndex = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")

MOST_COPIED_ROWS = 100_000
MOST_SEARCHED_ROWS = 200  # by typed letters: the text of one row may take a millisecond
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
NO_INDEX = QModelIndex()
DISPLAY, ALIGNMENT = Qt.ItemDataRole.DisplayRole.value, Qt.ItemDataRole.TextAlignmentRole.value
DOT_PX = 2  # at the bottom of the chip of a byte token
ROW_PX = 62  # of painted rows


class Column(NamedTuple, Generic[Row]):
    """The title of a column, its alignment, and the text of its cells."""

    title: str
    alignment: Qt.AlignmentFlag
    text: Callable[[Row], str]


class RowTable(QAbstractTableModel, Generic[Row]):
    """A table model with a text for each row and column."""

    @property
    @abstractmethod
    def columns(self) -> Sequence[Column[Row]]: ...

    @property
    @abstractmethod
    def n_rows(self) -> int: ...

    @abstractmethod
    def row(self, index: int) -> Row | None:
        """The row at an index; None if it is gone and the view has not been notified yet."""

    @property
    def order(self) -> tuple[str | None, bool]:
        """The title of the column that rows are sorted by, if any, and whether the order is descending."""
        return None, False

    def title(self, column: Column[Row]) -> str:
        return column.title

    def heading(self, column: Column[Row]) -> str:
        """The title, after an arrow if rows are sorted by it: Qt's own arrow would cover letters."""
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
            return None  # checked first: a view asks for seven roles of each cell in each frame
        return self.columns[index.column()].text(row)

    def match(
        self,
        start: AnyIndex,
        role: int,
        value: object,
        hits: int = 1,
        flags: Qt.MatchFlag = Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchWrap,
    ) -> list[QModelIndex]:
        """Find the row for typed letters; disabled in long tables, where it would format all rows."""
        return super().match(start, role, value, hits, flags) if self.n_rows <= MOST_SEARCHED_ROWS else []

    def as_text(self, rows: Iterable[int]) -> str:
        """Format rows for a spreadsheet: tab-separated, under a title line, at most MOST_COPIED_ROWS."""
        text = StringIO()
        lines = csv.writer(text, "excel-tab", lineterminator="\n")
        lines.writerow(map(self.title, self.columns))
        for number, index in enumerate(rows):
            if number == MOST_COPIED_ROWS:
                lines.writerow(["…"])
                break
            if (row := self.row(index)) is not None:
                lines.writerow(self.cells(row))
        return text.getvalue()

    def cells(self, row: Row) -> Iterable[object]:
        """The values to copy from a row."""
        return (column.text(row) for column in self.columns)

    def markdown(self, rows: Iterable[int]) -> str:
        """Format these rows as a Markdown table."""
        known = (row for row in map(self.row, rows) if row is not None)
        lines = [[column.text(row) for column in self.columns] for row in known]
        return markdown_table(Table("", [[column.title for column in self.columns], *lines])) + "\n"

    def notify_all_changed(self) -> None:
        """Notify views that the rows have new contents; their number is the same."""
        if self.n_rows:
            self.dataChanged.emit(self.index(0, 0), self.index(self.n_rows - 1, len(self.columns) - 1))


def show_rows(view: QTableView) -> None:
    """Style a table view: only cells and column titles."""
    view.setShowGrid(False)
    view.setWordWrap(False)
    view.setTabKeyNavigation(False)
    view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
    view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
    view.verticalHeader().hide()
    view.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
    view.horizontalHeader().setHighlightSections(False)
    view.horizontalHeader().setStretchLastSection(True)


def shared_out(room: int, shares: Sequence[float], least: Sequence[int] = ()) -> list[int]:
    """Divide room by shares, each at least its minimum; the other shares then get less."""
    widths, whole = [*(least or [0] * len(shares))], sum(shares)
    for at in sorted(range(len(shares)), key=lambda each: shares[each] / max(widths[each], 1)):
        widths[at] = max(widths[at], int(room * shares[at] / whole))
        room, whole = room - widths[at], whole - shares[at]
    return widths


def draw_chip(
    painter: QPainter, theme: Theme, chip: QRectF, text: str, attributes: Attribute, color: QColor
) -> None:
    """Paint a chip with the painter's font; control tokens are outlined, not filled."""
    is_control = Attribute.CONTROL in attributes
    painter.setPen(outline(theme, attributes, line_px=1))
    painter.setBrush(Qt.BrushStyle.NoBrush if is_control else color)
    painter.drawRoundedRect(chip, UNIT_PX, UNIT_PX)
    _draw_marker(painter, theme, chip, attributes)
    write(painter, chip, text, theme.control if is_control else theme.text_on(color), CENTER)


def _draw_marker(painter: QPainter, theme: Theme, chip: QRectF, attributes: Attribute) -> None:
    """Draw the mark at the bottom: two dots for a byte token, a wave for an unknown one."""
    if Attribute.BYTE in attributes:
        for x in (-3, 1):
            dot = QRectF(chip.center().x() + x, chip.bottom() - DOT_PX, DOT_PX, DOT_PX)
            painter.fillRect(dot, theme.span_text)
    if Attribute.UNKNOWN in attributes:
        draw_wave(painter, theme, chip)


class PaintedRows(QAbstractScrollArea):
    """Scrollable rows, one of which is chosen by a click or the arrow keys.

    A subclass defines `n_rows` and `chosen_row`, and calls `fit_rows` after changes of the rows and
    `show_chosen` after changes of the choice.
    """

    row_px = ROW_PX

    def __init__(self, theme_source: ThemeSource, name: str) -> None:
        super().__init__()
        self._theme_source = theme_source
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme_source.changed.connect(self.viewport().update)

    @property
    @abstractmethod
    def n_rows(self) -> int: ...

    @property
    @abstractmethod
    def chosen_row(self) -> int:
        """The chosen row; -1 for none."""

    def choose_row(self, row: int) -> None:
        """Choose an existing row."""

    @abstractmethod
    def paint_row(self, painter: QPainter, theme: Theme, row: int, rect: QRect) -> None:
        """Paint the contents of a row, over its background."""

    def sizeHint(self) -> QSize:
        return QSize(600, 6 * self.row_px)

    def row_at(self, row: int) -> QRect:
        top = row * self.row_px - self.verticalScrollBar().value()
        return QRect(0, top, self.viewport().width(), self.row_px)

    def row_under(self, y: int) -> int:
        """The number of the row at a y of the viewport; it may not exist."""
        return (y + self.verticalScrollBar().value()) // self.row_px

    def fit_rows(self) -> None:
        bar = self.verticalScrollBar()
        bar.setSingleStep(self.row_px // 2)
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, max(0, self.n_rows * self.row_px - self.viewport().height()))
        self.viewport().update()

    def show_chosen(self) -> None:
        self.fit_rows()
        if self.chosen_row >= 0:
            rect, bar = self.row_at(self.chosen_row), self.verticalScrollBar()
            further = max(rect.bottom() - self.viewport().height(), 0)
            bar.setValue(bar.value() + min(rect.top(), 0) + further)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_rows()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if 0 <= (row := self.row_under(event.position().toPoint().y())) < self.n_rows:
            self.choose_row(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys, page = Qt.Key, max(self.viewport().height() // self.row_px, 1)
        steps = {keys.Key_Up: -1, keys.Key_Down: 1, keys.Key_PageUp: -page, keys.Key_PageDown: page}
        steps |= {keys.Key_Home: -self.n_rows, keys.Key_End: self.n_rows}
        if (step := steps.get(keys(event.key()))) is None:
            super().keyPressEvent(event)
        elif (row := min(max(self.chosen_row + step, 0), self.n_rows - 1)) not in (self.chosen_row, -1):
            self.choose_row(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, seen = self._theme_source.theme, event.rect()
        rows = range(self.row_under(seen.top()), min(self.row_under(seen.bottom()) + 1, self.n_rows))
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(seen, theme.background)
            for row in rows:
                self._paint_whole_row(painter, theme, row)

    def _paint_whole_row(self, painter: QPainter, theme: Theme, row: int) -> None:
        rect = self.row_at(row)
        if row == self.chosen_row:
            painter.fillRect(rect, blend(theme.background, theme.accent, 0.12))
            painter.fillRect(QRect(rect.left(), rect.top(), 2, self.row_px), theme.accent)
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), theme.line)
        self.paint_row(painter, theme, row, rect)
