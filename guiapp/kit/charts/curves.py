"""Charts of curves with bands and names at their ends, of points with markers and names, of densities."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cache
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QGraphicsPathItem

from guiapp.kit.charts.chart import BOLD, NEAR_PX, NUMBER, PLAIN, SUBTITLE, Chart, Value, Word
from guiapp.kit.charts.markers import MarkerStyle, outline
from guiapp.kit.charts.scales import Floats, Range, Scale, log_range, range_from_zero, spread
from guiapp.kit.widgets.painting import ring
from guiapp.kit.widgets.theme import GAP_PX, UNIT_PX, ThemeSource, blend

MOST_NAMED, MOST_NAME_SHARE = 8, 0.45  # of the width
EDGE_PX, LEADER_PX = 14, 26  # margin around the outermost values; distance from the plot to the names
MARKER_PX, MARKER_DISTANCE_PX, CURVE_PX = 9, 16, 2.0
BAND_ALPHA, GREY_ALPHA = 30, 110  # of 255
POINT_PX, RING_PX = 12, 1.8
MOST_LINES, LINE_PX = 9, 2  # greatest distance from a point to its name; width of the line between them
SIDEWAYS = (  # shifts, in widths of the name, of names above or below their points, in order of preference
    (0.0, 0.25, -0.25, 0.45, -0.45),
    (0.45, -0.45, 0.25, -0.25, 0.0),
    (-0.45, 0.45, -0.25, 0.25, 0.0),
)
NEAR_POINT_PX, MARK_PX, CHOSEN_PX = 8, 6, 15  # of densities: distance for a click; marks; ring
FEW, LARGE_PX, SMALL_PX = 40_000, 3, 2  # up to FEW points are large
FREE = 1.04  # end of an axis, times the highest value; the same margin is free below 0
FAINTEST = 0.3  # opacity of a pixel with one point; the pixel with the most points has 1
OTHERS = 0.35  # colour of unlit points: this far from the panel's colour to that of dim text
SOLID, DASHED, DOTTED = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine, Qt.PenStyle.DotLine


class Curve(NamedTuple):
    """A line through values.

    key         emitted by a click
    x, y        float64[n] each, x ascending
    low, high   float64[n], the edges of its band: 95 % intervals
    details     alternative texts after its name, in order of preference
    tips        n texts
    is_hollow   whether its markers are hollow, for approximate values
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
    """The data of a chart of curves; the first MOST_NAMED have names and colours, the others are grey."""

    titles: Sequence[str]
    subtitles: Sequence[str]
    curves: Sequence[Curve]
    x: Scale
    y: Scale


class _Drawn(NamedTuple):
    """The graphics items of a curve, reused by the next update."""

    band: QGraphicsPathItem  # pyqtgraph's FillBetweenItem would lay out both edges twice
    line: pg.PlotCurveItem
    markers: pg.ScatterPlotItem


class _Name(NamedTuple):
    """The text at the end of a curve."""

    curve: Curve
    details: Sequence[str]

    @property
    def detail(self) -> str:
        return self.details[0] if self.details else ""


