"""The speeds of one text as bars with whiskers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg

from guiapp.core.bench.beside import ratio_text
from guiapp.core.bench.history import Change
from guiapp.core.bench.measurement import Record, key_of
from guiapp.core.bench.tables import MARKS
from guiapp.widgets.bench.charts import BAR_HEIGHT, HasTheme
from guiapp.widgets.bench.labels import UNITS, mark, round_steps, short_number, three_digits
from guiapp.widgets.bench.plot import pen_of
from guiapp.widgets.bench.speeds import SpeedChart


class BarChart(SpeedChart):
    """The speeds of one text, the fastest on top; values beside the bars and relative to a baseline."""

    def __init__(self, title: str, theme_source: HasTheme) -> None:
        self._changes: Mapping[tuple[Any, ...], Change] = {}
        super().__init__(title, theme_source)

    def set_changes(self, changes: Sequence[Change]) -> None:
        """What is surely slower or faster than in another run; marked beside the bars."""
        by_key = {change.key: change for change in changes}
        if by_key != self._changes:
            self._changes = by_key
            self.redraw()

    def draw(self) -> None:
        rows = sorted((row for row in self._results if row[self.unit]), key=lambda row: row[self.unit])
        baseline = next((row for row in rows if row["contender"] == self.baseline), None)
        self.fit_font(len(rows))
        self.show_names([row["contender"] for row in rows])
        labels = [(self.end_of(row), self._figures(row, baseline)) for row in rows]
        self.reach_behind(labels)
        self._draw_bars(rows)
        for y, (row, (end, text)) in enumerate(zip(rows, labels, strict=True)):
            self.label_behind(text, end, y, self.theme.dim)
            self._points.append((row[self.unit], y, row))
        longest = max((end for end, _ in labels), default=1.0)
        self.plot.bottom_ticks = [(v, short_number(v)) for v in round_steps(longest)]
        unit = UNITS[self.unit]
        beside = f", × {self.baseline}" if baseline else ""
        self.note.set_texts([f"{unit}, median and 95 % interval{beside}", f"{unit}{beside}", unit])

    def _figures(self, row: Record, baseline: Record | None) -> str:
        ratio = f"   {ratio_text(baseline['median_s'] / row['median_s'])}" if baseline else ""
        return f"{three_digits(row[self.unit])}{ratio}{mark(row)}{self._change(row)}"

    def _change(self, row: Record) -> str:
        """A sign and how many times the time it takes, with the interval that is sure to 99 %."""
        change = self._changes.get(key_of(row))
        if change is None:
            return ""
        ratio = change.own  # what the machine did is told below
        return f"  {MARKS[change.verdict]} {ratio.ratio:.2f} × time ({ratio.low:.2f}–{ratio.high:.2f})"

    def _draw_bars(self, rows: Sequence[Record]) -> None:
        """All bars and all whiskers, an item each."""
        looks = [self.look(row["contender"]) for row in rows]
        speeds = np.array([row[self.unit] for row in rows], np.float64)
        self.take("bars", lambda: pg.BarGraphItem(x0=[], y=[], width=[], height=BAR_HEIGHT)).setOpts(
            x0=np.zeros(len(rows)),
            y=np.arange(len(rows), dtype=np.float64),
            width=speeds,
            brushes=[look.brush(row["exact"] is not False) for look, row in zip(looks, rows, strict=True)],
            pens=[pen_of(look.color) for look in looks],
        )
        self.whiskers(rows, self.unit, range(len(rows)), BAR_HEIGHT)
