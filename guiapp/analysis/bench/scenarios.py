"""What is measured: each scenario is a row here.

Its tasks tell the sizes and who does what, for a forecast too; `tasks` makes cells of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from guiapp.analysis.bench import findings
from guiapp.analysis.bench.corpus import WORST_TEXTS
from guiapp.analysis.bench.operations import MEMORY, SINGLY
from guiapp.analysis.bench.tasks import (
    N_PROMPTS,
    N_UNSEEN,
    UNSEEN_BYTES,
    BenchCell,
    CellBuilder,
    CellTask,
    documents,
    lengthened,
    prompts,
    unseen,
    whole,
    worst,
)
from guiapp.analysis.libraries.contender import APPENDED_BYTES

if TYPE_CHECKING:  # plans name the scenarios that are measured where nobody asks for others
    from guiapp.analysis.bench.plan import Plan

SCALING_BYTES = (*(1 << power for power in range(7, 22, 2)), 1 << 22)  # 128 B to 4 MB
SHORT_BYTES = (16, 128, 1024)
WORST_BYTES = (1_000, 10_000, 100_000, 1_000_000)
APPEND_BYTES = (1_000, 10_000)
BATCH_BYTES = 1 << 21


Extent = tuple[int, int, int]
"""Number of the text, bytes, and threads."""


Chart = Literal["bars", "curves", "groups", "memory", "latency"]
Unit = Literal["MB/s", "s", "MB"]
"""Of what charts and tables show: a speed, the time of a call, or memory."""


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
    find        says in a sentence what results bear out
    by_text     whether each text has results, and so a chart, of its own
    own_texts   what is encoded instead of the texts of a plan
    grows       whether cells differ in size only
    on_threads  whether cells differ in threads only, and so by the wall clock; their size is that of a batch
                however short the texts are: of less, threads have nothing to share
    is_default  whether it is measured where nobody asks for any
    slowdown    how many times as long as an ordinary text a byte takes, about
    """

    name: str
    title: str
    label: str
    help: str
    operations: tuple[str, ...]
    extents: Callable[[Plan, Sequence[int]], Iterator[Extent]]
    cell: Callable[[CellBuilder, CellTask], BenchCell]
    unit: Unit
    chart: Chart
    find: findings.Find = lambda *_: ""
    by_text: bool = False
    own_texts: tuple[str, ...] = ()
    grows: bool = False
    on_threads: bool = False
    is_default: bool = False
    slowdown: float = 1.0

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
            *(("encode",), _sizes(*SCALING_BYTES), lengthened),
            unit="s",
            chart="curves",
            find=findings.time_by_length,
            grows=True,
        ),
        Scenario(
            "short",
            "Time of a short call",
            "Short calls",
            f"one call for each of {N_PROMPTS} stretches of 16, 128 and 1,024 bytes of the first text",
            *(("encode each",), _sizes(*SHORT_BYTES), prompts),
            unit="s",
            chart="curves",
            find=findings.short_calls,
            is_default=True,
        ),
        Scenario(
            "latency",
            "Half, 95 and 99 of 100 single calls take no longer than this",
            "Single calls",
            f"each of {N_UNSEEN:,} calls with other {UNSEEN_BYTES} bytes of the first text by itself",
            *((SINGLY,), _sizes(UNSEEN_BYTES), unseen),
            unit="s",
            chart="latency",
            find=findings.slow_calls,
        ),
        Scenario(
            "worst",
            "Time of text that cannot be split",
            "Worst case",
            "encoding letters without a space, 1 kB to 1 MB of three kinds",
            *(("encode",), _worst_sizes, worst),
            unit="s",
            chart="curves",
            find=findings.worst_case,
            by_text=True,
            own_texts=WORST_TEXTS,
            grows=True,
            slowdown=5.0,
        ),
        Scenario(
            "threads",
            "A batch of documents by number of threads",
            "Threads",
            "encoding 2 MiB in documents of 2 kB, on so many threads",
            *(("encode batch",), _batch_on_threads, documents),
            unit="MB/s",
            on_threads=True,
            chart="groups",
            find=findings.gain_of_threads,
        ),
        Scenario(
            "decode",
            "Speed of decoding",
            "Decode",
            "making text of the ids of each text",
            *(("decode",), _whole_texts, whole),
            unit="MB/s",
            chart="groups",
            find=findings.ahead("decode"),
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "append",
            f"Time of appending {APPENDED_BYTES} bytes at a time, with a count after each",
            "Append",
            "a text that grows with a count after each part, and encoding it once",
            *(("append", "encode"), _sizes(*APPEND_BYTES), lengthened),
            unit="s",
            chart="curves",
            find=findings.appending,
        ),
        Scenario(
            "memory",
            "Memory of a contender that is ready, and what encoding adds",
            "Memory",
            "what a contender takes in memory, and what up to 2 MiB add at most; no time",
            *((MEMORY,), _sizes(BATCH_BYTES), lengthened),
            unit="MB",
            chart="memory",
            find=findings.least_memory,
        ),
    )
}
DEFAULT_SCENARIOS = tuple(name for name, scenario in SCENARIOS.items() if scenario.is_default)