class CurveChart(Chart):
    """A chart of curves, at most MOST_NAMED with names; values of all curves can be read."""

    data: CurvesData = CurvesData([""], [""], [], Scale(), Scale())
    least_size = QSize(200, 240)  # a lower chart has room for few names

    def __init__(self, theme_source: ThemeSource | None, name: str) -> None:
        self._drawn: list[_Drawn] = []
        super().__init__(theme_source, name)

    @property
    def named(self) -> Sequence[Curve]:
        """The curves with a name: the emphasized one, then the first ones."""
        rows = int((self.height() - self.head_px) / self.line_px) - 2
        ranked = sorted(self.data.curves, key=lambda curve: curve.key != self._emphasis)
        return ranked[: max(min(MOST_NAMED, rows), 1)]

    def draw(self) -> None:
        curves = [curve for curve in self.data.curves if len(curve.x)]
        x_scale, y_scale = self.data.x, self.data.y
        self.set_titles(self.data.titles, self.data.subtitles)
        self._names = [_Name(curve, curve.details) for curve in self.named if len(curve.x)]
        while self._names_px > self.width() * MOST_NAME_SHARE and any(name.details for name in self._names):
            self._names = [_Name(curve, details[1:]) for curve, details in self._names]
        lowest = min((float(curve.low.min()) for curve in curves), default=1.0)
        highest = max((float(curve.high.max()) for curve in curves), default=1.0)
        y_range = log_range(lowest, highest) if y_scale.is_log else range_from_zero(highest)
        self.frame_scales(x_scale, y_scale, y_range, self._names_px + LEADER_PX + GAP_PX)
        left = x_scale.position(min((float(curve.x.min()) for curve in curves), default=1.0))
        right = x_scale.position(max((float(curve.x.max()) for curve in curves), default=1.0))
        right = max(right, left + (1 if x_scale.is_log else 1e-9))
        edge = EDGE_PX * (right - left) / max(self.area.width() - 2 * EDGE_PX, 1)
        free = EDGE_PX * (y_range[1] - y_range[0]) / self.area.height()
        self.show_range((left - edge, right + edge), (y_range[0] - free, y_range[1] + free))
        while len(self._drawn) < len(curves):
            markers = pg.ScatterPlotItem(pxMode=True, antialias=True)
            self._drawn.append(_Drawn(QGraphicsPathItem(), pg.PlotCurveItem(antialias=True), markers))
            for item in self._drawn[-1]:
                self.box.addItem(item, ignoreBounds=True)
        for number, drawn in enumerate(self._drawn):
            for item in drawn:
                item.setVisible(number < len(curves))
        for number, curve in enumerate(curves):
            self._draw_curve(number, curve, any(curve is name.curve for name in self._names))

    def _draw_curve(self, number: int, curve: Curve, is_named: bool) -> None:
        drawn = self._drawn[number]
        grey = QColor(self.theme.faint)
        grey.setAlpha(GREY_ALPHA)
        color = self.color(curve.marker_style.color if is_named else grey, curve.key)
        x, y, low, high = self._positions(curve)
        pen = QPen(color, CURVE_PX if is_named else CURVE_PX / 2, curve.style)
        pen.setCosmetic(True)
        drawn.line.setData(x, y, pen=pen)
        band = QColor(color)
        band.setAlpha(min(color.alpha(), BAND_ALPHA) if is_named else 0)
        drawn.band.setPath(pg.arrayToQPath(np.append(x, x[::-1]), np.append(low, high[::-1])))
        drawn.band.setBrush(band)
        drawn.band.setPen(Qt.PenStyle.NoPen)
        inside = self.ground_color if curve.is_hollow else color
        symbol, edge = outline(curve.marker_style.marker, 1.0), pg.mkPen(color, width=1.5)
        step = max(1, round(len(x) * MARKER_DISTANCE_PX / self.area.width()))
        markers = (x[::step], y[::step]) if is_named else ([], [])
        drawn.markers.setData(*markers, symbol=symbol, size=MARKER_PX * self.factor, pen=edge, brush=inside)
        self.values += [
            Value(curve.key, at_x, at_y, tip, number)
            for at_x, at_y, tip in zip(x.tolist(), y.tolist(), curve.tips, strict=True)
        ]

    def _positions(self, curve: Curve) -> tuple[Floats, Floats, Floats, Floats]:
        """The positions of x, y, low and high on the axes."""
        y_scale = self.data.y
        y, low, high = (y_scale.positions(each) for each in (curve.y, curve.low, curve.high))
        return self.data.x.positions(curve.x), y, low, high

    @property
    def _names_px(self) -> float:
        return max(map(self._name_px, self._names), default=0.0)

    def _name_px(self, name: _Name) -> float:
        detail_px = GAP_PX + self.width_px(name.detail) if name.detail else 0
        return self.width_px(self._shown(name.curve.name), BOLD) + detail_px

    def _shown(self, name: str) -> str:
        return self.elided(name, MOST_NAME_SHARE * self.width(), BOLD)

    def arrange_words(self) -> None:
        """Arrange names next to the plot, as near to the ends of their curves as possible without overlap."""
        self._leaders = list[tuple[QPointF, QPointF, QColor]]()
        area, half, dim = self.area, self.line_px / 2, self.theme.dim
        ends = [(self._end_of(name.curve), name) for name in self._names]
        seen = [each for each in ends if area.adjusted(-1, -1, 1, 1).contains(each[0])]
        seen.sort(key=lambda each: each[0].y())
        heights = spread([end.y() for end, _ in seen], self.line_px, area.top() + half, area.bottom() - half)
        for (end, name), y in zip(seen, heights, strict=True):
            at, text, key = QPointF(area.right() + LEADER_PX, y), self._shown(name.curve.name), name.curve.key
            self._leaders.append((end, at - QPointF(6, 0), self.color(name.curve.marker_style.color, key)))
            self.words.append(Word(text, at, self.word_color(key), BOLD, key=key))
            if name.detail:
                after = at + QPointF(self.width_px(text, BOLD) + GAP_PX, 0)
                self.words.append(Word(name.detail, after, self.word_color(key, dim), PLAIN, key=key))
        if n_grey := len(self.data.curves) - len(self._names):
            self.write_below(f"{n_grey} more in grey: point at one for its name", f"{n_grey} more")

    def _end_of(self, curve: Curve) -> QPointF:
        """The last visible point of a curve."""
        x, y, *_ = self._positions(curve)
        right = self.box.viewRange()[0][1]
        last = max(int(np.searchsorted(x, right, side="right")) - 1, 0)
        return self.pixel(float(x[last]), float(y[last]))

    def paint_front(self, painter: QPainter) -> None:
        for start, end, color in self._leaders:
            is_far = start.x() < self.area.right() - 2 * EDGE_PX  # must not look like a part of the curve
            painter.setPen(QPen(color, 1, DOTTED if is_far else SOLID))
            painter.drawLine(start + QPointF(MARKER_PX / 2 + 1, 0), end)
        self.paint_ring(painter)
        super().paint_front(painter)

    def value_at(self, position: QPointF) -> int | None:
        """The value near a pixel; on a curve between two values, the nearer one."""
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


