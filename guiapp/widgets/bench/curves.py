"""Time or throughput against length, both logarithmic: curves with names and growth at their ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPen

from guiapp.core.bench.findings import stopped
from guiapp.core.bench.growth import growth_records, growth_words
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.wording import LEAST_OVERHEAD_S, YOUR_TEXT, n_times, size_text, time_text
from guiapp.widgets.bench.charts import NEAR_PX, Chart, HasTheme
from guiapp.widgets.bench.contender_look import ORDER
from guiapp.widgets.bench.labels import decades_of, interval_of, short_number, spread
from guiapp.widgets.bench.plot import (
    BEGINS,
    BOLD,
    ENDS,
    NUMBER,
    PLAIN,
    SUBTITLE,
    TICK_GAP_PX,
    Curve,
    Marker,
    Word,
)
from guiapp.widgets.shared.buttons import tool_button
from guiapp.widgets.shared.theme import GAP_PX

MOST_NAMED = 8
MOST_NAME_SHARE = 0.45  # of the width
EDGE_PX = 14  # beside the outermost values
LEADER_PX = 26  # from the plot to the names beside it
BETWEEN_PX = 24  # two numbers below
MARKER_PX, CURVE_PX, LEADER_PEN_PX = 9, 2.0, 1.0
BAND_ALPHA, GREY_ALPHA = 30, 110  # of 255
VERBS = {"append": "appending", "encode first": "cold", "count parts": "counting"}  # beside encoding
CHANGE_QUANTITY = "Draw time, MB/s or tokens/s against the length"
Key = tuple[str, str]  # contender and operation


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
    """At most eight curves with names and colours; the others are grey until somebody asks."""

    def __init__(self, scenario: str, theme_source: HasTheme) -> None:
        self.quantity = QUANTITIES[0]
        self.quantity_button = tool_button(clicked=self._next_quantity, role="quiet", tip=CHANGE_QUANTITY)
        super().__init__(scenario, theme_source)
        self.add_control(self.quantity_button)
        self.show_quantity(self.quantity)

    def show_quantity(self, quantity: Quantity) -> None:
        """Draw this one of QUANTITIES."""
        self.quantity = quantity
        self.quantity_button.setText(quantity.name)
        self.redraw()

    def _next_quantity(self) -> None:
        self.show_quantity(QUANTITIES[(QUANTITIES.index(self.quantity) + 1) % len(QUANTITIES)])

    def draw(self) -> None:
        curves: dict[Key, list[Record]] = {}
        key = self.quantity.key
        for row in sorted(self._results, key=lambda row: int(row["size_bytes"])):
            if row[key]:
                curves.setdefault(_line_of(row), []).append(row)
        if not curves:
            return
        self.set_font_px(self.font_px)
        gone = stopped(self._results, self._showing.left_out)
        named = self._choose(curves, gone)
        told = self._told(curves, gone)
        self._title(bool(gone))
        self._lay_out(curves, named, told)
        for line in sorted(curves, key=lambda line: line in named):
            self._draw_curve(line, curves[line], line in named)
        self._name_curves(named, curves, told)
        if hidden := len(curves) - len(named):
            self._tell_hidden(hidden)

    # What is told

    @property
    def titles(self) -> list[str]:
        """Findings are of times."""
        is_time = self.quantity is QUANTITIES[0]
        return super().titles if is_time else [f"{self.scenario.label}: {self.quantity.name}"]

    def _choose(self, curves: Mapping[Key, object], gone: Sequence[str]) -> list[Key]:
        """Who has a name and a colour: the isolated one, the baseline, who stopped, then the best known."""

        def rank(line: Key) -> tuple[bool, bool, bool, int]:
            name = line[0]
            known = ORDER.index(name) if name in ORDER else len(ORDER)
            return name != self._isolated, name != self._showing.baseline, name not in gone, known

        most = max(min(MOST_NAMED, int((self.height() - self.head_px) / self.line_px()) - 2), 1)
        return sorted(curves, key=rank)[:most]

    def _told(self, curves: Mapping[Key, Sequence[Record]], gone: Sequence[str]) -> dict[Key, list[str]]:
        """What stands behind each name, the shortest last: its growth, or what the longest text takes."""
        grows = self.scenario.grows
        growth = {line["contender"]: line for line in growth_records(self._results)} if grows else {}
        longest = max(rows[-1]["size_bytes"] for rows in curves.values())
        told = {}
        for line, rows in curves.items():
            (name, operation), last = line, rows[-1]
            words = growth_words(growth[name]) if name in growth else ""
            if last["size_bytes"] < longest:
                ended = "stopped" if name in gone else f"to {size_text(last['size_bytes'])}"
                words = f"{words}, {ended}" if words else ended
                told[line] = [words]
            elif grows:
                overhead_s = growth[name]["overhead_s"] if words else 0.0
                whole = f"{words}, {time_text(float(f'{overhead_s:.2g}'))}"
                told[line] = [whole, words] if overhead_s >= LEAST_OVERHEAD_S else [words]
            else:
                verb = VERBS.get(operation, "")
                value = self.quantity.text(last[self.quantity.key])
                told[line] = [f"{verb} {value}".strip(), verb]
        return told

    def _title(self, has_stopped: bool) -> None:
        sentences = ["Logarithmic axes.", self._repeated()]
        if has_stopped and (limit_s := self._showing.call_limit_s):
            sentences.append(f"A contender stops where a call would take over {limit_s:g} s.")
        else:
            grows = self.scenario.grows
            sentences.append(
                f"At the ends: {'growth, cost of a call' if grows else 'what the longest takes'}."
            )
        sentences = [sentence for sentence in sentences if sentence]
        shorter = [" ".join(sentences[:count]) for count in range(len(sentences), 0, -1)]
        self.set_title(self.titles, [*shorter, ""])

    def _repeated(self) -> str:
        """How often a text was repeated to be so long."""
        longest = max(self._results, key=n_times)
        if (times := n_times(longest)) <= 1:
            return ""
        size = short_number(longest["own_bytes"]).replace(" ", "\N{NO-BREAK SPACE}")
        whose = f"Your {size}B" if longest["corpus"] == YOUR_TEXT else f"{size}B of {longest['corpus']}"
        return f"{whose}, up to {times:,} times."

    # What lies where

    def _lay_out(
        self, curves: Mapping[Key, Sequence[Record]], named: Sequence[Key], told: dict[Key, list[str]]
    ) -> None:
        """Scales, and so much room at the right as names take; less is told where that is too much."""
        drawn = [row for rows in curves.values() for row in rows]
        ends = [end for row in drawn for end in interval_of(row, self.quantity.key)]
        low, high, decades = decades_of(min(ends), max(ends))
        sizes = [math.log10(row["size_bytes"]) for row in drawn]
        self.left_ticks = [(decade, self.quantity.text(10.0**decade)) for decade in decades]
        self.bottom_ticks = [(0.0, "")]
        self.has_lines = True
        room_px = self.width() * MOST_NAME_SHARE
        while max((self._name_px(line, told) for line in named), default=0.0) > room_px:
            if not any(told[line] for line in named):
                break
            for line in named:
                told[line] = told[line][1:]
        name_px = max((self._name_px(line, told) for line in named), default=0.0)
        left_px = GAP_PX + max(self.width_px(text, NUMBER) for _, text in self.left_ticks)
        self.frame(left_px + GAP_PX, name_px + LEADER_PX + GAP_PX)
        area, left, right = self.area, min(sizes), max(max(sizes), min(sizes) + 1)
        edge = EDGE_PX * (right - left) / max(area.width() - 2 * EDGE_PX, 1)
        self.x_range = left - edge, right + edge
        free = EDGE_PX * (high - low) / area.height()
        self.y_range = low - free, high + free
        self._size_ticks({row["size_bytes"] for row in drawn})

    def _shown(self, name: str) -> str:
        return self.elided(name, MOST_NAME_SHARE * self.width(), BOLD)

    def _name_px(self, line: Key, told: Mapping[Key, Sequence[str]]) -> float:
        detail = told[line][0] if told[line] else ""
        return self.width_px(self._shown(line[0]), BOLD) + (GAP_PX + self.width_px(detail) if detail else 0)

    def _size_ticks(self, sizes: set[int]) -> None:
        """Sizes at the bottom: the shortest, and from the longest down as many as stand beside each other."""
        shortest, *others = sorted(sizes)
        taken: list[tuple[float, float]] = []
        self.bottom_ticks = ticks = []
        for size in (shortest, *reversed(others)):
            x, text = math.log10(size), size_text(size)
            middle_px, half_px = self.pixel(x, 0.0).x(), (self.width_px(text, NUMBER) + BETWEEN_PX) / 2
            left_px, right_px = middle_px - half_px, middle_px + half_px
            if all(right_px < left or right < left_px for left, right in taken):
                ticks.append((x, text))
                taken.append((left_px, right_px))

    # Curves and their names

    def _draw_curve(self, line: Key, rows: Sequence[Record], is_named: bool) -> None:
        name, operation = line
        look, grey = self.look(name), QColor(self.theme.faint)
        grey.setAlpha(GREY_ALPHA)
        color = look.color if is_named else grey
        key = self.quantity.key
        x = np.log10([row["size_bytes"] for row in rows])
        y = np.log10([row[key] for row in rows])
        is_exact = all(row["exact"] is not False for row in rows)
        style = Qt.PenStyle.SolidLine if is_exact else Qt.PenStyle.DashLine
        style = Qt.PenStyle.DotLine if operation in VERBS else style
        low, high = np.log10([interval_of(row, key) for row in rows]).T
        faint = QColor(color)
        faint.setAlpha(min(faint.alpha(), BAND_ALPHA))
        width_px = CURVE_PX if is_named else CURVE_PX / 2
        band = (low, high) if is_named else None
        self.curves.append(Curve(x, y, QPen(color, width_px, style), band, faint))
        self._points += [(a, b, row) for a, b, row in zip(x, y, rows, strict=True)]
        for a, b in zip(x, y, strict=True) if is_named else ():
            pen = QPen(color, 1.5)
            brush = color if is_exact else self.theme.background
            self.markers.append(Marker(a, b, MARKER_PX, look.marker, pen, brush))

    def _name_curves(
        self, lines: Sequence[Key], curves: Mapping[Key, Sequence[Record]], told: Mapping[Key, list[str]]
    ) -> None:
        """Beside the plot, moved so that none covers another, with lines that lead there from the ends."""
        area, key = self.area, self.quantity.key
        ends = {line: self._end_px(curves[line][-1], key) for line in lines}
        ordered = sorted(lines, key=lambda line: ends[line].y())
        half = self.line_px() / 2
        bounds = area.top() + half, area.bottom() - half
        heights = spread([ends[line].y() for line in ordered], 2 * half, *bounds)
        for line, y_px in zip(ordered, heights, strict=True):
            end = ends[line] + QPointF(MARKER_PX / 2 + 1, 0)
            is_far = end.x() < area.right() - EDGE_PX  # it shall not look like more of the curve
            style = Qt.PenStyle.DotLine if is_far else Qt.PenStyle.SolidLine
            pen = QPen(self.look(line[0]).color, LEADER_PEN_PX, style)
            (x, y), (to_x, to_y) = map(self.place, (end, QPointF(area.right() + LEADER_PX - 6, y_px)))
            self.curves.append(Curve([x, to_x], [y, to_y], pen))
            self._name(line, QPointF(area.right() + LEADER_PX, y_px), curves[line][-1], told[line])

    def record_at(self, position: QPointF) -> Record | None:
        """Also of a curve between two records, the nearer one."""
        if (found := super().record_at(position)) is not None:
            return found
        x, y = self.place(position)
        per_px = (self.y_range[1] - self.y_range[0]) / self.area.height()
        beside: list[tuple[float, float, Record]] = []
        for (x0, y0, row), (x1, y1, next_row) in pairwise(self._points):
            is_same = _line_of(row) == _line_of(next_row)
            if is_same and x0 <= x <= x1:
                away_px = abs(y0 + (y1 - y0) * (x - x0) / (x1 - x0) - y) / per_px
                beside.append((away_px, x, row if x - x0 < x1 - x else next_row))
        away_px, _, nearest = min(beside, key=lambda each: each[0], default=(NEAR_PX, 0.0, None))
        return nearest if away_px < NEAR_PX else None

    def _tell_hidden(self, count: int) -> None:
        """Below the names, as much as there is room for."""
        x, y = self.place(QPointF(self.width(), self.area.bottom() + self.line_px() / 2 + TICK_GAP_PX))
        last_px = max(
            (self.pixel(at, 0.0).x() + self.width_px(text, NUMBER) / 2 for at, text in self.bottom_ticks)
        )
        room_px = self.width() - last_px - GAP_PX
        text = f"{count} more in grey"
        hint = f"{text}: hover or click"
        if self.answers and self.width_px(hint, SUBTITLE) < room_px:
            text = hint
        self.words.append(Word(text, x, y, self.theme.dim, 0.0, ENDS, SUBTITLE))

    def _name(self, line: Key, at: QPointF, row: Record, told: Sequence[str]) -> None:
        """The contender, bold, and what is to be told of it."""
        x, y = self.place(at)
        name = self._shown(line[0])
        self.words.append(Word(name, x, y, self.word_color(line[0]), 0.0, BEGINS, BOLD, row))
        if told and told[0]:
            behind_px = self.width_px(name, BOLD) + GAP_PX
            self.words.append(Word(told[0], x, y, self.theme.dim, behind_px, BEGINS, PLAIN, row))

    def _end_px(self, row: Record, key: str) -> QPointF:
        return self.pixel(math.log10(row["size_bytes"]), math.log10(row[key]))


def _line_of(row: Record) -> Key:
    return row["contender"], row["operation"]
