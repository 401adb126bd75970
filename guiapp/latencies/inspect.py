"""Keys, wheels and model files on the Inspect page: from the event until the result is painted."""

from __future__ import annotations

import time
from functools import partial

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from guiapp import open_model
from guiapp.core.formats.table import LAST
from guiapp.latencies.measured_window import MeasuredWindow, PaintWatch, mixed_text, turn_wheel
from guiapp.latencies.measurement import Measurement

LONG_TEXT_BYTES = 10_000_000
LONG_LINE_BYTES = 1_000_000
N_OPENINGS = 5
FREQUENT = "the"


def measure_opening(model: str) -> list[Measurement]:
    """Until a model is ready to encode, in a warm process that has read none before."""
    values = []
    for _ in range(N_OPENINGS + 1):
        LAST.clear()
        started = time.perf_counter()
        open_model(model).encode("Hello world")
        values.append(time.perf_counter() - started)
    return [Measurement("open_model", "s", tuple(values[1:]))]


def measure_editing(model: str, n_events: int = 100) -> list[Measurement]:
    """Typing, scrolling and finding in a text of 10 MB, and typing in a line of 1 MB."""
    line = mixed_text(LONG_LINE_BYTES).replace(b"\n", b" ").replace(b"\r", b" ")
    with MeasuredWindow(model) as measured:
        return [
            measured.typing("keystroke_10mb", mixed_text(LONG_TEXT_BYTES), n_events),
            _scrolling(measured, n_events),
            _finding(measured, n_events // 2),
            measured.typing("keystroke_1mb_line", line, n_events),
        ]


def _scrolling(measured: MeasuredWindow, n_events: int) -> Measurement:
    editor = measured.shell.window.inspect_page.editor
    watch = PaintWatch(editor.viewport())
    values = []
    for _ in range(n_events):
        values.append(measured.timed(watch, partial(turn_wheel, editor.viewport(), QPoint(0, -120))))
        while not editor.is_painted:
            values.append(measured.timed(watch, lambda: None))
        measured.settle()
    return Measurement("scroll_10mb", "ms", tuple(values))


def _finding(measured: MeasuredWindow, n_events: int) -> Measurement:
    """From F3 until the next one of a hundred thousand matches is painted."""
    page = measured.shell.window.inspect_page
    search = page.text_panel.search
    search.look_for("text", FREQUENT, measured.shell.session.document.caret)
    measured.wait_until(lambda: not search.is_searching and page.editor.is_painted)
    watch = PaintWatch(page.editor.viewport())
    values = []
    for _ in range(n_events):
        values.append(measured.until_text_is_painted(watch, partial(measured.press, Qt.Key.Key_F3)))
        QTest.qWait(20)
    search.close()
    return Measurement("find_next_10mb", "ms", tuple(values))
