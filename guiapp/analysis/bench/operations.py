"""What can be timed about a contender, by name; each is checked before it is timed."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import cycle, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.bench.agreement import Tokens
from guiapp.analysis.bench.timing import Operation
from guiapp.analysis.libraries.contender import APPENDED_BYTES, Contender, UnavailableError

Texts = Sequence[bytes]

N_COMPARED = 50  # counts while appending
MEMORY = "memory"  # is not timed
BATCH = "encode batch"
SINGLY, N_SINGLE = "encode singly", 32  # calls of a sample


class Subject(NamedTuple):
    """What an operation is done with; `rebuild` gives the same contender as if just loaded."""

    contender: Contender
    rebuild: Callable[[], Contender]
    texts: Texts
    threads: int = 1

    @property
    def text(self) -> bytes:
        (text,) = self.texts
        return text


def encode_all(contender: Contender, texts: Texts) -> Tokens:
    """The tokens of all texts, one text behind the other."""
    each = [contender.tokens(contender.encode(contender.take_text(text))) for text in texts]
    starts = np.cumsum([0, *map(len, texts[:-1])])
    spans = [
        tokens.spans + start for tokens, start in zip(each, starts, strict=True) if tokens.spans is not None
    ]
    return Tokens(
        np.concatenate([tokens.ids for tokens in each]),
        np.concatenate(spans) if len(spans) == len(each) else None,
    )


def judged_tokens(operation: str, subject: Subject) -> Tokens:
    """The tokens that an operation is judged by: of batches their own where they are others."""
    tokens = encode_all(subject.contender, subject.texts)
    if operation == BATCH and not np.array_equal(together := _batch_ids(subject), tokens.ids):
        return Tokens(together, None)
    return tokens


def _batch_ids(subject: Subject) -> NDArray[np.int32]:
    contender = subject.contender
    row_tokens = contender.row_tokens or contender.tokens
    return np.concatenate([row_tokens(row).ids for row in _batch_call(subject)()])


def _encode(subject: Subject) -> Operation:
    contender = subject.contender
    return Operation(partial(contender.encode, contender.take_text(subject.text)))


def _encode_each(subject: Subject) -> Operation:
    """Short texts one after another; times are per text."""
    encode, taken = subject.contender.encode, [subject.contender.take_text(text) for text in subject.texts]

    def encode_each() -> None:
        for text in taken:
            encode(text)

    return Operation(encode_each, units=len(taken))


def _encode_singly(subject: Subject) -> Operation:
    """Short texts that a contender as if just loaded has not seen before, each call timed by itself."""
    contender, took_s = subject.rebuild(), list[float]()
    first, *prompts = map(contender.take_text, subject.texts)
    contender.encode(first)  # makes what is made with the first text
    encode, clock_ns = contender.encode, time.perf_counter_ns
    endless = cycle(prompts)

    def encode_singly() -> None:
        took_s.clear()
        for text in islice(endless, N_SINGLE):
            start_ns = clock_ns()
            encode(text)
            took_s.append((clock_ns() - start_ns) / 1e9)

    return Operation(encode_singly, units=N_SINGLE, calls_s=lambda: tuple(took_s))


def _batch_call(subject: Subject) -> Callable[[], Iterable[Any]]:
    contender = subject.contender
    if contender.encode_batch is None:
        raise UnavailableError("It encodes one text at a time.")
    taken = [contender.take_text(text) for text in subject.texts]
    return partial(contender.encode_batch, taken, subject.threads)


def _decode(subject: Subject) -> Operation:
    contender = subject.contender
    if contender.decode is None:
        raise UnavailableError("It cannot decode.")
    ids: Any = contender.take_ids(encode_all(contender, subject.texts).ids)
    return Operation(partial(contender.decode, ids))


def _append(subject: Subject) -> Operation:
    """The text part by part, its number of tokens after each, and its ids at the end."""
    contender, text = subject.contender, subject.text
    if contender.appender is None:
        raise UnavailableError("It cannot append: it would encode the whole text again for each part.")
    counts, ids = contender.appender(text)
    if ids.tolist() != encode_all(contender, subject.texts).ids.tolist():
        raise UnavailableError("Its ids after appending are not those of the whole text.")
    for index in np.linspace(0, len(counts) - 1, N_COMPARED).astype(int).tolist():
        size = min((index + 1) * APPENDED_BYTES, len(text))
        if counts[index] != len(encode_all(contender, [text[:size]]).ids):
            raise UnavailableError(f"Its count after {size} bytes is not that of encoding so many.")
    return Operation(partial(contender.appender, text))


OPERATIONS: dict[str, Callable[[Subject], Operation]] = {
    "encode": _encode,
    "encode each": _encode_each,
    SINGLY: _encode_singly,
    BATCH: lambda subject: Operation(_batch_call(subject)),
    "decode": _decode,
    "append": _append,
}
