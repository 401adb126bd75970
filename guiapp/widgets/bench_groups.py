"""Bars side by side for each contender: the first text against later ones, threads, memory and the like."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QBrush, QColor

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.tables import BYTES_PER_MB
from guiapp.widgets.bench_charts import Chart, HasTheme
from guiapp.widgets.bench_labels import mark, round_steps, short_number
from guiapp.widgets.bench_plot import pen_of

GROUP_HEIGHT = 0.78
LEAST_LINE_PX = 14  # for a line behind each bar; else there is one behind each group
FAINTEST = 90  # of 255: the last bar of a group


class Bar(NamedTuple):
    """One bar of a contender's group."""

    row: Record
    name: str
    value: float


class Kind(NamedTuple):
    """How the records of a scenario become bars: those of one record, and what their unit is."""

    bars: Callable[[Record], list[Bar]]
    note: str


def _speed(name: Callable[[Record], str]) -> Callable[[Record], list[Bar]]:
    return lambda row: [Bar(row, name(row), row["mb_per_s"])] if row["mb_per_s"] else []


def _warmth(row: Record) -> str:
    return "cold" if row["scenario"] == "cold" else "warm"


def _threads(row: Record) -> str:
    return "1 thread" if row["threads"] == 1 else f"{row['threads']} threads"


def _memory(row: Record) -> list[Bar]:
    names = {"built_bytes": "ready", "encoding_bytes": "more while encoding"}
    return [Bar(row, name, row[key] / BYTES_PER_MB) for key, name in names.items()]


KINDS = {
    "cold": Kind(_speed(_warmth), "MB/s of the first text after loading, and later"),
    "threads": Kind(_speed(_threads), "MB/s of a batch of documents"),
    "decode": Kind(_speed(lambda row: ""), "MB/s of the text that comes out"),
    "batch": Kind(_speed(lambda row: ""), "MB/s of a batch of documents on one thread"),
    "memory": Kind(_memory, "MB"),
}


class GroupChart(Chart):
    """A group of bars for each contender, the largest on top."""

    def __init__(self, title: str, theme_source: HasTheme) -> None:
        self._kind = KINDS["cold"]
        super().__init__(title, theme_source)

    def set_scenario(self, scenario: str) -> None:
        """What the next results are of: a name in KINDS."""
        self._kind = KINDS[scenario]

    def draw(self) -> None:
        groups: dict[str, list[Bar]] = {}
        for row in self._results:
            groups.setdefault(row["contender"], []).extend(self._kind.bars(row))
        ordered = sorted(
            (bars for bars in groups.values() if bars), key=lambda bars: max(bar.value for bar in bars)
        )
        self.note.set_texts([self._kind.note, ""])
        n_bars = max((len(bars) for bars in ordered), default=1)
        has_line_each = self.view_px()[1] >= len(ordered) * n_bars * LEAST_LINE_PX
        self.fit_font(len(ordered) * (n_bars if has_line_each else 1))
        self.show_names([bars[0].row["contender"] for bars in ordered])
        words = list(_words(ordered, has_line_each))
        self.reach_behind([(x, text) for x, _, text in words])
        longest = max((bar.value for bars in ordered for bar in bars), default=1.0) or 1.0
        self.plot.bottom_ticks = [(v, short_number(v)) for v in round_steps(longest)]
        self._draw_bars(ordered)
        for x, y, text in words:
            self.label_behind(text, x, y, self.theme.dim)

    def _draw_bars(self, groups: Sequence[Sequence[Bar]]) -> None:
        """All bars as one item."""
        places, widths, heights, brushes, pens = [], [], [], [], []
        for y, bars in enumerate(groups):
            for index, bar in enumerate(bars):
                places.append(_place(y, index, len(bars)))
                widths.append(bar.value)
                heights.append(GROUP_HEIGHT / len(bars) * 0.9)
                brushes.append(self._brush(bar, index, len(bars)))
                pens.append(pen_of(self.look(bar.row["contender"]).color))
            self._points.append((bars[0].value, y, bars[0].row))
        self.take("bars", lambda: pg.BarGraphItem(x0=[], y=[], width=[], height=[])).setOpts(
            x0=np.zeros(len(places)),
            y=np.array(places),
            width=np.array(widths),
            height=np.array(heights),
            brushes=brushes,
            pens=pens,
        )

    def _brush(self, bar: Bar, index: int, n_bars: int) -> QBrush:
        """The contender's colour, fainter from bar to bar; hatched where ids differ."""
        look = self.look(bar.row["contender"])
        color = QColor(look.color)
        if n_bars > 1:
            share = 1 - (1 - FAINTEST / 255) * index / (n_bars - 1)
            color.setAlpha(round(color.alpha() * share))
        return look._replace(color=color).brush(bar.row["exact"] is not False)

    def record_at(self, position: QPointF) -> Record | None:
        return self.record_at_row(position)


def _place(y: int, index: int, n_bars: int) -> float:
    """The height of a bar of the group number `y`, the first on top."""
    return y + GROUP_HEIGHT / 2 - GROUP_HEIGHT / n_bars * (index + 0.5)


def _words(groups: Sequence[Sequence[Bar]], has_line_each: bool) -> Iterator[tuple[float, float, str]]:
    """What stands behind which value and at which height: behind each bar, or once for each group."""
    for y, bars in enumerate(groups):
        figures = [" · ".join(filter(None, (short_number(bar.value), bar.name))) for bar in bars]
        if has_line_each:
            for index, (bar, figure) in enumerate(zip(bars, figures, strict=True)):
                yield bar.value, _place(y, index, len(bars)), figure + mark(bar.row)
        else:
            longest = max(bar.value for bar in bars)
            yield longest, y, ",  ".join(figures) + mark(bars[0].row)
