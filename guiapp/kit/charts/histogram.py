"""Histograms: columns side by side on one scale, in parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter

from guiapp.kit.charts.chart import NUMBER, Chart, HasTheme, Value, Word
from guiapp.kit.charts.markers import pattern
from guiapp.kit.charts.rows import HIGHLIGHT, PartColor, counts_text
from guiapp.kit.widgets.painting import fill, ring
from guiapp.kit.widgets.theme import UNIT_PX, blend

CHART_PX, LEAST_PX, LINE_PX, GRIPPED_PX = 130, 1.5, 2, 9  # high; of what has anything; of the line
HATCHED_GROUND = 0.3  # of a colour below its hatching


class HistogramData(NamedTuple):
    """What a histogram shows.

    counts  int64[parts, n], stacked
    names   n texts, as they are read
    first   the first column that is drawn
    labels  what stands below some of them
    parts   what each part counts
    colors  of each part, solid or hatched, the first at the bottom
    least   the column at whose left edge there is a line to drag, if there is one
    """

    counts: NDArray[np.int64]
    names: Sequence[str]
    parts: Sequence[str]
    first: int = 0
    labels: Mapping[int, str] = {}
    colors: Sequence[PartColor] = ()
    least: int | None = None


class HistogramChart(Chart):
    """Column i is from i - 0.5 to i + 0.5.

    Signals:
        line_moved(int): the line was dragged to the left edge of this column.
    """

    line_moved = Signal(int)
    ground = "panel"
    n_head_lines = 0

    def __init__(self, theme_source: HasTheme, name: str) -> None:
        self.data = HistogramData(np.zeros((1, 0), np.int64), (), ())
        self.selected: int | None = None
        self._line = pg.InfiniteLine(angle=90, movable=True)
        self._line.setCursor(Qt.CursorShape.SplitHCursor)
        super().__init__(theme_source, name, has_button=False)
        self.shows_tips = False
        self.box.addItem(self._line, ignoreBounds=True)
        self._line.sigPositionChangeFinished.connect(self._on_line_dropped)

    def show_data(self, data: HistogramData) -> None:
        self.data = data
        self.redraw()

    def select(self, column: int | None) -> None:
        """Mark the column that something is listed of."""
        if column != self.selected:
            self.selected = column
            self._update()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, CHART_PX)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    @property
    def _totals(self) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = self.data.counts.sum(axis=0)
        return totals

    def draw(self) -> None:
        data, totals = self.data, self._totals
        self.set_titles([self._name])
        below_px = self.line_px if data.labels else 0
        self.frame(0, 0)
        self.area = QRectF(
            UNIT_PX, UNIT_PX, self.width() - UNIT_PX, max(self.height() - below_px - UNIT_PX, 1)
        )
        n_columns = max(len(totals), data.first + 1)
        highest = float(totals[data.first :].max(initial=1))
        self.show_range((data.first - 0.5, n_columns - 0.5), (0.0, highest), (True, False))
        self._line.setVisible(data.least is not None)
        self._line.setPen(pg.mkPen(self.theme.accent, width=LINE_PX))
        self._line.setHoverPen(pg.mkPen(self.theme.accent, width=GRIPPED_PX))
        self._line.setBounds((data.first - 0.5, n_columns - 0.5))
        if data.least is not None and not self._line.moving:
            self._line.setPos(data.least - 0.5)

        def tip(column: int) -> str:
            return counts_text(data.names[column], data.counts[:, column].tolist(), data.parts)

        self.values = [
            Value(column, column, float(totals[column]), tip(column))
            for column in range(data.first, len(totals))
        ]

    def place(self) -> None:
        for column, text in self.data.labels.items():
            at, half = self.pixel(column, 0), self.width_px(text, NUMBER) / 2
            if self.area.left() - 1 <= at.x() <= self.area.right() + 1:
                x = min(max(at.x(), half), self.width() - half)
                y = self.area.bottom() + self.line_px / 2
                self.words.append(Word(text, QPointF(x, y), self.theme.dim, NUMBER, 0.5))

    def _on_line_dropped(self) -> None:
        column = round(self._line.value() + 0.5)
        self._line.setPos(column - 0.5)
        self.line_moved.emit(column)

    def _column_rect(self, column: int) -> QRectF:
        left, right = self.pixel(column - 0.5, 0).x(), self.pixel(column + 0.5, 0).x()
        return QRectF(left, 0, right - left, self.area.bottom())

    def paint_front(self, painter: QPainter) -> None:
        painter.save()
        painter.setClipRect(QRectF(self.area.left(), 0, self.area.width(), self.height()))
        for value in self.values:
            column = int(value.x)
            whole = self._column_rect(column)
            if column == self.selected:
                fill(painter, whole, blend(self.theme.panel, self.theme.accent, HIGHLIGHT), 4)
            elif self.current is value:
                fill(painter, whole, self.theme.raised, 4)
                if self.hasFocus():
                    ring(painter, whole, self.theme.accent, 4)
            for part, segment in enumerate(self._segments(column, whole)):
                if segment.height() > 0:
                    color, is_hatched = self.data.colors[part]
                    if is_hatched:
                        fill(painter, segment, blend(self.theme.panel, color, HATCHED_GROUND), 1)
                    fill(painter, segment, pattern(color, is_hatched), 1)
        painter.restore()
        super().paint_front(painter)

    def _segments(self, column: int, whole: QRectF) -> list[QRectF]:
        """Of each part, from the bottom up."""
        sums = np.append(0, self.data.counts[:, column].cumsum())
        scale = self.area.height() / self.box.viewRange()[1][1]
        tops = self.area.bottom() - np.maximum(sums * scale, LEAST_PX * np.sign(sums))
        left, width = whole.left() + 1, max(whole.width() - 2, 1)
        return [QRectF(left, above, width, below - above) for below, above in pairwise(tops.tolist())]

    def value_at(self, position: QPointF) -> int | None:
        for index, value in enumerate(self.values):
            rect = self._column_rect(int(value.x))
            if rect.left() <= position.x() < rect.right():
                return index
        return None

    def part_at(self, position: QPointF) -> int | None:
        index = self.value_at(position)
        if index is None:
            return None
        column = int(self.values[index].x)
        segments = self._segments(column, self._column_rect(column))
        return next(
            (part for part, each in enumerate(segments) if each.top() <= position.y() < each.bottom()), None
        )
