"""Measure how long the window blocks for each action on a long text.

    python tests/benchmarks/stops.py MODEL [--megabytes N] [--beside MODEL] [--where]

For each action: seconds until its page is ready again, and the longest time in milliseconds that the window's
thread handled no event.  `--where` lists the code that ran then, which takes time itself.
"""

from __future__ import annotations

import argparse
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from functools import partial

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from ui import mixed_text, open_window, process_events, wait_until

from guiapp.window.app import Shell

BEAT_MS, SAMPLE_S, LATE_S = 4, 0.01, 0.05
AFTERWARDS_MS = 400
FRAMES = 5
EDITS = "select_all", "copy", "paste", "undo", "redo", "copy_ids"
APPEARANCES = (
    "color:cost",
    "color:token",
    "line_tokens",
    "budget",
    "pieces",
    "chunks",
    "look_alikes",
    "whitespace",
)
OPTIONS = "add_special", "parse_special"


class Heart:
    """Measures how long the window's thread blocked since the last query, and where, with a timer in it."""

    def __init__(self, watches: bool) -> None:
        self._thread, self._last, self._longest = threading.get_ident(), time.perf_counter(), 0.0
        self.places = Counter[str]()
        self._timer = QTimer(interval=BEAT_MS)
        self._timer.timeout.connect(self._beat)
        self._timer.start()
        if watches:
            threading.Thread(target=self._watch, daemon=True).start()

    def longest_ms(self) -> float:
        longest, self._longest = self._longest, 0.0
        return longest * 1000

    def _beat(self) -> None:
        now = time.perf_counter()
        self._longest = max(self._longest, now - self._last - BEAT_MS / 1000)
        self._last = now

    def _watch(self) -> None:
        while True:
            if time.perf_counter() - self._last > LATE_S:
                stack = traceback.extract_stack(sys._current_frames()[self._thread])
                ours = [each for each in stack if f"{os.sep}guiapp{os.sep}" in each.filename]
                names = (f"{os.path.basename(each.filename)}:{each.lineno}" for each in ours[-FRAMES:])
                self.places[" < ".join(reversed([*names]))] += 1
            time.sleep(SAMPLE_S)


def measure(heart: Heart, name: str, act: Callable[[], object], is_done: Callable[[], bool]) -> None:
    heart.longest_ms()
    started = time.perf_counter()
    act()
    process_events()
    wait_until(is_done)
    took_s = time.perf_counter() - started
    QTest.qWait(AFTERWARDS_MS)  # includes work that waits for a pause
    print(f"{name:30}{took_s:8.2f} s{heart.longest_ms():8.0f} ms", flush=True)
    for place, count in heart.places.most_common(3):
        print(f"{'':50}{count:4} {place}")
    heart.places.clear()


def walk(shell: Shell, heart: Heart, text: bytes, other_model: str) -> None:
    window, session = shell.window, shell.session
    actions, pages, compared = window.actions_table, window.pages, shell.compared.sessions

    def is_ready() -> bool:
        return not any(each.is_encoding for each in compared) and pages.current.is_ready

    def act(name: str) -> None:
        measure(heart, name, actions[name].trigger, is_ready)

    measure(heart, "open the text", lambda: session.text.show(text), is_ready)
    for name in (*EDITS, *APPEARANCES, *OPTIONS, *OPTIONS):
        act(name)
    control, none = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.NoModifier
    for key, modifier in ((Qt.Key.Key_End, control), (Qt.Key.Key_A, none)):
        press = partial(QTest.keyClick, window.windowHandle(), key, modifier)
        measure(heart, key.name, press, is_ready)
    for name in pages.rows:
        act(name)
    act("compare")
    if other_model:
        measure(heart, "another model", lambda: shell.compared.add(other_model), is_ready)
    for name in ("compare_next", "theme:light", "theme:dark"):
        act(name)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("--megabytes", type=float, default=8)
    parser.add_argument("--beside", metavar="MODEL", default="", help="to compare with")
    parser.add_argument("--where", action="store_true")
    asked = parser.parse_args()
    text = mixed_text(int(asked.megabytes * 1e6)).decode(errors="ignore").encode()
    with open_window(asked.model) as shell:
        imported = list[bool]()
        shell.window.pages.imported.connect(lambda: imported.append(True))
        shell.window.pages.import_soon()
        wait_until(lambda: bool(imported))
        QGuiApplication.clipboard().clear()
        walk(shell, Heart(asked.where), text, asked.beside)
    os._exit(0)


if __name__ == "__main__":
    main()
