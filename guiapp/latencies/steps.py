"""A trace of a million steps on the Steps page: going to any of them, and to the next breakpoint."""

from __future__ import annotations

import random
from typing import cast

from guiapp import open_model
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.core.trace.trace import Trace
from guiapp.latencies.measured_window import N_FIRST, MeasuredWindow, PaintWatch, mixed_text
from guiapp.latencies.measurement import Measurement
from guiapp.widgets.steps.page import StepsPage

N_STEPS = 1_000_000
PROBE_BYTES = 20_000
CONDITION = "rank > 300 and length > 3"


def measure_steps(model: str, n_events: int = 60, n_steps: int = N_STEPS) -> list[Measurement]:
    """Milliseconds from the wish to the painted page: going to any step, running to a conditional stop."""
    tokenizer = open_model(model)
    trace = long_trace(tokenizer, n_steps)
    rng = random.Random(3)
    with MeasuredWindow(model) as measured:
        page = cast(StepsPage, measured.shell.window.pages.show_page("steps"))
        measured.wait_until(lambda: page.is_ready)
        page.model.show(debugger_for(tokenizer, trace))
        measured.wait_until(lambda: page.trace.fonts.is_ready)
        watch = PaintWatch(page.trace.flow)
        n_runs = n_events + N_FIRST
        seeks = [
            measured.timed(watch, lambda: page.model.go_to(rng.randrange(len(trace)))) for _ in range(n_runs)
        ]
        runs = [_run_with_condition(measured, page, watch, rng, event) for event in range(n_runs)]
    return [
        Measurement("trace_seek_1m", "ms", tuple(seeks[N_FIRST:])),
        Measurement("breakpoint_next_1m", "ms", tuple(runs[N_FIRST:])),
    ]


def long_trace(tokenizer: Tokenizer, n_steps: int) -> Trace:
    """At least so many steps of the program's own samples, mixed, and ready to be walked through."""
    probe = record(tokenizer, mixed_text(PROBE_BYTES))
    size = int(PROBE_BYTES * n_steps / len(probe) * 1.1)
    trace = record(tokenizer, mixed_text(size))
    trace.prepare()  # as the window has it done before it shows a trace
    return trace


def _run_with_condition(
    measured: MeasuredWindow, page: StepsPage, watch: PaintWatch, rng: random.Random, event: int
) -> float:
    """Set a conditional breakpoint, go somewhere, and time the run to it, forwards or backwards."""
    for index in reversed(range(len(page.model.breakpoints.rows))):
        page.model.breakpoints.remove(index)
    page.model.breakpoints.add(f"{CONDITION} and step % 7 == {event % 7}")
    page.model.go_to(rng.randrange(page.model.n_steps))
    measured.settle()
    return measured.timed(watch, page.model.reverse if event % 2 else page.model.run)
