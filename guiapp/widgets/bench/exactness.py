"""Speed against exactness: who is worth its difference."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPen

from guiapp.core.bench.measurement import Record
from guiapp.core.explain.figures import percent
from guiapp.widgets.bench.charts import Chart, HasTheme
from guiapp.widgets.bench.labels import decades_of, mark, share_steps, short_number, steps_of
from guiapp.widgets.bench.names import Line, Place, place_names
from guiapp.widgets.bench.plot import BEGINS, NUMBER, Curve, Marker, Word
from guiapp.widgets.shared.theme import GAP_PX

MOST_STEPS = 5  # of the scale of shares
LINES_ABOVE, ABOVE_SHARE = 4, 0.45  # of names, that there is room for above the line; at most of the height
SIDE_SHARE = 0.08  # of the width, free at each side
COLUMN_GAP_PX, MOST_BESIDE = 32, 0.3  # of words at the right; at most of the width
PAD_PX = 8  # between two names side by side
MARKER_PX, RING_PX = 12, 1.8
SPEED = "mb_per_s"


class ExactnessChart(Chart):
    """Speed against agreement with the exact ids; all that are exact lie on one line at the top."""

    def __init__(self, theme_source: HasTheme) -> None:
        super().__init__("throughput", theme_source)

    @property
    def titles(self) -> list[str]:
        return ["Speed × exactness"]

    def draw(self) -> None:
        rows = [row for row in self._results if row["agreement"] is not None and row[SPEED]]
        self.set_font_px(self.font_px)
        short = "share of equal tokens, over MB/s on a logarithmic scale"
        self.set_title(self.titles, [f"{short}; below the line: ids that differ", short, ""])
        speeds = [row[SPEED] for row in rows] or [1.0, 100.0]
        low, high, _ = decades_of(min(speeds), max(speeds))
        room_px = self.height() - self.head_px - 2 * self.line_px()
        above_px = min(LINES_ABOVE * self.line_px(), ABOVE_SHARE * room_px)
        most = int((room_px - above_px) / (self.line_px() + GAP_PX))
        shares = share_steps(min([0.95, *(row["agreement"] for row in rows)]), max(min(most, MOST_STEPS), 1))
        self.left_ticks = [(share, percent(share)) for share in shares]
        self.bottom_ticks = [(at, short_number(10.0**at)) for at in steps_of(low, high)]
        self.has_lines = self.has_columns = True
        left_px = 2 * GAP_PX + max(self.width_px(text, NUMBER) for _, text in self.left_ticks)
        told = self._told(rows)
        beside_px = COLUMN_GAP_PX + max(map(self.width_px, told))
        has_words = beside_px < MOST_BESIDE * self.width()
        self.frame(left_px, beside_px if has_words else GAP_PX)
        beside, per_px = SIDE_SHARE * (high - low), (1 - shares[0]) / max(room_px - above_px, 1)
        self.x_range = low - beside, high + beside
        self.y_range = shares[0] - GAP_PX * per_px, 1 + above_px * per_px
        self.curves.append(Curve(self.x_range, (1.0, 1.0), QPen(self.theme.good, RING_PX)))
        for index, words in enumerate(told if has_words else ()):
            y = 1 - index * self.line_px() * per_px
            self.words.append(Word(words, self.x_range[1], y, self.theme.dim, COLUMN_GAP_PX, BEGINS))
        self._draw_points(sorted(rows, key=lambda row: float(row[SPEED])))

    def _told(self, rows: Sequence[Record]) -> list[str]:
        """What stands beside the plot."""
        n_below = sum(not row["exact"] for row in rows)
        below = f"Below it: {n_below} whose ids differ." if n_below else "Ids that differ would lie below it."
        return ["On the line: all ids are equal.", below]

    def _draw_points(self, rows: Sequence[Record]) -> None:
        """Markers, and names where none covers another, with lines to those that had to move away."""
        area = self.area

        def px(place: Place) -> Place:
            at = self.pixel(*place)
            return round(at.x() - area.left()), round(area.bottom() - at.y())

        def back(place: Place) -> Place:
            return self.place(QPointF(area.left() + place[0], area.bottom() - place[1]))

        points = [(math.log10(row[SPEED]), row["agreement"]) for row in rows]
        texts = [row["contender"] + mark(row) for row in rows]
        names = _placed(
            tuple(map(px, points)),
            tuple(self.width_px(text) + PAD_PX for text in texts),
            self.line_px(),
            (area.width(), area.height()),
            (Line(px((self.x_range[0], 1.0)), px((self.x_range[1], 1.0))),),
        )
        for row, (x, y), text, name in zip(rows, points, texts, names, strict=True):
            look = self.look(row["contender"])
            if name.leader is not None:
                to_x, to_y = back(name.leader.end)
                self.curves.append(Curve([x, to_x], [y, to_y], QPen(self.theme.faint, 1)))
            at_x, at_y = back(name.middle)
            self.words.append(Word(text, at_x, at_y, self.word_color(row["contender"]), row=row))
            self._points.append((x, y, row))
            fill = look.color if row["exact"] else self.theme.background
            self.markers.append(Marker(x, y, MARKER_PX, look.marker, QPen(look.color, RING_PX), fill))


_placed = lru_cache(maxsize=4)(place_names)  # most samples of a run move no point by a whole pixel