class Point(NamedTuple):
    """A point of a scatter chart; hollow if it is approximate.

    names  alternative labels in order of preference; the first that fits is shown
    """

    key: Hashable
    names: Sequence[str]
    marker_style: MarkerStyle
    x: float
    y: float
    tip: str
    is_hollow: bool = False


class ScatterData(NamedTuple):
    """The data of a scatter chart.

    ranges   of both scales, as positions
    line     position on the y axis of a horizontal line
    """

    titles: Sequence[str]
    subtitles: Sequence[str]
    points: Sequence[Point]
    x: Scale
    y: Scale
    ranges: tuple[Range, Range]
    line: float | None = None


class ScatterChart(Chart):
    """A scatter chart in which no name covers another name, a point, or the line from a name to its point.

    The first points get their names first; a name without room is shown by pointing at its point.
    """

    data: ScatterData = ScatterData([""], [""], [], Scale(), Scale(), ((0.0, 1.0), (0.0, 1.0)))
    least_size = QSize(200, 170)  # a lower chart has no room for names above the line

    def __init__(self, theme_source: ThemeSource | None, name: str) -> None:
        super().__init__(theme_source, name)
        self._points = pg.ScatterPlotItem(pxMode=True, antialias=True)
        self.box.addItem(self._points, ignoreBounds=True)

    def draw(self) -> None:
        data = self.data
        self.set_titles(data.titles, data.subtitles)
        self.frame_scales(data.x, data.y, data.ranges[1], GAP_PX)
        is_flat = len({point.y for point in data.points}) < 2  # zooming y would soon hide all points
        self.show_range(*data.ranges, (True, not is_flat))
        spots, size = [], POINT_PX * self.factor
        for point in data.points:
            x, y = data.x.position(point.x), data.y.position(point.y)
            self.values.append(Value(point.key, x, y, point.tip))
            color = self.color(point.marker_style.color, point.key)
            brush = self.ground_color if point.is_hollow else color
            symbol, pen = outline(point.marker_style.marker, 1.0), pg.mkPen(color, width=RING_PX)
            spots.append({"pos": (x, y), "symbol": symbol, "pen": pen, "brush": brush, "size": size})
        self._points.setData(spots)

    def arrange_words(self) -> None:
        self._leaders: list[tuple[QPointF, QPointF]] = []
        data, area, half = self.data, self.area, POINT_PX * self.factor / 2
        pixels = (self.pixel(value.x, value.y) for value in self.values)
        seen = [each for each in zip(pixels, data.points, strict=True) if area.contains(each[0])]
        taken = [QRectF(at.x() - half, at.y() - half, 2 * half, 2 * half) for at, _ in seen]
        if data.line is not None:
            y = self.pixel(0, data.line).y()
            taken.append(QRectF(area.left(), y - RING_PX, area.width(), 2 * RING_PX))
        seen.sort(key=lambda each: each[1].key != self._emphasis)
        names: list[tuple[Word, QRectF | None]] = []
        for sideways in SIDEWAYS:
            if len(names) < len(seen):
                names = max(names, self._names_of(seen, taken, sideways), key=len)
        for word, leader in names:
            self.words.append(word)
            if leader is not None:
                x = leader.center().x()
                self._leaders.append((QPointF(x, leader.top()), QPointF(x, leader.bottom())))
        if n_unnamed := len(seen) - len(names):
            self.write_below(f"{n_unnamed} not labelled: point at one for its name", f"{n_unnamed} more")

    def _names_of(
        self, seen: Sequence[tuple[QPointF, Point]], taken: list[QRectF], sideways: tuple[float, ...]
    ) -> list[tuple[Word, QRectF | None]]:
        """Place names one after another where the previous ones leave room, with lines to their points."""
        names, half, points = [], POINT_PX * self.factor / 2, [at for at, _ in seen]
        for at, point in seen:
            sizes = ((name, (self.width_px(name) + GAP_PX, self.line_px)) for name in point.names)
            free = (
                (name, _free_rect(at, points, size, half, taken, self.area, sideways)) for name, size in sizes
            )
            name, rect = next((each for each in free if each[1] is not None), ("", None))
            if rect is not None:
                leader = _leader(at, rect, half)
                taken = [*taken, rect] if leader is None else [*taken, rect, leader]
                word = Word(name, rect.center(), self.word_color(point.key), PLAIN, 0.5, point.key)
                names.append((word, leader))
        return names

    def paint_back(self, painter: QPainter) -> None:
        super().paint_back(painter)
        if self.reason:
            return
        if self.data.line is not None:
            y = self.pixel(0, self.data.line).y()
            painter.setPen(QPen(self.theme.good, RING_PX))
            if self.area.top() <= y <= self.area.bottom():
                painter.drawLine(QPointF(self.area.left(), y), QPointF(self.area.right(), y))
        painter.setPen(QPen(self.theme.faint, 1))
        for start, end in self._leaders:
            painter.drawLine(start, end)

    def paint_front(self, painter: QPainter) -> None:
        self.paint_ring(painter)
        super().paint_front(painter)


