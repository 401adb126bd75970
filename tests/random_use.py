"""Uses a window at random, and reports its times, memory and problems.

A program of its own, so that its memory is the window's: `python tests/random_use.py SEED N_EVENTS [REST …]`
prints a line of JSON.  Memory is compared while the window is idle, with the same model, text and page, after
each of the REST events.  Qt caches the fonts of all scripts ever shown, in each size; with
FONTCONFIG_FILE=$PWD/tests/robustness/few_fonts.conf there are few, and only the program itself grows
(the path must be absolute, because the program works in a temporary folder).  The time of an event is the
longest that the event loop blocked until the next, without the time that its thread waited for a processor.
With TOKENLOUPE_SHARED, real vocabularies are among the models that are opened.
"""

from __future__ import annotations

import faulthandler
import json
import os
import random
import sys
import tempfile
import threading
import time
import traceback
from collections import deque
from functools import partial
from heapq import nlargest
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QThread, QTimer, qInstallMessageHandler
from PySide6.QtWidgets import QApplication
from random_hands import TAB_PAGES, RandomHands, asking, close

from guiapp.core.demo import sample_text
from guiapp.kit.state.settings import Settings
from guiapp.window.app import build, make_application

PAUSES_MS = (0, 0, 2, 10, 30)
BEAT_MS = 4
MOST_IN_DIALOG = 12  # events, after which a dialog or a menu is closed
HANG_S = 60
REST_MS = 2000  # on each page, until all started work has ended
SAMPLE_EVERY = 500
N_LONGEST = 15
SCHEDULE = Path("/proc/thread-self/schedstat")
IGNORED = ("This plugin does not support", "Mouse event at")  # no display; a window that has shrunk


