"""The real window, and hands that press its keys and turn its wheels."""

from __future__ import annotations

import os
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from guiapp.app import build, make_application
from guiapp.core.demo import SAMPLES, sample_text
from guiapp.core.sources.locate import plain_path
from guiapp.latencies.measurement import Measurement, MeasurementError
from guiapp.viewmodels.settings import Settings

SIZE = (1440, 900)
PATIENCE_S = 240.0
N_FIRST = 5  # events that do not count: they bring what is made once


class MeasuredWindow:
    """The window with a model open, for as long as a `with` lasts."""

    def __init__(self, model: str) -> None:
        self._model = model
        self.application = running_application()
        self._folder = tempfile.TemporaryDirectory()

    def __enter__(self) -> Self:
        self.shell = build(self.application, Settings(Path(self._folder.name) / "settings.json"), b"x")
        self.shell.window.resize(*SIZE)
        self.shell.window.show()
        self.shell.session.loader.open(os.fspath(plain_path(self._model)))
        self.wait_until(lambda: self.shell.session.tokenizer is not None)
        self.shell.garbage_collector.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shell.window.close()
        self.shell.stop()
        self._folder.cleanup()

    def wait_until(self, is_done: Callable[[], bool]) -> None:
        wait_until(self.application, is_done)

    def settle(self) -> None:
        for _ in range(5):
            self.application.processEvents()

    def press(self, key: Qt.Key) -> None:
        QTest.keyClick(self.shell.window.windowHandle(), key)

    def timed(self, watch: PaintWatch, act: Callable[[], object]) -> float:
        """Milliseconds from the event until it is handled and the next frame painted."""
        before = watch.n_paints
        started = time.perf_counter()
        act()
        while watch.n_paints == before:
            self.application.processEvents()
        return (time.perf_counter() - started) * 1000

    def until_text_is_painted(self, watch: PaintWatch, act: Callable[[], object]) -> float:
        """The same, until no word of the text waits for a later frame."""
        elapsed_ms = self.timed(watch, act)
        while not self.shell.window.inspect_page.editor.is_painted:
            elapsed_ms += self.timed(watch, lambda: None)
        return elapsed_ms

    def typing(self, name: str, text: bytes, n_events: int) -> Measurement:
        """Keys at random places of a text, at the pace of a fast typist."""
        self.show_text(text)
        editor = self.shell.window.inspect_page.editor
        editor.setFocus()
        watch = PaintWatch(editor.viewport())
        rng = random.Random(2)
        values = []
        for event in range(n_events + N_FIRST):
            if event % 20 == 0:
                self.go_to_random_place(rng)  # people type where they see the text
            key = Qt.Key.Key_Backspace if event % 5 == 4 else rng.choice((Qt.Key.Key_A, Qt.Key.Key_Space))
            values.append(self.until_text_is_painted(watch, partial(self.press, key)))
            QTest.qWait(20)
        return Measurement(name, "ms", tuple(values[N_FIRST:]))

    def go_to_random_place(self, rng: random.Random) -> None:
        """Put the caret anywhere in the text, and wait until all around it is painted."""
        editor, document = self.shell.window.inspect_page.editor, self.shell.session.document
        place = rng.randrange(document.size)
        document.set_caret(document.caret_stop(place))
        editor.reveal(place, place)
        self.settle()
        self.wait_until(lambda: editor.is_painted)

    def show_text(self, text: bytes) -> None:
        self.shell.session.text.show(text)
        self.wait_until(lambda: not self.shell.session.is_encoding)
        self.wait_until(lambda: self.shell.session.round_trip.result is not None)


class PaintWatch(QObject):
    """Counts the paint events of a widget."""

    def __init__(self, watched: QObject) -> None:
        super().__init__()
        self.n_paints = 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.n_paints += event.type() is QEvent.Type.Paint
        return False


def running_application() -> QApplication:
    application = QApplication.instance() or make_application()
    assert isinstance(application, QApplication)
    return application


def wait_until(application: QApplication, is_done: Callable[[], bool]) -> None:
    deadline = time.perf_counter() + PATIENCE_S
    while not is_done():
        application.processEvents()
        if time.perf_counter() > deadline:
            raise MeasurementError(
                f"The window did not get there in {PATIENCE_S:.0f} s. Measure on a machine with less to do."
            )


def turn_wheel(widget: QWidget, turn: QPoint) -> None:
    """Near the middle of a widget."""
    place = QPointF(widget.width() * 0.42, widget.height() * 0.55)
    no_button, no_modifier = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier
    event = QWheelEvent(
        place, place, QPoint(), turn, no_button, no_modifier, Qt.ScrollPhase.NoScrollPhase, False
    )
    QApplication.sendEvent(widget, event)


def mixed_text(size_bytes: int) -> bytes:
    """The program's own samples in all languages, mixed paragraph by paragraph, the same on every machine."""
    rng = random.Random(1)
    paragraphs = [part for sample in SAMPLES for part in sample_text(sample.name).split(b"\n\n")]
    text = bytearray()
    while len(text) < size_bytes:
        text += rng.choice(paragraphs) + b"\n\n"
    return bytes(text[:size_bytes])