@cache
def _name_positions(sideways: tuple[float, ...]) -> Floats:
    """The possible positions of a name around its point, best first: float64[n, 3].

    Columns: shift to the right in widths of the name; lines between name and point; -1 for above the point,
    1 for below, 0 for next to it.
    """
    above_and_below = sorted(
        ((across, n, side) for n, side, across in product(range(MOST_LINES), (-1, 1), sideways)),
        key=lambda each: each[1] * 2 + sideways.index(each[0]) / 8 + (each[2] > 0) * 0.4,
    )
    n_near = 2 * len(sideways)
    beside = (0.5, 0, 0), (-0.5, 0, 0)
    return np.array([*above_and_below[:n_near], *beside, *above_and_below[n_near:]], float)


def _free_rect(
    point: QPointF,
    others: Sequence[QPointF],
    size_px: tuple[float, float],
    half: float,
    taken: Sequence[QRectF],
    area: QRectF,
    sideways: tuple[float, ...],
) -> QRectF | None:
    """The best position for a name around its point at which it and its line cover nothing.

    To avoid confusion, no other point at its height may be nearer to its middle.
    """
    (width, height), (across, n_lines, side) = size_px, _name_positions(sideways).T
    first = half + height / 2 + 1
    x = point.x() + across * width + np.where(side == 0, np.sign(across) * half, 0.0)
    x = x.clip(area.left() + width / 2, area.right() - width / 2)
    y = point.y() + side * (first + n_lines * height)
    top, bottom = y - height / 2, y + height / 2
    is_free = (top >= area.top()) & (bottom <= area.bottom()) & (width <= area.width())
    other_x, other_y = np.array([each.toTuple() for each in others]).T[:, :, None]
    is_beside = abs(other_y - y) < first + height / 2
    is_free &= ~(is_beside & (abs(other_x - x) < abs(point.x() - x))).any(0)
    boxes = np.array([each.getCoords() for each in taken]).T[:, :, None]
    is_free &= ~_covered(boxes, x - width / 2, top, x + width / 2, bottom)
    from_y, to_y = np.where(side < 0, bottom, point.y() + half), np.where(side < 0, point.y() - half, top)
    leads = to_y - from_y >= height / 2
    left, right = point.x() - LINE_PX / 2, point.x() + LINE_PX / 2
    is_free &= ~(leads & _covered(boxes, left, from_y + 1, right, to_y - 1))
    if not is_free.any():
        return None
    index = int(is_free.argmax())
    return QRectF(x[index] - width / 2, top[index], width, height)


