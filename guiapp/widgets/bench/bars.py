"""Bars for each contender: speeds with their intervals, or what a contender needs; the best on top."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtGui import QBrush, QColor

from guiapp.core.bench.findings import by_one_clock
from guiapp.core.bench.measurement import ENERGY, TIME, Record, half_width, key_of
from guiapp.core.bench.tables import MARKS
from guiapp.core.bench.wording import BYTES_PER_MB, short_ratio, time_text
from guiapp.core.explain.figures import counted, percent
from guiapp.widgets.bench.charts import HasTheme
from guiapp.widgets.bench.labels import UNITS, interval_of, three_digits
from guiapp.widgets.bench.plot import BEGINS, NO_PEN, PLAIN, STRONG, WORD_GAP_PX, Bar, Range, Word
from guiapp.widgets.bench.rows import BAR_SHARE, Column, RowChart

FAINTEST = 90  # of 255: the last bar of a group
LOADING_PX, LOADING_HEIGHT_PX = 240, 3  # of the line that tells how far a contender is
MEMORIES = {"built_bytes": "ready", "encoding_bytes": "more while encoding"}
LEAST_PLACE_SHARE = 0.25  # of the width for bars, however long what stands behind them


class Measure(NamedTuple):
    """What the length of a bar is: its key in records, unless that is chosen, and its words."""

    key: str
    subtitle: str
    text: Callable[[float], str] = three_digits
    is_less_better: bool = True


MEASURES: Mapping[str, Measure] = {  # by the unit of a scenario
    "MB/s": Measure("", "in {}", is_less_better=False),
    "s": Measure(TIME[0], "time of a call", time_text),
    "MB": Measure("", "in MB"),
    "J/MB": Measure(ENERGY[0], "in joules for 1 MB"),
}


class Line(NamedTuple):
    """One bar; `strength` is how strong its colour is beside others of its contender, 0 to 1."""

    row: Record
    label: str
    value: float
    interval: Range | None
    strength: float = 1.0


class BarChart(RowChart):
    """A group of bars for each contender; those that are still opened tell how far they are."""

    def __init__(self, scenario: str, theme_source: HasTheme) -> None:
        super().__init__(scenario, theme_source)
        self.is_inline = self.scenario.chart == "bars"  # its title is but a word
        self.redraw()

    @property
    def _has_something(self) -> bool:
        return bool(self._results or self._showing.loading)

    @property
    def _measure(self) -> Measure:
        return MEASURES[self.scenario.unit]

    @property
    def _is_memory(self) -> bool:
        return self.scenario.chart == "memory"

    def draw(self) -> None:
        lines = self._lines()
        loading = [{"contender": each.contender} for each in self._showing.loading]
        names = [None if _is_later(lines, index) else line.row for index, line in enumerate(lines)]
        self.lay_rows([*names, *loading], self._columns(lines))
        self.set_title(self.titles, self._subtitles(lines))
        self._reach(lines)
        for index, line in enumerate(lines):
            self._draw_bar(-index, line)
        for index, _ in enumerate(loading, len(lines)):
            self._draw_loading(index, index - len(lines))

    def _lines(self) -> list[Line]:
        """The bars from the top down."""
        groups: dict[str, list[Line]] = {}
        for row in self._results:
            groups.setdefault(row["contender"], []).extend(self._lines_of(row))
        shown = [_faded(lines) for lines in groups.values() if lines]
        if self._measure.is_less_better:
            shown.sort(key=lambda lines: sum(line.value for line in lines))
        else:
            shown.sort(key=lambda lines: -max(line.value for line in lines))
        return [line for lines in shown for line in lines]

    def _lines_of(self, row: Record) -> Iterator[Line]:
        if self._is_memory:
            for key, name in MEMORIES.items():
                yield Line(row, name, row[key] / BYTES_PER_MB, None)
        elif row.get(key := self._measure.key or self._showing.unit):
            interval = interval_of(row, key) if row["n"] > 1 else None
            yield Line(row, self._label(row), row[key], interval)

    def _label(self, row: Record) -> str:
        """What tells a bar from the others of its contender."""
        if self.scenario.beside:
            return "later" if row["scenario"] == self.scenario.beside else "first"
        has_threads = any(each["threads"] != row["threads"] for each in self._results)
        return counted(row["threads"], "thread") if has_threads else ""

    def _subtitles(self, lines: Sequence[Line]) -> list[str]:
        unit = self._measure.subtitle.format(UNITS[self._showing.unit])
        if any(line.row.get("clock") == "cpu" for line in lines):
            unit += " by processor time"
        told = [f"{unit}, with 95 % intervals"] if any(line.interval for line in lines) else []
        return [*told, unit, ""] if lines else [""]

    def _columns(self, lines: Sequence[Line]) -> list[Column]:
        dim, theme = self.theme.dim, self.theme
        if self._is_memory or not lines:
            return []
        base = {line.label: line for line in lines if line.row["contender"] == self._showing.baseline}
        columns = [Column("interval", [(_half_width(line, self._measure.key), dim) for line in lines])]
        if base:
            ratios = [(_ratio(line, base.get(line.label)), dim) for line in lines]
            columns.append(Column(f"of {self._showing.baseline}", ratios))
        colors = {True: theme.good, False: theme.warning, None: dim}
        ids = [(_ids(line.row), colors[line.row["exact"]]) for line in lines]
        return [*columns, Column("ids", ids, PLAIN)]

    def _reach(self, lines: Sequence[Line]) -> None:
        """Let the plot begin at 0 and reach so far that what stands behind each bar is seen whole."""
        room_px = self.area.width()
        ends = [(_end(line), self._behind_px(line)) for line in lines]
        scales = [end / max(room_px - px, room_px * LEAST_PLACE_SHARE) for end, px in ends]
        self.x_range = 0.0, (max(scales, default=0.0) or 1.0) * room_px

    def _behind_px(self, line: Line) -> float:
        words = self._words(0, line)
        return sum(self.width_px(word.text, word.letters) for word in words) + WORD_GAP_PX * (len(words) + 1)

    def _words(self, y: float, line: Line) -> list[Word]:
        """The figure, and what it is of."""
        name, at_px, words = line.row["contender"], float(WORD_GAP_PX), []
        told = filter(
            None, (line.label, "" if line.row["n"] > 1 or self._is_memory else "once", self._change(line.row))
        )
        for text, letters in ((self._measure.text(line.value), STRONG), *((text, PLAIN) for text in told)):
            color = self.word_color(name) if letters is STRONG else self.theme.dim
            words.append(Word(text, _end(line), y, color, at_px, BEGINS, letters, line.row))
            at_px += self.width_px(text, letters) + WORD_GAP_PX
        return words

    def _change(self, row: Record) -> str:
        """A sign and how many times the time it takes, with the interval that is sure to 99 %."""
        change = next((each for each in self._showing.changes if each.key == key_of(row)), None)
        if change is None:
            return ""
        ratio = change.own  # what the machine did is told below
        return f"{MARKS[change.verdict]} {ratio.ratio:.2f} × time ({ratio.low:.2f}–{ratio.high:.2f})"

    def _draw_bar(self, y: float, line: Line) -> None:
        look = self.look(line.row["contender"])
        color = QColor(look.color)
        color.setAlpha(round(color.alpha() * (1 - (1 - FAINTEST / 255) * (1 - line.strength))))
        is_exact = line.row["exact"] is not False
        brush = look._replace(color=color).brush(is_exact)
        pen = NO_PEN if is_exact else look.color
        self.bars.append(Bar(0.0, line.value, y, self.row_px * BAR_SHARE, brush, pen, line.interval))
        self.words += self._words(y, line)
        self._points.append((line.value, y, line.row))

    def _draw_loading(self, index: int, number: int) -> None:
        """A thin line that fills up, and what is done; or why there is none."""
        each, per_px = self._showing.loading[number], self.x_range[1] / self.area.width()
        if each.has_failed:
            words = self.elided(each.words, self.width() - self.area.left() - WORD_GAP_PX)
            self.words.append(Word(words, 0.0, -index, self.theme.warning, 0.0, BEGINS))
            return
        length_px = min(LOADING_PX, self.area.width() / 2)
        for share, color in ((1.0, self.theme.line), (each.share or 0.0, self.look(each.contender).color)):
            bar = Bar(0.0, share * length_px * per_px, -index, LOADING_HEIGHT_PX, QBrush(color))
            if share:
                self.bars.append(bar)
        told = ", ".join(filter(None, (each.words, "" if each.share is None else percent(each.share))))
        room_px = self.width() - self.area.left() - length_px - 2 * WORD_GAP_PX
        told = self.elided(told, room_px)
        self.words.append(Word(told, length_px * per_px, -index, self.theme.dim, 2 * WORD_GAP_PX, BEGINS))


def _faded(lines: Sequence[Line]) -> list[Line]:
    """The bars of a contender, each fainter than the one above."""
    steps = max(len(lines) - 1, 1)
    return [line._replace(strength=1 - index / steps) for index, line in enumerate(lines)]


def _is_later(lines: Sequence[Line], index: int) -> bool:
    """Whether the bar above is of the same contender."""
    return index > 0 and lines[index].row["contender"] == lines[index - 1].row["contender"]


def _end(line: Line) -> float:
    return max(line.value, line.interval[1] if line.interval else 0.0)


def _ratio(line: Line, base: Line | None) -> str:
    if base is None or not by_one_clock(line.row, base.row):
        return "–"
    return f"{short_ratio(line.value / base.value)} ×"


def _half_width(line: Line, key: str) -> str:
    """Of speeds that of the time, as tables say it."""
    keys = ENERGY if key == ENERGY[0] else TIME
    return f"± {percent(half_width(line.row, keys))}" if line.interval else ""


def _ids(row: Record) -> str:
    if row["exact"] is None:
        return "its own"
    return "✓ equal" if row["exact"] else f"≈ {percent(row['agreement'], 1)}"
