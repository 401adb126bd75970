"""The charts of the Bench page: bars with whiskers, curves over length, and speed against exactness.

Logarithmic axes show logarithms of the values on ordinary axes: pyqtgraph's own logarithmic grid is most
of the cost of a live chart, and its whiskers ignore the mode.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from pyqtgraph.GraphicsScene.mouseEvents import MouseClickEvent
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolTip, QVBoxLayout, QWidget

from guiapp.core.bench.measurement import Record, key_of
from guiapp.core.bench.tables import size_text, time_text
from guiapp.widgets.bench_labels import (
    End,
    mark,
    round_steps,
    short_number,
    spread,
    tip_of,
)
from guiapp.widgets.contender_look import Look, look_of
from guiapp.widgets.style_sheet import heading, set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, ThemeSource

BAR_HEIGHT = 0.62
MARKER_PX = 9
LINE_PX = 2
NEAR_PX = 14
ROOM = 1.32  # of the longest bar, for the figures behind bars
NAME_ROOM_PX, MOST_NAME_SHARE = 40, 0.55  # beside the name of a curve; of the plot's width
AXIS_PX = 62
BAR_AXIS_PX = 96
WORST_FIT = 0.5  # of the measured time; exponents of curves that fit worse say nothing
BEHIND = (-0.05, 0.5)  # where a label is anchored that stands right of its place
Values = Sequence[float] | NDArray[np.float64]
EMPTY = "Nothing measured yet"
VERBS = {"append bytes": " appending", "count parts": " counting"}  # beside curves of encoding
Point = tuple[float, float, Record]  # where the mouse finds a record
EXACT, APPROXIMATE = Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine


class Chart(QFrame):
    """A card with a title, a plot in the theme's colours, and values under the mouse.

    Signals:
        contender_clicked(str): its bar or marker was clicked; "" for a click beside all.
    """

    contender_clicked = Signal(str)

    def __init__(self, title: str, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        set_role(self, "card")
        self._theme_source = theme_source
        self._isolated = ""
        self._results: Sequence[Record] = ()
        self._drawn: list[tuple[Any, ...]] = []
        self._points: list[Point] = []
        self.note = QLabel()
        set_role(self.note, "dim")
        self._empty = QLabel(EMPTY, alignment=Qt.AlignmentFlag.AlignCenter)
        set_role(self._empty, "dim")
        self.plot = pg.PlotWidget(background=None)
        self.plot.setAccessibleName(title)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.setMouseEnabled(False, False)
        self.plot.scene().sigMouseMoved.connect(self._hover)
        self.plot.scene().sigMouseClicked.connect(self._click)
        top = QHBoxLayout()
        self._heading = heading(title)
        top.addWidget(self._heading)
        top.addWidget(self.note, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN_PX, MARGIN_PX - 4, MARGIN_PX, GAP_PX)
        layout.addLayout(top)
        layout.addWidget(self.plot, 1)
        layout.addWidget(self._empty, 1)
        self.plot.disableAutoRange()
        self.plot.getAxis("left").setWidth(AXIS_PX)
        self._pool: dict[str, list[Any]] = {}
        self._n_used: Counter[str] = Counter()
        theme_source.changed.connect(self._follow_theme)
        self._follow_theme()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.redraw()

    @property
    def has_results(self) -> bool:
        return bool(self._results)

    def set_title(self, title: str) -> None:
        self._heading.setText(title.upper())
        self._heading.setAccessibleName(title)
        self.plot.setAccessibleName(title)

    def show_results(self, results: Sequence[Record]) -> None:
        """Draw these records, unless they are those that are drawn."""
        state = [(*key_of(row), row["n"]) for row in results]
        if state != self._drawn:
            self._drawn, self._results = state, results
            self.redraw()

    def isolate(self, contender: str) -> None:
        """Show one contender strongly and the others faintly; all alike for ""."""
        self._isolated = contender
        self.redraw()

    def redraw(self) -> None:
        """Draw everything again with the items that there are; making new ones is what takes time."""
        self._points = []
        self._n_used.clear()
        self.plot.setVisible(bool(self._results))
        self._empty.setVisible(not self._results)
        if self._results:
            self.draw()
        for kind, items in self._pool.items():
            for item in items[self._n_used[kind] :]:
                item.hide()

    def take(self, kind: str, make: Callable[[], Any]) -> Any:
        """The next item of a kind, made only if all that there are have been taken."""
        items, index = self._pool.setdefault(kind, []), self._n_used[kind]
        self._n_used[kind] += 1
        if index == len(items):
            items.append(make())
            self.plot.addItem(items[index], ignoreBounds=True)
        items[index].show()
        return items[index]

    def _follow_theme(self) -> None:
        theme = self._theme_source.theme
        self.plot.setBackground(theme.raised)
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setPen(pg.mkPen(theme.line))
            axis.setTextPen(pg.mkPen(theme.dim))
            axis.setStyle(tickFont=theme.ui_font(SMALL_FONT_PX), tickLength=0)
        self.redraw()

    def draw(self) -> None:
        raise NotImplementedError

    def look(self, name: str) -> Look:
        look = look_of(name, self._theme_source.theme)
        if self._isolated in ("", name):
            return look
        color = QColor(look.color)
        color.setAlpha(50)
        return Look(color, look.marker)

    def label(self, text: str, x: float, y: float, anchor: tuple[float, float], color: QColor) -> None:
        """Words at a place of the plot."""
        item = self.take(f"label {anchor}", lambda: pg.TextItem(anchor=anchor))
        item.setFont(self._theme_source.theme.ui_font(SMALL_FONT_PX))
        item.setText(text, color)
        item.setPos(x, y)

    def grid(self, side: str, values: Sequence[float]) -> None:
        """A few faint lines across the plot."""
        angle = 0 if side == "left" else 90
        for value in values:
            line = self.take(f"grid {side}", lambda: pg.InfiniteLine(angle=angle))
            line.setPen(pg.mkPen(self._theme_source.theme.line))
            line.setValue(value)

    def view_px(self) -> tuple[int, int]:
        """The size of the plot within its axes."""
        bottom = self.plot.getAxis("bottom").height()
        return max(self.plot.width() - AXIS_PX, 1), max(int(self.plot.height() - bottom), 1)

    def curve(self, kind: str, x: Values, y: Values, **style: Any) -> None:
        """A line, markers, or both."""
        self.take(kind, pg.PlotDataItem).setData(x, y, **style)

    def _hover(self, position: QPointF) -> None:
        row = self.record_at(position)
        if row is None:
            QToolTip.hideText()
        else:
            QToolTip.showText(self.plot.mapToGlobal(position.toPoint()), tip_of(row), self.plot)

    def _click(self, event: MouseClickEvent) -> None:
        row = self.record_at(event.scenePos())
        self.contender_clicked.emit("" if row is None else row["contender"])

    def record_at(self, position: QPointF) -> Record | None:
        """What lies nearest to a place of the scene, if that is near."""
        box = self.plot.getPlotItem().vb
        distances = [
            ((box.mapViewToScene(QPointF(x, y)) - position).manhattanLength(), index)
            for index, (x, y, _) in enumerate(self._points)
        ]
        distance, index = min(distances, default=(NEAR_PX, 0))
        return self._points[index][2] if distance < NEAR_PX else None


class BarChart(Chart):
    """The speeds of one text, the fastest on top; values beside the bars and relative to a baseline."""

    def __init__(self, title: str, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        self._unit = "mb_per_s"
        self._baseline = "fast"
        super().__init__(title, theme_source, parent)
        self.plot.getAxis("left").setWidth(BAR_AXIS_PX)

    def set_unit(self, unit: str) -> None:
        """Either "mb_per_s" or "tokens_per_s"."""
        self._unit = unit
        self.redraw()

    def set_baseline(self, contender: str) -> None:
        self._baseline = contender
        self.redraw()

    def draw(self) -> None:
        theme = self._theme_source.theme
        rows = sorted((row for row in self._results if row[self._unit]), key=lambda row: row[self._unit])
        self.plot.getAxis("left").setTicks([[(y, row["contender"]) for y, row in enumerate(rows)]])
        baseline = next((row for row in rows if row["contender"] == self._baseline), None)
        longest = max((row[self._unit] for row in rows), default=1.0)
        reach = longest
        self._draw_bars(rows)
        for y, row in enumerate(rows):
            speed = row[self._unit]
            end = max(speed * row["median_s"] / row["ci_s"][0], speed)
            ratio = f"   {baseline['median_s'] / row['median_s']:.3g}×" if baseline else ""
            reach = max(reach, end)
            self.label(f"{short_number(speed)}{ratio}{mark(row)}", end, y, BEHIND, theme.dim)
            self._points.append((speed, y, row))
        self.plot.setXRange(0, reach * ROOM, padding=0)
        self.plot.setYRange(-0.6, max(len(rows), 4) - 0.4, padding=0)
        unit = "MB/s" if self._unit == "mb_per_s" else "tokens/s"
        self.plot.getAxis("bottom").setTicks([[(v, short_number(v)) for v in round_steps(longest)]])
        self.note.setText(f"{unit}, median and 95 % interval, × {self._baseline}")

    def record_at(self, position: QPointF) -> Record | None:
        """The bar at this height, and what is written behind it."""
        at = round(self.plot.getPlotItem().vb.mapSceneToView(position).y())
        return next((row for _, y, row in self._points if y == at), None)

    def _draw_bars(self, rows: Sequence[Record]) -> None:
        """All bars and all whiskers, an item each."""
        looks = [self.look(row["contender"]) for row in rows]
        speeds = np.array([row[self._unit] for row in rows], np.float64)
        medians = np.array([row["median_s"] for row in rows], np.float64)
        ends = np.array([row["ci_s"] for row in rows], np.float64).reshape(-1, 2)
        places = np.arange(len(rows), dtype=np.float64)
        self.take("bars", lambda: pg.BarGraphItem(x0=[], y=[], width=[], height=BAR_HEIGHT)).setOpts(
            x0=np.zeros(len(rows)),
            y=places,
            width=speeds,
            brushes=[look.brush(row["exact"] is not False) for look, row in zip(looks, rows, strict=True)],
            pens=[pg.mkPen(look.color) for look in looks],
        )
        self.take("whiskers", pg.ErrorBarItem).setData(
            x=speeds,
            y=places,
            left=speeds - speeds * medians / ends[:, 1],
            right=speeds * medians / ends[:, 0] - speeds,
            beam=BAR_HEIGHT / 3,
            pen=pg.mkPen(self._theme_source.theme.text),
        )


class CurveChart(Chart):
    """Time against length, both logarithmic, with bands; names and exponents at the ends of the curves."""

    def __init__(self, title: str, theme_source: ThemeSource, parent: QWidget | None = None) -> None:
        self._growth: Sequence[Record] = ()
        super().__init__(title, theme_source, parent)

    def set_growth(self, growth: Sequence[Record]) -> None:
        """Fitted exponents and overheads; drawn with the next results."""
        self._growth = growth

    def draw(self) -> None:
        theme = self._theme_source.theme
        curves: dict[tuple[str, str], list[Record]] = {}
        for row in sorted(self._results, key=lambda row: row["size_bytes"]):
            curves.setdefault((row["contender"], row["operation"]), []).append(row)
        times = [row["median_s"] for row in self._results]
        self._axes(times, [row["size_bytes"] for row in self._results])
        ends: list[End] = []
        right = math.log10(max(row["size_bytes"] for row in self._results))
        for (name, operation), rows in curves.items():
            look = self.look(name)
            x = np.log10([row["size_bytes"] for row in rows])
            y = np.log10([row["median_s"] for row in rows])
            self._band(rows, x, look.color)
            style = EXACT if all(row["exact"] is not False for row in rows) else APPROXIMATE
            style = Qt.PenStyle.DotLine if operation in VERBS else style
            self.curve(
                "curve",
                x,
                y,
                pen=pg.mkPen(look.color, width=LINE_PX, style=style),
                symbol=look.marker,
                symbolSize=MARKER_PX,
                symbolBrush=look.color,
                symbolPen=pg.mkPen(theme.raised),
            )
            ends.append(
                End(
                    right,
                    float(y[-1]),
                    f"{name}{VERBS.get(operation, '')}{self._exponent(name)}",
                    look.color,
                    look.marker,
                )
            )
            self._points += [(a, b, row) for a, b, row in zip(x, y, rows, strict=True)]
        self._make_room([end.text for end in ends])
        low, high = self.plot.getPlotItem().vb.viewRange()[1]
        left, far = self.plot.getPlotItem().vb.viewRange()[0]
        gap = (far - left) * MARKER_PX * 1.8 / self.view_px()[0]
        line = (high - low) * (self.fontMetrics().height() - 3) / self.view_px()[1]
        for end in spread(ends, line, high - line / 2):
            x = end.x + gap
            marker = {"symbol": end.marker, "symbolBrush": end.color, "symbolPen": None}
            self.curve("end", [x], [end.y], pen=None, symbolSize=MARKER_PX - 2, **marker)
            self.label(end.text, x, end.y, BEHIND, end.color)

    def _make_room(self, names: Sequence[str]) -> None:
        """Leave so much of the width free at the right as the longest name takes."""
        sizes = [math.log10(row["size_bytes"]) for row in self._results]
        left, right = min(sizes), max(sizes)
        name_px = max(self.fontMetrics().horizontalAdvance(name) for name in names) + NAME_ROOM_PX
        share = min(name_px / self.view_px()[0], MOST_NAME_SHARE)
        width = max(right - left, 1.0) * 1.06
        self.plot.setXRange(left - width * 0.03, left - width * 0.03 + width / (1 - share), padding=0)

    def _axes(self, times: Sequence[float], sizes: Sequence[int]) -> None:
        """Decades at the left, sizes at the bottom with room for names at the right."""
        low, high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
        decades = list(range(low, high + 1))
        self.plot.getAxis("left").setTicks([[(decade, time_text(10.0**decade)) for decade in decades]])
        self.grid("left", decades)
        shown = sorted(set(sizes))
        step = math.ceil(len(shown) / 5)
        near = math.log10(shown[-1] / shown[0]) / 8
        ticks: list[tuple[float, str]] = []
        for size in shown[::step]:
            if not ticks or math.log10(size) - ticks[-1][0] > near:
                ticks.append((math.log10(size), size_text(size)))
        self.plot.getAxis("bottom").setTicks([ticks])
        self.plot.setYRange(low, high, padding=0.02)
        meaning = "; n^ is the fitted exponent" if self._growth else ""
        self.note.setText(f"seconds by bytes, 95 % interval{meaning}")

    def _band(self, rows: Sequence[Record], x: NDArray[np.float64], color: QColor) -> None:
        low, high = (np.log10([row["ci_s"][side] for row in rows]) for side in (0, 1))
        faint = QColor(color)
        faint.setAlpha(min(color.alpha(), 30))
        band = self.take("band", lambda: pg.FillBetweenItem(pg.PlotCurveItem(), pg.PlotCurveItem()))
        for curve, edge in zip(band.curves, (low, high), strict=True):
            curve.setData(x, edge)
        band.setBrush(faint)

    def _exponent(self, name: str) -> str:
        for line in self._growth:
            is_of = line["contender"] == name and line["corpus"] == self._results[0]["corpus"]
            if is_of and line["error"] < WORST_FIT:
                overhead = f" + {time_text(line['overhead_s'])}" if line["overhead_s"] > 0 else ""
                return f"  n^{line['exponent']:.2f}{overhead}"
        return ""
