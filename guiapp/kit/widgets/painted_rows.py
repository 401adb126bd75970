"""A list whose rows are painted, all of one height."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import Theme, ThemeSource

ROW_PX = 62


class PaintedRows(QAbstractScrollArea):
    """Rows to scroll, one of which is chosen.

    A subclass says how many there are, and calls `fit_rows` when there are others, `show_chosen` when
    another one is chosen.
    """

    def __init__(self, theme_source: ThemeSource, name: str) -> None:
        super().__init__()
        self._theme_source = theme_source
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        theme_source.changed.connect(self.viewport().update)

    @property
    @abstractmethod
    def n_rows(self) -> int: ...

    @property
    @abstractmethod
    def chosen_row(self) -> int:
        """-1 for none."""

    @abstractmethod
    def paint_row(self, painter: QPainter, theme: Theme, row: int, place: QRect) -> None:
        """Paint what stands in a row, over its ground."""

    def sizeHint(self) -> QSize:
        return QSize(600, 6 * ROW_PX)

    def row_at(self, row: int) -> QRect:
        """Where a row is in the viewport."""
        return QRect(0, row * ROW_PX - self.verticalScrollBar().value(), self.viewport().width(), ROW_PX)

    def row_under(self, y: int) -> int:
        """Which row is at this height of the viewport; there may be none."""
        return (y + self.verticalScrollBar().value()) // ROW_PX

    def fit_rows(self) -> None:
        bar = self.verticalScrollBar()
        bar.setSingleStep(ROW_PX // 2)
        bar.setPageStep(self.viewport().height())
        bar.setRange(0, max(0, self.n_rows * ROW_PX - self.viewport().height()))
        self.viewport().update()

    def show_chosen(self) -> None:
        """Scroll as far as it takes."""
        self.fit_rows()
        if self.chosen_row >= 0:
            place, bar = self.row_at(self.chosen_row), self.verticalScrollBar()
            further = max(place.bottom() - self.viewport().height(), 0)
            bar.setValue(bar.value() + min(place.top(), 0) + further)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_rows()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, seen = self._theme_source.theme, event.rect()
        rows = range(self.row_under(seen.top()), min(self.row_under(seen.bottom()) + 1, self.n_rows))
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.fillRect(seen, theme.background)
            for row in rows:
                self._paint_whole_row(painter, theme, row)

    def _paint_whole_row(self, painter: QPainter, theme: Theme, row: int) -> None:
        place = self.row_at(row)
        if row == self.chosen_row:
            painter.fillRect(place, blend(theme.background, theme.accent, 0.12))
            painter.fillRect(QRect(place.left(), place.top(), 2, ROW_PX), theme.accent)
        painter.fillRect(QRect(place.left(), place.bottom(), place.width(), 1), theme.line)
        self.paint_row(painter, theme, row, place)