def _covered(boxes: Floats, left: Any, top: Any, right: Any, bottom: Any) -> NDArray[np.bool_]:
    """Which rectangles, bool[n], cover any of the boxes, float64[4, m, 1]."""
    meets = (boxes[0] < right) & (left < boxes[2]) & (boxes[1] < bottom) & (top < boxes[3])
    covered: NDArray[np.bool_] = np.any(meets, axis=0)
    return covered


def _leader(point: QPointF, rect: QRectF, half: float) -> QRectF | None:
    """The vertical line from a point to its name; None if they are next to each other."""
    x = point.x() - LINE_PX / 2
    above_px, below_px = point.y() - half - rect.bottom(), rect.top() - point.y() - half
    if max(above_px, below_px) < rect.height() / 2:
        return None
    top = rect.bottom() if above_px > 0 else point.y() + half
    return QRectF(x, top, LINE_PX, max(above_px, below_px))


# Many points, shown as density


class DensityMark(NamedTuple):
    """Marks on some points: which ones (bool[n]), colour, symbol of pyqtgraph, hollow or not."""

    flags: NDArray[np.bool_]
    color: QColor
    symbol: str
    is_hollow: bool = False


class DensityData(NamedTuple):
    """The data of a density chart: lit points are coloured, others grey; the key of a point is its index.

    limits  positions of limit lines on the x and y axes, None for none
    chosen  index of the point with a ring
    """

    x: Floats
    y: Floats
    is_lit: NDArray[np.bool_]
    scales: tuple[Scale, Scale]
    about: str = ""
    limits: tuple[float | None, float | None] = (None, None)
    marks: Sequence[DensityMark] = ()
    chosen: int | None = None


