"""Run each contender in a process of its own, where its work, memory and crashes affect no other.

A worker answers messages on a pipe, one at a time:

    ("load",)                                       memory used by the contender, its version and vocabulary;
                                                    before that, (STAGE, words) at each stage of loading
    ("prepare", operation, texts, threads)          the tokens of the texts; afterwards it is warm.  Between
                                                    two calls, (STAGE, words)
    ("sample", operation)                           seconds per unit by both clocks
    ("memory", texts)                               the most memory held while encoding
    ("ids", texts)                                  the ids of each text, None for a text that it refuses
    ("opening", text)                               seconds of building it again, and of its first call
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import multiprocessing
import os
import shutil
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

from guiapp.analysis.bench.control import (
    SPAWN,
    ContextOfProcesses,
    contenders_context,
    interrupts_held_back,
    restore_early,
)
from guiapp.analysis.bench.operations import (
    CHAT,
    OPERATIONS,
    OperationInput,
    TimedOperation,
    TimingSample,
    calls_per_sample,
    compared_tokens,
    encode_all,
    take_sample,
)
from guiapp.analysis.bench.wording import time_text
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
from guiapp.core.processes import held_bytes, held_bytes_of, how_it_ended, peak_bytes_during
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.errors import TokenloupeError

LOAD_LIMIT_S, TRIAL_LIMIT_S = 180.0, 20.0
MOST_LOSSES = 3  # of one contender, after which it is not started again
SHOWN_IDS = 12  # of a trial
LOADING_BYTES = 6 << 30
SPARE_BYTES, SPARE_PER_BYTE = 512 << 20, 256
GLANCE_S = 0.05  # how often a waiting engine checks whether to stop
FAREWELL_S = 1.0
FIRST_TEXT = b"ready"
END_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG
STAGE = "stage"
STARTS = "starts"
PREPARES = "is called for the first times"
OPENS, WRITES, READS = "opens the model", "is given the vocabulary", "reads the vocabulary"
THREAD_VARIABLES = ("RAYON_NUM_THREADS", "OMP_NUM_THREADS")
OFFLINE_VARIABLES = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")  # else a library tries to connect for a minute
LONGEST_FAILURE = 300  # characters
OPENED_S, MOST_OPENED = 1.0, 5  # limits of time and number for building it again
Ids = NDArray[np.int32]


@dataclass(frozen=True)
class LoadedContender:
    """A contender that is ready.  `memory_bytes` is the memory that building it added to the process."""

    version: str
    other_vocabulary: str
    memory_bytes: int


class Worker:
    """One contender and its prepared operations, all on the same texts."""

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
        self._prepared: dict[str, tuple[TimedOperation, int]] = {}  # with calls per sample

    def load(self) -> LoadedContender:
        """Load the contender, only once."""
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
        elif peer is not None:  # the memory of our own vocabulary does not count
            tokenizer = self._opened().tokenizer
            self._notify(WRITES)
            source = peer_source(name, tokenizer, is_split)
            self._notify(READS)
            self._build = partial(peer.open, source)
            before = held_bytes()
        else:
            tokenizer, opened_bytes = self._opened()  # which counts as our memory
            vocabulary = tokenizer.vocabulary
            before = held_bytes()
            self._build = lambda: our_contender(as_split(Tokenizer(vocabulary), is_split), name)
        self._contender = self._build()
        encode_all(self._contender, [FIRST_TEXT])  # builds what is built with the first text
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
        contender = self._contender
        if operation == CHAT:
            contender = contender.parsing(self._opened().tokenizer.special_tokens.names)
            pause()
        subject = OperationInput(contender, self._build, texts, threads, pause)
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
            raise UnavailableError("It runs in a process of its own, whose memory is not measured.")
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
        except BaseException:  # any exception of a library, or panic of Rust: it refuses the text
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
    """Answer until the pipe is closed, with ("done", value) or ("unavailable" or "failed", reason)."""
    if hasattr(os, "setpgid"):
        os.setpgid(0, 0)  # a group, so that its children end with it
    prepare_process(threads)
    answer_all(connection, Worker(model, name, pre, own, lambda stage: connection.send((STAGE, stage))))


def answer_all(connection: Connection, worker: object) -> None:
    """Answer each message by the worker's method of that name, until the pipe is closed."""
    process = os.getpid()
    while True:
        try:
            command, *arguments = connection.recv()
        except EOFError:
            return
        answer = _answer(worker, command, arguments)
        if os.getpid() != process:  # a fork that the contender made must not answer too
            os._exit(0)
        connection.send(answer)


