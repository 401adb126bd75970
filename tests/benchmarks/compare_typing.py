"""Measure how long a key takes until 1, 2 and 4 columns are painted, and how long opening a fourth takes.

    python tests/benchmarks/compare_typing.py MODEL MODEL MODEL MODEL [--bytes N] [--keys N] [--rounds N]

The numbers of columns take turns in each round.  The time of a fourth column runs from the request of its
model, which is already in memory, until it is compared and painted.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from ui import PaintWatch, mixed_text, wait_until

import guiapp
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.kit.state.settings import Settings
from guiapp.pages.compare.page import ComparePage
from guiapp.window.app import build, make_application

SIZE = (1920, 1080)
COLUMNS = (1, 2, 4)
KEYS_AT_A_PLACE = 20
PAUSE_MS = 20


class Typing:
    """A window with the Compare page in front."""

    def __init__(self, application: QApplication, folder: str, models: list[str], text: bytes) -> None:
        self._application = application
        tokenizers = {name: guiapp.open_model(name) for name in models}
        for tokenizer in tokenizers.values():
            tokenizer.make_tables()

        def load(name: str, pre: str | None, progress: Callable[[float], None]) -> Tokenizer:
            return tokenizers[name]

        self.models = models
        self.shell = build(application, Settings(Path(folder) / "settings.ini"), text, load)
        self.shell.window.actions_table["compare"].trigger()
        self.shell.window.resize(*SIZE)
        self.shell.window.show()
        self.shell.session.loader.open(models[0])
        page = self.shell.window.pages.current
        assert isinstance(page, ComparePage)
        self.page = page
        self.settle()
        self.shell.garbage_collector.start()

    def settle(self) -> None:
        sessions = self.shell.compared.sessions
        wait_until(lambda: all(each.tokenizer for each in sessions) and self.page.is_ready)
        QTest.qWait(300)
        wait_until(lambda: self.page.is_ready)

    def show(self, n_columns: int) -> None:
        compared = self.shell.compared
        while len(compared.sessions) > n_columns:
            compared.remove(compared.sessions[-1])
        for name in self.models[len(compared.sessions) : n_columns]:
            compared.add(name)
        self.settle()

    def open_fourth(self) -> float:
        """Seconds until a fourth column is compared and painted."""
        self.show(3)
        started = time.perf_counter()
        self.shell.compared.add(self.models[3])
        wait_until(lambda: len(self.page.comparison.rows) == 4 and self.page.comparison.live is not None)
        wait_until(lambda: len(self.page.comparison.live.shares) == 4 and self.page.columns.is_painted)
        self.shell.window.grab()
        return time.perf_counter() - started

    def type(self, n_keys: int, rng: random.Random) -> list[tuple[float, float]]:
        """Milliseconds of each key until the last column is painted, by the clock and of this thread."""
        document = self.shell.session.document
        editors = [column.editor for column in self.page.columns.columns]
        editors[0].setFocus()
        watches = [PaintWatch(editor.viewport()) for editor in editors]
        values = []
        for number in range(n_keys):
            if number % KEYS_AT_A_PLACE == 0:
                place = rng.randrange(document.size)
                document.set_caret(document.caret_stop(place))
                editors[0].reveal(place, place)
                self.settle()
            key = Qt.Key.Key_Backspace if number % 5 == 4 else rng.choice((Qt.Key.Key_A, Qt.Key.Key_Space))
            before = [watch.n_paints for watch in watches]
            started, ran = time.perf_counter(), time.thread_time()
            QTest.keyClick(self.shell.window.windowHandle(), key)
            while any(watch.n_paints == n for watch, n in zip(watches, before, strict=True)):
                self._application.processEvents()
            while not self.page.columns.is_painted:
                self._application.processEvents()
            values.append(((time.perf_counter() - started) * 1000, (time.thread_time() - ran) * 1000))
            QTest.qWait(PAUSE_MS)
        return values


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("models", metavar="MODEL", nargs=4)
    parser.add_argument("--bytes", type=int, default=1_000_000)
    parser.add_argument("--keys", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    keys: dict[int, list[tuple[float, float]]] = {n_columns: [] for n_columns in COLUMNS}
    opening = []
    with tempfile.TemporaryDirectory() as folder:
        typing = Typing(make_application(), folder, asked.models, mixed_text(asked.bytes))
        rng = random.Random(1)
        for _ in range(asked.rounds):
            for n_columns in COLUMNS:
                typing.show(n_columns)
                keys[n_columns] += typing.type(asked.keys, rng)
            opening.append(typing.open_fourth())
        typing.shell.window.close()
        typing.shell.stop()
    for n_columns, values in keys.items():
        took, ran = zip(*values, strict=True)
        worst = statistics.quantiles(took, n=20)[-1]
        print(
            f"{n_columns} columns: a key {statistics.median(took):5.1f} ms, 95 % below {worst:5.1f} ms; "
            f"{statistics.median(ran):5.1f} ms of that in the window's thread"
        )
    print(f"a fourth column: {statistics.median(opening):.2f} s")


if __name__ == "__main__":
    main()
