"""Typing and scrolling on the Inspect page in each of its looks, in turns, and what each costs beside plain.

In a look the text is coloured by something else, or more is shown with it.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from guiapp.latencies.measured_window import MeasuredWindow, PaintWatch, mixed_text, turn_wheel
from guiapp.latencies.measurement import Measurement
from guiapp.viewmodels.text.coloured_spans import COLORINGS

Row = tuple[str, str, str]
"""Size, look and event."""


class Times(NamedTuple):
    """Milliseconds of the clock, and of the processor for the window's thread."""

    clock: float
    processor: float


SIZES = {"100kb": 100_000, "1mb": 1_000_000, "10mb": 10_000_000}
PLAIN = "plain"
KEYS, TURNS = (Qt.Key.Key_A, Qt.Key.Key_Space, Qt.Key.Key_A, Qt.Key.Key_Backspace), 4
PACE_MS = 20
NOTCH = 120  # of a wheel


def measure_looks(model: str, n_rounds: int = 15) -> list[Measurement]:
    """For each size and look milliseconds until a key, and a turn of the wheel, are painted in full.

    Behind each, as `…_ratio`, how many times that of plain text the median is of the time that the processor
    gave to the window's thread: of what else runs on the machine it tells nothing.
    """
    with MeasuredWindow(model) as measured:
        return [
            row
            for size, n_bytes in SIZES.items()
            for row in _with_ratios(_in_turns(measured, size, n_bytes, n_rounds))
        ]


def _looks(measured: MeasuredWindow) -> dict[str, Callable[[bool], object]]:
    """How to go into each look, and back to plain text."""
    actions, shell = measured.shell.window.actions_table, measured.shell

    def color(name: str, is_on: bool) -> None:
        actions[f"color:{name if is_on else 'token'}"].trigger()

    def switch(name: str, is_on: bool) -> None:
        actions[name].trigger()

    def approximate(name: str, is_on: bool) -> None:
        shell.session.set_encoder(name if is_on else None)
        measured.wait_until(lambda: not shell.session.is_encoding)
        measured.wait_until(lambda: shell.session.exact.is_known is is_on)

    looks: dict[str, Callable[[bool], object]] = {PLAIN: lambda is_on: None}
    looks |= {name: partial(color, name) for name in COLORINGS if name != "token"}
    looks |= {name: partial(switch, name) for name in ("line_tokens", "budget", "pieces")}
    inexact = [name for name, algorithm in shell.session.encoders.items() if not algorithm.exact]
    return looks | {f"inexact_{name}": partial(approximate, name) for name in inexact[:1]}


def _in_turns(measured: MeasuredWindow, size: str, n_bytes: int, n_rounds: int) -> dict[Row, list[Times]]:
    """By size, look and event the times of all rounds; each look begins at a place of its own."""
    measured.show_text(mixed_text(n_bytes))
    editor, rng = measured.shell.window.inspect_page.editor, random.Random(3)
    editor.setFocus()
    watch, looks = PaintWatch(editor.viewport()), _looks(measured)
    values: dict[Row, list[Times]] = {}
    for number in range(n_rounds + 1):
        for name, use in sorted(looks.items(), key=lambda item: rng.random()):
            use(True)
            measured.go_to_random_place(rng)
            found = {"key": list(_keys(measured, watch)), "scroll": list(_turns(measured, watch))}
            use(False)
            for event, times in found.items() if number else ():  # the first round makes what is made once
                values.setdefault((size, name, event), []).extend(times)
    return values


def _keys(measured: MeasuredWindow, watch: PaintWatch) -> Iterator[Times]:
    for key in KEYS:
        yield _timed(measured, watch, partial(measured.press, key))
        QTest.qWait(PACE_MS)


def _turns(measured: MeasuredWindow, watch: PaintWatch) -> Iterator[Times]:
    """Down, or up at the end of the text: where nothing moves, nothing is painted."""
    editor = measured.shell.window.inspect_page.editor
    viewport, bar = editor.viewport(), editor.verticalScrollBar()
    angle = NOTCH if bar.value() > bar.maximum() // 2 else -NOTCH
    for _ in range(TURNS):
        yield _timed(measured, watch, partial(turn_wheel, viewport, QPoint(0, angle)))
        QTest.qWait(PACE_MS)


def _timed(measured: MeasuredWindow, watch: PaintWatch, act: Callable[[], object]) -> Times:
    before = time.thread_time()
    clock = measured.until_text_is_painted(watch, act)
    return Times(clock, (time.thread_time() - before) * 1000)


def _with_ratios(values: dict[Row, list[Times]]) -> Iterator[Measurement]:
    for (size, look, event), times in sorted(values.items(), key=lambda item: item[0][::2]):
        yield Measurement(f"{event}_{size}_{look}", "ms", tuple(each.clock for each in times))
        if look != PLAIN:
            own, plain = ([each.processor for each in some] for some in (times, values[size, PLAIN, event]))
            ratio = float(np.median(own) / np.median(plain))
            yield Measurement(f"{event}_{size}_{look}_ratio", "×", (ratio,))