def _answer(worker: object, command: str, arguments: list[Any]) -> tuple[str, object]:
    try:
        return "done", getattr(worker, command)(*arguments)
    except TokenloupeError as error:
        return "unavailable", str(error)
    except BaseException as error:  # any exception of a library is a result, and so is a panic of Rust
        return "failed", quoted(
            " ".join(f"{type(error).__name__}: {_error_text(error)}".split()), LONGEST_FAILURE
        )


def _error_text(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # its own `__str__` raises
        return "an error without a message"


def prepare_process(threads: int) -> None:
    """Silence output, stay offline, ignore SIGINT, end with the parent, and use this many threads."""
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(threads)))
    os.environ.update(dict.fromkeys(OFFLINE_VARIABLES, "1"))
    os.environ["TOKENIZERS_PARALLELISM"] = "true" if threads > 1 else "false"
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a crash writes no core file
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGKILL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End with the parent on systems without prctl, as soon as the GIL is free."""
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)


# The model of a run, opened once for all contenders if they are forks of one process


class Opened(NamedTuple):
    """A tokenizer, and the memory that opening it added to the process."""

    tokenizer: Tokenizer
    memory_bytes: int


def opened_model(model: str, pre: str | None = None) -> Opened:
    """The model, opened now unless it was opened early; raises VocabError."""
    if found := _early.get((model, pre)):
        return found
    before = held_bytes()
    tokenizer = open_model(model, pre)
    return Opened(tokenizer, max(held_bytes() - before, 0))


def _open_early() -> dict[tuple[str, str | None], Opened]:
    """The model that `begin_early` named, unless it cannot be opened: a later request then gets the error."""
    model, pre, folder = restore_early()
    if folder:
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
    early = {}
    if model is not None:
        with suppress(TokenloupeError, OSError):
            early[model, pre] = opened_model(model, pre)
        gc.freeze()  # else garbage collection in each fork would copy all of it
    return early


_early: dict[tuple[str, str | None], Opened] = {}
_early |= _open_early()


# The engine's side: start workers, ask them with a time limit, end the ones that fail


class Stopped(Exception):  # noqa: N818  # nothing went wrong
    """The run was asked to stop."""


class WorkerLost(Exception):  # noqa: N818
    """The worker crashed or was ended; the message states the reason."""


class TookTooLong(WorkerLost):
    """The worker was ended because one call took too long."""


class ContenderFailed(Exception):  # noqa: N818
    """The contender refused or raised; its worker still runs."""


class AskedProcess:
    """A child process that runs `serve(connection, *arguments)`, which answers requests.

    On Linux, a spawned process ends with the thread that started it.

    stage       the stage that it reported last
    most_bytes  of memory that it and its children may hold, if the system reports it; None: no limit
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
        with interrupts_held_back():  # until the child ignores them
            self._process.start()
        theirs.close()

    def ask(self, limit_s: float, command: str, *arguments: object) -> Any:
        """The answer; raises Stopped, WorkerLost or ContenderFailed."""
        self.begin(limit_s, command, *arguments)
        while not self.is_answered(GLANCE_S):
            pass
        return self.answer()

    def begin(self, limit_s: float, command: str, *arguments: object) -> None:
        """Send a request without waiting for the answer; raises WorkerLost."""
        self._limit_s, self._deadline_s = limit_s, time.monotonic() + limit_s
        try:
            self._pipe.send((command, *arguments))
        except OSError as error:
            raise self._lost() from error

    def is_answered(self, wait_s: float) -> bool:
        """Whether the answer has arrived, waiting up to `wait_s` seconds; raises Stopped or WorkerLost.

        Each stage that the process reports restarts its time limit.
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
            raise self._lost()  # its children keep the pipe open
        if time.monotonic() > self._deadline_s:
            self.end()
            raise TookTooLong(f"It did not answer within {self._limit_s:g} s.")
        return False

    def answer(self) -> Any:
        """The answer, once `is_answered`; raises ContenderFailed."""
        outcome, value = self._reply
        if outcome == "done":
            return value
        raise ContenderFailed(value)

    def end(self) -> None:
        """Kill the process and its children."""
        if self._has_ended:
            return
        self._has_ended = True
        if hasattr(os, "killpg") and (process_id := self._process.pid) is not None:
            with suppress(OSError):  # it leads no process group, or not yet
                os.killpg(process_id, signal.SIGKILL)
        self._process.kill()
        self._process.join(GLANCE_S if self._shall_stop() else FAREWELL_S)  # the fork server may be stopped
        self._pipe.close()

    def _check_memory(self) -> None:
        most = self.most_bytes
        if most is not None and held_bytes_of(self._process.pid or 0) > most:
            self.end()
            raise WorkerLost(f"It needed more than {most >> 20:,} MB of memory.")

    def _lost(self) -> WorkerLost:
        self._process.join(FAREWELL_S)
        code = self._process.exitcode
        self.end()
        return WorkerLost("It closed the connection." if code is None else how_it_ended(code))


class WorkerProcess(AskedProcess):
    """A child process with a contender, whose memory is limited.

    While loading, the limit is LOADING_BYTES; later, twice the memory held after loading, plus SPARE_BYTES,
    plus SPARE_PER_BYTE for each byte of the texts.  It is checked while the process works and at each answer.
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
    """The ids of a custom contender for a trial text, and how long one call took."""

    ids: NDArray[np.int32]
    is_equal: bool
    adds_bos: bool
    seconds: float

    def __str__(self) -> str:
        shown = " ".join(map(str, self.ids[:SHOWN_IDS])) + (" …" if len(self.ids) > SHOWN_IDS else "")
        equal = "equal to the model's" if self.is_equal else "different from the model's"
        if self.adds_bos:
            equal = f"equal to the model's after BOS (id {self.ids[0]}), which Bench does not request"
        return f"{counted(len(self.ids), 'id')} in {time_text(self.seconds)}, {equal}.\n{shown}".strip()


