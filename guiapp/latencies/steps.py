"""A trace of a million steps on the Steps page: going to any of them, and to the next breakpoint."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path
from typing import cast

from PySide6.QtWidgets import QApplication

from guiapp import open_model
from guiapp.app import build, make_application
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.trace.recorder import record
from guiapp.core.trace.trace import Trace
from guiapp.latencies.measurement import Measurement
from guiapp.latencies.window import (
    SIZE,
    PaintWatch,
    load_kernels,
    mixed_text,
    open_in_window,
    timed,
    wait_until,
)
from guiapp.viewmodels.settings import Settings
from guiapp.widgets.steps.page import StepsPage

N_STEPS = 1_000_000
PROBE_BYTES = 20_000
CONDITION = "rank > 300 and length > 3"


def measure_steps(model: str, n_events: int = 60, n_steps: int = N_STEPS) -> list[Measurement]:
    """Milliseconds from the wish to the painted page: going to any step, running to a conditional stop."""
    application = QApplication.instance() or make_application()
    assert isinstance(application, QApplication)
    trace = long_trace(open_model(model), n_steps)
    rng = random.Random(3)
    with tempfile.TemporaryDirectory() as folder:
        shell = build(application, Settings(Path(folder) / "settings.json"), b"x")
        shell.window.resize(*SIZE)
        shell.window.show()
        load_kernels(application, shell)
        open_in_window(application, shell, model)
        shell.window.actions_table["steps"].trigger()
        page = cast(StepsPage, shell.window.pages.pages["steps"])
        wait_until(application, lambda: page.is_ready)
        page.model.show(trace)
        wait_until(application, lambda: page.trace.fonts.is_ready)
        watch = PaintWatch(page.trace.flow)
        seeks = [
            timed(application, watch, lambda: page.model.go_to(rng.randrange(len(trace))))
            for _ in range(n_events + 5)
        ]
        runs = [_run_with_condition(application, page, watch, rng, event) for event in range(n_events + 5)]
        shell.window.close()
        shell.stop()
    return [
        Measurement("trace_seek_1m", "ms", tuple(seeks[5:])),
        Measurement("breakpoint_next_1m", "ms", tuple(runs[5:])),
    ]


def long_trace(tokenizer: Tokenizer, n_steps: int) -> Trace:
    """At least so many steps of the program's own samples, mixed, and ready to be walked through."""
    probe = record(tokenizer, mixed_text(PROBE_BYTES))
    size = int(PROBE_BYTES * n_steps / len(probe) * 1.1)
    trace = record(tokenizer, mixed_text(size))
    trace.prepare()  # as the window has it done before it shows a trace
    return trace


def _run_with_condition(
    application: QApplication, page: StepsPage, watch: PaintWatch, rng: random.Random, event: int
) -> float:
    """Set a conditional breakpoint, go somewhere, and time the run to it, forwards or backwards."""
    for index in reversed(range(len(page.model.breakpoints.rows))):
        page.model.breakpoints.remove(index)
    page.model.breakpoints.add(f"{CONDITION} and step % 7 == {event % 7}")
    page.model.go_to(rng.randrange(page.model.n_steps))
    for _ in range(3):
        application.processEvents()
    return timed(application, watch, page.model.reverse if event % 2 else page.model.run)
