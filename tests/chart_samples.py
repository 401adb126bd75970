"""Charts with made-up values, and mouse actions on charts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pyqtgraph as pg
from hands import point_at
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp.core.text.numbers_in_words import percent, short_number, with_prefix
from guiapp.kit.charts.bars import BarPart, BarRow, HistogramChart, HistogramData, RowChart, RowsData
from guiapp.kit.charts.curves import Curve, CurveChart, CurvesData, Point, ScatterChart, ScatterData
from guiapp.kit.charts.markers import MARKERS, MarkerStyle
from guiapp.kit.charts.scales import Scale, log_range

pg.setConfigOption("mouseRateLimit", 0)  # else pyqtgraph drops moves within 10 ms of others
LEFT = Qt.MouseButton.LeftButton
NAMES = ("fast", "heap", "greedy")
TOKENS, SIZE = Scale("tokens/s", short_number), Scale("length of the text", short_number, is_log=True)
TITLES = ["“fast” is the fastest of three", "Speed"]
SUBTITLES = ["in tokens/s, with 95 % intervals", "in tokens/s", ""]


def marker_style(number: int) -> MarkerStyle:
    return MarkerStyle(QColor.fromHsv(40 * number % 360, 200, 200), MARKERS[number % len(MARKERS)])


def rows_data(*names, end=3e6):
    """Each bar is half as long as the one above."""
    cells, rows = [("± 15 %", QColor("grey")), ("✓ equal", QColor("green"))], []
    for index, name in enumerate(names or NAMES):
        x, tip = end / 2**index, f"{name}: {short_number(end / 2**index)}"
        parts, interval = [BarPart(0, x, marker_style(index).color)], (x * 0.9, x * 1.2)
        row = BarRow(
            name, name, marker_style(index), "1.2", parts, interval, with_prefix(x), "12 MB/s", tip=tip
        )
        rows.append(row._replace(cells=cells))
    return RowsData(TITLES, SUBTITLES, rows, ["interval", "ids"], TOKENS)


def curves_data(*names, is_log=True, factor=1.0):
    """Times by length; each curve is above the previous one."""
    x, curves = np.array([1e2, 1e4, 1e6]), []
    for index, name in enumerate(names or NAMES):
        y, tips = factor * (index + 1) * x * 1e-9, [f"{name}: {short_number(value)}" for value in x]
        details = ["linear, 16 µs", "linear"]
        curves.append(Curve(name, name, marker_style(index), x, y, y * 0.9, y * 1.2, tips, details))
    return CurvesData(TITLES, SUBTITLES, curves, SIZE, Scale("s", lambda s: f"{s:g}", is_log))


def scatter_data(*names):
    points = [
        Point(
            name, [name], marker_style(index), 1e6 * 2**index, 1 - 0.01 * index, f"{name}: {index}", index > 0
        )
        for index, name in enumerate(names or NAMES)
    ]
    x, y, ranges = TOKENS._replace(is_log=True), Scale("", percent), (log_range(1e6, 1e8), (0.9, 1.05))
    return ScatterData(TITLES, SUBTITLES, points, x, y, ranges, 1.0)


COUNTS = np.array([[10, 0, 300, 0, 1], [90, 0, 100, 1, 0]])
LANGUAGES, PARTS = ("Latin", "Han", "Cyrillic", "Thai", "Greek"), ("listed", "others")
COLORS = [(QColor("red"), False), (QColor("blue"), True)]


def histogram_data(least=None, first=0):
    return HistogramData(COUNTS, LANGUAGES, PARTS, first, {0: "Latin", 4: "a long name"}, COLORS, least)


KINDS = {
    "rows": (RowChart, rows_data),
    "curves": (CurveChart, curves_data),
    "scatter": (ScatterChart, scatter_data),
    "histogram": (HistogramChart, histogram_data),
}


def texts(chart) -> list[str]:
    return [word.text for word in chart.words]


def badly_written(chart) -> list[str]:
    """Words that are cut off at an edge of the chart, or overlap others."""
    room, words = chart.rect().adjusted(-1, -1, 1, 1), [word for word in chart.words if word.text]
    rects = [(word.text, chart.rect_of(word).adjusted(1, 3, -1, -3)) for word in words]
    pairs = [f"{a} over {b}" for (a, one), (b, other) in combinations(rects, 2) if one.intersects(other)]
    return pairs + [word.text for word in words if not room.contains(chart.rect_of(word).toRect())]


def position_of(chart, index: int) -> QPoint:
    value = chart.values[index]
    return chart.pixel(value.x, value.y).toPoint()


def word_of(chart, text: str):
    return next(word for word in chart.words if word.text == text)


def middle_of(chart, text: str) -> QPointF:
    return chart.rect_of(word_of(chart, text)).center()


def click(chart, place: QPoint | QPointF, button=LEFT) -> None:
    QTest.mouseClick(chart.view.viewport(), button, pos=QPointF(place).toPoint())


def double_click(chart, place: QPoint) -> None:
    QTest.mouseDClick(chart.view.viewport(), LEFT, pos=place)
    QTest.mouseRelease(chart.view.viewport(), LEFT, pos=place)


def hover(chart, place: QPoint | QPointF) -> None:
    point_at(chart.view.viewport(), QPointF(place).toPoint())


def drag(chart, *places: QPoint) -> None:
    viewport = chart.view.viewport()
    QTest.mousePress(viewport, LEFT, pos=places[0])
    for place in places[1:]:
        QTest.mouseMove(viewport, place)
        QApplication.processEvents()
    QTest.mouseRelease(viewport, LEFT, pos=places[-1])
