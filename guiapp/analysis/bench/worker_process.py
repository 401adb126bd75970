"""The engine's end of workers: starts them, asks with a time limit, ends those that fail."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.bench.control import SPAWN, ContextOfProcesses, contenders_context, interrupts_held_back
from guiapp.analysis.bench.wording import time_text
from guiapp.analysis.bench.worker import STAGE, LoadedContender, serve
from guiapp.analysis.libraries.contender import UnavailableError
from guiapp.analysis.libraries.custom import CustomContender
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.processes import held_bytes_of, how_it_ended
from guiapp.core.text.numbers_in_words import counted

LOAD_LIMIT_S, TRIAL_LIMIT_S = 180.0, 20.0
MOST_LOSSES = 3  # of one contender, until it is not started again
SHOWN_IDS = 12  # of a trial
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


class AskedProcess:
    """A child process that runs `serve(connection, *arguments)`, which answers what it is asked.

    One that was spawned ends with the thread that started it, on Linux.

    stage       what it said last that it does
    most_bytes  of memory that it and what it started may hold, where the system tells; None: no limit
    """

    def __init__(
        self,
        serve: Callable[..., None],
        arguments: tuple[object, ...],
        shall_stop: Callable[[], bool],
        context: ContextOfProcesses = SPAWN,
    ) -> None:
        self._shall_stop = shall_stop
        self._limit_s = self._deadline_s = 0.0
        self._reply: tuple[str, Any] = ("", None)
        self.stage = ""
        self.most_bytes: int | None = None
        self._has_ended = False
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, *arguments), daemon=True)
        with interrupts_held_back():  # until the child has learnt to leave them to us
            self._process.start()
        theirs.close()

    def ask(self, limit_s: float, command: str, *arguments: object) -> Any:
        """The answer; raises Stopped, WorkerLost or ContenderFailed."""
        self.begin(limit_s, command, *arguments)
        while not self.is_answered(GLANCE_S):
            pass
        return self.answer()

    def begin(self, limit_s: float, command: str, *arguments: object) -> None:
        """Ask, and leave the answer for later; raises WorkerLost."""
        self._limit_s, self._deadline_s = limit_s, time.monotonic() + limit_s
        try:
            self._pipe.send((command, *arguments))
        except OSError as error:
            raise self._lost() from error

    def is_answered(self, wait_s: float) -> bool:
        """Whether the answer is there, within some seconds; raises Stopped or WorkerLost.

        Until then it may say again and again what it does, and each time the limit starts again.
        """
        if self._shall_stop():
            self.end()
            raise Stopped
        try:
            while self._pipe.poll(wait_s):
                self._reply = self._pipe.recv()
                if self._reply[0] != STAGE:
                    self._check_memory()
                    return True
                self.stage = self._reply[1]
                self._deadline_s = time.monotonic() + self._limit_s
        except (EOFError, OSError) as error:
            raise self._lost() from error
        self._check_memory()
        if self._process.exitcode is not None and not self._pipe.poll():
            raise self._lost()  # what it started keeps the pipe open
        if time.monotonic() > self._deadline_s:
            self.end()
            raise TookTooLong(f"It did not answer within {self._limit_s:g} s.")
        return False

    def answer(self) -> Any:
        """What it said, once `is_answered`; raises ContenderFailed."""
        outcome, value = self._reply
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
        self._process.join(GLANCE_S if self._shall_stop() else FAREWELL_S)  # the fork server may be stopped
        self._pipe.close()

    def _check_memory(self) -> None:
        most = self.most_bytes
        if most is not None and held_bytes_of(self._process.pid or 0) > most:
            self.end()
            raise WorkerLost(f"It took more than {most >> 20:,} MB of memory.")

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
        own: CustomContender | None = None,
    ) -> None:
        super().__init__(serve, (model, name, threads, pre, own), shall_stop, contenders_context())
        self.most_bytes = LOADING_BYTES
        self._loaded_bytes = 0

    def begin(self, limit_s: float, command: str, *arguments: Any) -> None:
        match command, *arguments:
            case ("prepare", _, texts, *_) | ("memory", texts):
                n_bytes = sum(map(len, texts))
                self.most_bytes = 2 * self._loaded_bytes + SPARE_BYTES + SPARE_PER_BYTE * n_bytes
        super().begin(limit_s, command, *arguments)

    def answer(self) -> Any:
        answer = super().answer()
        if not self._loaded_bytes:
            self._loaded_bytes = held_bytes_of(self._process.pid or 0)
        return answer


@dataclass(frozen=True)
class TrialResult:
    """What a contender of one's own made of a text before it takes part, and how long one call took."""

    ids: NDArray[np.int32]
    is_equal: bool
    adds_bos: bool
    seconds: float

    def __str__(self) -> str:
        shown = " ".join(map(str, self.ids[:SHOWN_IDS])) + (" …" if len(self.ids) > SHOWN_IDS else "")
        equal = "those of the model" if self.is_equal else "not those of the model"
        if self.adds_bos:
            equal = f"those of the model after BOS (id {self.ids[0]}), which Bench does not ask for"
        return f"{counted(len(self.ids), 'id')} in {time_text(self.seconds)}, {equal}.\n{shown}".strip()


