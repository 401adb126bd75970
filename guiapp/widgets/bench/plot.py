"""The plot of a chart: items of pyqtgraph in a view box, and scales, markers and words around and over it.

pyqtgraph's own plot widget brings menus, four axes and an item for each word: making one takes most of what
showing the Bench page did, and following a run most of what drawing it did.  Its item for markers has the
whole plot painted twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph.graphicsItems.ScatterPlotItem import Symbols
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPen, QTransform

from guiapp.widgets.shared.painting import write
from guiapp.widgets.shared.theme import SMALL_FONT_PX, Theme

AXIS_PX = 62
TICK_GAP_PX = 5  # between numbers and the plot
TOP_PX = 1
BEHIND_GAP = "\N{EN SPACE}"  # between a place and the words behind it
Tick = tuple[float, str]
Range = tuple[float, float]
Values = Sequence[float] | NDArray[np.float64]
NO_BRUSH, NO_PEN = QBrush(), QPen(Qt.PenStyle.NoPen)


class Word(NamedTuple):
    """Words that begin behind a place of the plot, or have it in their middle."""

    text: str
    x: float
    y: float
    is_behind: bool
    color: QColor


class Curve(NamedTuple):
    """A line through places of the plot, and the band between two others, if there is one."""

    x: Values
    y: Values
    pen: QPen
    band: tuple[Values, Values] | None = None
    band_brush: QBrush = NO_BRUSH


class Marker(NamedTuple):
    """One of pyqtgraph's symbols in the middle of a place of the plot, over everything but words."""

    x: float
    y: float
    size_px: int
    symbol: str
    pen: QPen
    brush: QBrush


