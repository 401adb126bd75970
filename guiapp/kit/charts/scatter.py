"""Points with a marker and a name each."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPen

from guiapp.kit.charts.chart import NUMBER, PLAIN, Chart, HasTheme, Value, Word
from guiapp.kit.charts.markers import MarkerStyle, outline
from guiapp.kit.charts.scales import Range, Scale
from guiapp.kit.widgets.theme import GAP_PX

MARKER_PX, RING_PX = 12, 1.8
MOST_LINES = 9  # from a point to its name
NOTE_GAP_PX, MOST_NOTE_SHARE = 32, 0.3  # of the width


class Point(NamedTuple):
    """A value of both scales; hollow where it is only about right."""

    key: Hashable
    name: str
    marker_style: MarkerStyle
    x: float
    y: float
    tip: str
    is_hollow: bool = False


class ScatterData(NamedTuple):
    """What a scatter chart shows.

    ranges   of both scales, in places
    line     a value of y that has a line of its own, and what it means: in words at its right end
    """

    titles: Sequence[str]
    subtitles: Sequence[str]
    points: Sequence[Point]
    x: Scale
    y: Scale
    ranges: tuple[Range, Range]
    line: float | None = None
    notes: Sequence[str] = ()


class ScatterChart(Chart):
    """No name covers another one, or a point; those that stand away have a line to theirs."""

    def __init__(self, theme_source: HasTheme, name: str, has_button: bool = True) -> None:
        self.data = ScatterData([name], [""], [], Scale(), Scale(), ((0.0, 1.0), (0.0, 1.0)))
        self._points = pg.ScatterPlotItem(pxMode=True, antialias=True)
        super().__init__(theme_source, name, has_button)
        self.box.addItem(self._points, ignoreBounds=True)

    def show_data(self, data: ScatterData) -> None:
        self.data = data
        self.redraw()

    def draw(self) -> None:
        data = self.data
        self.set_titles(data.titles, data.subtitles)
        ticks = data.y.ticks(*data.ranges[1], 8)
        left_px = 2 * GAP_PX + max((self.width_px(text, NUMBER) for _, text in ticks), default=0)
        notes_px = NOTE_GAP_PX + max(map(self.width_px, data.notes), default=0)
        self._has_notes = bool(data.notes) and notes_px < MOST_NOTE_SHARE * self.width()
        self.frame(left_px, notes_px if self._has_notes else GAP_PX, (data.x, data.y))
        is_flat = len({point.y for point in data.points}) < 2  # all would soon be out of sight
        self.show_range(*data.ranges, (True, not is_flat))
        self.values = [
            Value(point.key, data.x.place(point.x), data.y.place(point.y), point.tip) for point in data.points
        ]
        spots = []
        for value, point in zip(self.values, data.points, strict=True):
            color = self.color(point.marker_style.color, point.key)
            brush = getattr(self.theme, self.ground) if point.is_hollow else color
            symbol, pen = outline(point.marker_style.marker, 1.0), pg.mkPen(color, width=RING_PX)
            spots.append(
                {"pos": (value.x, value.y), "symbol": symbol, "pen": pen, "brush": brush, "size": MARKER_PX}
            )
        self._points.setData(spots)

    def place(self) -> None:
        self._leaders: list[tuple[QPointF, QPointF]] = []
        pixels = [self.pixel(value.x, value.y) for value in self.values]
        seen = [index for index, pixel in enumerate(pixels) if self.area.contains(pixel)]
        half = MARKER_PX / 2
        taken = [QRectF(pixels[i].x() - half, pixels[i].y() - half, 2 * half, 2 * half) for i in seen]
        if self.data.line is not None:
            y = self.pixel(0, self.data.line).y()
            taken.append(QRectF(self.area.left(), y - RING_PX, self.area.width(), 2 * RING_PX))
        for index in sorted(seen, key=lambda each: pixels[each].x()):
            point = self.data.points[index]
            size_px = self.width_px(point.name) + GAP_PX, self.line_px
            rect, is_away = _free_rect(pixels[index], size_px, taken, self.area)
            taken.append(rect)
            if is_away:
                y = rect.bottom() if rect.center().y() < pixels[index].y() else rect.top()
                self._leaders.append((pixels[index], QPointF(rect.center().x(), y)))
            self.words.append(
                Word(point.name, rect.center(), self.word_color(point.key), PLAIN, 0.5, point.key)
            )
        if self._has_notes and self.data.line is not None:
            at = self.pixel(0, self.data.line)
            for number, note in enumerate(self.data.notes):
                place = QPointF(self.area.right() + NOTE_GAP_PX, at.y() + number * self.line_px)
                self.words.append(Word(note, place, self.theme.dim))

    def paint_back(self, painter: QPainter) -> None:
        super().paint_back(painter)
        if self.data.line is not None and not self.reason:
            y = self.pixel(0, self.data.line).y()
            painter.setPen(QPen(self.theme.good, RING_PX))
            if self.area.top() <= y <= self.area.bottom():
                painter.drawLine(QPointF(self.area.left(), y), QPointF(self.area.right(), y))
        painter.setPen(QPen(self.theme.faint, 1))
        for start, end in () if self.reason else self._leaders:
            painter.drawLine(start, end)

    def paint_front(self, painter: QPainter) -> None:
        if self.current is not None:
            self.paint_current(painter, self.current)
        super().paint_front(painter)


def _free_rect(
    point: QPointF, size_px: tuple[float, float], taken: Sequence[QRectF], area: QRectF
) -> tuple[QRectF, bool]:
    """The nearest place for a name that covers nothing, and whether it stands away from its point.

    Right above or below first, then line by line farther away and sideways.
    """
    width, height = size_px
    first = MARKER_PX / 2 + height / 2 + 2
    offsets = sorted(
        product(range(MOST_LINES), (-1, 1), (0.0, 0.4, -0.4, 0.8, -0.8)),
        key=lambda each: each[0] + abs(each[2]) * 1.5 + (each[1] > 0) * 0.4,
    )
    for line, side, sideways in offsets:
        center = point + QPointF(sideways * width, side * (first + line * height))
        center.setX(min(max(center.x(), area.left() + width / 2), area.right() - width / 2))
        rect = QRectF(center.x() - width / 2, center.y() - height / 2, width, height)
        if area.contains(rect) and not any(rect.intersects(other) for other in taken):
            return rect, line > 0 or abs(center.x() - point.x()) > width / 2
    return QRectF(point.x() - width / 2, point.y() - first - height / 2, width, height), False
