"""Keys, wheels and model files in the real window: from the event until the result is painted."""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from guiapp import open_model
from guiapp.app import Shell, build, make_application
from guiapp.core.demo import SAMPLES, resolve_model, sample_text
from guiapp.latencies.measurement import Measurement, MeasurementError
from guiapp.viewmodels.settings import Settings

SIZE = (1440, 900)
LONG_TEXT_BYTES = 10_000_000
LONG_LINE_BYTES = 1_000_000
PATIENCE_S = 240.0
N_OPENINGS = 5
FREQUENT = "the"


def measure_opening(model: str) -> Measurement:
    """Until a model file is ready to encode, in a warm process; a copy that nobody has opened each time."""
    values = []
    with tempfile.TemporaryDirectory() as folder:
        for run in range(N_OPENINGS + 1):
            copy = Path(folder) / f"{run}.gguf"
            shutil.copyfile(resolve_model(model), copy)
            started = time.perf_counter()
            open_model(copy).encode("Hello world")
            values.append(time.perf_counter() - started)
    return Measurement("open_model", "s", tuple(values[1:]))


def measure_editing(model: str, n_events: int = 100) -> list[Measurement]:
    """Typing, scrolling and finding in a text of 10 MB, and typing in a line of 1 MB."""
    application = QApplication.instance() or make_application()
    assert isinstance(application, QApplication)
    mixed = mixed_text(LONG_TEXT_BYTES)
    line = mixed_text(LONG_LINE_BYTES).replace(b"\n", b" ").replace(b"\r", b" ")
    with tempfile.TemporaryDirectory() as folder:
        shell = build(application, Settings(Path(folder) / "settings.json"), b"")
        shell.window.resize(*SIZE)
        shell.window.show()
        load_kernels(application, shell)
        open_in_window(application, shell, model)
        measurements = [
            typing(application, shell, "keystroke_10mb", mixed, n_events),
            _scrolling(application, shell, "scroll_10mb", n_events),
            _finding(application, shell, "find_next_10mb", n_events // 2),
            typing(application, shell, "keystroke_1mb_line", line, n_events),
        ]
        shell.window.close()
        shell.stop()
    return measurements


def mixed_text(size_bytes: int) -> bytes:
    """The program's own samples in all languages, mixed paragraph by paragraph, the same on every machine."""
    rng = random.Random(1)
    paragraphs = [part for sample in SAMPLES for part in sample_text(sample.name).split(b"\n\n")]
    text = bytearray()
    while len(text) < size_bytes:
        text += rng.choice(paragraphs) + b"\n\n"
    return bytes(text[:size_bytes])


class PaintWatch(QObject):
    """Counts the paint events of a widget."""

    def __init__(self, watched: QObject) -> None:
        super().__init__()
        self.n_paints = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Paint:
            self.n_paints += 1
        return False


def wait_until(application: QApplication, is_done: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + PATIENCE_S
    while not is_done():
        application.processEvents()
        if time.perf_counter() > deadline:
            raise MeasurementError(
                f"The window did not get there in {PATIENCE_S:.0f} s. Measure on a machine with less to do."
            )


def load_kernels(application: QApplication, shell: Shell) -> None:
    """As each start of the program does, in the background."""
    finished: list[bool] = []
    shell.warm_up.finished.connect(lambda: finished.append(True))
    shell.load_kernels()
    wait_until(application, lambda: bool(finished))


def open_in_window(application: QApplication, shell: Shell, model: str) -> None:
    shell.workspace.loader.open(os.fspath(resolve_model(model)))
    wait_until(application, lambda: shell.workspace.tokenizer is not None)


def _show_text(application: QApplication, shell: Shell, text: bytes) -> None:
    encoded = []
    shell.workspace.spans.encoded.connect(lambda: encoded.append(True))
    shell.workspace.show_text(text)
    wait_until(application, lambda: bool(encoded) and not shell.workspace.spans.job.is_busy)
    wait_until(application, lambda: shell.workspace.round_trip.result is not None)


def timed(application: QApplication, watch: PaintWatch, act: Callable[[], object]) -> float:
    """Milliseconds from the event until it is handled and the next frame painted."""
    before = watch.n_paints
    started = time.perf_counter()
    act()
    while watch.n_paints == before:
        application.processEvents()
    return (time.perf_counter() - started) * 1000


def typing(application: QApplication, shell: Shell, name: str, text: bytes, n_events: int) -> Measurement:
    _show_text(application, shell, text)
    editor, document = shell.window.inspect_page.editor, shell.workspace.document
    editor.setFocus()
    watch = PaintWatch(editor.viewport())
    rng = random.Random(2)
    values = []
    for event in range(n_events + 5):
        if event % 20 == 0:
            place = rng.randrange(document.size)
            document.set_caret(document.caret_stop(place))
            editor.reveal(place, place)
            _settle(application)
            wait_until(application, lambda: editor.is_painted)  # people type where they see the text
        key = Qt.Key.Key_Backspace if event % 5 == 4 else rng.choice((Qt.Key.Key_A, Qt.Key.Key_Space))
        values.append(timed(application, watch, partial(QTest.keyClick, shell.window.windowHandle(), key)))
        while not editor.is_painted:
            values[-1] += timed(application, watch, lambda: None)
        QTest.qWait(20)  # as between the strokes of a fast typist
    return Measurement(name, "ms", tuple(values[5:]))


def _scrolling(application: QApplication, shell: Shell, name: str, n_events: int) -> Measurement:
    editor = shell.window.inspect_page.editor
    watch = PaintWatch(editor.viewport())
    values = []
    for _ in range(n_events):
        values.append(timed(application, watch, partial(_turn_wheel, application, editor.viewport())))
        while not editor.is_painted:
            values.append(timed(application, watch, lambda: None))
        _settle(application)
    return Measurement(name, "ms", tuple(values))


def _finding(application: QApplication, shell: Shell, name: str, n_events: int) -> Measurement:
    """From F3 until the next one of a hundred thousand matches is painted."""
    editor, search = shell.window.inspect_page.editor, shell.window.inspect_page.text_panel.search
    search.look_for("text", FREQUENT, shell.workspace.document.caret)
    wait_until(application, lambda: not search.is_searching and editor.is_painted)
    watch = PaintWatch(editor.viewport())
    values = []
    for _ in range(n_events):
        values.append(timed(application, watch, partial(QTest.keyClick, shell.window, Qt.Key.Key_F3)))
        while not editor.is_painted:
            values[-1] += timed(application, watch, lambda: None)
        QTest.qWait(20)
    search.close()
    return Measurement(name, "ms", tuple(values))


def _turn_wheel(application: QApplication, viewport: QObject) -> None:
    middle = QPointF(400, 300)
    event = QWheelEvent(
        middle,
        middle,
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    application.sendEvent(viewport, event)


def _settle(application: QApplication) -> None:
    for _ in range(5):
        application.processEvents()