class RandomUse(QObject):
    """Does one event after another, and records times, memory and problems."""

    def __init__(self, hands: RandomHands, n_events: int, rests: tuple[int, ...]) -> None:
        super().__init__()
        self._hands, self._n_events, self._rests = hands, n_events, rests
        self._n = self._n_in_dialog = self._level = 0
        self._last_s = self._last_waited_s = 0.0
        self._names: deque[str] = deque(maxlen=20)
        self._longest = 0.0, 0.0  # of the present event
        self._longest_events: list[tuple[float, float, str]] = []
        self._memory_mb: list[tuple[int, float]] = []
        self._at_rest_mb: dict[int, float] = {}
        self._mapped_mb: dict[int, float] = {}  # mapped files in it, such as fonts, which are not copied
        self._problems: list[str] = []
        self._beat = QTimer(self, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._beat.timeout.connect(self._note_beat)

    def start(self) -> None:
        self._last_s, self._last_waited_s = time.perf_counter(), waited_s()
        self._beat.start()
        self._tick()

    def note(self, problem: str) -> None:
        """Record a problem together with the preceding events."""
        self._problems.append(f"{self._n} events, the last {[*self._names, self._hands.name]}:\n{problem}")
        print(self._problems[-1], file=sys.stderr, flush=True)

    def summary(self) -> dict[str, object]:
        longest = sorted(self._longest_events, reverse=True)
        return {
            "events": self._n,
            "memory_mb": self._memory_mb,
            "at_rest_mb": self._at_rest_mb,
            "mapped_mb": self._mapped_mb,
            "longest": [(name, round(blocked_s, 3), round(s, 3)) for blocked_s, s, name in longest],
            "problems": self._problems,
        }

    def _tick(self) -> None:
        faulthandler.dump_traceback_later(HANG_S, exit=True)
        self._note_beat()
        if _loop_level() == self._level:  # within a key event of QTest, which lets timers run
            QTimer.singleShot(BEAT_MS, self._tick)
        elif self._n in self._rests and self._n not in self._at_rest_mb:
            self._rest()
        elif self._n >= self._n_events:
            QApplication.exit()
        else:
            QTimer.singleShot(
                self._hands.rng.choice(PAUSES_MS), self._tick
            )  # also if a dialog opens meanwhile
            self._do_something()

    def _do_something(self) -> None:
        self._note_event()
        outer, self._level = self._level, _loop_level()
        self._n_in_dialog = self._n_in_dialog + 1 if asking() is not None else 0
        try:
            if self._n_in_dialog > MOST_IN_DIALOG:
                self._n_in_dialog = 0
                self._hands.do(close)
            else:
                self._hands.do_something()
        except Exception:
            self.note(traceback.format_exc())
        self._level = outer

    def _note_event(self) -> None:
        """Record the previous event, which is over."""
        self._longest_events = nlargest(
            N_LONGEST, [*self._longest_events, (*self._longest, self._hands.name)]
        )
        self._names.append(self._hands.name)
        self._longest = 0.0, 0.0
        if self._n % SAMPLE_EVERY == 0:
            self._memory_mb.append((self._n, resident_mb()))
        self._n += 1

    def _note_beat(self) -> None:
        now_s, queued_s = time.perf_counter(), waited_s()
        elapsed_s = now_s - self._last_s
        blocked_s = elapsed_s - (queued_s - self._last_waited_s)
        self._longest = max(self._longest, (blocked_s, elapsed_s))
        self._last_s, self._last_waited_s = now_s, queued_s

    def _rest(self) -> None:
        """Show the same model and text on all pages, without a dialog, until no work is left."""
        if asking() is not None:
            close()
            QTimer.singleShot(0, self._tick)
            return
        shell = self._hands.shell
        shell.window.actions_table["present"].setChecked(False)
        if (steps := shell.window.pages.pages.get("steps")) is not None:
            steps.player.leave()
            steps.model.race.choose("")
        if (bench := shell.window.pages.pages.get("bench")) is not None:
            bench.model.stop()
        if (hunt := shell.window.pages.pages.get("hunt")) is not None:
            hunt.model.stop()
        for session in shell.compared.sessions[1:]:
            shell.compared.remove(session)
        shell.session.loader.open("demo:bpe")
        shell.session.text.show(b"x")
        self._rest_on(["tree", "steps", "bench", *TAB_PAGES, "chat", "inspect"])

    def _rest_on(self, names: list[str]) -> None:
        """Show these pages one after another, then record the memory."""
        if names:
            self._hands.shell.window.pages.show_page(names[0])
            QTimer.singleShot(REST_MS, partial(self._rest_on, names[1:]))
        else:
            self._hands.shell.garbage_collector.take_all()  # as it does after some idle time
            self._at_rest_mb[self._n] = resident_mb()
            self._mapped_mb[self._n] = mapped_mb()
            self._tick()


def waited_s() -> float:
    """The time that this thread has waited for a processor; 0 if the system does not report it."""
    try:
        return int(SCHEDULE.read_text().split()[1]) / 1e9
    except OSError:
        return 0.0


def resident_mb() -> float:
    """The resident memory of this process."""
    return _pages_mb(1)


def mapped_mb() -> float:
    """The part of the resident memory that is mapped files."""
    return _pages_mb(2)


def _pages_mb(column: int) -> float:
    return int(Path("/proc/self/statm").read_text().split()[column]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def run(seed: int, n_events: int, rests: tuple[int, ...]) -> dict[str, object]:
    """Open the window in a temporary folder, and do `n_events` events."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chdir(folder)
        application = make_application()
        application.setQuitOnLastWindowClosed(False)
        shell = build(application, Settings(folder / "settings.ini"), sample_text("welcome"))
        shell.window.actions_table["quit"].setEnabled(False)
        hands = RandomHands(shell, random.Random(seed), folder)
        hands.answer_file_dialogs()
        use = RandomUse(hands, n_events, rests)
        _watch_for_problems(use)
        shell.window.first_painted.connect(partial(shell.start, None, None))
        shell.window.first_painted.connect(use.start)
        shell.window.show()
        application.exec()
        shell.window.hide()
        shell.stop()
        faulthandler.cancel_dump_traceback_later()
        return use.summary()


def _loop_level() -> int:
    """The number of nested event loops of dialogs and menus."""
    return QThread.currentThread().loopLevel()


def _watch_for_problems(use: RandomUse) -> None:
    def note(kind, error, trace) -> None:
        use.note("".join(traceback.format_exception(kind, error, trace)))

    def note_message(_kind, _context, message: str) -> None:
        if not message.startswith(IGNORED):
            use.note(f"Qt: {message}\n{''.join(traceback.format_stack(limit=8))}")

    sys.excepthook = note
    threading.excepthook = lambda arguments: note(*arguments[:3])
    sys.unraisablehook = lambda what: note(what.exc_type, what.exc_value, what.exc_traceback)
    qInstallMessageHandler(note_message)


if __name__ == "__main__":
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    faulthandler.enable()
    seed, n_events, *rests = map(int, sys.argv[1:])
    print(json.dumps(run(seed, n_events, tuple(rests))), flush=True)
    os._exit(0)
