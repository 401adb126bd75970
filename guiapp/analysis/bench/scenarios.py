"""What is measured: each scenario is a row of SCENARIOS.

Its tasks tell the sizes and who does what, for a forecast too; cells are tasks whose texts are made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
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
    def is_of_many(self) -> bool:
        """Whether one call takes several texts of this size."""
        return self.operations[0] in N_TEXTS

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

    def cell(self, task: CellTask) -> BenchCell:
        scenario, unit_bytes = SCENARIOS[task.scenario], task.size_bytes if task.is_of_many else None
        head, texts = (task.scenario, task.operations), tuple(scenario.texts(self, task))
        if scenario.own_texts:
            return BenchCell(*head, scenario.own_texts[task.text], texts, task.threads, unit_bytes)
        own_bytes = len(self.text(task, task.size_bytes))
        return BenchCell(*head, self.corpora[task.text].name, texts, task.threads, unit_bytes, own_bytes)

    def text(self, task: CellTask, size_bytes: int = 0) -> bytes:
        """The text of a task, at least so long."""
        text = self.corpora[task.text].text
        if self.plan.repeat == "fresh" and size_bytes > len(text):
            return text + fresh_text(size_bytes - len(text), self.plan.seed)
        return text


Texts = Callable[[CellBuilder, CellTask], Iterable[bytes]]


def whole(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    return [setting.text(task)]


def lengthened(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    return [stretched(setting.text(task, task.size_bytes), task.size_bytes)]


def prompts(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    return _pieces(setting.text(task), task.size_bytes, N_PROMPTS)


def unseen(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    """Spans from random positions, so that hardly any comes twice."""
    text, size = setting.text(task), task.size_bytes
    starts = np.random.default_rng(setting.plan.seed).integers(0, len(text), N_UNSEEN).tolist()
    repeated = stretched(text, len(text) + size)
    prompts = dict.fromkeys(_from_character(repeated, start, size) for start in starts)
    return prompts if len(prompts) > 1 else [*prompts] * 2


def worst(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    texts = worst_texts(setting.tokenizer.vocabulary, task.size_bytes, setting.plan.seed)
    return [texts[WORST_TEXTS[task.text]]]


def documents(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    """Texts of the length of a short page, as many as fill a batch."""
    text, n_documents = setting.text(task, task.size_bytes), max(task.size_bytes // DOCUMENT_BYTES, 1)
    return _pieces(text, min(DOCUMENT_BYTES, task.size_bytes), n_documents)


def _pieces(text: bytes, size_bytes: int, count: int) -> Iterator[bytes]:
    """Spans of one size from positions all over the text."""
    repeated = stretched(text, max(len(text), size_bytes) + size_bytes)
    starts = np.linspace(0, len(repeated) - size_bytes, count).astype(int).tolist()
    return (_from_character(repeated, start, size_bytes) for start in starts)


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
    texts       what is encoded in a cell
    sizes       bytes of its cells; none: those of the texts
    chart       the kind of its picture
    by_text     whether each text has cells, and so a chart, of its own; else the first alone has
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
    sizes: tuple[int, ...]
    texts: Texts
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

    def tasks(self, plan: Plan, text_bytes: Sequence[int]) -> Iterator[CellTask]:
        """Its cells for texts of so many bytes."""
        texts = range(len(self.own_texts or text_bytes)) if self.by_text else (0,)
        for text, threads in product(texts, plan.threads if self.on_threads else (1,)):
            for size_bytes in self.sizes or (text_bytes[text],):
                yield CellTask(self.name, self.operations, text, size_bytes, threads)


def tasks_of(plan: Plan, text_bytes: Sequence[int]) -> list[CellTask]:
    """The cells of a plan in order, for texts of so many bytes, without making them.

    Sizes above a text's own are that, unless the plan says what is repeated.  None without a text.
    """
    if not text_bytes:
        return []
    largest, tasks = plan.largest_bytes or math.inf, []
    for scenario in (SCENARIOS[name] for name in dict.fromkeys(plan.scenarios)):
        for task in scenario.tasks(plan, text_bytes):
            if plan.repeat == "never" and not (scenario.own_texts or scenario.on_threads):
                task = task._replace(size_bytes=min(task.size_bytes, text_bytes[task.text]))
            if task.call_bytes <= largest or not scenario.grows:
                tasks.append(task)
    return sorted(dict.fromkeys(tasks), key=_turn)


def _turn(task: CellTask) -> tuple[int, bool]:
    """Other numbers of threads need other workers; those that are compared follow each other."""
    return task.threads, SCENARIOS[task.scenario].on_threads


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            "throughput",
            "Throughput",
            "Throughput",
            "encoding each text as a whole",
            *(("encode",), (), whole),
            chart="bars",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "scaling",
            "Time by length of text",
            "By length",
            "encoding the beginning of the first text, from 128 B to 4 MiB",
            *(("encode",), SCALING_BYTES, lengthened),
            chart="curves",
            grows=True,
        ),
        Scenario(
            "short",
            "Time of a short call",
            "Short calls",
            f"one call for each of {N_PROMPTS} stretches of 16, 128 and 1,024 bytes of the first text",
            *(("encode each",), SHORT_BYTES, prompts),
            chart="curves",
            is_default=True,
        ),
        Scenario(
            "latency",
            "Half, 95 and 99 of 100 single calls take no longer than this",
            "Single calls",
            f"each of {N_UNSEEN:,} calls with other {UNSEEN_BYTES} bytes of the first text by itself",
            *((SINGLY,), (UNSEEN_BYTES,), unseen),
            chart="latency",
        ),
        Scenario(
            "worst",
            "Time of text that cannot be split",
            "Worst case",
            "encoding letters without a space, 1 kB to 1 MB of three kinds",
            *(("encode",), WORST_BYTES, worst),
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
            *(("encode batch",), (BATCH_BYTES,), documents),
            on_threads=True,
            chart="groups",
        ),
        Scenario(
            "decode",
            "Speed of decoding",
            "Decode",
            "making text of the ids of each text",
            *(("decode",), (), whole),
            chart="groups",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "append",
            f"Time of appending {APPENDED_BYTES} bytes at a time, with a count after each",
            "Append",
            "a text that grows with a count after each part, and encoding it once",
            *(("append", "encode"), APPEND_BYTES, lengthened),
            chart="curves",
        ),
        Scenario(
            "memory",
            "Memory of a contender that is ready, and what encoding adds",
            "Memory",
            "what a contender takes in memory, and what up to 2 MiB add at most; no time",
            *((MEMORY,), (BATCH_BYTES,), lengthened),
            chart="memory",
        ),
    )
}
DEFAULT_SCENARIOS = tuple(name for name, scenario in SCENARIOS.items() if scenario.is_default)
