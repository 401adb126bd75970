"""Time or throughput against length: curves with bands, fitted exponents and overheads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.tables import size_text, time_text
from guiapp.widgets.bench.charts import (
    APPROXIMATE,
    EDGE_PX,
    EXACT,
    LINE_PAD_PX,
    LINE_PX,
    MARKER_PX,
    Chart,
    HasTheme,
)
from guiapp.widgets.bench.labels import End, decades_of, interval_of, short_number, spread
from guiapp.widgets.bench.plot import BEHIND_GAP, NO_PEN, Curve, Marker, brush_of, pen_of
from guiapp.widgets.shared.buttons import tool_button

MOST_NAME_SHARE = 0.45  # of the plot's width
EDGE_SHARE = 0.04  # of the height, free below and above
TICK_GAP_PX = 24  # between two numbers below
NAME_GAP_PX = 16  # between a curve's end and the marker before its name
NAME_MARKER = 0.75  # of the size of those on the curve
WORST_FIT = 0.5  # of the measured time; exponents of curves that fit worse say nothing
FIGURE_NOTES = ("", "n^ exponent of the time", "n^ exponent of the time + that of an empty text")
BAND_ALPHA = 30  # of 255
VERBS = {  # beside curves of encoding
    "append": " appending",
    "encode first": " cold",
    "count parts": " counting",
}
CHANGE_QUANTITY = "Draw time, MB/s or tokens/s against the length"
Line = tuple[str, str]  # contender and operation


class Quantity(NamedTuple):
    """What the height of a curve means: the key of its value in records, and how values are written."""

    name: str
    key: str
    text: Callable[[float], str]


QUANTITIES = (
    Quantity("time", "median_s", time_text),
    Quantity("MB/s", "mb_per_s", short_number),
    Quantity("tokens/s", "tokens_per_s", short_number),
)


class CurveChart(Chart):
    """A quantity against length, both logarithmic, with bands; names and exponents at the ends of curves."""

    def __init__(self, title: str, theme_source: HasTheme) -> None:
        self._growth: Sequence[Record] = ()
        self._quantity = QUANTITIES[0]
        self.quantity_button = tool_button(clicked=self._next_quantity, role="raised", tip=CHANGE_QUANTITY)
        super().__init__(title, theme_source)
        self.add_control(self.quantity_button)
        self.show_quantity(self._quantity)

    def show_quantity(self, quantity: Quantity) -> None:
        """Draw this one of QUANTITIES."""
        self._quantity = quantity
        self.quantity_button.setText(quantity.name)
        self.redraw()

    def _next_quantity(self) -> None:
        self.show_quantity(QUANTITIES[(QUANTITIES.index(self._quantity) + 1) % len(QUANTITIES)])

    def set_growth(self, growth: Sequence[Record]) -> None:
        """Fitted exponents and overheads; drawn with the next results."""
        self._growth = growth

    def draw(self) -> None:
        curves: dict[Line, list[Record]] = {}
        key = self._quantity.key
        drawn = sorted((row for row in self._results if row[key]), key=lambda row: int(row["size_bytes"]))
        if not drawn:
            return
        for row in drawn:
            curves.setdefault((row["contender"], row["operation"]), []).append(row)
        self.fit_font(len(curves))
        names, n_figures = self._names(curves)
        self._axes(drawn)
        self._note(n_figures)
        self._make_room(list(names.values()))
        self._size_ticks({row["size_bytes"] for row in drawn})
        for line, rows in curves.items():
            self._draw_curve(line, rows)
        rim = pen_of(self.theme.raised)
        for x, y, row in self._points:
            self._mark(x, y, self.marker_px, row, rim)
        self._draw_names(
            [End(math.log10(rows[-1][key]), names[line], rows[-1]) for line, rows in curves.items()]
        )

    def _draw_curve(self, line: Line, rows: Sequence[Record]) -> None:
        name, operation = line
        look = self.look(name)
        x = np.log10([row["size_bytes"] for row in rows])
        y = np.log10([row[self._quantity.key] for row in rows])
        style = EXACT if all(row["exact"] is not False for row in rows) else APPROXIMATE
        style = Qt.PenStyle.DotLine if operation in VERBS else style
        low, high = np.log10([interval_of(row, self._quantity.key) for row in rows]).T
        faint = QColor(look.color)
        faint.setAlpha(min(faint.alpha(), BAND_ALPHA))
        pen = pen_of(look.color, LINE_PX, style)
        self.plot.curves.append(Curve(x, y, pen, (low, high), brush_of(faint)))
        self._points += [(a, b, row) for a, b, row in zip(x, y, rows, strict=True)]

    def _draw_names(self, ends: Sequence[End]) -> None:
        """Beside the ends of the curves, moved so that none covers another."""
        width_px, height_px = self.view_px()
        (left, far), (low, high) = self.plot.x_range, self.plot.y_range
        line = (high - low) * (self.metrics().height() - LINE_PAD_PX) / height_px
        x = max(math.log10(row["size_bytes"]) for row in self._results)
        self.plot.lines_end = x + (far - left) * self.marker_px / width_px
        x += (far - left) * self._name_gap_px / width_px
        placed = spread(ends, line, high - line / 2)
        for end in placed:
            self.label_behind(end.text, x, end.y, self.word_color(end.row["contender"]), end.row)
            self._mark(x, end.y, round(self.marker_px * NAME_MARKER), end.row, NO_PEN)

    def _mark(self, x: float, y: float, size_px: int, row: Record, pen: QPen) -> None:
        look = self.look(row["contender"])
        self.plot.markers.append(Marker(x, y, size_px, look.marker, pen, brush_of(look.color)))

    @property
    def _name_gap_px(self) -> int:
        """From the end of a curve to the marker of its name."""
        return NAME_GAP_PX + self.marker_px - MARKER_PX

    def _names(self, curves: Mapping[Line, Sequence[Record]]) -> tuple[dict[Line, str], int]:
        """The names with exponent and overhead, or with less where that takes too much of the width.

        And how many figures are with any of them.
        """
        longest = max(row["size_bytes"] for row in self._results)
        metrics, room_px = self.metrics(), self.view_px()[0] * MOST_NAME_SHARE
        chosen: dict[Line, str] = {}
        n_shown = 0
        for most in (2, 1, 0):
            n_shown = 0
            for line, rows in curves.items():
                last = rows[-1]["size_bytes"]
                until = "" if last == longest else f" to {size_text(last)}"
                figures = self._figures(line[0])[:most]
                n_shown = max(n_shown, len(figures))
                chosen[line] = f"{line[0]}{VERBS.get(line[1], '')}{until}{''.join(figures)}"
            if max(map(metrics.horizontalAdvance, chosen.values())) <= room_px:
                break
        return chosen, n_shown

    def _figures(self, name: str) -> list[str]:
        """The fitted exponent and overhead of a contender, where they say something."""
        for line in self._growth:
            is_of = line["contender"] == name and line["corpus"] == self._results[0]["corpus"]
            if is_of and line["error"] < WORST_FIT:
                overhead = [f" + {time_text(line['overhead_s'])}"] if line["overhead_s"] > 0 else []
                return [f"  n^{line['exponent']:.2f}", *overhead]
        return []

    def _make_room(self, names: Sequence[str]) -> None:
        """Leave so much of the width free at the right as the longest name takes."""
        sizes = [math.log10(row["size_bytes"]) for row in self._results]
        left, right = min(sizes), max(max(sizes), min(sizes) + 1)
        name_px = max(self.metrics().horizontalAdvance(BEHIND_GAP + name) for name in names)
        width_px = self.view_px()[0]
        taken_px = min(EDGE_PX + self._name_gap_px + name_px + self.marker_px, int(width_px * 0.8))
        per_px = (right - left) / (width_px - taken_px)
        start = left - EDGE_PX * per_px
        self.plot.show_range(x_range=(start, start + width_px * per_px))

    def _size_ticks(self, sizes: set[int]) -> None:
        """Sizes at the bottom: the shortest, and from the longest down as many as stand beside each other."""
        advance = self.plot.scale_metrics().horizontalAdvance
        shortest, *others = sorted(sizes)
        taken: list[tuple[float, float]] = []
        self.plot.bottom_ticks = ticks = []
        for size in (shortest, *reversed(others)):
            x, text = math.log10(size), size_text(size)
            middle_px, half_px = self.plot.pixel(x, 0.0).x(), (advance(text) + TICK_GAP_PX) / 2
            left_px, right_px = middle_px - half_px, middle_px + half_px
            if all(right_px < left or right < left_px for left, right in taken):
                ticks.append((x, text))
                taken.append((left_px, right_px))

    def _axes(self, drawn: Sequence[Record]) -> None:
        """Decades at the left, with room for the whole of each band."""
        ends = [end for row in drawn for end in interval_of(row, self._quantity.key)]
        low, high, decades = decades_of(min(ends), max(ends))
        self.plot.left_ticks = [(decade, self._quantity.text(10.0**decade)) for decade in decades]
        self.plot.has_lines = True
        free = EDGE_SHARE * (high - low)
        self.plot.show_range(y_range=(low - free, high + free))

    def _note(self, n_figures: int) -> None:
        """What is drawn, and what the figures behind names are, where there are any."""
        short = f"{self._quantity.name} by bytes"
        plain = f"{short}, 95 % interval"
        told = [f"{plain}; {FIGURE_NOTES[n_figures]}"] if n_figures else []
        self.note.set_texts([*told, plain, short])
