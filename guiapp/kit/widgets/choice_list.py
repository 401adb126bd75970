"""A list to choose from, with a line over it to type what the rows must hold."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from guiapp.core.text.figures import printable
from guiapp.kit.models.choice import Choice, matching
from guiapp.kit.state.row_table import AnyIndex
from guiapp.kit.widgets.icons import icon
from guiapp.kit.widgets.layouts import AS_AROUND, in_column
from guiapp.kit.widgets.painting import bold, fill, write
from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import GAP_PX, RADIUS_PX, SMALL_FONT_PX, Theme, ThemeSource
from guiapp.kit.widgets.tip_watch import plain_tip

NO_INDEX = QModelIndex()
CHOICE_ROLE = Qt.ItemDataRole.UserRole  # what a row holds
ROW_PX = 44
SECTION_PX = 26
LIST_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class FilterLine(QLineEdit):
    """A line whose arrow keys move in a list."""

    def __init__(self, title: str, rows: QListView) -> None:
        super().__init__(placeholderText=title, clearButtonEnabled=True)
        self.setAccessibleName(title)
        self._rows = rows

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in LIST_KEYS:
            self._rows.keyPressEvent(event)
        else:
            super().keyPressEvent(event)


class ChoiceList(QWidget):
    """Choices under their sections, those that fit what is typed.

    Signals:
        chosen(str): the name of a choice that is there.
    """

    chosen = Signal(str)

    def __init__(self, title: str, size: QSize, theme_source: ThemeSource) -> None:
        super().__init__()
        self._choices: list[Choice] = []
        self._table = _ChoiceTable(self)
        self.rows = QListView()
        self.rows.setModel(self._table)
        self.rows.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.rows.setAccessibleName(title)
        self.rows.setItemDelegate(_ChoiceDelegate(theme_source, self.rows))
        self.rows.setFixedSize(size)
        self.rows.setMouseTracking(True)
        self.rows.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.filter = FilterLine(f"Filter {title.lower()}", self.rows)
        in_column(self.filter, self.rows, on=self, spacing=AS_AROUND)
        self.setFocusProxy(self.filter)
        self.filter.textChanged.connect(self._fill)
        self.filter.returnPressed.connect(self._choose_current)
        self.rows.clicked.connect(self._choose)
        self.rows.activated.connect(self._choose)

    def show_choices(self, choices: Iterable[Choice]) -> None:
        """Offer these from now on."""
        self._choices = list(choices)
        self._fill()

    def renew_choices(self, choices: Iterable[Choice]) -> None:
        """Offer these instead, where whoever is about to choose has got to."""
        current, scrolled = self.rows.currentIndex().data(CHOICE_ROLE), self.rows.verticalScrollBar().value()
        self.show_choices(choices)
        self._point_at(lambda row: current is not None and _is_same(row, current))
        self.rows.verticalScrollBar().setValue(scrolled)

    def _fill(self) -> None:
        self._table.fill(matching(self._choices, self.filter.text()))
        self._point_at(lambda row: row.is_there)
        self.rows.scrollToTop()

    def _point_at(self, is_match: Callable[[Choice], bool]) -> None:
        """Make the first such choice the one that Return takes."""
        for at, row in enumerate(self._table.rows):
            if isinstance(row, Choice) and is_match(row):
                self.rows.setCurrentIndex(self._table.index(at, 0))
                return

    def _choose_current(self) -> None:
        self._choose(self.rows.currentIndex())

    def _choose(self, index: QModelIndex) -> None:
        choice = index.data(CHOICE_ROLE)
        if isinstance(choice, Choice) and choice.is_there:
            self.chosen.emit(choice.name)


class _ChoiceTable(QAbstractListModel):
    """Titles of sections and, under them, their choices."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: list[Choice | str] = []

    def fill(self, choices: Iterable[Choice]) -> None:
        self.beginResetModel()
        self.rows, section = [], ""
        for choice in choices:
            if choice.section != section:
                section = choice.section
                self.rows.append(section if os.sep in section else section.upper())
            self.rows.append(choice)
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if isinstance(row, str):
            return row if role == Qt.ItemDataRole.DisplayRole else None
        if role == CHOICE_ROLE:
            return row
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.title, row.detail, row.place)))
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(printable("\n".join(filter(None, (row.name, row.place)))))
        return row.title if role == Qt.ItemDataRole.DisplayRole else None

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        row = self.rows[index.row()]
        can_be_chosen = isinstance(row, Choice) and row.is_there
        chosen = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled
        return chosen if can_be_chosen else Qt.ItemFlag.NoItemFlags


