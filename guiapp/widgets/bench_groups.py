"""Bars side by side for each contender: the first text against later ones, threads, memory and the like."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QBrush, QColor

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.tables import BYTES_PER_MB
from guiapp.widgets.bench_charts import BAR_AXIS_PX, BEHIND, ROOM, Chart
from guiapp.widgets.bench_labels import mark, round_steps, short_number
from guiapp.widgets.theme import ThemeSource

GROUP_HEIGHT = 0.78
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

    def __init__(self, title: str, theme_source: ThemeSource) -> None:
        self._kind = KINDS["cold"]
        super().__init__(title, theme_source)
        self.plot.getAxis("left").setWidth(BAR_AXIS_PX)

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
        self.note.setText(self._kind.note)
        longest = max((bar.value for bars in ordered for bar in bars), default=1.0) or 1.0
        names = [(y, bars[0].row["contender"]) for y, bars in enumerate(ordered)]
        self.plot.getAxis("left").setTicks([names])
        self.plot.getAxis("bottom").setTicks([[(v, short_number(v)) for v in round_steps(longest)]])
        self.plot.setXRange(0, longest * ROOM, padding=0)
        self.plot.setYRange(-0.6, max(len(ordered), 4) - 0.4, padding=0)
        self._draw_bars(ordered)

    def _draw_bars(self, groups: Sequence[Sequence[Bar]]) -> None:
        """All bars as one item, each with its figure behind it."""
        places, widths, heights, brushes, pens = [], [], [], [], []
        for y, bars in enumerate(groups):
            height = GROUP_HEIGHT / len(bars)
            for index, bar in enumerate(bars):
                place = y + GROUP_HEIGHT / 2 - height * (index + 0.5)
                brush = self._brush(bar, index, len(bars))
                places.append(place)
                widths.append(bar.value)
                heights.append(height * 0.9)
                brushes.append(brush)
                pens.append(pg.mkPen(self.look(bar.row["contender"]).color))
                figure = " ".join(filter(None, (short_number(bar.value), bar.name))) + mark(bar.row)
                self.label(figure, bar.value, place, BEHIND, self._theme_source.theme.dim)
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
        """That of the group at this height."""
        at = round(self.plot.getPlotItem().vb.mapSceneToView(position).y())
        return next((row for _, y, row in self._points if y == at), None)
