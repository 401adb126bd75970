"""What is measured: each scenario is a row of SCENARIOS.

Its tasks tell the sizes and who does what, for a forecast too; cells are tasks whose texts are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from guiapp.analysis.bench.corpus import WORST_TEXTS, BenchText, fresh_text, stretched, worst_texts
from guiapp.analysis.bench.operations import MEMORY, N_SINGLE, SINGLY
from guiapp.analysis.libraries.contender import APPENDED_BYTES
from guiapp.core.encode.tokenizer import Tokenizer

if TYPE_CHECKING:
    from guiapp.analysis.bench.plan import Plan

N_PROMPTS = 64
N_UNSEEN, UNSEEN_BYTES = 2_048, 128
DOCUMENT_BYTES = 2_000
N_TEXTS = {"encode each": N_PROMPTS, SINGLY: N_SINGLE}  # of one call
SCALING_BYTES = (*(1 << power for power in range(7, 22, 2)), 1 << 22)  # 128 B to 4 MB
SHORT_BYTES = (16, 128, 1024)
WORST_BYTES = (1_000, 10_000, 100_000, 1_000_000)
APPEND_BYTES = (1_000, 10_000)
BATCH_BYTES = 1 << 21

Extent = tuple[int, int, int]
"""Number of the text, bytes, and threads."""
Chart = Literal["bars", "curves", "groups", "memory", "latency"]
Unit = Literal["MB/s", "s", "MB"]
"""A speed, the time of a call, or memory."""
UNITS: Mapping[Chart, Unit] = {
    "bars": "MB/s",
    "groups": "MB/s",
    "curves": "s",
    "latency": "s",
    "memory": "MB",
}


class CellTask(NamedTuple):
    """What a cell is before its texts are made.

    operations  take turns like contenders, so that what machines do to their times falls on all of them
    text        the number of the corpus, or of the text of the worst case
    size_bytes  of the text, or of one of N_TEXTS, about
    """

    scenario: str
    operations: tuple[str, ...]
    text: int
    size_bytes: int
    threads: int = 1

    @property
    def call_bytes(self) -> int:
        """What one call takes."""
        return self.size_bytes * N_TEXTS.get(self.operations[0], 1)


@dataclass(frozen=True)
class BenchCell:
    """What all contenders do in turn.

    operations  what they do in each round, with
    texts       these; prompts and documents are several
    unit_bytes  the size that times refer to; None where it is that of all texts together
    own_bytes   of the text that they are made of; less than all together where it is repeated
    """

    scenario: str
    operations: tuple[str, ...]
    corpus: str
    texts: tuple[bytes, ...]
    threads: int = 1
    unit_bytes: int | None = None
    own_bytes: int | None = None

    @property
    def size_bytes(self) -> int:
        return sum(map(len, self.texts)) if self.unit_bytes is None else self.unit_bytes


@dataclass(frozen=True)
class CellBuilder:
    """What tasks become cells with."""

    plan: Plan
    tokenizer: Tokenizer
    corpora: Sequence[BenchText]

    def cell(self, task: CellTask, *texts: bytes) -> BenchCell:
        name, own_bytes = self.corpora[task.text].name, len(self.text(task, task.size_bytes))
        return BenchCell(
            task.scenario, task.operations, name, texts, threads=task.threads, own_bytes=own_bytes
        )

    def text(self, task: CellTask, size_bytes: int) -> bytes:
        """The text of a task, at least so long."""
        text = self.corpora[task.text].text
        if self.plan.repeat == "fresh" and size_bytes > len(text):
            return text + fresh_text(size_bytes - len(text), self.plan.seed)
        return text


def whole(setting: CellBuilder, task: CellTask) -> BenchCell:
    return setting.cell(task, setting.corpora[task.text].text)


def lengthened(setting: CellBuilder, task: CellTask) -> BenchCell:
    return setting.cell(task, stretched(setting.text(task, task.size_bytes), task.size_bytes))


def prompts(setting: CellBuilder, task: CellTask) -> BenchCell:
    prompts = _pieces(setting.corpora[task.text].text, task.size_bytes, N_PROMPTS)
    return replace(setting.cell(task, *prompts), unit_bytes=task.size_bytes)


def unseen(setting: CellBuilder, task: CellTask) -> BenchCell:
    """Stretches from random places, so that hardly any comes twice."""
    text, size = setting.corpora[task.text].text, task.size_bytes
    starts = np.random.default_rng(setting.plan.seed).integers(0, len(text), N_UNSEEN).tolist()
    repeated = stretched(text, len(text) + size)
    prompts = dict.fromkeys(_from_character(repeated, start, size) for start in starts)
    return replace(setting.cell(task, *(prompts if len(prompts) > 1 else [*prompts] * 2)), unit_bytes=size)


def worst(setting: CellBuilder, task: CellTask) -> BenchCell:
    name = WORST_TEXTS[task.text]
    text = worst_texts(setting.tokenizer.vocabulary, task.size_bytes, setting.plan.seed)[name]
    return BenchCell(task.scenario, task.operations, name, (text,))


def documents(setting: CellBuilder, task: CellTask) -> BenchCell:
    """Texts of the length of a short page, as many as fill a batch."""
    text, n_documents = setting.text(task, task.size_bytes), max(task.size_bytes // DOCUMENT_BYTES, 1)
    return setting.cell(task, *_pieces(text, min(DOCUMENT_BYTES, task.size_bytes), n_documents))


def _pieces(text: bytes, size_bytes: int, count: int) -> tuple[bytes, ...]:
    """Stretches of one size from places all over the text."""
    repeated = stretched(text, max(len(text), size_bytes) + size_bytes)
    starts = np.linspace(0, len(repeated) - size_bytes, count).astype(int).tolist()
    return tuple(_from_character(repeated, start, size_bytes) for start in starts)


def _from_character(text: bytes, start: int, size_bytes: int) -> bytes:
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return stretched(text[start : start + size_bytes + 4], size_bytes)


@dataclass(frozen=True)
class Scenario:
    """A question that a run can answer, and all that anybody needs to know to ask and to show it.

    title       of charts and tables, a sentence
    label       in lists and on tabs, short
    help        what is timed, in one sentence
    operations  what is done within the same rounds
    extents     of all cells, from a plan and the bytes of its texts
    cell        what becomes of a task
    chart       the kind of its picture
    by_text     whether each text has results, and so a chart, of its own
    own_texts   what is encoded instead of the texts of a plan
    grows       whether cells differ in size only
    on_threads  whether cells differ in threads only, and so by the wall clock; their size is that of a batch
                however short the texts are: of less, threads have nothing to share
    is_default  whether it is measured where nobody asks for any
    """

    name: str
    title: str
    label: str
    help: str
    operations: tuple[str, ...]
    extents: Callable[[Plan, Sequence[int]], Iterator[Extent]]
    cell: Callable[[CellBuilder, CellTask], BenchCell]
    chart: Chart
    by_text: bool = False
    own_texts: tuple[str, ...] = ()
    grows: bool = False
    on_threads: bool = False
    is_default: bool = False

    @property
    def unit(self) -> Unit:
        """Of what its chart and tables show."""
        return UNITS[self.chart]

    @property
    def is_live(self) -> bool:
        """Whether samples that come one by one say what it shows."""
        return self.chart != "latency"


def tasks_of(plan: Plan, text_bytes: Sequence[int]) -> list[CellTask]:
    """The cells of a plan in order, for texts of so many bytes, without making them.

    Sizes above a text's own are that, unless the plan says what is repeated.  None without a text.
    """
    if not text_bytes:
        return []
    scenarios = [SCENARIOS[name] for name in dict.fromkeys(plan.scenarios)]
    largest = plan.largest_bytes or math.inf
    tasks = []
    for scenario in scenarios:
        for extent in scenario.extents(plan, text_bytes):
            task = CellTask(scenario.name, scenario.operations, *extent)
            if plan.repeat == "never" and not (scenario.own_texts or scenario.on_threads):
                task = task._replace(size_bytes=min(task.size_bytes, text_bytes[task.text]))
            if task.call_bytes <= largest or not scenario.grows:
                tasks.append(task)
    return sorted(dict.fromkeys(tasks), key=_turn)


def _turn(task: CellTask) -> tuple[int, bool]:
    """Other numbers of threads need other workers; those that are compared follow each other."""
    return task.threads, SCENARIOS[task.scenario].on_threads


def _whole_texts(_: Plan, text_bytes: Sequence[int]) -> Iterator[Extent]:
    for text, size in enumerate(text_bytes):
        yield text, size, 1


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


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            "throughput",
            "Throughput",
            "Throughput",
            "encoding each text as a whole",
            *(("encode",), _whole_texts, whole),
            chart="bars",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "scaling",
            "Time by length of text",
            "By length",
            "encoding the beginning of the first text, from 128 B to 4 MiB",
            *(("encode",), _sizes(*SCALING_BYTES), lengthened),
            chart="curves",
            grows=True,
        ),
        Scenario(
            "short",
            "Time of a short call",
            "Short calls",
            f"one call for each of {N_PROMPTS} stretches of 16, 128 and 1,024 bytes of the first text",
            *(("encode each",), _sizes(*SHORT_BYTES), prompts),
            chart="curves",
            is_default=True,
        ),
        Scenario(
            "latency",
            "Half, 95 and 99 of 100 single calls take no longer than this",
            "Single calls",
            f"each of {N_UNSEEN:,} calls with other {UNSEEN_BYTES} bytes of the first text by itself",
            *((SINGLY,), _sizes(UNSEEN_BYTES), unseen),
            chart="latency",
        ),
        Scenario(
            "worst",
            "Time of text that cannot be split",
            "Worst case",
            "encoding letters without a space, 1 kB to 1 MB of three kinds",
            *(("encode",), _worst_sizes, worst),
            chart="curves",
            by_text=True,
            own_texts=WORST_TEXTS,
            grows=True,
        ),
        Scenario(
            "threads",
            "A batch of documents by number of threads",
            "Threads",
            "encoding 2 MiB in documents of 2 kB, on so many threads",
            *(("encode batch",), _batch_on_threads, documents),
            on_threads=True,
            chart="groups",
        ),
        Scenario(
            "decode",
            "Speed of decoding",
            "Decode",
            "making text of the ids of each text",
            *(("decode",), _whole_texts, whole),
            chart="groups",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "append",
            f"Time of appending {APPENDED_BYTES} bytes at a time, with a count after each",
            "Append",
            "a text that grows with a count after each part, and encoding it once",
            *(("append", "encode"), _sizes(*APPEND_BYTES), lengthened),
            chart="curves",
        ),
        Scenario(
            "memory",
            "Memory of a contender that is ready, and what encoding adds",
            "Memory",
            "what a contender takes in memory, and what up to 2 MiB add at most; no time",
            *((MEMORY,), _sizes(BATCH_BYTES), lengthened),
            chart="memory",
        ),
    )
}
DEFAULT_SCENARIOS = tuple(name for name, scenario in SCENARIOS.items() if scenario.is_default)
