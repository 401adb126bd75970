"""The engine's end of a worker: starts it, asks with a time limit, ends it when it fails."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any, Protocol

from guiapp.core.bench.contenders.own import OwnContender
from guiapp.core.bench.memory import held_bytes_of
from guiapp.core.bench.worker import serve
from guiapp.core.system.processes import how_it_ended

LOADING_BYTES = 6 << 30
SPARE_BYTES, SPARE_PER_BYTE = 512 << 20, 256
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


class TookTooMuch(WorkerLost):
    """The worker was ended because it held too much memory."""


class AskedProcess:
    """A child process that runs `serve(connection, *arguments)`, which answers what it is asked.

    On Linux it ends with the thread that started it.

    most_bytes  of memory that it and what it started may hold, where the system tells; None: no limit
    """

    def __init__(
        self, serve: Callable[..., None], arguments: tuple[object, ...], shall_stop: Callable[[], bool]
    ) -> None:
        context = multiprocessing.get_context("spawn")
        self._shall_stop = shall_stop
        self.most_bytes: int | None = None
        self._has_ended = False
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
            raise self._lost() from error
        if outcome == "done":
            return value
        raise ContenderFailed(value)

    def end(self) -> None:
        """End it now, whatever it does, and whatever it started."""
        if self._has_ended:
            return
        self._has_ended = True
        if hasattr(os, "killpg") and (process_id := self._process.pid) is not None:
            with suppress(OSError):  # it leads no group, or not yet
                os.killpg(process_id, signal.SIGKILL)
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _wait(self, limit_s: float) -> None:
        deadline = time.monotonic() + limit_s
        has_answer = False
        while not has_answer:
            has_answer = self._pipe.poll(GLANCE_S)
            if self._shall_stop():
                self.end()
                raise Stopped
            self._check_memory()
            if has_answer:
                return
            if self._process.exitcode is not None and not self._pipe.poll():
                raise self._lost()  # what it started keeps the pipe open
            if time.monotonic() > deadline:
                self.end()
                raise TookTooLong(f"It did not answer within {limit_s:g} s.")

    def _check_memory(self) -> None:
        most = self.most_bytes
        if most is not None and held_bytes_of(self._process.pid or 0) > most:
            self.end()
            raise TookTooMuch(f"It took more than {most >> 20:,} MB of memory.")

    def _lost(self) -> WorkerLost:
        self._process.join(FAREWELL_S)
        code = self._process.exitcode
        self.end()
        return WorkerLost("It closed its pipe." if code is None else how_it_ended(code))


class WorkerProcess(AskedProcess):
    """A child process with a contender.

    It may hold LOADING_BYTES while it loads.  Then its memory is looked at while it works and whenever it has
    answered: it may be twice what it was, and SPARE_BYTES, and SPARE_PER_BYTE for each byte of its texts.
    """

    def __init__(
        self,
        model: str,
        name: str,
        threads: int,
        shall_stop: Callable[[], bool],
        pre: str | None = None,
        own: OwnContender | None = None,
    ) -> None:
        super().__init__(serve, (model, name, threads, pre, own), shall_stop)
        self.most_bytes = LOADING_BYTES
        self._loaded_bytes = 0

    def ask(self, limit_s: float, command: str, *arguments: Any) -> Any:
        match command, *arguments:
            case ("prepare", _, texts, *_) | ("memory", texts):
                n_bytes = sum(map(len, texts))
                self.most_bytes = 2 * self._loaded_bytes + SPARE_BYTES + SPARE_PER_BYTE * n_bytes
        answer = super().ask(limit_s, command, *arguments)
        if command == "load":
            self._loaded_bytes = held_bytes_of(self._process.pid or 0)
        return answer
