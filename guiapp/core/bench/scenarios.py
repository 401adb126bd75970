"""What is measured: each scenario is a row here, and gives the cells that contenders run in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from guiapp.core.bench.contenders import as_split, split_name
from guiapp.core.bench.corpus import Corpus, stretched, worst_texts
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.stages import STAGES, WHOLE, stage_names
from guiapp.core.tokenizer import Tokenizer

SCALING_BYTES = (*(1 << power for power in range(7, 22, 2)), 1 << 22)  # 128 B to 4 MB
SHORT_BYTES = (16, 128, 1024)
WORST_BYTES = (1_000, 10_000, 100_000, 1_000_000)
APPEND_BYTES = (1_000, 10_000)
PART_TOKENS = (10, 100, 1_000, 10_000)
N_PROMPTS = 64
N_PARTS = 64
DOCUMENT_BYTES = 2_000
BATCH_BYTES = 1 << 21


@dataclass(frozen=True)
class Cell:
    """What all contenders do in turn.

    texts      what they do it with; prompts and documents are several
    parts      of the only text, where parts are counted
    unit_bytes, unit_tokens   the size that times refer to; None where it is that of all texts together
    only       the contenders that have this; None: all
    """

    scenario: str
    operation: str
    corpus: str
    texts: tuple[bytes, ...]
    parts: tuple[tuple[int, int], ...] = ()
    threads: int = 1
    unit_bytes: int | None = None
    unit_tokens: int | None = None
    only: frozenset[str] | None = None

    def is_for(self, contender: str) -> bool:
        return self.only is None or contender in self.only

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.texts)) if self.unit_bytes is None else self.unit_bytes


@dataclass(frozen=True)
class Setting:
    """What scenarios make their cells from."""

    plan: Plan
    tokenizer: Tokenizer
    corpora: Sequence[Corpus]


@dataclass(frozen=True)
class Scenario:
    """A question that a run can answer; `grows` where its cells differ in size only."""

    name: str
    title: str
    cells: Callable[[Setting], Iterator[Cell]]
    grows: bool = False


def _throughput(setting: Setting) -> Iterator[Cell]:
    for corpus in setting.corpora:
        yield Cell("throughput", "encode", corpus.name, (corpus.text,))


def _scaling(setting: Setting) -> Iterator[Cell]:
    corpus = setting.corpora[0]
    for size in SCALING_BYTES:
        yield Cell("scaling", "encode", corpus.name, (stretched(corpus.text, size),))


def _short(setting: Setting) -> Iterator[Cell]:
    corpus = setting.corpora[0]
    for size in SHORT_BYTES:
        prompts = _pieces(corpus.text, size, N_PROMPTS)
        yield Cell("short", "encode each", corpus.name, prompts, unit_bytes=size)


def _worst(setting: Setting) -> Iterator[Cell]:
    for name in worst_texts(setting.tokenizer.vocabulary, 1):
        for size in WORST_BYTES:
            text = worst_texts(setting.tokenizer.vocabulary, size, setting.plan.seed)[name]
            yield Cell("worst", "encode", name, (text,))


def _cold(setting: Setting) -> Iterator[Cell]:
    for corpus in setting.corpora:
        yield Cell("cold", "encode first", corpus.name, (corpus.text,))


def _threads(setting: Setting) -> Iterator[Cell]:
    documents = _documents(setting.corpora[0].text)
    for threads in setting.plan.threads:
        yield Cell("threads", "encode batch", setting.corpora[0].name, documents, threads=threads)


def _decode(setting: Setting) -> Iterator[Cell]:
    for corpus in setting.corpora:
        yield Cell("decode", "decode", corpus.name, (corpus.text,))


def _append(setting: Setting) -> Iterator[Cell]:
    corpus = setting.corpora[0]
    for size in APPEND_BYTES:
        text = stretched(corpus.text, size)
        yield Cell("append", "append bytes", corpus.name, (text,))
        yield Cell("append", "encode", corpus.name, (text,))


def _interval(setting: Setting) -> Iterator[Cell]:
    """Parts of so many tokens, beginning at random tokens."""
    corpus = setting.corpora[0]
    encode = setting.tokenizer.encode
    text = corpus.text
    while len(spans := encode(text, add_special=False, parse_special=False).spans) <= PART_TOKENS[-1]:
        text += b"\n" + corpus.text
    generator = np.random.default_rng(setting.plan.seed)
    for n_tokens in PART_TOKENS:
        first = generator.integers(0, len(spans) - n_tokens, N_PARTS)
        bounds = spans[first, 0].tolist(), spans[first + n_tokens - 1, 1].tolist()
        parts = tuple(zip(*bounds, strict=True))
        mean_bytes = round(sum(end - start for start, end in parts) / N_PARTS)
        for operation in ("count parts", "encode parts"):
            yield Cell("interval", operation, corpus.name, (text,), parts, 1, mean_bytes, n_tokens)


def _batch(setting: Setting) -> Iterator[Cell]:
    for corpus in setting.corpora:
        yield Cell("batch", "encode batch", corpus.name, _documents(corpus.text))


def _stages(setting: Setting) -> Iterator[Cell]:
    """The whole call, then each stage for those of our encoders that have it."""
    having: dict[str, set[str]] = {name: set() for name in STAGES}
    for contender in setting.plan.contenders or setting.tokenizer.encoders:
        name, is_split = split_name(contender)
        if name in setting.tokenizer.encoders:
            for stage in stage_names(as_split(setting.tokenizer, is_split), name):
                having[stage].add(contender)
    for corpus in setting.corpora:
        yield Cell("stages", WHOLE, corpus.name, (corpus.text,))
        for stage in filter(having.get, STAGES):
            yield Cell("stages", stage, corpus.name, (corpus.text,), only=frozenset(having[stage]))


def _memory(setting: Setting) -> Iterator[Cell]:
    corpus = setting.corpora[0]
    yield Cell("memory", "memory", corpus.name, (stretched(corpus.text, BATCH_BYTES),))


def _documents(text: bytes) -> tuple[bytes, ...]:
    """Texts of the length of a short page, as many as fill a batch."""
    return _pieces(text, DOCUMENT_BYTES, BATCH_BYTES // DOCUMENT_BYTES)


def _pieces(text: bytes, size_bytes: int, count: int) -> tuple[bytes, ...]:
    """Stretches of one size from places all over the text."""
    repeated = stretched(text, max(len(text), size_bytes) + size_bytes)
    starts = np.linspace(0, len(repeated) - size_bytes, count).astype(int).tolist()
    return tuple(_from_character(repeated, start, size_bytes) for start in starts)


def _from_character(text: bytes, start: int, size_bytes: int) -> bytes:
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return stretched(text[start : start + size_bytes + 4], size_bytes)


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario("throughput", "Throughput by text", _throughput),
        Scenario("scaling", "Time against length", _scaling, grows=True),
        Scenario("short", "Short prompts, time per call", _short),
        Scenario("worst", "Worst case: text that cannot be split", _worst, grows=True),
        Scenario("cold", "The first text after loading", _cold),
        Scenario("threads", "A batch on several threads", _threads),
        Scenario("decode", "Decoding", _decode),
        Scenario("append", "Appending byte by byte with a count after each, and encoding once", _append),
        Scenario("interval", "Counting parts, and encoding them", _interval),
        Scenario("batch", "A batch of documents on one thread", _batch),
        Scenario("stages", "Stages of encoding, each by itself", _stages),
        Scenario("memory", "Memory", _memory),
    )
}
