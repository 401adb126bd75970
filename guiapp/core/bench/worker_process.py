"""The engine's end of a worker: starts it, asks with a time limit, ends it when it fails."""

from __future__ import annotations

import multiprocessing
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, Protocol

from guiapp.core.bench.worker import serve

GLANCE_S = 0.05  # how often a waiting engine looks whether it shall stop
FAREWELL_S = 1.0


class Stopped(Exception):  # noqa: N818  # nothing went wrong
    """Somebody asked to stop."""


class WorkerLost(Exception):  # noqa: N818
    """The worker crashed or took too long and is gone; the message says which."""


class TookTooLong(WorkerLost):
    """The worker was ended because one call took too long."""


class ContenderFailed(Exception):  # noqa: N818
    """The contender refused or raised; the worker lives on."""


class Worker(Protocol):
    """What the engine needs of a worker."""

    def ask(self, limit_s: float, command: str, *arguments: object) -> Any:
        """The answer; raises Stopped, WorkerLost or ContenderFailed."""

    def end(self) -> None:
        """End it now, whatever it does."""


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


class AskedProcess:
    """A child process that runs `serve(connection, *arguments)`, which answers what it is asked."""

    def __init__(
        self, serve: Callable[..., None], arguments: tuple[object, ...], shall_stop: Callable[[], bool]
    ) -> None:
        context = multiprocessing.get_context("spawn")
        self._shall_stop = shall_stop
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, *arguments), daemon=True)
        with interrupts_held_back():  # until the child has learnt to leave them to us
            self._process.start()
        theirs.close()

    def ask(self, limit_s: float, command: str, *arguments: object) -> Any:
        """The answer; raises Stopped, WorkerLost or ContenderFailed."""
        try:
            self._pipe.send((command, *arguments))
            self._wait(limit_s)
            outcome, value = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise WorkerLost(self._how_it_ended()) from error
        if outcome == "done":
            return value
        raise ContenderFailed(value)

    def end(self) -> None:
        """End it now, whatever it does."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _wait(self, limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        while not self._pipe.poll(GLANCE_S):
            if self._shall_stop():
                self.end()
                raise Stopped
            if time.monotonic() > deadline:
                self.end()
                raise TookTooLong(f"It did not answer within {limit_s:g} s.")

    def _how_it_ended(self) -> str:
        self._process.join(FAREWELL_S)
        code = self._process.exitcode
        if code is None:
            return "It closed its pipe."
        if code < 0:
            return f"It crashed: {signal.Signals(-code).name}."
        return f"It ended with status {code}."


class WorkerProcess(AskedProcess):
    """A child process with a contender."""

    def __init__(
        self, model: str, name: str, threads: int, shall_stop: Callable[[], bool], pre: str | None = None
    ) -> None:
        super().__init__(serve, (model, name, threads, pre), shall_stop)
