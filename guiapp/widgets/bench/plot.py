"""The picture of a chart: curves, bars, markers and words at places of a plot, under a title and a subtitle.

It paints on screen, on paper and into a file alike.  Logarithmic axes show logarithms on ordinary ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from guiapp.widgets.bench.contender_look import outline
from guiapp.widgets.shared.painting import CENTER, WRAP, bold, fill, write
from guiapp.widgets.shared.theme import GAP_PX, UI_FONT_PX, Theme

TITLE_FONT_PX = 14
LINE_PX, LARGE_LINE_PX, HEAD_PX = 20, 26, 8  # of the title and of the subtitle, and below them
LARGEST_USUAL_PX = 15  # of letters; larger ones are read from afar
_TITLE_GAP_PX = 9
TICK_GAP_PX = 6  # between numbers and the plot
WORD_GAP_PX = 8  # between a place and the words behind it
BAR_RADIUS_PX = 3
LEAST_PX = 150  # high, or else scales and names cover each other
BEGINS, MIDDLE, ENDS = 0.0, 0.5, 1.0  # the share of a word that lies left of its place
PLAIN, BOLD, NUMBER, STRONG, TITLE, SUBTITLE = "plain", "bold", "number", "strong", "title", "subtitle"
Tick = tuple[float, str]
Range = tuple[float, float]
Values = Sequence[float] | NDArray[np.float64]
Brush = QBrush | QColor
Pen = QPen | QColor
NO_BRUSH, NO_PEN = QBrush(), QPen(Qt.PenStyle.NoPen)


class Word(NamedTuple):
    """Words at a place of the plot and so many pixels right of it; `row` is what they are about."""

    text: str
    x: float
    y: float
    color: QColor
    shift_px: float = 0.0
    hangs: float = MIDDLE
    letters: str = PLAIN
    row: Any = None


class Curve(NamedTuple):
    """A line through places of the plot, and the band between two others, if there is one."""

    x: Values
    y: Values
    pen: Pen
    band: tuple[Values, Values] | None = None
    band_brush: Brush = NO_BRUSH


class Bar(NamedTuple):
    """From `left` to `right` around the height `y`; `interval` is a whisker at its end."""

    left: float
    right: float
    y: float
    height_px: float
    brush: Brush
    pen: Pen = NO_PEN
    interval: Range | None = None


class Marker(NamedTuple):
    """The sign of a contender at a place of the plot and so many pixels right of it."""

    x: float
    y: float
    size_px: float
    symbol: str
    pen: Pen
    brush: Brush
    shift_px: float = 0.0


class Plot(QWidget):
    """Shows what it is told to, from `x_range` and `y_range`, with the ticks that it is told."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title, self.subtitles = title, [""]
        self.is_inline = False  # whether the subtitle stands behind the title
        self.right_px = 0.0  # of title and subtitle, that something else takes
        self.reason = ""  # why there is nothing to see
        self.x_range: Range = (0.0, 1.0)
        self.y_range: Range = (0.0, 1.0)
        self.left_ticks: Sequence[Tick] = ()
        self.bottom_ticks: Sequence[Tick] = ()
        self.has_lines = False  # across the plot, one for each tick at the left
        self.has_columns = False  # one for each tick below
        self.words: list[Word] = []
        self.curves: list[Curve] = []
        self.bars: list[Bar] = []
        self.markers: list[Marker] = []
        self.area = QRectF()  # of the plot, in pixels
        self._font_px = UI_FONT_PX
        self._fonts: Mapping[str, QFont] = {}
        self._metrics: Mapping[str, QFontMetricsF] = {}
        self._theme: Theme | None = None

    def clear(self) -> None:
        """Take away all that is drawn."""
        for drawn in (self.words, self.curves, self.bars, self.markers):
            drawn.clear()
        self.left_ticks = self.bottom_ticks = ()
        self.has_lines = self.has_columns = False

    def dress(self, theme: Theme) -> None:
        """Take the colours and letters of a theme."""
        self._theme = theme
        self.set_font_px(self._font_px)

    def set_font_px(self, size_px: int) -> None:
        """Of words and scales."""
        assert self._theme is not None
        ui, mono = self._theme.ui_font, self._theme.mono_font
        self._font_px = size_px
        self._fonts = {
            PLAIN: ui(size_px),
            BOLD: bold(ui(size_px)),
            NUMBER: mono(size_px - 1),
            STRONG: bold(mono(size_px + 2)),
            TITLE: bold(ui(max(TITLE_FONT_PX, size_px + 2 if self._is_large else 0))),
            SUBTITLE: ui(max(UI_FONT_PX, size_px if self._is_large else 0)),
        }
        self._metrics = {name: QFontMetricsF(font) for name, font in self._fonts.items()}

    def set_title(self, titles: Sequence[str], subtitles: Sequence[str] = ("",)) -> None:
        """What is to be seen, and how: the most telling of each that there is room for."""
        room = self.width() - self.right_px
        fitting = (title for title in titles if self.width_px(title, TITLE) <= room)
        self.title, self.subtitles = next(fitting, titles[-1]), list(subtitles)
        self.setAccessibleName(self.title)
        self.setAccessibleDescription(self.reason or self.subtitles[0])

    def frame(self, left_px: float, right_px: float) -> None:
        """Leave so much room beside the plot."""
        below_px = self.line_px() + TICK_GAP_PX if self.bottom_ticks else GAP_PX
        width_px = self.width() - left_px - right_px
        height_px = self.height() - self.head_px - below_px
        self.area = QRectF(left_px, self.head_px, max(width_px, 1), max(height_px, 1))

    @property
    def head_px(self) -> int:
        """The height of title and subtitle."""
        return HEAD_PX + self._title_px * (1 if self.is_inline else 2)

    @property
    def _is_large(self) -> bool:
        """Whether it is read from afar."""
        return self._font_px > LARGEST_USUAL_PX

    @property
    def _title_px(self) -> int:
        """The height of the line of the title."""
        return LARGE_LINE_PX if self._is_large else LINE_PX

    def width_px(self, text: str, letters: str = PLAIN) -> float:
        return self._metrics[letters].horizontalAdvance(text)

    def elided(self, text: str, room_px: float, letters: str = PLAIN) -> str:
        """As much of it as there is room for."""
        return self._metrics[letters].elidedText(text, Qt.TextElideMode.ElideMiddle, room_px)

    def line_px(self) -> int:
        """The distance of two lines of words."""
        return int(self._metrics[PLAIN].height()) + 1

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
        metrics, at = self._metrics[word.letters], self.pixel(word.x, word.y)
        width, height = metrics.horizontalAdvance(word.text), metrics.height()
        return QRectF(at.x() + word.shift_px - word.hangs * width, at.y() - height / 2, width, height)

    def sizeHint(self) -> QSize:
        return QSize(480, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, LEAST_PX)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            self.paint(painter)

    def paint(self, painter: QPainter) -> None:
        """All of it, wherever the painter paints."""
        assert self._theme is not None
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_head(painter, self._theme)
        if self.reason:
            side = CENTER | WRAP
            write(painter, self.rect().adjusted(40, 0, -40, 0), self.reason, self._theme.dim, side)
            return
        self._paint_scales(painter, self._theme)
        self._paint_bands(painter)
        for bar in self.bars:
            self._paint_bar(painter, bar, self._theme)
        painter.setBrush(NO_BRUSH)
        for curve in self.curves:
            painter.setPen(curve.pen)
            painter.drawPolyline(self._pixels(curve.x, curve.y))
        for marker in self.markers:
            painter.setPen(marker.pen)
            painter.setBrush(marker.brush)
            at = self.pixel(marker.x, marker.y) + QPointF(marker.shift_px, 0)
            painter.drawPath(outline(marker.symbol, marker.size_px).translated(at))
        for word in self.words:
            write(painter, self.rect_of(word), word.text, word.color, _FREE, self._fonts[word.letters])

    def _subtitle_place(self) -> QRectF:
        if not self.is_inline:
            return QRectF(0, self._title_px, self.width() - self.right_px, self._title_px)
        left = _TITLE_GAP_PX + QFontMetricsF(self._fonts[TITLE]).horizontalAdvance(self.title)
        return QRectF(left, 0, self.width() - self.right_px - left, self._title_px)

    @property
    def subtitle(self) -> str:
        """The first that there is room for."""
        metrics, room = self._metrics[SUBTITLE], self._subtitle_place().width()
        return next((text for text in self.subtitles if metrics.horizontalAdvance(text) <= room), "")

    def _paint_head(self, painter: QPainter, theme: Theme) -> None:
        room = self.width() - self.right_px
        title = self._metrics[TITLE].elidedText(self.title, Qt.TextElideMode.ElideRight, room)
        write(painter, QRectF(0, 0, room, self._title_px), title, theme.text, font=self._fonts[TITLE])
        write(painter, self._subtitle_place(), self.subtitle, theme.dim, font=self._fonts[SUBTITLE])

    def _paint_scales(self, painter: QPainter, theme: Theme) -> None:
        """Numbers and lines of the axes; sharp ones."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        area, height = self.area, self.line_px()
        for value, text in self.left_ticks:
            y = self.pixel(0.0, value).y()
            if self.has_lines:
                painter.setPen(theme.line)
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            place = QRectF(0, y - height / 2, area.left() - TICK_GAP_PX - 2, height)
            write(painter, place, text, theme.dim, _BEFORE, self._fonts[NUMBER])
        for value, text in self.bottom_ticks:
            x = self.pixel(value, 0.0).x()
            if self.has_columns:
                painter.setPen(theme.line)
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            place = QRectF(x - 50, area.bottom() + TICK_GAP_PX, 100, height)
            write(painter, place, text, theme.dim, _FREE, self._fonts[NUMBER])

    def _paint_bands(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(NO_PEN)
        for curve in self.curves:
            if curve.band is not None:
                low, high = curve.band
                painter.setBrush(curve.band_brush)
                painter.drawPolygon(self._pixels(curve.x, low) + self._pixels(curve.x[::-1], high[::-1]))

    def _paint_bar(self, painter: QPainter, bar: Bar, theme: Theme) -> None:
        """A rectangle and its whisker, which is dark within it and light outside."""
        start, end = self._pixels((bar.left, bar.right), (bar.y, bar.y))
        place = QRectF(start.x(), start.y() - bar.height_px / 2, max(end.x() - start.x(), 1), bar.height_px)
        painter.setPen(bar.pen)
        painter.setBrush(bar.brush)
        radius = min(BAR_RADIUS_PX, place.width() / 2)
        painter.drawRoundedRect(place, radius, radius)
        if bar.interval is None:
            return
        low, high = (self.pixel(value, bar.y).x() for value in bar.interval)
        for left, right, color in ((low, min(place.right(), high), INK), (place.right(), high, theme.text)):
            if left < right:
                fill(painter, QRectF(left, start.y() - 1, right - left, 2), color, 0)
        for x in (low, high):
            color = INK if x < place.right() else theme.text
            fill(painter, QRectF(x - 1, start.y() - bar.height_px / 5, 2, bar.height_px / 2.5), color, 0)


INK = QColor("#14161b")  # on the colours of contenders
_FREE = CENTER | Qt.TextFlag.TextDontClip
_BEFORE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