class SectionDelegate(QStyledItemDelegate):
    """Paints rows that hold something, lit where one is chosen or pointed at, and titles of sections.

    row_px, title_px          the heights of both
    title_side, title_up_px   where titles stand in theirs
    lit                       the states that a row is lit in
    """

    row_px, title_px = ROW_PX, SECTION_PX
    title_side, title_up_px = Qt.AlignmentFlag.AlignVCenter, 0
    lit = QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver

    def __init__(self, theme_source: ThemeSource, parent: QObject) -> None:
        super().__init__(parent)
        self._theme_source = theme_source

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:  # type: ignore[override]
        return QSize(0, self.row_px if index.data(CHOICE_ROLE) else self.title_px)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:  # type: ignore[override]
        theme, held = self._theme_source.theme, index.data(CHOICE_ROLE)
        rect: QRect = option.rect
        inner = rect.adjusted(GAP_PX, 0, -GAP_PX, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if held is None:
            title, font = inner.adjusted(0, 0, 0, -self.title_up_px), bold(Theme.ui_font(SMALL_FONT_PX))
            write(painter, title, str(index.data()), theme.dim, self.title_side, font)
        else:
            if option.state & self.lit:
                fill(painter, rect.adjusted(0, 1, 0, -1), blend(theme.raised, theme.accent, 0.24), RADIUS_PX)
            self.paint_row(painter, theme, inner, held)
        painter.restore()

    @abstractmethod
    def paint_row(self, painter: QPainter, theme: Theme, place: QRect, held: Any) -> None:
        """Draw what a row holds."""


class _ChoiceDelegate(SectionDelegate):
    """Two lines a choice."""

    def paint_row(self, painter: QPainter, theme: Theme, place: QRect, held: Choice) -> None:
        _draw_choice(painter, theme, held, place)


def _draw_choice(painter: QPainter, theme: Theme, choice: Choice, rect: QRect) -> None:
    half = rect.height() // 2
    upper, lower = rect.adjusted(0, 4, 0, -half), rect.adjusted(0, half, 0, -4)
    painter.setFont(Theme.ui_font())
    if choice.is_current:
        icon("check", theme.accent).paint(painter, QRect(upper.topRight() - QPoint(16, -2), QSize(16, 16)))
    painter.setPen(theme.text if choice.is_there else theme.faint)
    _draw_elided(painter, upper.adjusted(0, 0, -24, 0), choice.title)
    painter.setFont(Theme.ui_font(SMALL_FONT_PX))
    painter.setPen(theme.dim if choice.is_there else theme.faint)
    used_px = _draw_elided(painter, lower, f"{choice.detail}{' · ' if choice.place else ''}")
    _draw_elided(painter, lower.adjusted(used_px, 0, 0, 0), choice.place, Qt.TextElideMode.ElideMiddle)


def _draw_elided(
    painter: QPainter, rect: QRect, text: str, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight
) -> int:
    """The width of what was drawn."""
    elided = painter.fontMetrics().elidedText(text, mode, max(0, rect.width()))
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, elided)
    return painter.fontMetrics().horizontalAdvance(elided)


def _is_same(choice: Choice, other: Choice) -> bool:
    return choice.is_there and (choice.section, choice.name) == (other.section, other.name)
