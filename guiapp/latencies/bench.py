"""The Bench page: redrawing its charts with every new sample, and the other pages while a run goes on."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any, cast

from PySide6.QtWidgets import QApplication

from guiapp.core.bench.scenarios import SCALING_BYTES, WORST_BYTES
from guiapp.latencies.measured_window import SIZE, MeasuredWindow, mixed_text, running_application
from guiapp.latencies.measurement import Measurement, MeasurementError
from guiapp.latencies.tree import VIEWS, jump, move_view
from guiapp.viewmodels.bench.choice import AIMS
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.runner import BenchRunner
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession
from guiapp.widgets.bench.page import BenchPage
from guiapp.widgets.shared.theme import ThemeSource
from guiapp.widgets.tree.page import TreePage

CONTENDERS = ("fast", "backtrack", "heap", "gigatoken", "tiktoken", "llama.cpp")
TEXT_BYTES = 100_000
Event = dict[str, Any]


def measure_bench(model: str, n_events: int = 60) -> list[Measurement]:
    """Milliseconds to draw all charts again, and of keys and frames while six contenders are measured."""
    return [_chart_updates(running_application(), n_events), *_beside_a_run(model, n_events)]


def _chart_updates(application: QApplication, n_events: int) -> Measurement:
    """Each update brings one more sample to a page that is full."""
    session, runner = ModelSession(TextSession(b"")), BenchRunner()
    page = BenchPage(BenchModel(session, runner), ThemeSource(application, "dark"))
    page.resize(*SIZE)
    page.show()
    application.processEvents()  # nothing is painted in a window that is not yet there
    for event in _full_run():
        runner.told.emit(event)
    values = []
    for number in range(n_events + 5):
        runner.told.emit(_sample(CONTENDERS[number % len(CONTENDERS)], 1e-3))
        started = time.perf_counter()
        page.redraw()
        application.processEvents()  # paints the charts that changed
        values.append((time.perf_counter() - started) * 1000)
    page.stop()
    page.close()
    session.close()
    return Measurement("chart_update", "ms", tuple(values[5:]))


def _full_run() -> Iterator[Event]:
    """A run with made-up times: the charts of length and the worst case full, throughput going on."""
    rng = random.Random(4)
    cells = [("scaling", size) for size in SCALING_BYTES] + [("worst", size) for size in WORST_BYTES]
    for scenario, size in cells:
        yield from _cell(scenario, size)
        for contender in CONTENDERS:
            seconds = (1 + rng.random()) * (1e-6 + size * 1e-8)
            yield {
                "event": "result",
                **_head(scenario, size),
                **_agreement(contender),
                **_figures(size, seconds),
            }
    yield from _cell("throughput", TEXT_BYTES)
    for contender in CONTENDERS:
        yield _sample(contender, (1 + rng.random()) * 1e-3)


def _cell(scenario: str, size: int) -> Iterator[Event]:
    yield {"event": "cell", "number": 1, "of": 1, "seconds_left": 1.0, **_head(scenario, size)}
    for contender in CONTENDERS:
        yield {"event": "compared", **_agreement(contender), "operation": "encode", "n_tokens": size // 4}


def _head(scenario: str, size: int) -> Event:
    return {
        "scenario": scenario,
        "operation": "encode",
        "corpus": "text",
        "size_bytes": size,
        "threads": 1,
    }


def _agreement(contender: str) -> Event:
    return {"contender": contender, "exact": True, "agreement": 1.0, "first_difference": None}


def _figures(size: int, seconds: float) -> Event:
    return {
        "n": 9,
        "median_s": seconds,
        "ci_s": [seconds * 0.9, seconds * 1.1],
        "mb_per_s": size / seconds / 1e6,
        "tokens_per_s": size / seconds / 4,
    }


def _sample(contender: str, seconds: float) -> Event:
    return {"event": "sample", "contender": contender, "operation": "encode", "seconds": seconds, "n": 1}


def _beside_a_run(model: str, n_events: int) -> list[Measurement]:
    """Typing on the Inspect page and flying through the Tree page while contenders are measured."""
    with MeasuredWindow(model) as measured:
        pages = measured.shell.window.pages
        tree = cast(TreePage, pages.show_page("tree"))
        measured.wait_until(lambda: tree.is_ready)
        bench = cast(BenchPage, pages.show_page("bench"))
        choice = bench.model.choice
        choice.aim_at(AIMS[0])
        for name in choice.contenders:
            choice.set_contender(name, name in CONTENDERS)
        bench.model.run()
        measured.wait_until(lambda: bool(bench.model.results))
        pages.show_page("inspect")
        typed = measured.typing("keystroke_bench", mixed_text(TEXT_BYTES), n_events)
        pages.show_page("tree")
        measured.wait_until(lambda: tree.is_ready)
        frames = tuple(_tree_frames(measured.application, tree, n_events))
        if not bench.model.is_running:
            raise MeasurementError(
                "The benchmark was over before typing and flying were measured. Try again."
            )
    return [typed, Measurement("tree_frame_bench", "ms", frames)]


def _tree_frames(application: QApplication, page: TreePage, n_frames: int) -> Iterator[float]:
    """Milliseconds of each frame, with time in between for what the run tells."""
    page.view.is_animated = False  # what a turn of the wheel leads to is painted at once
    jump(page.model, page.view, VIEWS["mid"], 0)
    for frame in range(n_frames):
        yield from move_view(page.model, page.view, frame)
        application.processEvents()
