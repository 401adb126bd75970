"""What a run measures: a plan, its scenarios and their cells, and about how long it takes.

Each scenario is a row of SCENARIOS.  The process that measures gets the plan as JSON.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from guiapp.analysis.bench import corpus
from guiapp.analysis.bench.corpus import (
    WORST_TEXTS,
    BenchText,
    chat_prompt,
    fresh_text,
    stretched,
    worst_texts,
)
from guiapp.analysis.bench.operations import CHAT, MEMORY, N_SINGLE, SINGLY
from guiapp.analysis.bench.statistics import interval_in_turns
from guiapp.analysis.libraries.contender import APPENDED_BYTES, as_str
from guiapp.analysis.libraries.custom import CustomContender, CustomError, checked, without_removed
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_as
from guiapp.errors import TokenloupeError

N_PROMPTS = 64
N_UNSEEN, UNSEEN_BYTES = 2_048, 128
DOCUMENT_BYTES = 2_000
N_TEXTS = {"encode each": N_PROMPTS, SINGLY: N_SINGLE}  # in one call
SCALING_BYTES = (*(1 << power for power in range(7, 22, 2)), 1 << 22)  # 128 B to 4 MiB
SHORT_BYTES = (16, 128, 1024)
WORST_BYTES = (1_000, 10_000, 100_000, 1_000_000)
APPEND_BYTES = (1_000, 10_000)
BATCH_BYTES = 1 << 21
N_TURNS, TURN_BYTES = 16, 512

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
RUN_OWN = "--run-own"
MOST_THREADS = 1024  # of a plan that comes from outside
Repeat = Literal["never", "same", "fresh"]
Clock = Literal["auto", "wall", "cpu"]
START_S = 1.0  # until the process has opened the model
LOADING_S = 1.5  # of a contender: start its process, convert the vocabulary
CALL_S, USUAL_SPEED = 0.005, 10e6  # at least, with its messages; bytes a second
PREPARING_CALLS = 4
FEWEST_ROUNDS, MOST_ROUNDS = 5, 96
NARROW_ROUNDS, NARROW_WIDTH = 16, 0.03  # after this many rounds, intervals this narrow are enough
NARROW_SHARE = 0.5  # at least, of all rounds or of the budget, so that a run's duration hardly varies
PATIENCE, PATIENCE_S = 4.0, 8.0  # budgets or seconds, if more, that a cell may use for FEWEST_ROUNDS


class CellTask(NamedTuple):
    """A cell before its texts are made.

    operations  take turns like contenders, so that disturbances of the machine affect all
    text        index of the corpus, or of the text of the worst case
    size_bytes  approximate size of the text, or of one of N_TEXTS
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
        """The bytes that one call processes."""
        return self.size_bytes * N_TEXTS.get(self.operations[0], 1)


@dataclass(frozen=True)
class BenchCell:
    """What all contenders do in turns.

    operations  what they do in each round
    texts       the texts that they encode; several if these are prompts or documents
    unit_bytes  the size that times refer to; None: all texts together
    own_bytes   of the text from which they are made; less than all together if it is repeated
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
    """Makes cells of tasks."""

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
        """The text of a task; if the plan repeats with "fresh" text, at least `size_bytes` long."""
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
    """Distinct spans from random positions; if there is only one, twice."""
    text, size = setting.text(task), task.size_bytes
    starts = np.random.default_rng(setting.plan.seed).integers(0, len(text), N_UNSEEN).tolist()
    repeated = stretched(text, len(text) + size)
    prompts = dict.fromkeys(_from_character(repeated, start, size) for start in starts)
    return prompts if len(prompts) > 1 else [*prompts] * 2


def worst(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    texts = worst_texts(setting.tokenizer.vocabulary, task.size_bytes, setting.plan.seed)
    return [texts[WORST_TEXTS[task.text]]]


def chat(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    turns = _pieces(setting.text(task), max(task.size_bytes // N_TURNS, 1), N_TURNS)
    return [chat_prompt(setting.tokenizer, [as_str(turn) for turn in turns])]


def documents(setting: CellBuilder, task: CellTask) -> Iterable[bytes]:
    """Texts of the length of a short page, as many as fill a batch."""
    text, n_documents = setting.text(task, task.size_bytes), max(task.size_bytes // DOCUMENT_BYTES, 1)
    return _pieces(text, min(DOCUMENT_BYTES, task.size_bytes), n_documents)


def _pieces(text: bytes, size_bytes: int, count: int) -> Iterator[bytes]:
    """Spans of equal size from evenly spaced positions."""
    repeated = stretched(text, max(len(text), size_bytes) + size_bytes)
    starts = np.linspace(0, len(repeated) - size_bytes, count).astype(int).tolist()
    return (_from_character(repeated, start, size_bytes) for start in starts)


def _from_character(text: bytes, start: int, size_bytes: int) -> bytes:
    while start and text[start] & 0xC0 == 0x80:
        start -= 1
    return stretched(text[start : start + size_bytes + 4], size_bytes)


@dataclass(frozen=True)
class Scenario:
    """A question that a run can answer: what to measure, and how to show it.

    title       of charts and tables, a sentence
    label       in lists and on tabs, short
    help        what is timed, in one sentence
    operations  what is done within the same rounds
    texts       what is encoded in a cell
    sizes       bytes of its cells; (): the sizes of the texts
    chart       the kind of its chart
    by_text     whether each text has its own cells, and so its own chart; else only the first text has
    own_texts   names of texts that are encoded instead of the plan's
    grows       whether cells differ only in size
    on_threads  whether cells differ only in threads, timed by the wall clock; they have the size of a batch
                even if the texts are shorter: threads need enough to share
    is_default  whether it is measured if the user chooses none
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
        """The unit of its chart and tables."""
        return UNITS[self.chart]

    @property
    def is_live(self) -> bool:
        """Whether its figures can be shown while samples arrive."""
        return self.chart != "latency"

    def tasks(self, plan: Plan, text_bytes: Sequence[int]) -> Iterator[CellTask]:
        """Yield its cells for texts of these sizes."""
        texts = range(len(self.own_texts or text_bytes)) if self.by_text else (0,)
        for text, threads in product(texts, plan.threads if self.on_threads else (1,)):
            for size_bytes in self.sizes or (text_bytes[text],):
                yield CellTask(self.name, self.operations, text, size_bytes, threads)