def try_custom(
    own: CustomContender, tokenizer: Tokenizer, model: str, text: bytes, shall_stop: Callable[[], bool]
) -> TrialResult:
    """Try a custom contender in a process of its own; raises UnavailableError with the reason."""
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
    """The workers of one run, one for each contender and number of threads.

    Each is started when first needed, and again after it was lost.

    loaded  by name, the contenders that have been loaded so far
    """

    def __init__(self, start: StartWorker) -> None:
        self._start = start
        self._processes: dict[tuple[str, int], AskedProcess] = {}
        self._ready: set[tuple[str, int]] = set()
        self._n_losses: dict[str, int] = {}
        self.loaded: dict[str, LoadedContender] = {}

    def is_loaded(self, name: str, threads: int) -> bool:
        """Whether such a worker is ready to answer."""
        return (name, threads) in self._ready

    def get(self, name: str, threads: int) -> AskedProcess:
        """A worker that has loaded its contender; raises ContenderFailed, WorkerLost or Stopped."""
        if (name, threads) not in self._processes:
            self.begin(name, threads)
        while not self.has_loaded(name, threads, GLANCE_S):
            pass
        return self._processes[name, threads]

    def begin(self, name: str, threads: int) -> AskedProcess:
        """Start a worker that loads in the background; raises ContenderFailed or WorkerLost."""
        if self._n_losses.get(name, 0) >= MOST_LOSSES:
            raise ContenderFailed(f"It crashed {MOST_LOSSES} times.")
        process = self._processes[name, threads] = self._start(name, threads)
        process.begin(LOAD_LIMIT_S, "load")
        return process

    def has_loaded(self, name: str, threads: int, wait_s: float) -> bool:
        """Whether a worker from `begin` is ready, waiting up to `wait_s` seconds; raises like `get`."""
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
        """End a worker that failed; the next request starts a new one, up to MOST_LOSSES crashes."""
        if (name, threads) in self._processes:  # else `has_loaded` has ended it
            if not isinstance(error, TookTooLong):
                self._n_losses[name] = self._n_losses.get(name, 0) + 1
            self._end(name, threads)

    def end_others(self, threads: int) -> None:
        """End all workers with another number of threads."""
        for key in [key for key in self._processes if key[1] != threads]:
            self._end(*key)

    def end(self) -> None:
        for key in list(self._processes):
            self._end(*key)

    def _end(self, name: str, threads: int) -> None:
        self._ready.discard((name, threads))
        self._processes.pop((name, threads)).end()
