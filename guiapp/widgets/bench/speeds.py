"""What charts of bars for speeds share: a unit, and a contender that the others are compared with."""

from __future__ import annotations

from PySide6.QtCore import QPointF

from guiapp.core.bench.measurement import Record
from guiapp.widgets.bench.charts import Chart, HasTheme
from guiapp.widgets.bench.labels import interval_of


class SpeedChart(Chart):
    """Bars in rows, with whiskers, in `unit`, relative to `baseline`."""

    def __init__(self, title: str, theme_source: HasTheme) -> None:
        self.unit = "mb_per_s"
        self.baseline = "fast"
        super().__init__(title, theme_source)

    def set_unit(self, unit: str) -> None:
        """One of UNITS."""
        if unit != self.unit:
            self.unit = unit
            self.redraw()

    def set_baseline(self, contender: str) -> None:
        if contender != self.baseline:
            self.baseline = contender
            self.redraw()

    def record_at(self, position: QPointF) -> Record | None:
        return self.record_at_row(position)

    def end_of(self, row: Record) -> float:
        """Where the whisker of a bar ends."""
        return max(interval_of(row, self.unit)[1], float(row[self.unit]))
