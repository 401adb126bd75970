"""Speed against exactness: who is worth its difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from guiapp.core.bench.measurement import Record
from guiapp.core.explain.figures import percent
from guiapp.widgets.bench.charts import APPROXIMATE, LINE_PAD_PX, LINE_PX, Chart
from guiapp.widgets.bench.labels import decades_of, mark, share_steps, short_number
from guiapp.widgets.bench.names import Line, Place, place_names
from guiapp.widgets.bench.plot import NO_BRUSH, Curve, Marker, brush_of, pen_of

MOST_LINES = 12  # that the chart has room for
SIDE_SHARE = 0.08  # of the width, free at each side
PAD_PX = 8  # between two names side by side


class ExactnessChart(Chart):
    """Speed against agreement with the exact ids: who is worth its difference."""

    def draw(self) -> None:
        self.fit_font(MOST_LINES)
        rows = [row for row in self._results if row["agreement"] is not None and row["tokens_per_s"]]
        speeds = [row["tokens_per_s"] for row in rows] or [1e4, 1e8]
        low, high, decades = decades_of(min(speeds), max(speeds))
        self.plot.bottom_ticks = [(d, short_number(10.0**d)) for d in decades]
        shares = share_steps(min([0.95, *(row["agreement"] for row in rows)]))
        self.plot.left_ticks = [(share, percent(share)) for share in shares]
        self.plot.has_lines = True
        margin = (1 - shares[0]) * 0.25
        n_decades = high - low
        self.plot.show_range(
            (low - SIDE_SHARE * n_decades, low + (1 + SIDE_SHARE) * n_decades),
            (shares[0] - margin, 1 + margin),
        )
        front = front_of(rows, low - SIDE_SHARE * n_decades, shares[0] - margin)
        pen = pen_of(self.theme.good, style=APPROXIMATE)
        self.plot.curves.append(Curve([x for x, _ in front], [y for _, y in front], pen))
        self._draw_points(sorted(rows, key=lambda row: float(row["tokens_per_s"])), front)
        short = "share of equal spans by tokens/s"
        self.note.set_texts([f"{short}; filled: all ids equal; dashes: nobody is better in both", short])

    def _draw_points(self, rows: Sequence[Record], front: Sequence[Place]) -> None:
        """Markers, and names where none covers another, with lines to those that had to move away."""
        room = self.view_px()
        (left, right), (bottom, top) = self.plot.x_range, self.plot.y_range
        x_px, y_px = room[0] / (right - left), room[1] / (top - bottom)

        def px(place: Place) -> Place:
            return round((place[0] - left) * x_px), round((place[1] - bottom) * y_px)

        points = [(math.log10(row["tokens_per_s"]), row["agreement"]) for row in rows]
        texts = [row["contender"] + mark(row) for row in rows]
        metrics = self.metrics()
        names = _placed(
            tuple(map(px, points)),
            tuple(metrics.horizontalAdvance(text) + PAD_PX for text in texts),
            metrics.height() - LINE_PAD_PX,
            room,
            tuple(map(Line, map(px, front), map(px, front[1:]))),
        )
        for row, (x, y), text, name in zip(rows, points, texts, names, strict=True):
            if name.leader is not None:
                end_x, end_y = left + name.leader.end[0] / x_px, bottom + name.leader.end[1] / y_px
                self.plot.curves.append(Curve([x, end_x], [y, end_y], pen_of(self.theme.faint)))
            at_x, at_y = left + name.middle[0] / x_px, bottom + name.middle[1] / y_px
            self.label(text, at_x, at_y, self.word_color(row["contender"]), row)
            self._points.append((x, y, row))
            look = self.look(row["contender"])
            pen, brush = pen_of(look.color, LINE_PX), brush_of(look.color) if row["exact"] else NO_BRUSH
            self.plot.markers.append(Marker(x, y, self.marker_px + 4, look.marker, pen, brush))


_placed = lru_cache(maxsize=4)(place_names)  # most samples of a run move no point by a whole pixel


def front_of(rows: Sequence[Record], left: float, bottom: float) -> list[Place]:
    """The Pareto front as steps, from the fastest down to the bottom and from the most exact to the left.

    Whoever is below or left of it is beaten in both by somebody on it.
    """
    front: list[Place] = []
    best = bottom
    for row in sorted(rows, key=lambda row: (-row["tokens_per_s"], -row["agreement"])):
        if row["agreement"] > best:
            x = math.log10(row["tokens_per_s"])
            front += [(x, best), (x, row["agreement"])]
            best = row["agreement"]
    return [*front, (left, best)]
