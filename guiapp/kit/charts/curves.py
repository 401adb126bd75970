"""Curves with bands, and names at their ends."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsPathItem

from guiapp.kit.charts.chart import (
    BOLD,
    NEAR_PX,
    NUMBER,
    PLAIN,
    SUBTITLE,
    TICK_GAP_PX,
    Chart,
    HasTheme,
    Value,
    Word,
)
from guiapp.kit.charts.markers import MarkerStyle, outline
from guiapp.kit.charts.scales import Scale, log_range, range_from_zero, spread
from guiapp.kit.widgets.theme import GAP_PX

MOST_NAMED, MOST_NAME_SHARE = 8, 0.45  # of the width
EDGE_PX, LEADER_PX = 14, 26  # beside the outermost values; from the plot to the names
MARKER_PX, MARKER_DISTANCE_PX, CURVE_PX = 9, 16, 2.0
LEAST_SIZE = QSize(200, 240)  # with less, there are names for few
BAND_ALPHA, GREY_ALPHA = 30, 110  # of 255
Floats = NDArray[np.float64]
SOLID, DASHED, DOTTED = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine


class Curve(NamedTuple):
    """A line through values.

    key         what a click means
    x, y        float64[n] each, x from left to right
    low, high   float64[n], the edges of its band: 95 % intervals
    details     what stands behind its name, the most telling first
    tips        n texts
    is_hollow   whether its markers are: for what is only about right
    """

    key: Hashable
    name: str
    marker_style: MarkerStyle
    x: Floats
    y: Floats
    low: Floats
    high: Floats
    tips: Sequence[str]
    details: Sequence[str] = ()
    style: Qt.PenStyle = SOLID
    is_hollow: bool = False


class CurvesData(NamedTuple):
    """What a chart of curves shows; the first MOST_NAMED have names and colours, the others are grey."""

    titles: Sequence[str]
    subtitles: Sequence[str]
    curves: Sequence[Curve]
    x: Scale
    y: Scale


class _Drawn(NamedTuple):
    """What pyqtgraph draws of a curve, kept from one update to the next."""

    band: QGraphicsPathItem  # of pyqtgraph's own, both edges would be laid out twice
    line: pg.PlotCurveItem
    markers: pg.ScatterPlotItem

    @classmethod
    def new(cls) -> _Drawn:
        markers = pg.ScatterPlotItem(pxMode=True, antialias=True)
        return cls(QGraphicsPathItem(), pg.PlotCurveItem(antialias=True), markers)


class CurveChart(Chart):
    """At most eight names; a value of any curve can be pointed at."""

    def __init__(self, theme_source: HasTheme, name: str, has_button: bool = True) -> None:
        self.data = CurvesData([name], [""], [], Scale(), Scale())
        self._drawn: list[_Drawn] = []
        super().__init__(theme_source, name, has_button)

    def show_data(self, data: CurvesData) -> None:
        self.data = data
        self.redraw()

    def minimumSizeHint(self) -> QSize:
        return LEAST_SIZE

    @property
    def named(self) -> Sequence[Curve]:
        """Those with a name: what is emphasized, and then the first ones."""
        rows = int((self.height() - self.head_px) / self.line_px) - 2
        ranked = sorted(self.data.curves, key=lambda curve: not self._is_meant(curve))
        return ranked[: max(min(MOST_NAMED, rows), 1)]

    def _is_meant(self, curve: Curve) -> bool:
        return curve.key == self._emphasis

    def draw(self) -> None:
        curves = [curve for curve in self.data.curves if len(curve.x)]
        self.set_titles(self.data.titles, self.data.subtitles)
        self._named = [curve for curve in self.named if len(curve.x)]
        self._details = {id(curve): list(curve.details) for curve in self._named}
        room_px = self.width() * MOST_NAME_SHARE
        while self._names_px > room_px and any(self._details.values()):
            self._details = {each: details[1:] for each, details in self._details.items()}
        x_scale, y_scale = self.data.x, self.data.y
        lows = np.concatenate([curve.low for curve in curves]) if curves else np.ones(1)
        highs = np.concatenate([curve.high for curve in curves]) if curves else np.ones(1)
        xs = np.concatenate([curve.x for curve in curves]) if curves else np.ones(1)
        y_range = (
            log_range(float(lows.min()), float(highs.max()))
            if y_scale.is_log
            else range_from_zero(float(highs.max()))
        )
        ticks = y_scale.ticks(*y_range, 8)
        left_px = 2 * GAP_PX + max((self.width_px(text, NUMBER) for _, text in ticks), default=0)
        self.frame(left_px, self._names_px + LEADER_PX + GAP_PX, (x_scale, y_scale))
        left, right = x_scale.place(float(xs.min())), x_scale.place(float(xs.max()))
        right = max(right, left + (1 if x_scale.is_log else 1e-9))
        edge = EDGE_PX * (right - left) / max(self.area.width() - 2 * EDGE_PX, 1)
        free = EDGE_PX * (y_range[1] - y_range[0]) / self.area.height()
        self.show_range((left - edge, right + edge), (y_range[0] - free, y_range[1] + free))
        self._draw_curves(curves)

    def _draw_curves(self, curves: Sequence[Curve]) -> None:
        while len(self._drawn) < len(curves):
            self._drawn.append(_Drawn.new())
            for item in self._drawn[-1]:
                self.box.addItem(item, ignoreBounds=True)
        for number, curve in enumerate(curves):
            self._draw_curve(number, curve, any(curve is each for each in self._named))
        for number, drawn in enumerate(self._drawn):
            for item in drawn:
                item.setVisible(number < len(curves))

    def _draw_curve(self, number: int, curve: Curve, is_named: bool) -> None:
        drawn = self._drawn[number]
        grey = QColor(self.theme.faint)
        grey.setAlpha(GREY_ALPHA)
        color = self.color(curve.marker_style.color if is_named else grey, curve.key)
        band = QColor(color)
        band.setAlpha(min(color.alpha(), BAND_ALPHA) if is_named else 0)
        x, y = _places(self.data.x, curve.x), _places(self.data.y, curve.y)
        pen = QPen(color, CURVE_PX if is_named else CURVE_PX / 2, curve.style)
        pen.setCosmetic(True)
        drawn.line.setData(x, y, pen=pen)
        low, high = _places(self.data.y, curve.low), _places(self.data.y, curve.high)
        edges = np.concatenate([x, x[::-1]]), np.concatenate([low, high[::-1]])
        drawn.band.setPath(pg.arrayToQPath(*edges))
        drawn.band.setBrush(band)
        drawn.band.setPen(Qt.PenStyle.NoPen)
        edge = pg.mkPen(color, width=1.5)
        inside = getattr(self.theme, self.ground) if curve.is_hollow else color
        step = max(1, round(len(x) * MARKER_DISTANCE_PX / self.area.width()))
        markers = (x[::step], y[::step]) if is_named else ([], [])
        drawn.markers.setData(
            *markers, symbol=outline(curve.marker_style.marker, 1.0), size=MARKER_PX, pen=edge, brush=inside
        )
        self.values += [
            Value(curve.key, at_x, at_y, tip, number)
            for at_x, at_y, tip in zip(x.tolist(), y.tolist(), curve.tips, strict=True)
        ]

    @property
    def _names_px(self) -> float:
        return max(map(self._name_px, self._named), default=0.0)

    def _name_px(self, curve: Curve) -> float:
        details = self._details[id(curve)]
        detail_px = GAP_PX + self.width_px(details[0]) if details and details[0] else 0
        return self.width_px(self._shown(curve.name), BOLD) + detail_px

    def _shown(self, name: str) -> str:
        return self.elided(name, MOST_NAME_SHARE * self.width(), BOLD)

    def place(self) -> None:
        """Names beside the plot, as near to the ends of their curves as they can be without overlap."""
        self._leaders = list[tuple[QPointF, QPointF, QColor]]()
        ends = [(self._end_of(curve), curve) for curve in self._named]
        seen = sorted(((end.y(), index) for index, (end, _) in enumerate(ends) if self._is_seen(end)))
        half, area = self.line_px / 2, self.area
        heights = spread([y for y, _ in seen], 2 * half, area.top() + half, area.bottom() - half)
        for (_, index), y in zip(seen, heights, strict=True):
            end, curve = ends[index]
            at, name = QPointF(area.right() + LEADER_PX, y), self._shown(curve.name)
            self._leaders.append(
                (end, QPointF(at.x() - 6, y), self.color(curve.marker_style.color, curve.key))
            )
            self.words.append(Word(name, at, self.word_color(curve.key), BOLD, key=curve.key))
            details = self._details[id(curve)]
            if details and details[0]:
                behind = at + QPointF(self.width_px(name, BOLD) + GAP_PX, 0)
                self.words.append(Word(details[0], behind, self.dim_color(curve.key), PLAIN, key=curve.key))
        if n_grey := len(self.data.curves) - len(self._named):
            at = QPointF(self.width(), area.bottom() + TICK_GAP_PX + 1.5 * self.line_px)  # beside the title
            label_px = self.width_px(self.data.x.label, SUBTITLE)
            room_px = self.width() - area.center().x() - label_px / 2 - GAP_PX
            text = f"{n_grey} more in grey: point at one"
            text = text if self.width_px(text, SUBTITLE) <= room_px else f"{n_grey} more"
            self.words.append(Word(text, at, self.theme.dim, SUBTITLE, align=1.0))

    def _end_of(self, curve: Curve) -> QPointF:
        """Its last place that is seen."""
        x, y = _places(self.data.x, curve.x), _places(self.data.y, curve.y)
        right = self.box.viewRange()[0][1]
        last = max(int(np.searchsorted(x, right, side="right")) - 1, 0)
        return self.pixel(float(x[last]), float(y[last]))

    def _is_seen(self, pixel: QPointF) -> bool:
        return self.area.adjusted(-1, -1, 1, 1).contains(pixel)

    def paint_front(self, painter: QPainter) -> None:
        for start, end, color in self._leaders:
            is_far = start.x() < self.area.right() - 2 * EDGE_PX  # it shall not look like more of the curve
            painter.setPen(QPen(color, 1, DOTTED if is_far else SOLID))
            painter.drawLine(start + QPointF(MARKER_PX / 2 + 1, 0), end)
        if self.current is not None:
            self.paint_current(painter, self.current)
        super().paint_front(painter)

    def value_at(self, position: QPointF) -> int | None:
        """Also of a curve between two values, the nearer one."""
        if (found := super().value_at(position)) is not None:
            return found
        best, best_px = None, float(NEAR_PX)
        for (index, value), (_, following) in pairwise(enumerate(self.values)):
            start, end = self.pixel(value.x, value.y), self.pixel(following.x, following.y)
            if value.series == following.series and start.x() <= position.x() <= end.x() > start.x():
                share = (position.x() - start.x()) / (end.x() - start.x())
                away_px = abs(start.y() + share * (end.y() - start.y()) - position.y())
                if away_px < best_px:
                    best, best_px = index + (share > 0.5), away_px
        return best


def _places(scale: Scale, values: Floats) -> Floats:
    return np.log10(values) if scale.is_log else values
