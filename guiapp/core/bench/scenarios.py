"""What is measured: each scenario is a row here.

Its tasks tell the sizes and who does what, for a forecast too; they become cells when their texts are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from guiapp.core.bench.contenders.contender import APPENDED_BYTES, as_split, split_name
from guiapp.core.bench.corpus import WORST_TEXTS, Corpus, fresh_text, stretched, worst_texts
from guiapp.core.bench.energy import why_no_energy
from guiapp.core.bench.operations import MEMORY, METERED, N_SINGLE, SINGLY
from guiapp.core.bench.stages import STAGES, WHOLE, stage_names
from guiapp.core.tokenizer import Tokenizer

if TYPE_CHECKING:  # plans name the scenarios that are measured where nobody asks for others
    from guiapp.core.bench.plan import Plan

SCALING_BYTES = (*(1 << power for power in range(7, 22, 2)), 1 << 22)  # 128 B to 4 MB
SHORT_BYTES = (16, 128, 1024)
WORST_BYTES = (1_000, 10_000, 100_000, 1_000_000)
APPEND_BYTES = (1_000, 10_000)
PART_TOKENS = (10, 100, 1_000, 10_000)
BYTES_PER_TOKEN = 4  # about
LONGEST_PART_BYTES = 100_000  # that surely hold more tokens than the longest part
N_PROMPTS = 64
N_PARTS = 64
N_UNSEEN, UNSEEN_BYTES = 2_048, 128
DOCUMENT_BYTES = 2_000
BATCH_BYTES = 1 << 21
UNITS = {
    "encode each": N_PROMPTS,
    "count parts": N_PARTS,
    "encode parts": N_PARTS,
    SINGLY: N_SINGLE,
}  # of one call


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
    own_bytes   of the text that they are made of; less than all together where it is repeated
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
    own_bytes: int | None = None
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
        name, own_bytes = self.corpora[task.text].name, len(self.text(task, task.size_bytes))
        return Cell(task.scenario, task.operations, name, texts, threads=task.threads, own_bytes=own_bytes)

    def text(self, task: Task, size_bytes: int) -> bytes:
        """The text of a task, at least so long."""
        text = self.corpora[task.text].text
        if self.plan.repeat == "fresh" and size_bytes > len(text):
            return text + fresh_text(size_bytes - len(text), self.plan.seed)
        return text

    @property
    def contenders(self) -> tuple[str, ...]:
        return self.plan.contenders or tuple(self.tokenizer.encoders)


Extent = tuple[int, int, int]
"""Number of the text, bytes, and threads."""


Chart = Literal["bars", "curves", "groups", "stages", "memory", "latency"]
Unit = Literal["MB/s", "s", "MB", "J/MB"]
"""Of what charts and tables show: a speed, the time of a call, memory, or energy."""


@dataclass(frozen=True)
class Scenario:
    """A question that a run can answer, and all that anybody needs to know to ask and to show it.

    title       of charts and tables, a sentence
    label       in lists and on tabs, short
    help        what is timed, in one sentence
    operations  groups of what is done within the same rounds; each group has cells of its own
    extents     of all cells of a group, from a plan and the bytes of its texts
    cell        what becomes of a task
    chart       the kind of its picture
    by_text     whether each text has results, and so a chart, of its own
    own_texts   what is encoded instead of the texts of a plan
    grows       whether cells differ in size only
    is_default  whether it is measured where nobody asks for any
    slowdown    how many times as long as an ordinary text a byte takes, about
    beside      the scenario whose results for the same texts are shown beside
    why_not     says why it cannot be measured on this machine, "" where it can
    """

    name: str
    title: str
    label: str
    help: str
    operations: tuple[tuple[str, ...], ...]
    extents: Callable[[Plan, Sequence[int]], Iterator[Extent]]
    cell: Callable[[Setting, Task], Cell]
    unit: Unit
    chart: Chart
    by_text: bool = False
    own_texts: tuple[str, ...] = ()
    grows: bool = False
    is_default: bool = False
    slowdown: float = 1.0
    beside: str = ""
    why_not: Callable[[], str] = lambda: ""

    @property
    def is_live(self) -> bool:
        """Whether samples that come one by one say what it shows."""
        return self.chart != "latency" and self.unit != "J/MB"

    def tasks(self, plan: Plan, text_bytes: Sequence[int]) -> Iterator[Task]:
        for extent in self.extents(plan, text_bytes):
            for operations in self.operations:
                yield Task(self.name, operations, *extent)


def tasks_of(plan: Plan, text_bytes: Sequence[int]) -> list[Task]:
    """The cells of a plan in order, for texts of so many bytes, without making them.

    Sizes above a text's own are that, unless the plan says what is repeated.  None without a text.
    """
    if not text_bytes:
        return []
    scenarios = [SCENARIOS[name] for name in dict.fromkeys(plan.scenarios)]
    largest = plan.largest_bytes or math.inf
    tasks = []
    for scenario in scenarios:
        for task in scenario.tasks(plan, text_bytes):
            if plan.repeat == "never" and not scenario.own_texts:
                task = task._replace(size_bytes=min(task.size_bytes, text_bytes[task.text]))
            if task.call_bytes <= largest or not scenario.grows:
                tasks.append(task)
    return sorted(dict.fromkeys(tasks), key=lambda task: task.threads)  # others need other workers


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
    return setting.cell(task, stretched(setting.text(task, task.size_bytes), task.size_bytes))


def _prompts(setting: Setting, task: Task) -> Cell:
    prompts = _pieces(setting.corpora[task.text].text, task.size_bytes, N_PROMPTS)
    return replace(setting.cell(task, *prompts), unit_bytes=task.size_bytes)


def _unseen(setting: Setting, task: Task) -> Cell:
    """Stretches from random places, so that hardly any comes twice."""
    text, size = setting.corpora[task.text].text, task.size_bytes
    starts = np.random.default_rng(setting.plan.seed).integers(0, len(text), N_UNSEEN).tolist()
    repeated = stretched(text, len(text) + size)
    prompts = dict.fromkeys(_from_character(repeated, start, size) for start in starts)
    return replace(setting.cell(task, *(prompts if len(prompts) > 1 else [*prompts] * 2)), unit_bytes=size)


def _worst(setting: Setting, task: Task) -> Cell:
    name = WORST_TEXTS[task.text]
    text = worst_texts(setting.tokenizer.vocabulary, task.size_bytes, setting.plan.seed)[name]
    return Cell(task.scenario, task.operations, name, (text,))


def _documents(setting: Setting, task: Task) -> Cell:
    """Texts of the length of a short page, as many as fill a batch."""
    text, n_documents = setting.text(task, task.size_bytes), max(task.size_bytes // DOCUMENT_BYTES, 1)
    return setting.cell(task, *_pieces(text, min(DOCUMENT_BYTES, task.size_bytes), n_documents))


def _parts(setting: Setting, task: Task) -> Cell:
    """Parts of so many tokens, beginning at random tokens."""
    text = setting.text(task, LONGEST_PART_BYTES)
    if setting.plan.repeat == "same":
        text = stretched(text, max(len(text), LONGEST_PART_BYTES))
    spans = setting.tokenizer.encode(text, add_special=False, parse_special=False).spans
    if not len(spans):
        spans = np.array([[0, len(text)]])
    n_tokens = min(max(task.size_bytes // BYTES_PER_TOKEN, 1), len(spans))
    generator = np.random.default_rng(setting.plan.seed + n_tokens)
    first = generator.integers(0, len(spans) - n_tokens + 1, N_PARTS)
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
        Scenario(
            "throughput",
            "Throughput",
            "Throughput",
            "encoding each text as a whole",
            *(_ENCODE, _whole_texts, _whole),
            unit="MB/s",
            chart="bars",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "scaling",
            "Time by length of text",
            "By length",
            "encoding the beginning of the first text, from 128 B to 4 MiB",
            *(_ENCODE, _sizes(*SCALING_BYTES), _stretched),
            unit="s",
            chart="curves",
            grows=True,
        ),
        Scenario(
            "short",
            "Time of a short call",
            "Short calls",
            f"one call for each of {N_PROMPTS} stretches of 16, 128 and 1,024 bytes of the first text",
            *((("encode each",),), _sizes(*SHORT_BYTES), _prompts),
            unit="s",
            chart="curves",
            is_default=True,
        ),
        Scenario(
            "latency",
            "Half, 95 and 99 of 100 single calls take no longer than this",
            "Single calls",
            f"each of {N_UNSEEN:,} calls with other {UNSEEN_BYTES} bytes of the first text by itself",
            *(((SINGLY,),), _sizes(UNSEEN_BYTES), _unseen),
            unit="s",
            chart="latency",
        ),
        Scenario(
            "worst",
            "Time of text that cannot be split",
            "Worst case",
            "encoding letters without a space, 1 kB to 1 MB of three kinds",
            *(_ENCODE, _worst_sizes, _worst),
            unit="s",
            chart="curves",
            by_text=True,
            own_texts=WORST_TEXTS,
            grows=True,
            slowdown=5.0,
        ),
        Scenario(
            "cold",
            "The first call after loading, beside later ones",
            "First call",
            "encoding each text once after loading, when nothing is cached",
            *((("encode first",),), _whole_texts, _whole),
            unit="s",
            chart="groups",
            by_text=True,
            is_default=True,
            beside="throughput",
        ),
        Scenario(
            "threads",
            "A batch of documents by number of threads",
            "Threads",
            "encoding up to 2 MiB in documents of 2 kB, on so many threads",
            *(_BATCH, _batch_on_threads, _documents),
            unit="MB/s",
            chart="groups",
        ),
        Scenario(
            "decode",
            "Speed of decoding",
            "Decode",
            "making text of the ids of each text",
            *((("decode",),), _whole_texts, _whole),
            unit="MB/s",
            chart="groups",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "append",
            f"Time of appending {APPENDED_BYTES} bytes at a time, with a count after each",
            "Append",
            "a text that grows with a count after each part, and encoding it once",
            *(_APPEND, _sizes(*APPEND_BYTES), _stretched),
            unit="s",
            chart="curves",
        ),
        Scenario(
            "interval",
            "Time of counting a part of a text",
            "Parts",
            "counting 10 to 10,000 tokens from the middle of a text, and encoding as many",
            *(_PARTS, _sizes(*(BYTES_PER_TOKEN * n_tokens for n_tokens in PART_TOKENS)), _parts),
            unit="s",
            chart="curves",
        ),
        Scenario(
            "batch",
            "A batch of documents on one thread",
            "Batch",
            "encoding up to 2 MiB of each text in documents of 2 kB",
            *(_BATCH, _batches, _documents),
            unit="MB/s",
            chart="groups",
            by_text=True,
        ),
        Scenario(
            "stages",
            "Where the time of a call goes",
            "Stages",
            "each stage of our encoders by itself, and the whole call",
            *(((WHOLE, *STAGES),), _whole_texts, _stages),
            unit="s",
            chart="stages",
            by_text=True,
        ),
        Scenario(
            "memory",
            "Memory of a contender that is ready, and what encoding adds",
            "Memory",
            "what a contender takes in memory, and what up to 2 MiB add at most; no time",
            *(((MEMORY,),), _sizes(BATCH_BYTES), _stretched),
            unit="MB",
            chart="memory",
        ),
        Scenario(
            "energy",
            "Energy of encoding",
            "Energy",
            "what the processor consumes while each text is encoded, idle cores and other programs included",
            *(((METERED,),), _whole_texts, _whole),
            unit="J/MB",
            chart="groups",
            by_text=True,
            why_not=why_no_energy,
        ),
    )
}
DEFAULT_SCENARIOS = tuple(name for name, scenario in SCENARIOS.items() if scenario.is_default)
