"""Bars side by side for each contender: the first text against later ones, threads, memory and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QBrush, QColor

from guiapp.core.bench.beside import ratio_text
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.tables import BYTES_PER_MB
from guiapp.core.explain.figures import counted
from guiapp.widgets.bench.charts import HasTheme
from guiapp.widgets.bench.labels import UNITS, mark, round_steps, short_number, three_digits
from guiapp.widgets.bench.plot import pen_of
from guiapp.widgets.bench.speeds import SpeedChart

GROUP_HEIGHT = 0.78
LEAST_LINE_PX = 14  # for a line behind each bar; else there is one behind each group
FAINTEST = 90  # of 255: the last bar of a group
MEMORY = "memory"
MEMORIES = {"built_bytes": "ready", "encoding_bytes": "more while encoding"}


class Bar(NamedTuple):
    """One bar of a contender's group; `end` is where its whisker ends."""

    row: Record
    name: str
    value: float
    end: float


class Kind(NamedTuple):
    """What the speeds of a scenario are of, and what tells the bars of a group from each other."""

    note: str
    name: Callable[[Record], str] = lambda row: ""


def _warmth(row: Record) -> str:
    return "cold" if row["scenario"] == "cold" else "warm"


def _threads(row: Record) -> str:
    return counted(row["threads"], "thread")


KINDS = {
    "cold": Kind("of the first text after loading, and later", _warmth),
    "threads": Kind("of a batch of documents", _threads),
    "decode": Kind("of the text that comes out"),
    "batch": Kind("of a batch of documents on one thread"),
    MEMORY: Kind("MB"),
}


class GroupChart(SpeedChart):
    """A group of bars for each contender, the largest on top; speeds have whiskers and a baseline."""

    def __init__(self, title: str, theme_source: HasTheme) -> None:
        self._scenario = "cold"
        super().__init__(title, theme_source)

    def set_scenario(self, scenario: str) -> None:
        """What the next results are of: a name in KINDS; those of another one go."""
        if scenario != self._scenario:
            self._scenario = scenario
            self.forget()

    def draw(self) -> None:
        groups: dict[str, list[Bar]] = {}
        for row in self._results:
            groups.setdefault(row["contender"], []).extend(self._bars_of(row))
        ordered = sorted(
            (bars for bars in groups.values() if bars), key=lambda bars: max(bar.value for bar in bars)
        )
        n_bars = max((len(bars) for bars in ordered), default=1)
        has_line_each = self.view_px()[1] >= len(ordered) * n_bars * LEAST_LINE_PX
        self.fit_font(len(ordered) * (n_bars if has_line_each else 1))
        self.show_names([bars[0].row["contender"] for bars in ordered])
        baseline = {} if self._scenario == MEMORY else _values(groups.get(self.baseline, ()))
        words = list(_words(ordered, baseline, has_line_each))
        self.reach_behind([(x, text) for x, _, text in words])
        longest = max((bar.end for bars in ordered for bar in bars), default=1.0) or 1.0
        self.plot.bottom_ticks = [(v, short_number(v)) for v in round_steps(longest)]
        self._draw_bars(ordered)
        for x, y, text in words:
            self.label_behind(text, x, y, self.theme.dim)
        self.note.set_texts(self._notes(bool(baseline) and has_line_each))

    def _bars_of(self, row: Record) -> list[Bar]:
        kind = KINDS.get(self._scenario, Kind(""))
        if self._scenario == MEMORY:
            megabytes = {name: row[key] / BYTES_PER_MB for key, name in MEMORIES.items()}
            return [Bar(row, name, value, value) for name, value in megabytes.items()]
        speed = row[self.unit]
        return [Bar(row, kind.name(row), speed, self.end_of(row))] if speed else []

    def _notes(self, has_ratios: bool) -> list[str]:
        kind = KINDS.get(self._scenario, Kind(""))
        if self._scenario == MEMORY:
            return [kind.note, ""]
        unit, beside = UNITS[self.unit], f", × {self.baseline}" if has_ratios else ""
        whole = f"{unit} {kind.note}"
        return [f"{whole}, median and 95 % interval{beside}", f"{whole}{beside}", whole, unit]

    def _draw_bars(self, groups: Sequence[Sequence[Bar]]) -> None:
        """All bars as one item, and all whiskers."""
        placed = [
            (_place(y, index, len(bars)), index, len(bars), bar)
            for y, bars in enumerate(groups)
            for index, bar in enumerate(bars)
        ]
        places = [place for place, *_ in placed]
        self._points += [(bar.value, place, bar.row) for place, _, _, bar in placed]
        self.take("bars", lambda: pg.BarGraphItem(x0=[], y=[], width=[], height=[])).setOpts(
            x0=np.zeros(len(places)),
            y=np.array(places),
            width=np.array([bar.value for *_, bar in placed]),
            height=np.array([GROUP_HEIGHT / n_bars * 0.9 for _, _, n_bars, _ in placed]),
            brushes=[self._brush(bar, index, n_bars) for _, index, n_bars, bar in placed],
            pens=[pen_of(self.look(bar.row["contender"]).color) for *_, bar in placed],
        )
        if self._scenario != MEMORY and placed:
            rows, n_most = [bar.row for *_, bar in placed], max(n_bars for _, _, n_bars, _ in placed)
            self.whiskers(rows, self.unit, places, GROUP_HEIGHT / n_most)

    def _brush(self, bar: Bar, index: int, n_bars: int) -> QBrush:
        """The contender's colour, fainter from bar to bar; hatched where ids differ."""
        look = self.look(bar.row["contender"])
        color = QColor(look.color)
        if n_bars > 1:
            share = 1 - (1 - FAINTEST / 255) * index / (n_bars - 1)
            color.setAlpha(round(color.alpha() * share))
        return look._replace(color=color).brush(bar.row["exact"] is not False)


def _place(y: int, index: int, n_bars: int) -> float:
    """The height of a bar of the group number `y`, the first on top."""
    return y + GROUP_HEIGHT / 2 - GROUP_HEIGHT / n_bars * (index + 0.5)


def _values(bars: Sequence[Bar]) -> dict[str, float]:
    return {bar.name: bar.value for bar in bars}


def _words(
    groups: Sequence[Sequence[Bar]], baseline: dict[str, float], has_line_each: bool
) -> Iterator[tuple[float, float, str]]:
    """What stands behind which value and at which height: behind each bar, or once for each group.

    Behind each bar there is room for how many times as fast it is as the baseline's of the same name.
    """
    for y, bars in enumerate(groups):
        figures = [" · ".join(filter(None, (three_digits(bar.value), bar.name))) for bar in bars]
        if has_line_each:
            for index, (bar, figure) in enumerate(zip(bars, figures, strict=True)):
                base = baseline.get(bar.name)
                ratio = f"   {ratio_text(bar.value / base)}" if base else ""
                yield bar.end, _place(y, index, len(bars)), f"{figure}{ratio}{mark(bar.row)}"
        else:
            longest = max(bar.end for bar in bars)
            yield longest, y, ",  ".join(figures) + mark(bars[0].row)
