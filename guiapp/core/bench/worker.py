"""A process of its own for each contender: what one does, hold, or breaks touches no other.

It answers messages on a pipe, one at a time:

    ("load",)                                       memory used by the contender, its version and vocabulary;
                                                    before that, what it does: (STAGE, in words) each time
    ("prepare", operation, texts, parts, threads)   the tokens of the texts; afterwards it is warm
    ("sample", operation)                           seconds per unit by both clocks
    ("memory", texts)                               the most memory held while encoding
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

from guiapp.core.bench.agreement import Tokens
from guiapp.core.bench.contenders.contender import Contender, as_split, our_contender, split_name
from guiapp.core.bench.contenders.table import PEERS, peer_source
from guiapp.core.bench.memory import held_bytes, peak_bytes_during
from guiapp.core.bench.operations import OPERATIONS, Subject, encode_all, judged_tokens
from guiapp.core.bench.timing import Operation, Sample, calls_per_sample, take_sample
from guiapp.core.errors import TokenloupeError
from guiapp.core.open_model import open_model
from guiapp.core.tokenizer import Tokenizer

FIRST_TEXT = b"ready"
END_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG
STAGE = "stage"
OPENS, WRITES, READS = "opens the model", "is given the vocabulary", "reads the vocabulary"
THREAD_VARIABLES = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS")


@dataclass(frozen=True)
class Loaded:
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
        tell: Callable[[str], object] = lambda stage: None,
    ) -> None:
        self._tell = tell
        self._open_model = partial(open_model, model, pre)
        self._name = name
        self._build: Callable[[], Contender] | None = None
        self._contender: Contender | None = None
        self._texts: tuple[bytes, ...] = ()
        self._prepared: dict[str, tuple[Operation, int]] = {}  # with the number of calls of a sample

    def load(self) -> Loaded:
        name, is_split = split_name(self._name)
        peer = PEERS.get(name)
        self._tell(OPENS)
        if peer is not None:  # our own vocabulary is no part of its memory
            tokenizer = self._open_model()
            self._tell(WRITES)
            source = peer_source(name, tokenizer, is_split)
            self._tell(READS)
            self._build = partial(peer.open, source)
            before = held_bytes()
        else:
            before = held_bytes()
            vocabulary = self._open_model().vocabulary
            self._build = lambda: our_contender(as_split(Tokenizer(vocabulary), is_split), name)
        self._contender = self._build()
        encode_all(self._contender, [FIRST_TEXT])  # makes what is made with the first text
        version = "" if peer is None else peer.version
        return Loaded(version, self._contender.other_vocabulary, max(held_bytes() - before, 0))

    def prepare(
        self, operation: str, texts: tuple[bytes, ...], parts: tuple[tuple[int, int], ...], threads: int
    ) -> Tokens:
        assert self._contender is not None
        assert self._build is not None
        if texts != self._texts:
            self._texts = texts
            self._prepared.clear()
        subject = Subject(self._contender, self._build, texts, parts, threads)
        tokens = judged_tokens(operation, subject)
        ready = OPERATIONS[operation](subject)
        self._prepared[operation] = ready, calls_per_sample(ready)
        return tokens

    def sample(self, operation: str) -> Sample:
        return take_sample(*self._prepared[operation])

    def memory(self, texts: tuple[bytes, ...]) -> int:
        assert self._contender is not None
        contender, taken = self._contender, [self._contender.take_text(text) for text in texts]
        before = held_bytes()
        return max(peak_bytes_during(lambda: [contender.encode(text) for text in taken]) - before, 0)


def serve(connection: Connection, model: str, name: str, threads: int, pre: str | None) -> None:
    """Answer until the pipe is closed; replies are ("done", value), ("unavailable" or "failed", reason)."""
    prepare_process(threads)
    answer_all(connection, Worker(model, name, pre, lambda stage: connection.send((STAGE, stage))))


def answer_all(connection: Connection, worker: object) -> None:
    """Let the methods of a worker answer what is asked, until the pipe is closed."""
    while True:
        try:
            command, *arguments = connection.recv()
        except EOFError:
            return
        connection.send(_answer(worker, command, arguments))


def _answer(worker: object, command: str, arguments: list[Any]) -> tuple[str, object]:
    try:
        return "done", getattr(worker, command)(*arguments)
    except TokenloupeError as error:
        return "unavailable", str(error)
    except BaseException as error:  # whatever another library raises is its result; those in Rust panic so
        return "failed", " ".join(f"{type(error).__name__}: {error}".split())[:300]


def prepare_process(threads: int) -> None:
    """Say nothing, leave interrupts to the parent, end with it, and use so many threads."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """For systems without prctl; waits until Python's lock is free."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
