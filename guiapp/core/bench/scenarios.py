"""What is measured: each scenario is a row here.

Its tasks tell the sizes and who does what, for a forecast too; they become cells when their texts are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from guiapp.core.bench.contenders.contender import APPENDED_BYTES, as_split, split_name
from guiapp.core.bench.corpus import WORST_TEXTS, Corpus, stretched, worst_texts
from guiapp.core.bench.operations import MEMORY
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.stages import STAGES, WHOLE, stage_names
from guiapp.core.tokenizer import Tokenizer

SCALING_BYTES = (*(1 << power for power in range(7, 22, 2)), 1 << 22)  # 128 B to 4 MB
SHORT_BYTES = (16, 128, 1024)
WORST_BYTES = (1_000, 10_000, 100_000, 1_000_000)
APPEND_BYTES = (1_000, 10_000)
PART_TOKENS = (10, 100, 1_000, 10_000)
BYTES_PER_TOKEN = 4  # about
N_PROMPTS = 64
N_PARTS = 64
DOCUMENT_BYTES = 2_000
BATCH_BYTES = 1 << 21
UNITS = {"encode each": N_PROMPTS, "count parts": N_PARTS, "encode parts": N_PARTS}  # of one call


class Task(NamedTuple):
    """What a cell is before its texts are made.

    operations  take turns like contenders, so that what machines do to their times falls on all of them
    text        the number of the corpus, or of the text of the worst case
    size_bytes  of the text, or of one of UNITS, about
    """

    scenario: str
    operations: tuple[str, ...]
    text: int
    size_bytes: int
    threads: int = 1

    @property
    def call_bytes(self) -> int:
        """What one call takes."""
        return self.size_bytes * UNITS.get(self.operations[0], 1)


@dataclass(frozen=True)
class Cell:
    """What all contenders do in turn.

    operations  what they do in each round, with
    texts       these; prompts and documents are several
    parts       of the only text, where parts are counted
    unit_bytes, unit_tokens   the size that times refer to; None where it is that of all texts together
    only        by operation, the contenders that have it; all where nothing is said
    """

    scenario: str
    operations: tuple[str, ...]
    corpus: str
    texts: tuple[bytes, ...]
    parts: tuple[tuple[int, int], ...] = ()
    threads: int = 1
    unit_bytes: int | None = None
    unit_tokens: int | None = None
    only: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_for(self, contender: str, operation: str) -> bool:
        return operation not in self.only or contender in self.only[operation]

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.texts)) if self.unit_bytes is None else self.unit_bytes


@dataclass(frozen=True)
class Setting:
    """What tasks become cells with."""

    plan: Plan
    tokenizer: Tokenizer
    corpora: Sequence[Corpus]

    def cell(self, task: Task, *texts: bytes) -> Cell:
        name = self.corpora[task.text].name
        return Cell(task.scenario, task.operations, name, texts, threads=task.threads)

    @property
    def contenders(self) -> tuple[str, ...]:
        return self.plan.contenders or tuple(self.tokenizer.encoders)


Extent = tuple[int, int, int]
"""Number of the text, bytes, and threads."""


@dataclass(frozen=True)
class Scenario:
    """A question that a run can answer.

    operations  groups of what is done within the same rounds; each group has cells of its own
    extents     of all cells of a group, from a plan and the bytes of its texts
    cell        what becomes of a task
    grows       whether cells differ in size only
    """

    name: str
    title: str
    operations: tuple[tuple[str, ...], ...]
    extents: Callable[[Plan, Sequence[int]], Iterator[Extent]]
    cell: Callable[[Setting, Task], Cell]
    grows: bool = False

    def tasks(self, plan: Plan, text_bytes: Sequence[int]) -> Iterator[Task]:
        for extent in self.extents(plan, text_bytes):
            for operations in self.operations:
                yield Task(self.name, operations, *extent)


def tasks_of(plan: Plan, text_bytes: Sequence[int]) -> list[Task]:
    """The cells of a plan in order, for texts of so many bytes, without making them."""
    scenarios = [SCENARIOS[name] for name in dict.fromkeys(plan.scenarios)]
    largest = plan.largest_bytes or math.inf
    tasks = [
        task
        for scenario in scenarios
        for task in scenario.tasks(plan, text_bytes)
        if task.call_bytes <= largest or not scenario.grows
    ]
    return sorted(tasks, key=lambda task: task.threads)  # others need other workers


def _whole_texts(_: Plan, text_bytes: Sequence[int]) -> Iterator[Extent]:
    for text, size in enumerate(text_bytes):
        yield text, size, 1


def _batches(_: Plan, text_bytes: Sequence[int]) -> Iterator[Extent]:
    for text in range(len(text_bytes)):
        yield text, BATCH_BYTES, 1


def _batch_on_threads(plan: Plan, _: Sequence[int]) -> Iterator[Extent]:
    for threads in plan.threads:
        yield 0, BATCH_BYTES, threads


def _worst_sizes(_plan: Plan, _: Sequence[int]) -> Iterator[Extent]:
    for text in range(len(WORST_TEXTS)):
        for size in WORST_BYTES:
            yield text, size, 1


def _sizes(*sizes: int) -> Callable[[Plan, Sequence[int]], Iterator[Extent]]:
    """Of the first text."""
    return lambda _plan, _text_bytes: ((0, size, 1) for size in sizes)


def _whole(setting: Setting, task: Task) -> Cell:
    return setting.cell(task, setting.corpora[task.text].text)


def _stretched(setting: Setting, task: Task) -> Cell:
    return setting.cell(task, stretched(setting.corpora[task.text].text, task.size_bytes))


def _prompts(setting: Setting, task: Task) -> Cell:
    prompts = _pieces(setting.corpora[task.text].text, task.size_bytes, N_PROMPTS)
    return replace(setting.cell(task, *prompts), unit_bytes=task.size_bytes)


def _worst(setting: Setting, task: Task) -> Cell:
    name = WORST_TEXTS[task.text]
    text = worst_texts(setting.tokenizer.vocabulary, task.size_bytes, setting.plan.seed)[name]
    return Cell(task.scenario, task.operations, name, (text,))


def _documents(setting: Setting, task: Task) -> Cell:
    """Texts of the length of a short page, as many as fill a batch."""
    text = setting.corpora[task.text].text
    return setting.cell(task, *_pieces(text, DOCUMENT_BYTES, BATCH_BYTES // DOCUMENT_BYTES))


def _parts(setting: Setting, task: Task) -> Cell:
    """Parts of so many tokens, beginning at random tokens."""
    n_tokens = task.size_bytes // BYTES_PER_TOKEN
    text = corpus_text = setting.corpora[task.text].text
    encode = setting.tokenizer.encode
    while len(spans := encode(text, add_special=False, parse_special=False).spans) <= PART_TOKENS[-1]:
        text += b"\n" + corpus_text
    generator = np.random.default_rng(setting.plan.seed + n_tokens)
    first = generator.integers(0, len(spans) - n_tokens, N_PARTS)
    bounds = spans[first, 0].tolist(), spans[first + n_tokens - 1, 1].tolist()
    parts = tuple(zip(*bounds, strict=True))
    mean_bytes = round(sum(end - start for start, end in parts) / N_PARTS)
    return replace(setting.cell(task, text), parts=parts, unit_bytes=mean_bytes, unit_tokens=n_tokens)


def _stages(setting: Setting, task: Task) -> Cell:
    """The whole call, and each stage for those of our encoders that have it."""
    having: dict[str, set[str]] = {name: set() for name in STAGES}
    for contender in setting.contenders:
        name, is_split = split_name(contender)
        if name in setting.tokenizer.encoders:
            for stage in stage_names(as_split(setting.tokenizer, is_split), name):
                having[stage].add(contender)
    only = {stage: frozenset(names) for stage, names in having.items() if names}
    return replace(_whole(setting, task), operations=(WHOLE, *only), only=only)


def _pieces(text: bytes, size_bytes: int, count: int) -> tuple[bytes, ...]:
    """Stretches of one size from places all over the text."""
    repeated = stretched(text, max(len(text), size_bytes) + size_bytes)
    starts = np.linspace(0, len(repeated) - size_bytes, count).astype(int).tolist()
    return tuple(_from_character(repeated, start, size_bytes) for start in starts)


def _from_character(text: bytes, start: int, size_bytes: int) -> bytes:
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return stretched(text[start : start + size_bytes + 4], size_bytes)


_ENCODE = (("encode",),)
_BATCH = (("encode batch",),)
_APPEND = (("append", "encode"),)
_PARTS = (("count parts", "encode parts"),)

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario("throughput", "Throughput by text", _ENCODE, _whole_texts, _whole),
        Scenario("scaling", "Time against length", _ENCODE, _sizes(*SCALING_BYTES), _stretched, grows=True),
        Scenario(
            "short", "Short prompts, time per call", (("encode each",),), _sizes(*SHORT_BYTES), _prompts
        ),
        Scenario("worst", "Worst case: text that cannot be split", _ENCODE, _worst_sizes, _worst, grows=True),
        Scenario("cold", "The first text after loading", (("encode first",),), _whole_texts, _whole),
        Scenario("threads", "A batch on several threads", _BATCH, _batch_on_threads, _documents),
        Scenario("decode", "Decoding", (("decode",),), _whole_texts, _whole),
        Scenario(
            "append",
            f"Appending {APPENDED_BYTES} bytes at a time with a count after each, and encoding once",
            _APPEND,
            _sizes(*APPEND_BYTES),
            _stretched,
        ),
        Scenario(
            "interval",
            "Counting parts, and encoding them",
            _PARTS,
            _sizes(*(BYTES_PER_TOKEN * n_tokens for n_tokens in PART_TOKENS)),
            _parts,
        ),
        Scenario("batch", "A batch of documents on one thread", _BATCH, _batches, _documents),
        Scenario("stages", "Stages of encoding, each by itself", ((WHOLE, *STAGES),), _whole_texts, _stages),
        Scenario("memory", "Memory", ((MEMORY,),), _sizes(BATCH_BYTES), _stretched),
    )
}
