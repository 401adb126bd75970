"""A process of its own for each contender: what one does, hold, or breaks touches no other.

It answers messages on a pipe, one at a time:

    ("load",)                                       memory used by the contender, its version and vocabulary;
                                                    before that, what it does: (STAGE, in words) each time
    ("prepare", operation, texts, threads)          the tokens of the texts; afterwards it is warm.  Between
                                                    two calls (STAGE, in words)
    ("sample", operation)                           seconds per unit by both clocks
    ("memory", texts)                               the most memory held while encoding
    ("ids", texts)                                  the ids of each, None of those that it refuses
    ("opening", text)                               seconds of building it again, and of its first call
"""

from __future__ import annotations

import ctypes
import gc
import json
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.bench.control import OPEN_EARLY
from guiapp.analysis.bench.operations import (
    OPERATIONS,
    OperationInput,
    TimedOperation,
    TimingSample,
    calls_per_sample,
    compared_tokens,
    encode_all,
    take_sample,
)
from guiapp.analysis.libraries.contender import (
    Contender,
    ContenderTokens,
    UnavailableError,
    as_split,
    our_contender,
    split_name,
)
from guiapp.analysis.libraries.custom import MODEL_VARIABLE, CustomContender, open_custom
from guiapp.analysis.libraries.table import PEERS, peer_source
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.processes import held_bytes, peak_bytes_during
from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import TokenloupeError

FIRST_TEXT = b"ready"
END_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG
STAGE = "stage"
STARTS = "starts"
PREPARES = "is called for the first times"
OPENS, WRITES, READS = "opens the model", "is given the vocabulary", "reads the vocabulary"
THREAD_VARIABLES = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS")
OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")  # else a library tries for a minute
LONGEST_FAILURE = 300  # characters
OPENED_S, MOST_OPENED = 1.0, 5  # it is built again until so much time, or so often
Ids = NDArray[np.int32]


@dataclass(frozen=True)
class LoadedContender:
    """A contender that is ready.  `memory_bytes` is what building it added to the process."""

    version: str
    other_vocabulary: str
    memory_bytes: int


class Worker:
    """One contender and the operations that are being timed, with the same texts."""

    def __init__(
        self,
        model: str,
        name: str,
        pre: str | None = None,
        own: CustomContender | None = None,
        notify: Callable[[str], object] = lambda stage: None,
    ) -> None:
        self._notify = notify
        self._model = model
        self._opened = partial(opened_model, model, pre)
        self._name = name
        self._own = own
        self._build: Callable[[], Contender] | None = None
        self._contender: Contender | None = None
        self._loaded: LoadedContender | None = None
        self._texts: tuple[bytes, ...] = ()
        self._prepared: dict[str, tuple[TimedOperation, int]] = {}  # with the number of calls of a sample

    def load(self) -> LoadedContender:
        """Once, whoever asks for that."""
        self._loaded = self._loaded or self._load()
        return self._loaded

    def _load(self) -> LoadedContender:
        own = self._own
        name, is_split = split_name(self._name)
        peer = PEERS.get(name) if own is None else None
        opened_bytes = 0
        self._notify(OPENS if own is None else STARTS)
        if own is not None:
            os.environ[MODEL_VARIABLE] = self._model
            self._build = partial(open_custom, own)
            before = held_bytes()
        elif peer is not None:  # our own vocabulary is no part of its memory
            tokenizer = self._opened().tokenizer
            self._notify(WRITES)
            source = peer_source(name, tokenizer, is_split)
            self._notify(READS)
            self._build = partial(peer.open, source)
            before = held_bytes()
        else:
            tokenizer, opened_bytes = self._opened()  # which is part of ours
            vocabulary = tokenizer.vocabulary
            before = held_bytes()
            self._build = lambda: our_contender(as_split(Tokenizer(vocabulary), is_split), name)
        self._contender = self._build()
        encode_all(self._contender, [FIRST_TEXT])  # makes what is made with the first text
        version = "" if peer is None else peer.version
        memory_bytes = opened_bytes + max(held_bytes() - before, 0)
        return LoadedContender(version, self._contender.other_vocabulary, memory_bytes)

    def prepare(self, operation: str, texts: tuple[bytes, ...], threads: int) -> ContenderTokens:
        assert self._contender is not None
        assert self._build is not None
        if texts != self._texts:
            self._texts = texts
            self._prepared.clear()
        pause = partial(self._notify, PREPARES)
        subject = OperationInput(self._contender, self._build, texts, threads, pause)
        tokens = compared_tokens(operation, subject)
        pause()
        ready = OPERATIONS[operation](subject)
        pause()
        self._prepared[operation] = ready, calls_per_sample(ready, pause=pause)
        return tokens

    def sample(self, operation: str) -> TimingSample:
        return take_sample(*self._prepared[operation])

    def memory(self, texts: tuple[bytes, ...]) -> int:
        assert self._contender is not None
        if self._contender.is_apart:
            raise UnavailableError("What it holds is in a process of its own, and not measured.")
        contender, taken = self._contender, [self._contender.take_text(text) for text in texts]
        before = held_bytes()
        return max(peak_bytes_during(lambda: [contender.encode(text) for text in taken]) - before, 0)

    def ids(self, texts: list[bytes]) -> list[Ids | None]:
        return [self._ids_of(text) for text in texts]

    def _ids_of(self, text: bytes) -> Ids | None:
        contender = self._contender
        assert contender is not None
        try:
            return contender.tokens(contender.encode(contender.take_text(text))).ids
        except MemoryError:
            raise
        except BaseException:  # whatever another library raises, those in Rust panics: it refuses the text
            return None

    def opening(self, text: bytes) -> list[tuple[float, float]]:
        assert self._build is not None
        assert self._contender is not None
        taken = self._contender.take_text(text)
        times: list[tuple[float, float]] = []
        while len(times) < MOST_OPENED and sum(map(sum, times)) < OPENED_S:
            started = time.perf_counter()
            fresh = self._build()
            built = time.perf_counter()
            fresh.encode(taken)
            times.append((built - started, time.perf_counter() - built))
        return times


