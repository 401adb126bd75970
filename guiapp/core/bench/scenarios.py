"""What is measured: each scenario is a row here.

Its tasks tell the sizes and who does what, for a forecast too; `tasks` makes cells of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from guiapp.core.bench import findings
from guiapp.core.bench.contenders.contender import APPENDED_BYTES
from guiapp.core.bench.corpus import WORST_TEXTS
from guiapp.core.bench.energy import why_no_energy
from guiapp.core.bench.operations import MEMORY, METERED, SINGLY
from guiapp.core.bench.stages import STAGES, WHOLE
from guiapp.core.bench.tasks import (
    BYTES_PER_TOKEN,
    N_PROMPTS,
    N_UNSEEN,
    UNSEEN_BYTES,
    Cell,
    Setting,
    Task,
    documents,
    lengthened,
    parts,
    prompts,
    stages,
    unseen,
    whole,
    worst,
)

if TYPE_CHECKING:  # plans name the scenarios that are measured where nobody asks for others
    from guiapp.core.bench.plan import Plan

SCALING_BYTES = (*(1 << power for power in range(7, 22, 2)), 1 << 22)  # 128 B to 4 MB
SHORT_BYTES = (16, 128, 1024)
WORST_BYTES = (1_000, 10_000, 100_000, 1_000_000)
APPEND_BYTES = (1_000, 10_000)
PART_TOKENS = (10, 100, 1_000, 10_000)
BATCH_BYTES = 1 << 21


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
    find        says in a sentence what results bear out
    by_text     whether each text has results, and so a chart, of its own
    own_texts   what is encoded instead of the texts of a plan
    is_batch    whether it has its size whatever the texts have: of less, threads have nothing to share
    grows       whether cells differ in size only
    on_threads  whether cells differ in threads only, so that nothing but the wall clock compares them
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
    find: findings.Find = lambda *_: ""
    by_text: bool = False
    own_texts: tuple[str, ...] = ()
    is_batch: bool = False
    grows: bool = False
    on_threads: bool = False
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
            if plan.repeat == "never" and not (scenario.own_texts or scenario.is_batch):
                task = task._replace(size_bytes=min(task.size_bytes, text_bytes[task.text]))
            if task.call_bytes <= largest or not scenario.grows:
                tasks.append(task)
    return sorted(dict.fromkeys(tasks), key=_turn)


def _turn(task: Task) -> tuple[int, bool]:
    """Other numbers of threads need other workers; those that are compared follow each other."""
    return task.threads, SCENARIOS[task.scenario].on_threads


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
            *(_ENCODE, _whole_texts, whole),
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
            *(_ENCODE, _sizes(*SCALING_BYTES), lengthened),
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
            *((("encode each",),), _sizes(*SHORT_BYTES), prompts),
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
            *(((SINGLY,),), _sizes(UNSEEN_BYTES), unseen),
            unit="s",
            chart="latency",
            find=findings.slow_calls,
        ),
        Scenario(
            "worst",
            "Time of text that cannot be split",
            "Worst case",
            "encoding letters without a space, 1 kB to 1 MB of three kinds",
            *(_ENCODE, _worst_sizes, worst),
            unit="s",
            chart="curves",
            find=findings.worst_case,
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
            *((("encode first",),), _whole_texts, whole),
            unit="s",
            chart="groups",
            find=findings.first_call,
            by_text=True,
            is_default=True,
            beside="throughput",
        ),
        Scenario(
            "threads",
            "A batch of documents by number of threads",
            "Threads",
            "encoding 2 MiB in documents of 2 kB, on so many threads",
            *(_BATCH, _batch_on_threads, documents),
            unit="MB/s",
            is_batch=True,
            on_threads=True,
            chart="groups",
            find=findings.gain_of_threads,
        ),
        Scenario(
            "decode",
            "Speed of decoding",
            "Decode",
            "making text of the ids of each text",
            *((("decode",),), _whole_texts, whole),
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
            *(_APPEND, _sizes(*APPEND_BYTES), lengthened),
            unit="s",
            chart="curves",
            find=findings.appending,
        ),
        Scenario(
            "interval",
            "Time of counting a part of a text",
            "Parts",
            "counting 10 to 10,000 tokens from the middle of a text, and encoding as many",
            *(_PARTS, _sizes(*(BYTES_PER_TOKEN * n_tokens for n_tokens in PART_TOKENS)), parts),
            unit="s",
            chart="curves",
            find=findings.counting_parts,
        ),
        Scenario(
            "batch",
            "A batch of documents on one thread",
            "Batch",
            "encoding 2 MiB of each text, repeated if need be, in documents of 2 kB",
            *(_BATCH, _batches, documents),
            unit="MB/s",
            is_batch=True,
            chart="groups",
            find=findings.ahead("encode"),
            by_text=True,
        ),
        Scenario(
            "stages",
            "Where the time of a call goes",
            "Stages",
            "each stage of our encoders by itself, and the whole call",
            *(((WHOLE, *STAGES),), _whole_texts, stages),
            unit="s",
            chart="stages",
            find=findings.longest_stage,
            by_text=True,
        ),
        Scenario(
            "memory",
            "Memory of a contender that is ready, and what encoding adds",
            "Memory",
            "what a contender takes in memory, and what up to 2 MiB add at most; no time",
            *(((MEMORY,),), _sizes(BATCH_BYTES), lengthened),
            unit="MB",
            chart="memory",
            find=findings.least_memory,
        ),
        Scenario(
            "energy",
            "Energy of encoding",
            "Energy",
            "what the processor consumes while each text is encoded, idle cores and other programs included",
            *(((METERED,),), _whole_texts, whole),
            unit="J/MB",
            chart="groups",
            find=findings.least_energy,
            by_text=True,
            why_not=why_no_energy,
        ),
    )
}
DEFAULT_SCENARIOS = tuple(name for name, scenario in SCENARIOS.items() if scenario.is_default)
