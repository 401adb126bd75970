"""Engines that send made-up events instead of measuring, and their runs on the Bench page's model."""

from __future__ import annotations

import json
import sys

from bench_runs import record
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.bench.history import load_run
from guiapp.analysis.bench.run_results import BenchResult
from guiapp.pages.bench.history import FinishedRun, SavedRun
from guiapp.pages.bench.model import BenchModel, BenchRunner

CELL = {
    "scenario": "throughput",
    "operation": "encode",
    "corpus": "tutorial",
    "size_bytes": 1000,
    "threads": 1,
}
EQUAL = {"exact": True, "agreement": 1.0, "first_difference": None}
EVENTS = [
    {"event": "started", "environment": {}, "vocabulary": {}, "corpora": [], "plan": {}, "n_cells": 1},
    {"event": "cell", "number": 1, "of": 1, "seconds_left": 5.0, **CELL},
    {"event": "compared", "contender": "fast", **CELL, "n_tokens": 500, **EQUAL},
    {"event": "sample", "contender": "fast", "operation": "encode", "seconds": 0.001, "n": 1},
    {"event": "sample", "contender": "fast", "operation": "encode", "seconds": 0.003, "n": 2},
]
REPEAT = """
import json, sys
plan = json.loads(sys.stdin.readline())
for event in json.loads({events!r}):
    print(json.dumps(event), flush=True)
{ending}
"""


class SilentRunner(QObject):
    """Records its calls, sends no events, and ends when `end` is called."""

    told, ended = Signal(dict), Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.is_running = False
        self.asked: list[str] = []

    def start(self, plan: object) -> None:
        self.is_running = True
        self.asked.append("start")

    def end(self) -> None:
        self.is_running = False
        self.ended.emit("")

    def send(self, command: str) -> None:
        self.asked.append(command)

    def close(self) -> None:
        self.is_running = False


def fake_engine(events: list[dict], ending: str = "") -> BenchRunner:
    """A process that sends these events and then runs the code `ending`."""
    return BenchRunner((sys.executable, "-c", REPEAT.format(events=json.dumps(events), ending=ending)))


def whole_run(ms: float) -> list[dict]:
    """The events of a run in which `fast` took about `ms` milliseconds."""
    started = {
        **EVENTS[0],
        "environment": {"started": f"2026-01-01T00:00:0{ms:.0f}+0000"},
        "vocabulary": {"path": "model.gguf", "sha256": "abc"},
    }
    samples = [ms / 1e3 * (1 + share / 100) for share in range(10)]
    changes = {"corpus": CELL["corpus"], "n": 10, "samples_s": samples}
    result = record("throughput", "fast", CELL["size_bytes"], samples[5], **changes)
    return [
        started,
        {"event": "result", **result},
        {"event": "finished", "complete": True, "environment": {}},
    ]


def run_to_its_end(qtbot, model: BenchModel) -> None:
    """Run and wait for the end; if there are results, also until the run is saved and listed."""
    saved: list[FinishedRun] = []
    model.saved.saved.connect(saved.append)
    model.run()
    qtbot.waitUntil(lambda: not model.is_running)
    if model._history is not None and model.results:
        qtbot.waitUntil(lambda: bool(saved))
    if saved and not saved[0].problem:
        qtbot.waitUntil(lambda: model.results in map(results_of, model.saved.runs))


def results_of(run: SavedRun) -> list[BenchResult]:
    return load_run(run.path).results


def opened(qtbot, model: BenchModel, path) -> None:
    with qtbot.waitSignal(model.results_changed):
        model.open_run(path)