def serve(
    connection: Connection,
    model: str,
    name: str,
    threads: int,
    pre: str | None,
    own: CustomContender | None = None,
) -> None:
    """Answer until the pipe is closed; replies are ("done", value), ("unavailable" or "failed", reason)."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # whatever it starts ends with it
    prepare_process(threads)
    answer_all(connection, Worker(model, name, pre, own, lambda stage: connection.send((STAGE, stage))))


def answer_all(connection: Connection, worker: object) -> None:
    """Let the methods of a worker answer what is asked, until the pipe is closed."""
    process = os.getpid()
    while True:
        try:
            command, *arguments = connection.recv()
        except EOFError:
            return
        answer = _answer(worker, command, arguments)
        if os.getpid() != process:  # a copy that the contender made, which would answer too
            os._exit(0)
        connection.send(answer)


def _answer(worker: object, command: str, arguments: list[Any]) -> tuple[str, object]:
    try:
        return "done", getattr(worker, command)(*arguments)
    except TokenloupeError as error:
        return "unavailable", str(error)
    except BaseException as error:  # whatever another library raises is its result; those in Rust panic so
        return "failed", quoted(
            " ".join(f"{type(error).__name__}: {_error_text(error)}".split()), LONGEST_FAILURE
        )


def _error_text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # not even that works
        return "which cannot be told"


def prepare_process(threads: int) -> None:
    """Say nothing, ask no server, leave interrupts to the parent, end with it, and use so many threads."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    os.environ.update(dict.fromkeys(OFFLINE_VARIABLES, "1"))
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # who crashes leaves no file behind
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """For systems without prctl; waits until Python's lock is free."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


# The model of a run, opened once for all contenders where they are copies of one process


class Opened(NamedTuple):
    """A tokenizer, and what opening it added to the process."""

    tokenizer: Tokenizer
    memory_bytes: int


def opened_model(model: str, pre: str | None = None) -> Opened:
    """What is open already if it is this one, else opened now; raises VocabError."""
    if found := _early.get((model, pre)):
        return found
    before = held_bytes()
    tokenizer = open_model(model, pre)
    return Opened(tokenizer, max(held_bytes() - before, 0))


def _open_early() -> dict[tuple[str, str | None], Opened]:
    """None of a file that cannot be opened: whoever asks for it is told why."""
    model, pre = json.loads(os.environ.pop(OPEN_EARLY, "[null, null]"))
    early = {}
    if model is not None:
        with suppress(TokenloupeError, OSError):
            early[model, pre] = opened_model(model, pre)
        gc.freeze()  # else each copy would touch all of it, and have its own
    return early


_early: dict[tuple[str, str | None], Opened] = {}
_early |= _open_early()
