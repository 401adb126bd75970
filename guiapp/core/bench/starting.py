"""How processes of contenders start; it imports little, as what takes longest is begun before all else."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext, SpawnContext

ContextOfProcesses = SpawnContext | ForkServerContext
SPAWN = multiprocessing.get_context("spawn")
PRELOADED = "guiapp.core.bench.engine"


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
    if sys.platform != "linux":
        return SPAWN
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([PRELOADED])
    return context


def begin_early() -> None:
    """Start what `contenders_context` copies, while something else is done."""
    contenders_context()
    if sys.platform == "linux":
        with interrupts_held_back():
            forkserver.ensure_running()
