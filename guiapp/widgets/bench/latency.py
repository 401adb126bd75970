"""How long single calls take: half of them, 95 of 100 and 99 of 100, on one line for each contender."""

from __future__ import annotations

import math

from PySide6.QtGui import QBrush

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.wording import time_text
from guiapp.widgets.bench.labels import decades_of, steps_of
from guiapp.widgets.bench.plot import NO_PEN, Bar, Marker
from guiapp.widgets.bench.rows import MARKER_PX, Column, RowChart

QUANTILES = "p50_s", "p95_s", "p99_s"
LINE_PX, END_PX, END_SHARE = 4, 2, 0.4  # of the line, and of the ends of calls at 95 and 99 of 100
SIDE_SHARE = 0.04  # of the width, free at each side


class LatencyChart(RowChart):
    """A line from the median to the 99th percentile, with a sign at the 95th; the quickest on top."""

    def draw(self) -> None:
        known = [row for row in self._results if row.get("p50_s")]  # not before all calls are over
        if not known:
            return
        rows = sorted(known, key=lambda row: float(row["p50_s"]))
        times = [row[key] for row in rows for key in QUANTILES]
        low, high, _ = decades_of(min(times), max(times))
        beside = SIDE_SHARE * (high - low)
        self.x_range = low - beside, high + beside
        columns = [
            Column(key.removesuffix("_s"), [(time_text(row[key]), self.theme.text) for row in rows])
            for key in QUANTILES
        ]
        self.lay_rows(rows, columns, has_scale=True)
        self.set_title(
            self.titles, ["A mark at half of the calls, lines at 95 and 99 of 100; a logarithmic scale.", ""]
        )
        self.bottom_ticks = [(at, time_text(10.0**at)) for at in steps_of(low, high)]
        self.has_columns = True
        for index, row in enumerate(rows):
            self._draw_row(-index, row)

    def _draw_row(self, y: float, row: Record) -> None:
        look = self.look(row["contender"])
        p50, p95, p99 = (math.log10(row[key]) for key in QUANTILES)
        color, end_px = QBrush(look.color), self.row_px * END_SHARE
        self.bars.append(Bar(p50, p99, y, LINE_PX, color))
        half = END_PX / 2 * (self.x_range[1] - self.x_range[0]) / self.area.width()
        self.bars += [Bar(at - half, at + half, y, end_px, color) for at in (p95, p99)]
        self.markers.append(Marker(p50, y, min(MARKER_PX, self.row_px - 3), look.marker, NO_PEN, color))
        self._points.append((p50, y, row))