class DensityChart(Chart):
    """A chart in which a pixel with more points is more opaque; a click chooses the nearest point.

    Signals:
        pointed_at(int | None): the point under the mouse.
    """

    pointed_at = Signal(object)
    data: DensityData | None = None
    ground = "panel"
    n_head_lines = 1

    def __init__(self, theme_source: ThemeSource, name: str) -> None:
        self._density = pg.ImageItem(axisOrder="row-major")
        self._lines = pg.InfiniteLine(angle=90), pg.InfiniteLine(angle=0)
        self._marks = pg.ScatterPlotItem(pxMode=True, antialias=True)
        super().__init__(theme_source, name)
        for item in (self._density, *self._lines, self._marks):
            self.box.addItem(item, ignoreBounds=True)

    def draw(self) -> None:
        if (data := self.data) is None:
            return
        self.set_titles([""])
        self.setAccessibleName(self.name)
        self.setAccessibleDescription(data.about)
        self.frame(2 * GAP_PX + self.width_px("0000", NUMBER), GAP_PX, data.scales)
        right, top = (float(values.max(initial=0)) or 1.0 for values in (data.x, data.y))
        self.show_range((right * (1 - FREE), right * FREE), (top * (1 - FREE), top * FREE))
        for line, limit in zip(self._lines, data.limits, strict=True):
            line.setPen(pg.mkPen(self.theme.warning, style=DASHED))
            line.setVisible(limit is not None)
            line.setPos(limit or 0.0)
        self._marks.clear()
        for mark in data.marks:
            color = mark.color
            brush = self.ground_color if mark.is_hollow else color
            self._marks.addPoints(
                data.x[mark.flags],
                data.y[mark.flags],
                symbol=mark.symbol,
                size=MARK_PX,
                pen=color,
                brush=brush,
            )
        if data.chosen is not None:
            at, pen = slice(data.chosen, data.chosen + 1), pg.mkPen(self.theme.accent, width=2)
            self._marks.addPoints(data.x[at], data.y[at], symbol="o", size=CHOSEN_PX, pen=pen, brush=None)

    def arrange_words(self) -> None:
        if self.data is not None:
            at = QPointF(self.area.left(), self.head_px - self.line_px / 2)
            self.words.append(Word(f"↑ {self.data.scales[1].title}", at, self.theme.dim, SUBTITLE))
            self._draw_density(self.data)

    def _pixels(self, data: DensityData) -> tuple[Floats, Floats]:
        """The positions of the points in pixels from the lower left corner of the plot."""
        (left, right), (bottom, top) = self.box.viewRange()
        x = (data.x - left) / (right - left) * self.area.width()
        return x, (data.y - bottom) / (top - bottom) * self.area.height()

    def _draw_density(self, data: DensityData) -> None:
        ratio, (x, y) = self.devicePixelRatioF(), self._pixels(data)
        width, height = (max(1, round(side * ratio)) for side in (self.area.width(), self.area.height()))
        size = round((LARGE_PX if len(x) <= FEW else SMALL_PX) * ratio)
        columns, rows = (x * ratio).astype(np.int64), (y * ratio).astype(np.int64)
        is_seen = (columns >= 0) & (columns < width) & (rows >= 0) & (rows < height)
        at, pixels = rows * width + columns, np.zeros((height, width, 4), np.uint8)
        colors = blend(self.theme.panel, self.theme.dim, OTHERS), self.theme.contenders[0]
        for color, flags in zip(colors, (~data.is_lit, data.is_lit), strict=True):
            counts = np.bincount(at[flags & is_seen], minlength=width * height).reshape(height, width)
            there = (counts := _dilated(counts, size)) > 0
            crowd = np.log(counts[there])
            most = float(crowd.max(initial=0))
            strength = FAINTEST + (1 - FAINTEST) * (crowd / most if most else np.ones(len(crowd)))
            pixels[there, :3] = color.red(), color.green(), color.blue()
            pixels[there, 3] = (strength * 255).astype(np.uint8)
        (left, right), (bottom, top) = self.box.viewRange()
        self._density.setImage(pixels, autoLevels=False, levels=None)
        self._density.setRect(QRectF(left, bottom, right - left, top - bottom))

    def key_at(self, position: QPointF) -> int | None:
        """The index of the nearest point; marked points take precedence."""
        if (data := self.data) is None or not len(data.x):
            return None
        x, y = self._pixels(data)
        away = np.hypot(x + self.area.left() - position.x(), self.area.bottom() - y - position.y())
        for mark in data.marks:
            away[mark.flags] -= NEAR_POINT_PX / 2
        nearest = int(away.argmin())
        return nearest if away[nearest] <= NEAR_POINT_PX else None

    def paint_front(self, painter: QPainter) -> None:
        if self.hasFocus():
            ring(painter, self.rect(), self.theme.accent, UNIT_PX)
        super().paint_front(painter)

    def _on_mouse_moved(self, position: QPointF) -> None:
        super()._on_mouse_moved(position)
        self.pointed_at.emit(self.key_at(position))

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed_at.emit(None)


def _dilated(counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Spread each count over a square of `size` pixels."""
    for axis in (0, 1):
        wide = counts.copy()
        for by in range(1, size):
            ahead, after = [slice(None)] * 2, [slice(None)] * 2
            ahead[axis], after[axis] = slice(by, None), slice(None, -by)
            wide[tuple(ahead)] += counts[tuple(after)]
        counts = wide
    return counts
