"""All charts of a run for paper, as PNG and SVG."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from PySide6.QtCore import QObject, QRect, Signal

from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.scenarios import SCENARIOS
from guiapp.kit.charts.chart import PAPER, Chart
from guiapp.kit.charts.pictures import png_of, svg_of
from guiapp.pages.bench.charts import (
    EXACTNESS,
    UNITS,
    Showing,
    chart_class,
    rows_of,
    show_records,
    showing_of,
    texts_of,
)

WIDTH_PX, ROW_PX, LEAST_HEIGHT_PX, MORE_HEIGHT_PX = 900, 30, 300, 110


class _Paper(QObject):
    """The light theme on white, whatever the screen shows."""

    changed = Signal()
    theme = PAPER


class Picture(NamedTuple):
    """A chart with its title in it, in two formats; its own title is of no other chart of the run."""

    title: str
    svg: str
    png: bytes


def paper_pictures(run: Record, baseline: str) -> Iterator[Picture]:
    """All charts of a run, one after another."""
    for name, chart in _charts_of(run, baseline):
        yield Picture(name, svg_of(chart), png_of(chart))


def paper_charts(run: Record, baseline: str) -> Iterator[tuple[str, str]]:
    """All charts of a run, one after another: name, and SVG document."""
    for name, chart in _charts_of(run, baseline):
        yield name, svg_of(chart)


def _charts_of(run: Record, baseline: str) -> Iterator[tuple[str, Chart]]:
    """Each chart laid out for paper; only until the next one is asked for."""
    results, showing = run["results"], showing_of(run, PAPER, baseline=baseline, is_speed=False)
    for scenario, row in SCENARIOS.items():
        for text in texts_of(results, scenario):
            rows = rows_of(results, scenario, text)
            name = ", ".join(filter(None, (row.title, text)))
            yield name, _laid_out(scenario, rows, showing)
            if row.grows and not row.own_texts:
                speed = replace(showing, is_speed=True)
                yield f"{name}: {UNITS[speed.unit]}", _laid_out(scenario, rows, speed)
            if scenario == "throughput":
                yield f"Speed × exactness, {text}", _laid_out(EXACTNESS, rows, showing)


def _laid_out(key: str, rows: Sequence[Record], showing: Showing) -> Chart:
    """The chart with these records, as large as they need, without a window."""
    chart = chart_class(key)(_Paper(), "", has_button=False)
    height_px = len({row["contender"] for row in rows}) * ROW_PX + MORE_HEIGHT_PX
    chart.resize(WIDTH_PX, max(height_px, LEAST_HEIGHT_PX))
    show_records(chart, key, rows, showing)
    chart.resize(WIDTH_PX, max(chart.height(), chart.minimumSizeHint().height()))
    chart.grab(QRect(0, 0, 1, 1))  # lays it out; a window of its own would bring warnings
    return chart
