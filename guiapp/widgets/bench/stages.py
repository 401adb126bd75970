"""Where the time of encoding goes: one bar for each contender, made of its stages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtGui import QBrush, QColor, QPen

from guiapp.core.bench.measurement import Record
from guiapp.core.bench.stages import PARTITION, STAGES, WHOLE
from guiapp.core.bench.wording import BYTES_PER_MB, time_text
from guiapp.core.explain.figures import percent
from guiapp.core.pipelines.stages import ENCODE, NORMALISE, NORMALISE_AND_SPLIT, SPLIT, SPLIT_AND_ENCODE
from guiapp.widgets.bench.charts import FAINT, HasTheme
from guiapp.widgets.bench.plot import BEGINS, NO_PEN, Bar, Marker, Word
from guiapp.widgets.bench.rows import BAR_SHARE, Column, RowChart
from guiapp.widgets.shared.theme import Theme

UNTOLD = "tells no stages"
REST = "rest"  # of the whole call: putting results together
TINTS = {PARTITION: 5, NORMALISE: 1, SPLIT: 0, ENCODE: 4}  # among the theme's span colours
FUSED = {NORMALISE_AND_SPLIT: (NORMALISE, SPLIT), SPLIT_AND_ENCODE: (SPLIT, ENCODE)}
TITLES = {ENCODE: "encode", NORMALISE_AND_SPLIT: "normalise + split", SPLIT_AND_ENCODE: "split + encode"}
PAD_PX = 10  # around a name within its part
LEGEND_PX = 12  # the side of a square


class Part(NamedTuple):
    """A stretch of a contender's bar, as shares of it; `row` is the whole call's where it is no stage."""

    row: Record
    name: str
    start: float
    end: float
    y: float


class StageChart(RowChart):
    """Shares of the stages, the contender with the shortest call on top, and how long the call takes."""

    def __init__(self, scenario: str, theme_source: HasTheme) -> None:
        self._parts: list[Part] = []
        super().__init__(scenario, theme_source)

    def draw(self) -> None:
        calls = sorted(
            (row for row in self._results if row["operation"] == WHOLE),
            key=lambda row: float(row["median_s"]),
        )
        short = "Shares of one call."
        self.x_range = 0.0, 1.0
        s_per_byte = [call["median_s"] / call["size_bytes"] for call in calls]
        times = [(time_text(each * BYTES_PER_MB), self.theme.text) for each in s_per_byte]
        self.lay_rows([None, *calls], [Column("1 MB takes", [("", self.theme.dim), *times])])
        self.set_title(self.titles, [f"{short} Two colours in one bar: two stages in one pass.", short, ""])
        self._parts = []
        for index, call in enumerate(calls, 1):
            stages = [row for row in self._results if _is_stage_of(row, call)]
            self._parts += parts_of(call, stages, -index)
        for part in self._parts:
            self._draw_part(part)
        self._draw_legend()

    def record_at(self, position: QPointF) -> Record | None:
        """That of the part at this place."""
        x, y = self.place(position)
        mine = [part for part in self._parts if part.y == round(y)]
        return next((part.row for part in mine if x < part.end), mine[0].row if mine else None)

    def _draw_part(self, part: Part) -> None:
        """A stretch in the colour of its stage, the lower half in another where it is two; its name."""
        height_px, theme = self.row_px * BAR_SHARE, self.theme
        pen = QPen(theme.line) if part.name in (REST, UNTOLD) else NO_PEN
        self.bars.append(Bar(part.start, part.end, part.y, height_px, self._brush(part, False), pen))
        if part.name in FUSED:
            lower = part.y - height_px / self.row_px / 4
            self.bars.append(Bar(part.start, part.end, lower, height_px / 2, self._brush(part, True), pen))
        title, share = TITLES.get(part.name, part.name), part.end - part.start
        texts = (f"{title} {percent(share)}", title) if part.name != UNTOLD else (title,)
        room_px = share * self.area.width() - PAD_PX
        if text := next((text for text in texts if self.width_px(text) <= room_px), ""):
            color = theme.dim if part.name in (REST, UNTOLD) else theme.span_text
            self.words.append(Word(text, (part.start + part.end) / 2, part.y, color))

    def _brush(self, part: Part, is_second: bool) -> QBrush:
        """The colour of a stage, faint beside an isolated contender."""
        color = QColor(color_of(part.name, self.theme, is_second))
        if self._isolated not in ("", part.row["contender"]):
            color.setAlpha(FAINT)
        return QBrush(color)

    def _draw_legend(self) -> None:
        """The stages above the bars, each with a square of its colour."""
        at_px = LEGEND_PX / 2
        names = {name for part in self._parts for name in FUSED.get(part.name, (part.name,))}
        for name in (name for name in TINTS if name in names):
            color, title = color_of(name, self.theme), TITLES.get(name, name)
            marker = Marker(0.0, 0.0, LEGEND_PX, "square", QPen(self.theme.faint), QBrush(color), at_px)
            self.markers.append(marker)
            self.words.append(Word(title, 0.0, 0.0, self.theme.dim, at_px + LEGEND_PX, BEGINS))
            at_px += self.width_px(title) + 4 * LEGEND_PX


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
