"""The operations of a contender that can be timed, by name; each is checked before it is timed."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import cycle, islice
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.libraries.contender import APPENDED_BYTES, Contender, ContenderTokens, UnavailableError

resource: ModuleType | None
try:
    import resource
except ImportError:  # on Windows
    resource = None

SHORTEST_SAMPLE_NS = 2_000_000  # of processor time; LONGEST_WAIT_NS limits what waits
LONGEST_WAIT_NS = 25 * SHORTEST_SAMPLE_NS
MOST_CALLS = 1 << 20
Texts = Sequence[bytes]

N_COMPARED = 50  # counts that are checked while appending
LEAST_DECODED = 0.2  # characters per byte of text: one may have four bytes
MEMORY = "memory"  # is not timed
BATCH = "encode batch"
CHAT = "encode prompt"  # with special tokens parsed
SINGLY, N_SINGLE = "encode singly", 32  # calls of a sample


class OperationInput(NamedTuple):
    """The input of an operation.

    rebuild  returns the same contender, newly loaded
    pause    called between two calls, so that each has the whole time limit
    """

    contender: Contender
    rebuild: Callable[[], Contender]
    texts: Texts
    threads: int = 1
    pause: Callable[[], object] = lambda: None

    @property
    def text(self) -> bytes:
        (text,) = self.texts
        return text


def encode_all(contender: Contender, texts: Texts) -> ContenderTokens:
    """The tokens of all texts, concatenated; spans are offsets into all texts together."""
    each = [contender.tokens(contender.encode(contender.take_text(text))) for text in texts]
    starts = np.cumsum([0, *map(len, texts[:-1])])
    spans = [
        tokens.spans + start for tokens, start in zip(each, starts, strict=True) if tokens.spans is not None
    ]
    return ContenderTokens(
        np.concatenate([tokens.ids for tokens in each]),
        np.concatenate(spans) if len(spans) == len(each) else None,
    )


def compared_tokens(operation: str, subject: OperationInput) -> ContenderTokens:
    """The tokens by which an operation is judged; for a batch its own if they differ from single calls."""
    tokens = encode_all(subject.contender, subject.texts)
    subject.pause()
    if operation == BATCH and not np.array_equal(together := _batch_ids(subject), tokens.ids):
        return ContenderTokens(together, None)
    return tokens


def _batch_ids(subject: OperationInput) -> NDArray[np.int32]:
    contender = subject.contender
    row_tokens = contender.row_tokens or contender.tokens
    return np.concatenate([row_tokens(row).ids for row in _batch_call(subject)()])


def _encode(subject: OperationInput) -> TimedOperation:
    contender = subject.contender
    return TimedOperation(partial(contender.encode, contender.take_text(subject.text)))


def _encode_each(subject: OperationInput) -> TimedOperation:
    """Encode short texts one after another; times are per text."""
    encode, taken = subject.contender.encode, [subject.contender.take_text(text) for text in subject.texts]

    def encode_each() -> None:
        for text in taken:
            encode(text)

    return TimedOperation(encode_each, units=len(taken))


def _encode_singly(subject: OperationInput) -> TimedOperation:
    """Encode short texts that a newly loaded contender has not seen before, and time each call."""
    contender, took_s = subject.rebuild(), list[float]()
    first, *prompts = map(contender.take_text, subject.texts)
    contender.encode(first)  # builds what is built with the first text
    encode, clock_ns = contender.encode, time.perf_counter_ns
    endless = cycle(prompts)

    def encode_singly() -> None:
        took_s.clear()
        for text in islice(endless, N_SINGLE):
            start_ns = clock_ns()
            encode(text)
            took_s.append((clock_ns() - start_ns) / 1e9)

    return TimedOperation(encode_singly, units=N_SINGLE, calls_s=lambda: tuple(took_s))


def _batch_call(subject: OperationInput) -> Callable[[], Iterable[Any]]:
    contender = subject.contender
    if contender.encode_batch is None:
        raise UnavailableError("It encodes one text at a time.")
    taken = [contender.take_text(text) for text in subject.texts]
    return partial(contender.encode_batch, taken, subject.threads)


def _decode(subject: OperationInput) -> TimedOperation:
    contender = subject.contender
    if contender.decode is None:
        raise UnavailableError("It cannot decode.")
    ids: Any = contender.take_ids(encode_all(contender, subject.texts).ids)
    decoded = contender.decode(ids)
    if isinstance(decoded, str | bytes) and len(decoded) < LEAST_DECODED * sum(map(len, subject.texts)):
        raise UnavailableError("Its ids stand for little of the text.")
    return TimedOperation(partial(contender.decode, ids))


def _append(subject: OperationInput) -> TimedOperation:
    """Append the text part by part, and count its tokens after each; its ids at the end."""
    contender, text = subject.contender, subject.text
    if contender.appender is None:
        raise UnavailableError("It cannot append without encoding the whole text again.")
    counts, ids = contender.appender(text)
    if ids.tolist() != encode_all(contender, subject.texts).ids.tolist():
        raise UnavailableError("After appending, its ids differ from the ids of the whole text.")
    for index in np.linspace(0, len(counts) - 1, N_COMPARED).astype(int).tolist():
        subject.pause()
        size = min((index + 1) * APPENDED_BYTES, len(text))
        if counts[index] != len(encode_all(contender, [text[:size]]).ids):
            raise UnavailableError(f"After {size} bytes, its count differs from encoding them at once.")
    return TimedOperation(partial(contender.appender, text))


OPERATIONS: dict[str, Callable[[OperationInput], TimedOperation]] = {
    "encode": _encode,
    CHAT: _encode,  # the contender parses special tokens
    "encode each": _encode_each,
    SINGLY: _encode_singly,
    BATCH: lambda subject: TimedOperation(_batch_call(subject)),
    "decode": _decode,
    "append": _append,
}


# How long one call takes, by the wall clock and in processor time


class Clock(NamedTuple):
    """Both clocks in nanoseconds; processor time counts all threads of the process."""

    wall_ns: Callable[[], int]
    cpu_ns: Callable[[], int]


SYSTEM_CLOCK = Clock(time.perf_counter_ns, time.process_time_ns)


class TimedOperation(NamedTuple):
    """An operation to time.

    call     what is timed
    units    how many things one call processes, such as prompts: times are per unit
    calls_s  seconds of each unit in the last call, if it records them
    """

    call: Callable[[], object]
    units: int = 1
    calls_s: Callable[[], tuple[float, ...]] | None = None


class TimingSample(NamedTuple):
    """Seconds per unit, and of single calls if these were timed.

    waited  whether it waited for something other than a processor: processor time is then incomplete
    """

    wall_s: float
    cpu_s: float
    calls_s: tuple[float, ...] = ()
    waited: bool = False


def take_sample(operation: TimedOperation, n_calls: int, clock: Clock = SYSTEM_CLOCK) -> TimingSample:
    """The mean time of some calls in a row, without Python's garbage collection."""
    call = operation.call
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        n_waits, cpu_ns, wall_ns = _n_waits(), clock.cpu_ns(), clock.wall_ns()
        for _ in range(n_calls):
            call()
        wall_ns, cpu_ns = clock.wall_ns() - wall_ns, clock.cpu_ns() - cpu_ns
        n_waits = _n_waits() - n_waits
    finally:
        if was_enabled:
            gc.enable()
    n_units = n_calls * operation.units
    calls_s = operation.calls_s() if operation.calls_s else ()
    return TimingSample(wall_ns / n_units / 1e9, cpu_ns / n_units / 1e9, calls_s, n_waits > 0)


def _n_waits() -> int:
    """The voluntary context switches of this process; 0 if the system does not count them."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw if resource is not None else 0


def calls_per_sample(
    operation: TimedOperation, clock: Clock = SYSTEM_CLOCK, pause: Callable[[], object] = lambda: None
) -> int:
    """The calls per sample that make reading the clock negligible; 1 if each call is timed by itself.

    The calls must use enough processor time: by the wall clock, an interruption could make single calls look
    long enough, and these would all find cold caches.
    The very first call does not count: it may have to load things.
    """
    n_calls = 1
    if operation.calls_s is not None:
        return n_calls
    take_sample(operation, n_calls, clock)
    while n_calls < MOST_CALLS:
        pause()
        sample = take_sample(operation, n_calls, clock)
        wall_ns, cpu_ns = (each * operation.units * n_calls * 1e9 for each in sample[:2])
        if cpu_ns >= SHORTEST_SAMPLE_NS or wall_ns >= LONGEST_WAIT_NS:
            break
        n_calls *= 2
    return n_calls
