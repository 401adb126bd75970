"""Start the processes of a run; stop, pause or hold it from outside.

This module imports little, so that the slowest work can start before other modules are imported.
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
EARLY = "TOKENLOUPE_OPEN_EARLY"  # for the fork server: model, pre-tokenizer, its folder, variables to restore
LONGEST_TEMPORARY = (
    74  # bytes of a folder's path: with multiprocessing's file name, the longest path of a socket
)
QUIET_S = 1.0  # a held run continues after this time without typing or scrolling


class Control:
    """Requests to stop, pause or hold a run, from signals and threads; checked between and during calls.

    paused_s  seconds paused or held
    held_s    seconds held
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
        """Start nothing for a moment: the window needs the processor and would disturb the timing."""
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
    """A control that SIGINT and SIGTERM stop; the previous signal handlers are restored afterwards.

    Until `interrupts.has_results`, a signal also raises KeyboardInterrupt.
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
    """Processes started meanwhile never get SIGINT; this one gets it afterwards.  No effect on Windows."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # starting it unblocks SIGINT
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def contenders_context() -> ContextOfProcesses:
    """The start method for contenders: on Linux, forks of a server that has imported all but their libraries.

    This takes a few milliseconds instead of a second.  Nothing of the calling process is copied.
    """
    return multiprocessing.get_context("forkserver") if begin_early() else SPAWN


def copies_context() -> ContextOfProcesses:
    """The start method for copies of this process: fork on Linux, without other threads; else spawn."""
    return multiprocessing.get_context("fork") if sys.platform == "linux" else SPAWN


def begin_early(model: str | None = None, pre: str | None = None) -> bool:
    """Start the fork server of `contenders_context` in the background; it may open a model meanwhile.

    Return False if there can be none: on other systems, or if the path of temporary files is too long for a
    socket.  Name a model only in a process that makes one run: later changes of its file are not seen.
    The server imports this very package, not one of the same name in the current folder, such as a clone.
    When it ends, it removes the folder of its socket, even if this process was killed.
    """
    if sys.platform != "linux" or len(os.fsencode(gettempdir())) > LONGEST_TEMPORARY:
        return False
    multiprocessing.get_context("forkserver").set_forkserver_preload(PRELOADED)
    if model is not None and not os.path.isfile(model):
        model = None  # a model to download is downloaded once, by the process that opens it
    added = {"PYTHONPATH": environment()["PYTHONPATH"], "PYTHONSAFEPATH": "1"}
    before = {name: os.environ.get(name) for name in added}
    try:
        os.environ |= added | {EARLY: json.dumps([model, pre, get_temp_dir(), before])}
        with interrupts_held_back():
            forkserver.ensure_running()
        return True
    except RuntimeError:  # in a child that may not start processes: of a script without a main guard
        os.rmdir(get_temp_dir())
        raise
    finally:
        restore_early()


def restore_early() -> tuple[str | None, str | None, str]:
    """Undo `begin_early`'s changes of the environment; return model, pre-tokenizer and folder to remove."""
    model, pre, folder, before = json.loads(os.environ.pop(EARLY, '[null, null, "", {}]'))
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
    return model, pre, folder
