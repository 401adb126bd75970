"""The program, with a simulated typist that prints each text on standard output, for tests that kill it.

Each line is JSON: the time of the monotonic clock, and the text then; the first line has the initial text.
"""

from __future__ import annotations

import json
import random
import sys
import time

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest

from guiapp.window import app

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
EVERY_MS = 15
PASTED = ("Ä 汉字 🚀\n", "one line\nand another\n", " ")


class Typist(QObject):
    """Types, pastes, undoes and toggles an option at random."""

    def __init__(self, shell: app.Shell, seed: int) -> None:
        super().__init__()
        self._shell, self._rng = shell, random.Random(seed)
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self._do_something)
        shell.window.first_painted.connect(self._start)
        shell.session.document.edited.connect(self._tell)  # at once: the saved text may already be this one

    def _start(self) -> None:
        self._tell()
        self._shell.window.inspect_page.editor.setFocus()
        self._timer.start()

    def _do_something(self) -> None:
        key, modifiers = self._rng.choice(
            [(Qt.Key.Key_A, SHIFT), (Qt.Key.Key_N, SHIFT), (Qt.Key.Key_E, Qt.KeyboardModifier.NoModifier)] * 8
            + [(Qt.Key.Key_Return, SHIFT), (Qt.Key.Key_Backspace, SHIFT), (Qt.Key.Key_Left, CTRL)] * 3
            + [(Qt.Key.Key_V, CTRL), (Qt.Key.Key_Z, CTRL), (Qt.Key.Key_Period, CTRL)] * 2  # white space
        )
        QGuiApplication.clipboard().setText(self._rng.choice(PASTED))
        QTest.keyClick(self._shell.window.windowHandle(), key, modifiers)

    def _tell(self) -> None:
        text = self._shell.session.document.text().decode()
        print(json.dumps([time.monotonic(), text]), flush=True)


if __name__ == "__main__":
    build, typists = app.build, []

    def build_with_typist(*arguments: object) -> app.Shell:
        shell = build(*arguments)
        typists.append(Typist(shell, int(sys.argv[1])))
        return shell

    app.build = build_with_typist
    app.run_window(None, None)
