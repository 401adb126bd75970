"""Where the time of encoding goes: one bar for each contender, made of its stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.stages import PARTITION, STAGES, WHOLE
from guiapp.core.bench.tables import BYTES_PER_MB, time_text
from guiapp.core.explain.figures import percent
from guiapp.core.pipelines.stages import ENCODE, NORMALISE, NORMALISE_AND_SPLIT, SPLIT, SPLIT_AND_ENCODE
from guiapp.widgets.bench.charts import BAR_HEIGHT, FAINT, Chart, HasTheme
from guiapp.widgets.bench.labels import mark
from guiapp.widgets.bench.plot import Marker, brush_of, pen_of
from guiapp.widgets.shared.theme import Theme

UNTOLD = "tells no stages"
REST = "rest"  # of the whole call: putting results together
TINTS = {PARTITION: 5, NORMALISE: 1, SPLIT: 0, ENCODE: 4}  # among the theme's span colours
FUSED = {NORMALISE_AND_SPLIT: (NORMALISE, SPLIT), SPLIT_AND_ENCODE: (SPLIT, ENCODE)}
TITLES = {ENCODE: "encode", NORMALISE_AND_SPLIT: "normalise + split", SPLIT_AND_ENCODE: "split + encode"}
PAD_PX = 10  # around a name within its part
LEGEND_PX = 12  # the side of a square
SCALE = (0.0, 0.25, 0.5, 0.75, 1.0)


class Part(NamedTuple):
    """A stretch of a contender's bar, as shares of it; `row` is the whole call's where it is no stage."""

    row: Record
    name: str
    start: float
    end: float
    y: float


class StageChart(Chart):
    """Shares of the stages, the contender with the shortest call on top, and how long the call takes."""

    def __init__(self, title: str, theme_source: HasTheme) -> None:
        self._parts: list[Part] = []
        super().__init__(title, theme_source)

    def draw(self) -> None:
        calls = sorted(
            (row for row in self._results if row["operation"] == WHOLE),
            key=lambda row: -float(row["median_s"]),
        )
        short = "share of one call, and its time"
        self.note.set_texts([f"{short}; two colours: two stages in one pass", short, ""])
        self.fit_font(len(calls) + 1)
        self.show_names([call["contender"] for call in calls])
        self.plot.bottom_ticks = [(share, percent(share)) for share in SCALE]
        self.plot.show_range(y_range=(-0.6, max(len(calls), 4) + 0.4))
        words = [_time_of(call) for call in calls]
        self.reach_behind([(1.0, text) for text in words])
        self._parts = []
        for y, (call, text) in enumerate(zip(calls, words, strict=True)):
            stages = [row for row in self._results if _is_stage_of(row, call)]
            self._parts += parts_of(call, stages, y)
            self.label_behind(text, 1.0, y, self.theme.dim)
        self._draw_bars("parts", self._parts, BAR_HEIGHT)
        if lower := [part._replace(y=part.y - BAR_HEIGHT / 4) for part in self._parts if part.name in FUSED]:
            self._draw_bars("halves", lower, BAR_HEIGHT / 2)
        self._name_parts()
        self._draw_legend(max(len(calls), 4) - 0.1)

    def record_at(self, position: QPointF) -> Record | None:
        """That of the part at this place."""
        x, y = self.plot.place(position)
        mine = [part for part in self._parts if part.y == round(y)]
        return next((part.row for part in mine if x < part.end), mine[0].row if mine else None)

    def _draw_bars(self, kind: str, parts: Sequence[Part], height: float) -> None:
        """One item for all of them."""
        theme = self.theme
        self.take(kind, lambda: pg.BarGraphItem(x0=[], y=[], width=[], height=height)).setOpts(
            x0=np.array([part.start for part in parts]),
            y=np.array([part.y for part in parts], np.float64),
            width=np.array([part.end - part.start for part in parts]),
            brushes=[self._brush(part, kind == "halves") for part in parts],
            pens=[pen_of(theme.line if part.name in (REST, UNTOLD) else theme.raised) for part in parts],
        )

    def _brush(self, part: Part, is_second: bool) -> QColor:
        """The colour of a stage, faint beside an isolated contender."""
        color = QColor(color_of(part.name, self.theme, is_second))
        if self._isolated not in ("", part.row["contender"]):
            color.setAlpha(FAINT)
        return color

    def _draw_legend(self, y: float) -> None:
        """The stages above the bars, each with a square of its colour."""
        theme, per_px, x_px = self.theme, self._per_px(), float(LEGEND_PX)
        names = {name for part in self._parts for name in FUSED.get(part.name, (part.name,))}
        shown = [name for name in TINTS if name in names]
        for name in shown:
            brush = brush_of(color_of(name, theme))
            self.plot.markers.append(Marker(x_px * per_px, y, LEGEND_PX, "s", pen_of(theme.faint), brush))
            self.label_behind(TITLES.get(name, name), (x_px + LEGEND_PX) * per_px, y, theme.dim)
            x_px += self.metrics().horizontalAdvance(TITLES.get(name, name)) + 4 * LEGEND_PX

    def _per_px(self) -> float:
        left, right = self.plot.x_range
        return float(right - left) / self.view_px()[0]

    def _name_parts(self) -> None:
        """A name and a share in each part that has the room, or the name alone."""
        theme, metrics, per_px = self.theme, self.metrics(), self._per_px()
        for part in self._parts:
            title, share = TITLES.get(part.name, part.name), part.end - part.start
            room_px = share / per_px - PAD_PX
            texts = (f"{title} {percent(share)}", title) if part.name != UNTOLD else (title,)
            if text := next((text for text in texts if metrics.horizontalAdvance(text) <= room_px), ""):
                color = theme.dim if part.name in (REST, UNTOLD) else theme.span_text
                self.label(text, (part.start + part.end) / 2, part.y, color)


def _time_of(call: Record) -> str:
    return f"{time_text(call['median_s'] / call['size_bytes'] * BYTES_PER_MB)} for 1 MB{mark(call)}"


def _is_stage_of(row: Record, call: Record) -> bool:
    return bool(row["contender"] == call["contender"] and row["operation"] != WHOLE)


def parts_of(call: Record, stages: Sequence[Record], y: int) -> Iterator[Part]:
    """The stages one after another, and what they leave of the whole call."""
    if not stages:
        yield Part(call, UNTOLD, 0.0, 1.0, y)
        return
    ordered = sorted(stages, key=lambda row: STAGES.index(row["operation"]))
    total, at = max(call["median_s"], sum(row["median_s"] for row in ordered)), 0.0
    for row in ordered:
        end = at + row["median_s"] / total
        yield Part(row, row["operation"], at, end, y)
        at = end
    if at < 1.0:
        yield Part(call, REST, at, 1.0, y)


def color_of(name: str, theme: Theme, is_second: bool = False) -> QColor:
    """The colour of a stage; of the first of two in one pass, or the second."""
    if name in (REST, UNTOLD):
        return theme.raised
    return theme.span_color(TINTS[FUSED[name][is_second] if name in FUSED else name])
