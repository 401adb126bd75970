"""All latencies of the window, one after another."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from guiapp.core.bench.stolen_time import StolenTime
from guiapp.latencies import start
from guiapp.latencies.measurement import Measurement

Group = Callable[[], Iterable[Measurement]]


def measure_all(model: str) -> list[Measurement]:
    """Start-up, opening, typing, scrolling; a few minutes."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    return [measurement for group in _groups(model) for measurement in measured(group)]


def measure_each_look(model: str) -> list[Measurement]:
    """Typing and scrolling on the Inspect page in each of its looks."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from guiapp.latencies.looks import measure_looks

    return measured(lambda: measure_looks(model))


def _groups(model: str) -> Iterator[Group]:
    yield start.start_to_first_paint
    yield lambda: start.first_start(model)
    yield start.command_line
    from guiapp.latencies import bench, inspect, steps, tree

    yield lambda: inspect.measure_opening(model)
    yield lambda: inspect.measure_editing(model)
    yield lambda: steps.measure_steps(model)
    yield lambda: tree.measure_tree(model)
    yield lambda: bench.measure_bench(model)


def measured(group: Group) -> list[Measurement]:
    """Measurements, with the share of the processor time that others on the host took meanwhile."""
    stolen = StolenTime()
    measurements = list(group())
    share = stolen.share()
    return [replace(measurement, stolen_share=share) for measurement in measurements]
