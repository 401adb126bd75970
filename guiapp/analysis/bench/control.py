"""How a run starts its processes, and how it is stopped, paused, or held back for a moment from outside.

It imports little: what takes longest is begun before all else is imported.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkContext, ForkServerContext, SpawnContext
from multiprocessing.util import get_temp_dir
from tempfile import gettempdir

from guiapp.core import interrupts
from guiapp.core.processes import environment

ContextOfProcesses = SpawnContext | ForkServerContext | ForkContext
SPAWN = multiprocessing.get_context("spawn")
PRELOADED = ["guiapp.analysis.bench.engine", "guiapp.analysis.hunt.searching"]
EARLY = "TOKENLOUPE_OPEN_EARLY"  # for the process that is copied: a model, its pre-tokenizer, what to restore
LONGEST_TEMPORARY = (
    74  # bytes of a path: with those of multiprocessing's own files, as many as a socket may have
)
QUIET_S = 1.0  # a run goes on when nobody has typed or scrolled for so long


class Control:
    """Asked between two calls and while waiting for one; others set it from signals and threads.

    paused_s  in all, moments included
    held_s    of moments alone
    """

    def __init__(self) -> None:
        self._stopped = threading.Event()
        self._runs = threading.Event()
        self._runs.set()
        self._quiet_at_s = 0.0
        self.paused_s = self.held_s = 0.0

    def stop(self) -> None:
        self._stopped.set()
        self._runs.set()

    def pause(self) -> None:
        self._runs.clear()

    def resume(self) -> None:
        self._runs.set()

    def hold(self) -> None:
        """Begin nothing for a moment: the window needs the processor, and would disturb what is timed."""
        self._quiet_at_s = time.monotonic() + QUIET_S

    def shall_stop(self) -> bool:
        return self._stopped.is_set()

    def wait_while_paused(self) -> None:
        started_s = time.monotonic()
        self._runs.wait()
        resumed_s = time.monotonic()
        while (left_s := self._quiet_at_s - time.monotonic()) > 0 and not self.shall_stop():
            self._stopped.wait(left_s)
        ended_s = time.monotonic()
        self.held_s += ended_s - resumed_s
        self.paused_s += ended_s - started_s


@contextmanager
def stopped_by_signals() -> Iterator[Control]:
    """What stops at Ctrl+C, or when the process shall end; afterwards signals do what they did before.

    Until `interrupts.has_results`, a signal raises KeyboardInterrupt.
    """
    control = Control()
    numbers = signal.SIGINT, signal.SIGTERM
    for event in (interrupts.has_happened, interrupts.has_results):
        event.clear()

    def stop(*_: object) -> None:
        control.stop()
        if not interrupts.has_results.is_set():
            interrupts.raise_once()
        interrupts.has_happened.set()

    handlers = [signal.signal(number, stop) for number in numbers]
    try:
        yield control
    finally:
        for number, handler in zip(numbers, handlers, strict=True):
            signal.signal(number, handler)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """Whatever starts meanwhile never gets SIGINT; this process gets it afterwards.  Not on Windows."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # at its start it lets interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def contenders_context() -> ContextOfProcesses:
    """How processes of contenders start: on Linux as copies of one that has imported all but their libraries.

    That takes a few milliseconds in place of a second.  Of the process that asks nothing is copied.
    """
    return multiprocessing.get_context("forkserver") if begin_early() else SPAWN


def copies_context() -> ContextOfProcesses:
    """How processes start as copies of this one, with all it opened, where no thread works."""
    return multiprocessing.get_context("fork") if sys.platform == "linux" else SPAWN


def begin_early(model: str | None = None, pre: str | None = None) -> bool:
    """Start what `contenders_context` copies, while something else is done; it may open a model meanwhile.

    False where there can be none: on other systems, or where temporary files lie too deep for a socket.
    That is for a process that makes one run: the model is opened once, whatever becomes of its file.
    It imports this very package, not one of the same name in the present folder, such as a clone, and in the
    end it removes the folder of its socket, should this process be killed.
    """
    if sys.platform != "linux" or len(os.fsencode(gettempdir())) > LONGEST_TEMPORARY:
        return False
    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)
    if model is not None and not os.path.isfile(model):
        model = None  # what has to be fetched is fetched once, by whoever asks for it
    added = {"PYTHONPATH": environment()["PYTHONPATH"], "PYTHONSAFEPATH": "1"}
    before = {name: os.environ.get(name) for name in added}
    try:
        os.environ |= added | {EARLY: json.dumps([model, pre, get_temp_dir(), before])}
        with interrupts_held_back():
            forkserver.ensure_running()
        return True
    except RuntimeError:  # of a script without a guard, in a process that may not start any
        os.rmdir(get_temp_dir())
        raise
    finally:
        restore_early()


def restore_early() -> tuple[str | None, str | None, str]:
    """Undo what `begin_early` set in the environment; the model that it named, and the folder to remove."""
    model, pre, folder, before = json.loads(os.environ.pop(EARLY, '[null, null, "", {}]'))
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    return model, pre, folder