def tasks_of(plan: Plan, text_bytes: Sequence[int]) -> list[CellTask]:
    """The cells of a plan in order, as tasks, for texts of these sizes.

    Sizes are limited to the text's own unless the plan repeats texts.  [] without a text.
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
    """The sort key: other numbers of threads need other workers; cells to compare follow each other."""
    return task.threads, SCENARIOS[task.scenario].on_threads


SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            "throughput",
            "Throughput",
            "Throughput",
            "encode each text as a whole",
            *(("encode",), (), whole),
            chart="bars",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "scaling",
            "Speed by length of text",
            "By length",
            "encode the start of the first text, from 128 B to 4 MiB",
            *(("encode",), SCALING_BYTES, lengthened),
            chart="curves",
            grows=True,
        ),
        Scenario(
            "short",
            "Short calls, one for each text",
            "Short calls",
            f"encode {N_PROMPTS} parts of the first text, of 16, 128 and 1,024 bytes, one call each",
            *(("encode each",), SHORT_BYTES, prompts),
            chart="curves",
            is_default=True,
        ),
        Scenario(
            "latency",
            "Time within which 50, 95 and 99 of 100 calls end",
            "Single calls",
            f"time each of {N_UNSEEN:,} calls, with a new part of {UNSEEN_BYTES} bytes of the first text",
            *((SINGLY,), (UNSEEN_BYTES,), unseen),
            chart="latency",
        ),
        Scenario(
            "worst",
            "Text that cannot be split",
            "Worst case",
            "encode letters without spaces, three kinds, from 1 kB to 1 MB",
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
            "encode 2 MiB in documents of 2 kB on several threads",
            *(("encode batch",), (BATCH_BYTES,), documents),
            on_threads=True,
            chart="groups",
        ),
        Scenario(
            "decode",
            "Speed of decoding",
            "Decode",
            "turn the ids of each text into text",
            *(("decode",), (), whole),
            chart="groups",
            by_text=True,
            is_default=True,
        ),
        Scenario(
            "chat-prompt",
            "Speed of encoding a prompt with special tokens",
            "Chat prompt",
            f"encode a prompt of {N_TURNS} turns, its special tokens parsed",
            *((CHAT,), (N_TURNS * TURN_BYTES,), chat),
            chart="groups",
        ),
        Scenario(
            "append",
            f"Time to append {APPENDED_BYTES} bytes at a time, counting tokens after each",
            "Append",
            "count the tokens of a text each time it grows, next to encoding it once as a whole",
            *(("append", "encode"), APPEND_BYTES, lengthened),
            chart="curves",
        ),
        Scenario(
            "memory",
            "Memory of a ready encoder, and of encoding",
            "Memory",
            "measure the memory of an encoder, and the peak while it encodes up to 2 MiB",
            *((MEMORY,), (BATCH_BYTES,), lengthened),
            chart="memory",
        ),
    )
}
DEFAULT_SCENARIOS = tuple(name for name, scenario in SCENARIOS.items() if scenario.is_default)


class BenchError(TokenloupeError):
    """A benchmark that cannot be run as requested; the message states the reason."""


@dataclass(frozen=True)
class Plan:
    """One run of the benchmark.

    pre            the pre-tokenizer to use instead of the file's
    corpora        names for `corpus_named`
    contenders     names of encoders and libraries; (): all of our encoders
    own            custom contenders, which also take part
    with_peers     whether every library that is installed and supports the vocabulary also takes part
    threads        the numbers of threads in the scenario `threads`
    time_budget_s  for timing only, shared by all cells; each gets a few rounds in any case
    largest_bytes  the largest size in scenarios that grow; None: no limit
    repeat         how to get sizes larger than a text: "never", by the "same" text again, or by "fresh" text,
                   random words of the samples
    call_limit_s   a contender that needs longer for one call is left out
    clock          "wall"; "cpu", processor time; or "auto", processor time only in cells where other programs
                   run; the scenario `threads` always uses the wall clock
    """

    model: str
    corpora: tuple[str, ...] = corpus.DEFAULT
    contenders: tuple[str, ...] = ()
    with_peers: bool = False
    scenarios: tuple[str, ...] = DEFAULT_SCENARIOS
    threads: tuple[int, ...] = tuple(sorted({1, os.cpu_count() or 1}))
    time_budget_s: float = 60.0
    largest_bytes: int | None = None
    call_limit_s: float = 10.0
    clock: Clock = "auto"
    seed: int = 0
    pre: str | None = None
    own: tuple[CustomContender, ...] = ()
    repeat: Repeat = "never"

    def record(self) -> dict[str, Any]:
        return asdict(self)


def from_any_folder(plan: Plan) -> Plan:
    """The plan with absolute paths of its files, so that it can be repeated in any folder."""
    corpora = tuple(name if corpus.is_made(name) else whole_path(name) for name in plan.corpora)
    return replace(plan, model=whole_path(plan.model), corpora=corpora)


def whole_path(name: str) -> str:
    """The absolute path of a file or folder; any other name unchanged."""
    return str(Path(name).resolve()) if Path(name).exists() else name


def plan_from(record: dict[str, Any]) -> Plan:
    """The plan of a JSON object; raises BenchError if it is invalid.

    Contenders in other Python environments, which earlier versions had, are dropped.  Before the plan is
    run, the user must allow the programs in `own`: the file may be untrusted.
    """
    try:
        if not isinstance(record, dict):
            raise ValueError("it is not an object")
        if unknown := [name for name in record if name not in Plan.__dataclass_fields__]:
            raise ValueError(f"“{quoted(unknown[0])}” is not a setting of a plan")
        own, removed = without_removed(record.get("own", ()))
        plan: Plan = read_as(Plan, {**record, "own": own})
        for name, is_right in CHECKS.items():
            if not is_right(value := getattr(plan, name)):
                raise ValueError(f"its “{name}” is {value!r:.40}")
        contenders = tuple(name for name in plan.contenders if name not in removed)
        return replace(plan, own=tuple(map(checked, plan.own)), contenders=contenders)
    except (ValueError, CustomError) as error:
        reason = str(error).removesuffix(".")
        raise BenchError(f"This is not a plan for a benchmark: {reason}.") from error


def _has_no_null(text: str | None) -> bool:
    return "\0" not in (text or "")


CHECKS: Mapping[str, Callable[[Any], bool]] = {  # what types cannot check
    "model": _has_no_null,
    "pre": _has_no_null,
    "corpora": lambda names: all(map(_has_no_null, names)),
    "threads": lambda numbers: all(0 < number <= MOST_THREADS for number in numbers),
}


def is_enough(seconds: Sequence[Sequence[float]], used_s: float, budget_s: float) -> bool:
    """Whether another round of all contenders would add little, or there is no time for one."""
    n_rounds = min(map(len, seconds), default=MOST_ROUNDS)
    if n_rounds >= MOST_ROUNDS or used_s >= max(PATIENCE * budget_s, PATIENCE_S):
        return True
    if n_rounds < FEWEST_ROUNDS:
        return False
    if used_s >= budget_s:
        return True
    is_half = n_rounds >= NARROW_SHARE * MOST_ROUNDS or used_s >= NARROW_SHARE * budget_s
    return is_half and n_rounds >= NARROW_ROUNDS and all(map(_is_narrow, seconds))


def _is_narrow(seconds: Sequence[float]) -> bool:
    interval = interval_in_turns(seconds, is_busy=False)
    return interval.high - interval.low <= NARROW_WIDTH * float(np.median(seconds))


def expected_s(plan: Plan, text_bytes: Sequence[int]) -> float:
    """The approximate seconds that a plan takes with texts of these sizes.

    By the rules of `engine`: each contender is called a few times, then rounds go on until there are
    MOST_ROUNDS or the cell's share of the budget is used, with at least FEWEST_ROUNDS.
    """
    n, tasks = len(plan.contenders), tasks_of(plan, text_bytes)
    share_s = plan.time_budget_s / max(len(tasks), 1)
    total_s = START_S + n * LOADING_S / (os.cpu_count() or 1)
    for task in tasks:
        call_s = min(max(task.call_bytes / USUAL_SPEED, CALL_S), plan.call_limit_s)
        round_s = n * len(task.operations) * call_s
        total_s += PREPARING_CALLS * round_s
        if task.operations != (MEMORY,):
            total_s += min(max(share_s, FEWEST_ROUNDS * round_s), MOST_ROUNDS * round_s)
    return total_s