def try_custom(
    own: CustomContender, tokenizer: Tokenizer, model: str, text: bytes, shall_stop: Callable[[], bool]
) -> TrialResult:
    """Run it once in a process of its own; raises UnavailableError with what went wrong."""
    pre = tokenizer.vocabulary.chosen_pre or None
    process = WorkerProcess(model, own.name, 1, shall_stop, pre, own)
    try:
        process.ask(TRIAL_LIMIT_S, "load")
        ids = process.ask(TRIAL_LIMIT_S, "prepare", "encode", (text,), 1).ids
        seconds = process.ask(TRIAL_LIMIT_S, "sample", "encode").wall_s
    except (ContenderFailed, WorkerLost) as error:
        raise UnavailableError(str(error)) from error
    finally:
        process.end()
    wanted = tokenizer.encode(text, add_special=False, parse_special=False).token_ids
    adds_bos = np.array_equal(ids[1:], wanted) and ids[:1].tolist() == [tokenizer.vocabulary.special_ids.bos]
    return TrialResult(ids, np.array_equal(ids, wanted), adds_bos, seconds)


StartWorker = Callable[[str, int], AskedProcess]  # the contender's name, threads


class Workers:
    """The workers of one run, each started when it is needed, and again when it was lost.

    There is one for each contender and number of threads.

    loaded  what is known of the contenders that were loaded once
    """

    def __init__(self, start: StartWorker) -> None:
        self._start = start
        self._processes: dict[tuple[str, int], AskedProcess] = {}
        self._ready: set[tuple[str, int]] = set()
        self._n_losses: dict[str, int] = {}
        self.loaded: dict[str, LoadedContender] = {}

    def is_loaded(self, name: str, threads: int) -> bool:
        """Whether the next question needs no new worker."""
        return (name, threads) in self._ready

    def get(self, name: str, threads: int) -> AskedProcess:
        """A worker that has loaded its contender; raises ContenderFailed, WorkerLost or Stopped."""
        if (name, threads) not in self._processes:
            self.begin(name, threads)
        while not self.has_loaded(name, threads, GLANCE_S):
            pass
        return self._processes[name, threads]

    def begin(self, name: str, threads: int) -> AskedProcess:
        """One that loads while something else is done; raises ContenderFailed or WorkerLost."""
        if self._n_losses.get(name, 0) >= MOST_LOSSES:
            raise ContenderFailed(f"It crashed {MOST_LOSSES} times.")
        process = self._processes[name, threads] = self._start(name, threads)
        process.begin(LOAD_LIMIT_S, "load")
        return process

    def has_loaded(self, name: str, threads: int, wait_s: float) -> bool:
        """Whether one that was begun is ready within some seconds; raises as `get` does."""
        if self.is_loaded(name, threads):
            return True
        process = self._processes[name, threads]
        try:
            if not process.is_answered(wait_s):
                return False
            self.loaded.setdefault(name, process.answer())
        except (ContenderFailed, WorkerLost) as error:
            self.lose(name, threads, error)
            raise
        self._ready.add((name, threads))
        return True

    def lose(self, name: str, threads: int, error: ContenderFailed | WorkerLost) -> None:
        """End a worker that failed; the next one asked for is a new one, unless it crashes all the time."""
        if (name, threads) in self._processes:  # else it was lost while it loaded
            if not isinstance(error, TookTooLong):
                self._n_losses[name] = self._n_losses.get(name, 0) + 1
            self._end(name, threads)

    def end_others(self, threads: int) -> None:
        """End all that use another number of threads."""
        for key in [key for key in self._processes if key[1] != threads]:
            self._end(*key)

    def end(self) -> None:
        for key in list(self._processes):
            self._end(*key)

    def _end(self, name: str, threads: int) -> None:
        self._ready.discard((name, threads))
        self._processes.pop((name, threads)).end()
