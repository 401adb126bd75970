"""How processes of contenders start; it imports little, as what takes longest is begun before all else."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import ForkServerContext, SpawnContext

ContextOfProcesses = SpawnContext | ForkServerContext
SPAWN = multiprocessing.get_context("spawn")
PRELOADED = "guiapp.analysis.bench.engine"
OPEN_EARLY = "TOKENLOUPE_OPEN_EARLY"  # names a model and its pre-tokenizer to the process that is copied


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


def begin_early(model: str = "", pre: str | None = None) -> None:
    """Start what `contenders_context` copies, while something else is done; it may open a model meanwhile.

    That is for a process that makes one run: the model is opened once, whatever becomes of its file.
    """
    contenders_context()
    if sys.platform != "linux":
        return
    if os.path.isfile(model):  # what has to be fetched is fetched once, by whoever asks for it
        os.environ[OPEN_EARLY] = json.dumps([model, pre])
    with interrupts_held_back():
        forkserver.ensure_running()
    os.environ.pop(OPEN_EARLY, None)