class Plot(pg.GraphicsView):  # type: ignore[misc]  # pyqtgraph has no types
    """A view box that shows what it is told to, from `x_range` and `y_range`, with the ticks it is told."""

    def __init__(self, title: str) -> None:
        super().__init__(background=None)
        self.setAccessibleName(title)
        self.setCentralItem(None)
        self.setCacheMode(self.CacheModeFlag.CacheNone)
        self.setViewportUpdateMode(self.ViewportUpdateMode.FullViewportUpdate)
        self.enableMouse(False)
        self.box = pg.ViewBox(enableMouse=False, enableMenu=False)
        self.box.disableAutoRange()
        self.scene().addItem(self.box)
        self.x_range: Range = (0.0, 1.0)
        self.y_range: Range = (0.0, 1.0)
        self.left_ticks: Sequence[Tick] = ()
        self.bottom_ticks: Sequence[Tick] = ()
        self.has_lines = False  # across the plot, one for each tick at the left
        self.lines_end: float | None = None  # where names begin; None: at the right edge
        self.words: list[Word] = []
        self.curves: list[Curve] = []
        self.markers: list[Marker] = []
        self._axis_px = AXIS_PX
        self._font, self._scale_font = QFont(), QFont()
        self._line, self._dim = QColor(), QColor()
        self.area = QRectF()  # of the view box, in pixels
        self.place_box()
        self.sigDeviceRangeChanged.connect(self.place_box)

    def clear(self) -> None:
        """Take away what is not an item."""
        self.words.clear()
        self.curves.clear()
        self.markers.clear()
        self.lines_end = None

    def follow_theme(self, theme: Theme) -> None:
        self._line, self._dim = theme.line, theme.dim
        self.set_fonts(theme.ui_font(SMALL_FONT_PX), theme.ui_font(SMALL_FONT_PX))
        self.setBackground(theme.raised)

    def set_fonts(self, font: QFont, scale_font: QFont) -> None:
        """Of words and what stands at the left; of the scale below."""
        if (font, scale_font) != (self._font, self._scale_font):
            self._font, self._scale_font = font, scale_font
            self.place_box()

    def scale_metrics(self) -> QFontMetrics:
        """Of the scale below."""
        return QFontMetrics(self._scale_font)

    def set_axis_px(self, width_px: int) -> None:
        """How wide what stands at the left is."""
        if width_px != self._axis_px:
            self._axis_px = width_px
            self.place_box()

    def show_range(self, x_range: Range | None = None, y_range: Range | None = None) -> None:
        """From where to where the plot reaches; None leaves one as it is."""
        wanted = x_range or self.x_range, y_range or self.y_range
        if wanted != (self.x_range, self.y_range):
            self.x_range, self.y_range = wanted
            self.box.setRange(xRange=self.x_range, yRange=self.y_range, padding=0)

    # What lies where

    def pixel(self, x: float, y: float) -> QPointF:
        """Where a place of the plot is."""
        return self._pixels((x,), (y,))[0]

    def place(self, pixel: QPointF) -> tuple[float, float]:
        """The place of the plot that is there."""
        area, (left, right), (bottom, top) = self.area, self.x_range, self.y_range
        return (
            left + (pixel.x() - area.left()) / area.width() * (right - left),
            bottom + (area.bottom() - pixel.y()) / area.height() * (top - bottom),
        )

    def _pixels(self, x: Values, y: Values) -> list[QPointF]:
        area, (left, right), (bottom, top) = self.area, self.x_range, self.y_range
        x0, y0 = area.left(), area.bottom()
        per_x, per_y = area.width() / (right - left), area.height() / (top - bottom)
        return [
            QPointF(x0 + (a - left) * per_x, y0 - (b - bottom) * per_y) for a, b in zip(x, y, strict=True)
        ]

    def rect_of(self, word: Word) -> QRectF:
        """Where words are painted."""
        metrics = QFontMetrics(self._font)
        text = BEHIND_GAP + word.text if word.is_behind else word.text
        width, height, at = metrics.horizontalAdvance(text), metrics.height(), self.pixel(word.x, word.y)
        return QRectF(at.x() - (0 if word.is_behind else width / 2), at.y() - height / 2, width, height)

    def sizeHint(self) -> QSize:
        return QSize(AXIS_PX, AXIS_PX)

    def place_box(self, *_: object) -> None:
        """Leave room for the scales."""
        below_px = QFontMetrics(self._scale_font).height() + TICK_GAP_PX
        width_px, height_px = self.width() - self._axis_px, self.height() - below_px - TOP_PX
        self.area = QRectF(self._axis_px, TOP_PX, max(width_px, 1), max(height_px, 1))
        self.box.setGeometry(self.area)

    # Painting

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        """The scales, lines across, and curves."""
        super().drawBackground(painter, rect)
        area = self.area
        right = area.right() if self.lines_end is None else self.pixel(self.lines_end, 0.0).x()
        painter.setPen(pen_of(self._line))
        painter.drawLine(area.topLeft(), area.bottomLeft())
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        for value, _ in self.left_ticks if self.has_lines else ():
            y = self.pixel(0.0, value).y()
            painter.drawLine(QPointF(area.left(), y), QPointF(right, y))
        painter.setPen(self._dim)
        self._draw_left(painter, area)
        self._draw_bottom(painter, area)
        self._draw_curves(painter)

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        """The markers, and the words."""
        self._draw_markers(painter)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextDontClip
        painter.setFont(self._font)
        for word in self.words:
            text = BEHIND_GAP + word.text if word.is_behind else word.text
            write(painter, self.rect_of(word), text, word.color, flags)

    def _draw_curves(self, painter: QPainter) -> None:
        for curve in self.curves:
            if curve.band is not None:
                low, high = curve.band
                there, back = self._pixels(curve.x, low), self._pixels(curve.x[::-1], high[::-1])
                painter.setPen(NO_PEN)
                painter.setBrush(curve.band_brush)
                painter.drawPolygon(there + back)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(NO_BRUSH)
        for curve in self.curves:
            painter.setPen(_uncosmetic(curve.pen))
            painter.drawPolyline(self._pixels(curve.x, curve.y))

    def _draw_markers(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for marker in self.markers:
            painter.setPen(_uncosmetic(marker.pen))
            painter.setBrush(marker.brush)
            at = self.pixel(marker.x, marker.y)
            painter.drawPath(_outline(marker.symbol, marker.size_px).translated(at))

    def _draw_left(self, painter: QPainter, area: QRectF) -> None:
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
        painter.setFont(self._font)
        for value, text in self.left_ticks:
            y = self.pixel(0.0, value).y()
            if area.top() - 1 <= y <= area.bottom() + 1:
                painter.drawText(QRectF(0, y - 10, area.left() - TICK_GAP_PX, 20), flags, text)

    def _draw_bottom(self, painter: QPainter, area: QRectF) -> None:
        flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextDontClip
        painter.setFont(self._scale_font)
        for value, text in self.bottom_ticks:
            x = self.pixel(value, 0.0).x()
            if area.left() - 1 <= x <= area.right() + 1:
                painter.drawText(QRectF(x - 50, area.bottom() + TICK_GAP_PX - 2, 100, 20), flags, text)


def _uncosmetic(pen: QPen) -> QPen:
    """As wide on paper and on screens with small dots."""
    pen = QPen(pen)
    pen.setCosmetic(False)
    return pen


@lru_cache(maxsize=256)
def _outline(symbol: str, size_px: int) -> QPainterPath:
    path: QPainterPath = QTransform.fromScale(size_px, size_px).map(Symbols[symbol])
    return path


def pen_of(color: QColor, width_px: float = 1, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
    """Always the same object for the same look: making them takes time."""
    return _pen(color.rgba(), width_px, style)


def brush_of(color: QColor) -> QBrush:
    """As `pen_of`."""
    return _brush(color.rgba())


@lru_cache(maxsize=256)
def _pen(rgba: int, width_px: float, style: Qt.PenStyle) -> QPen:
    pen = QPen(QColor.fromRgba(rgba), width_px, style)
    pen.setCosmetic(True)
    return pen


@lru_cache(maxsize=256)
def _brush(rgba: int) -> QBrush:
    return QBrush(QColor.fromRgba(rgba))
