"""Run a plan: compare the contenders' ids, then time them in turns; one that fails is left out.

The events of a run, one dictionary each:

    started     environment, vocabulary, corpora, plan, n_cells
    loading     contender, stage, share: what it does, in words, and how much of loading is done, 0 to 1;
                once per stage, from several contenders at a time, also while others are timed
    loaded      contender, version, other_vocabulary, memory_bytes, loading_s: it joins in the next round
    left out    contender, scenario, operation, corpus, size_bytes, reason; None means: in all of them
    cell        number, of, seconds_left, load, and scenario, operations, corpus, size_bytes, threads
    compared    a `BenchResult` without samples: who takes part, how many tokens, whether its ids are right
    sample      contender, operation, seconds, n, share: one more turn in this cell, and its share of a core,
                None if it waited for something other than a processor.  With n = 1 a series restarts
    result      the `BenchResult` of one contender and operation in this cell
    finished    complete, environment

The first cell starts when the first contender is ready.  Later ones join it, so `loading`, `loaded`,
`left out` and `compared` come between samples of others.  When one joins, all series restart: samples taken
while others load are only a first impression, and the same turns must count for all.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import asdict, replace
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.bench.control import Control, begin_early
from guiapp.analysis.bench.corpus import BenchText, corpus_named
from guiapp.analysis.bench.machine import (
    corpus_record,
    environment,
    environment_after,
    load_now,
    vocabulary_record,
)
from guiapp.analysis.bench.operations import CHAT, MEMORY, encode_all
from guiapp.analysis.bench.plan import (
    SCENARIOS,
    BenchCell,
    BenchError,
    CellBuilder,
    Plan,
    from_any_folder,
    is_enough,
    tasks_of,
)
from guiapp.analysis.bench.run_results import LeftOut, Series, results_of
from guiapp.analysis.bench.worker import (
    GLANCE_S,
    LOAD_LIMIT_S,
    OPENS,
    READS,
    STARTS,
    WRITES,
    AskedProcess,
    ContenderFailed,
    StartWorker,
    Stopped,
    WorkerLost,
    WorkerProcess,
    Workers,
)
from guiapp.analysis.libraries.contender import ContenderTokens, as_split, compare, our_contender, split_name
from guiapp.analysis.libraries.custom import names_of
from guiapp.analysis.libraries.table import PEERS
from guiapp.core.encode.catalogue import TOKENLOUPE, encoder_label
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.vocabulary.vocabulary import VocabType
from guiapp.native.checkpoint import at_checkpoints

Event = dict[str, Any]
SHARES = {STARTS: 0.05, OPENS: 0.2, WRITES: 0.4, READS: 0.7}  # of loading done, about
BREATH_S = 0.1  # between rounds, for contenders that load
STEEPEST = 2.0  # largest expected exponent: a step, as where a cache is full, is steeper than what follows
LOST_BEFORE = "It failed on a shorter text."


def run(plan: Plan, control: Control, start_worker: StartWorker | None = None) -> Iterator[Event]:
    """Yield the events of a run; before the first, raises TokenloupeError for an invalid plan."""
    if start_worker is None:
        begin_early()
    tokenizer = open_model(plan.model, plan.pre)
    plan = replace(plan, pre=tokenizer.vocabulary.chosen_pre or None)
    contenders = contenders_of(plan, tokenizer)
    corpora = corpora_of(plan, tokenizer)
    cells = cells_of(plan, tokenizer, corpora)
    opened = replace(plan, model=str(tokenizer.vocabulary.path))  # download at most once
    workers = Workers(start_worker or _process_starter(opened, control))
    yield {
        "event": "started",
        "environment": environment(plan.clock),
        "vocabulary": vocabulary_record(tokenizer.vocabulary),
        "corpora": list(map(corpus_record, corpora)),
        "plan": from_any_folder(plan).record(),
        "n_cells": len(cells),
    }
    is_complete = False
    try:
        race = _race(plan, workers, control, tokenizer)
        coming = ContenderLoader(workers, contenders, cells[0].threads, control)
        yield from _all_cells(race, workers, cells, coming, plan.time_budget_s)
        is_complete = True
    except Stopped:
        pass
    finally:
        workers.end()
    yield {
        "event": "finished",
        "complete": is_complete,
        "environment": environment_after(control.held_s),
    }


def contenders_of(plan: Plan, tokenizer: Tokenizer) -> list[str]:
    """The names of all contenders; raises BenchError for one that is no encoder or installed library."""
    ours = list(tokenizer.encoders)
    own = names_of(plan.own, {*ours, *PEERS, TOKENLOUPE})
    for contender in plan.contenders:
        if contender in own:
            continue
        name, is_split = split_name(contender)
        if not is_split and tokenizer.vocabulary.type is not VocabType.BPE:
            raise BenchError(
                f"“{contender}” works only with BPE vocabularies, which split texts before merging."
            )
        if name in PEERS and not PEERS[name].is_installed:
            raise BenchError(PEERS[name].how_to_install)
        if name not in PEERS and name not in ours:
            raise BenchError(
                f"There is no encoder “{name}” for this {tokenizer.vocabulary.type.value} vocabulary. "
                f"Choose from: {', '.join(map(encoder_label, [*ours, *PEERS]))}."
            )
    names = list(plan.contenders) or ours
    peers = [name for name in PEERS if name not in names] if plan.with_peers else []
    return names + peers + [name for name in own if name not in names]


def corpora_of(plan: Plan, tokenizer: Tokenizer) -> list[BenchText]:
    """The texts of a plan; raises CorpusError for one that cannot be read."""
    return [corpus_named(name, tokenizer.vocabulary, plan.seed) for name in plan.corpora]


def cells_of(plan: Plan, tokenizer: Tokenizer, corpora: Sequence[BenchText] | None = None) -> list[BenchCell]:
    """The cells of a plan, in order; raises BenchError or CorpusError for an unknown scenario or text."""
    for name in plan.scenarios:
        if name not in SCENARIOS:
            raise BenchError(f"There is no scenario “{name}”. Choose from: {', '.join(SCENARIOS)}.")
    corpora = corpora_of(plan, tokenizer) if corpora is None else corpora
    if not corpora:
        raise BenchError("A benchmark needs a text. Choose a corpus.")
    tasks = tasks_of(plan, [len(corpus.text) for corpus in corpora])
    if not tasks:
        raise BenchError("There is nothing to measure. Choose a scenario, or allow larger texts.")
    setting = CellBuilder(plan, tokenizer, corpora)
    return list(map(setting.cell, tasks))


def _all_cells(
    race: Race, workers: Workers, cells: Sequence[BenchCell], coming: ContenderLoader, budget_s: float
) -> Iterator[Event]:
    """Run all cells; each gets a share of the remaining time by its number of operations.

    The first cell starts when a contender is ready; if it measures memory, when none is loading any more.
    """
    while not coming.is_done and (not coming.ready or cells[0].operations == (MEMORY,)):
        yield from coming.events(GLANCE_S)
    n_operations = sum(len(cell.operations) for cell in cells)
    for number, cell in enumerate(cells, 1):
        left_s = max(budget_s - race.used_s, 0.0)
        yield {
            "event": "cell",
            "number": number,
            "of": len(cells),
            "seconds_left": left_s,
            "scenario": cell.scenario,
            "operations": cell.operations,
            "corpus": cell.corpus,
            "size_bytes": cell.size_bytes,
            "threads": cell.threads,
            "load": load_now(),
        }
        workers.end_others(cell.threads)  # two sets of workers may not fit into memory
        share_s = left_s * len(cell.operations) / n_operations
        yield from race.run(cell, coming.ready, share_s, None if coming.is_done else coming)
        n_operations -= len(cell.operations)


def _race(plan: Plan, workers: Workers, control: Control, tokenizer: Tokenizer) -> Race:
    def check() -> None:
        if control.shall_stop():
            raise Stopped

    def reference(cell: BenchCell, is_split: bool) -> ContenderTokens:
        ours = as_split(tokenizer, is_split)
        contender = our_contender(ours, next(iter(ours.encoders)))
        if CHAT in cell.operations:
            contender = contender.parsing(tokenizer.special_tokens.names)
        with at_checkpoints(check):
            return encode_all(contender, cell.texts)

    lengths = np.diff(tokenizer.vocabulary.token_bytes_table[1])
    return Race(plan, workers, control, reference, lengths)


def _process_starter(plan: Plan, control: Control) -> StartWorker:
    own = {each.name: each for each in plan.own}

    def start(name: str, threads: int) -> AskedProcess:
        return WorkerProcess(plan.model, name, threads, control.shall_stop, plan.pre, own.get(name))

    return start


# One cell: all contenders are warmed up and compared, then timed in turns until that is enough


class Race:
    """The cells of one plan.

    reference      the right tokens of a cell's texts, for contenders that split (true) or do not
    token_lengths  int64[n_tokens]: the number of bytes of each token
    used_s         seconds of timing so far
    """

    def __init__(
        self,
        plan: Plan,
        workers: Workers,
        control: Control,
        reference: Callable[[BenchCell, bool], ContenderTokens],
        token_lengths: NDArray[np.int64],
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._plan = plan
        self._workers = workers
        self._control = control
        self._reference = reference
        self._token_lengths = token_lengths
        self._clock_s = clock_s
        self._order = np.random.default_rng(plan.seed)
        self._points: dict[tuple[str, str, str, str], list[tuple[int, float]]] = {}
        self._preparers: dict[tuple[str, str], AskedProcess] = {}
        self.used_s = 0.0

    def run(
        self,
        cell: BenchCell,
        contenders: Sequence[str],
        budget_s: float,
        coming: ContenderLoader | None = None,
    ) -> Iterator[Event]:
        """Yield the events of one cell; if stopped, yield the results so far and raise Stopped.

        contenders  the ones that are ready
        coming      the others, which join when they are ready
        """
        if cell.operations == (MEMORY,):
            yield from self._measure_memory(cell, contenders)
            return
        entered: list[Series] = []
        stopped: Stopped | None = None
        try:
            yield from self._enter_all(cell, contenders, entered)
            yield from self._take_turns(cell, entered, budget_s, coming)
        except Stopped as error:
            stopped = error
        for series in filter(attrgetter("samples_s"), entered):
            line = _line(cell, series.head.contender, series.head.operation)
            self._points.setdefault(line, []).append((cell.size_bytes, float(np.median(series.samples_s))))
        for result in results_of(entered, load_now(), os.cpu_count() or 1):
            yield {"event": "result", **result.record()}
        if stopped is not None:
            raise stopped

    def _enter_all(
        self, cell: BenchCell, contenders: Sequence[str], entered: list[Series]
    ) -> Iterator[Event]:
        kinds = {split_name(name)[1] for name in contenders}
        references = {is_split: self._reference(cell, is_split) for is_split in kinds}
        for operation in cell.operations:
            for name in contenders:
                if not self._workers.is_loaded(name, cell.threads):
                    yield loading(name)
                yield from self._enter(cell, name, operation, references[split_name(name)[1]], entered)

    def _enter(
        self, cell: BenchCell, name: str, operation: str, reference: ContenderTokens, entered: list[Series]
    ) -> Iterator[Event]:
        """Warm up a contender and compare its ids; it takes part unless that fails."""
        self._check_control()
        expected_s = self._expected_s(cell, name, operation)
        if expected_s > self._plan.call_limit_s:
            reason = f"One call would take about {expected_s:.0f} s."
            yield left_out(name, LOST_BEFORE if math.isinf(expected_s) else reason, cell, operation)
            return
        try:
            tokens = self._prepare(cell, name, operation)
        except (ContenderFailed, WorkerLost) as error:
            yield self._failure(cell, name, operation, error)
            return
        series = Series.of(cell, name, operation, len(tokens.ids), self._plan.clock)
        if not self._workers.loaded[name].other_vocabulary:
            series.compare(compare(reference, tokens, self._token_lengths))
        entered.append(series)
        yield {"event": "compared", **series.head.record()}

    def _prepare(self, cell: BenchCell, name: str, operation: str) -> ContenderTokens:
        self._preparers[name, operation] = worker = self._workers.get(name, cell.threads)
        limit_s = LOAD_LIMIT_S if operation == CHAT else self._plan.call_limit_s  # reopens the library
        tokens: ContenderTokens = worker.ask(limit_s, "prepare", operation, cell.texts, cell.threads)
        return tokens

    def _take_turns(
        self, cell: BenchCell, entered: list[Series], budget_s: float, coming: ContenderLoader | None
    ) -> Iterator[Event]:
        """Take rounds of one sample each in random order until all have joined and `is_enough`."""
        racers, started_s = list(entered), self._now_s()
        while racers or not (coming is None or coming.is_done):
            for series in [racers[index] for index in self._order.permutation(len(racers))]:
                if not (yield from self._sample(cell, series)):
                    racers.remove(series)
            if coming is not None and not coming.is_done:
                n_before = len(entered)
                yield from self._join(cell, entered, coming)
                racers += entered[n_before:]
                if coming.is_done or len(entered) > n_before:
                    started_s = self._now_s()
                    for series in racers:
                        series.restart()
                continue
            used_s = self._now_s() - started_s
            if is_enough([series.samples_s for series in racers], used_s, budget_s):
                self.used_s += used_s
                return

    def _join(self, cell: BenchCell, entered: list[Series], coming: ContenderLoader) -> Iterator[Event]:
        """Add the contenders that have become ready."""
        for event in coming.events(BREATH_S):
            yield event
            if event["event"] == "loaded":
                yield from self._enter_all(cell, [event["contender"]], entered)

    def _now_s(self) -> float:
        """The time of a clock that stops while the run is paused."""
        return self._clock_s() - self._control.paused_s

    def _sample(self, cell: BenchCell, series: Series) -> Generator[Event, None, bool]:
        """Take one more sample; return False if the contender failed."""
        self._check_control()
        name, operation = series.head.contender, series.head.operation
        try:
            worker = self._workers.get(name, cell.threads)
            if worker is not self._preparers[name, operation]:  # that one was lost in another operation
                self._prepare(cell, name, operation)
            sample = worker.ask(self._plan.call_limit_s, "sample", operation)
        except (ContenderFailed, WorkerLost) as error:
            yield self._failure(cell, name, operation, error)
            return False
        seconds = sample.cpu_s if series.head.clock == "cpu" and not sample.waited else sample.wall_s
        share = None if sample.waited or not sample.wall_s else sample.cpu_s / sample.wall_s
        series.add(seconds, share, sample.calls_s)
        n = len(series.samples_s)
        taken = {"contender": name, "operation": operation, "seconds": seconds, "n": n, "share": share}
        yield {"event": "sample", **taken}
        return True

    def _measure_memory(self, cell: BenchCell, contenders: Sequence[str]) -> Iterator[Event]:
        for name in contenders:
            self._check_control()
            try:
                worker = self._workers.get(name, cell.threads)
                encoding_bytes = worker.ask(self._plan.call_limit_s, "memory", cell.texts)
            except (ContenderFailed, WorkerLost) as error:
                yield self._failure(cell, name, MEMORY, error)
                continue
            head = Series.of(cell, name, MEMORY, 0, "wall").head
            built_bytes = self._workers.loaded[name].memory_bytes
            result = replace(head, n=1, built_bytes=built_bytes, encoding_bytes=encoding_bytes)
            yield {"event": "result", **result.record()}

    def _check_control(self) -> None:
        self._control.wait_while_paused()
        if self._control.shall_stop():
            raise Stopped

    def _failure(
        self, cell: BenchCell, name: str, operation: str, error: ContenderFailed | WorkerLost
    ) -> Event:
        if isinstance(error, WorkerLost):
            self._workers.lose(name, cell.threads, error)
            self._points.setdefault(_line(cell, name, operation), []).append((cell.size_bytes, math.inf))
        return left_out(name, str(error), cell, operation)

    def _expected_s(self, cell: BenchCell, name: str, operation: str) -> float:
        """The time of a call, extrapolated at least linearly from the last two sizes; 0 without any."""
        line = self._points.get(_line(cell, name, operation), ())
        points = [point for point in line if point[0] < cell.size_bytes]
        if not points:
            return 0.0
        size, seconds = points[-1]
        exponent = 1.0
        if len(points) > 1 and math.isfinite(seconds) and math.isfinite(points[-2][1]):
            smaller, sooner = points[-2]
            exponent = min(max(1.0, math.log(seconds / sooner) / math.log(size / smaller)), STEEPEST)
        return float(seconds * (cell.size_bytes / size) ** exponent)


def _line(cell: BenchCell, name: str, operation: str) -> tuple[str, str, str, str]:
    """A key that cells share if they differ only in size."""
    return cell.scenario, operation, cell.corpus, name


# Contenders load in parallel while the ones that are ready take turns


class ContenderLoader:
    """Loads the contenders of a run in parallel.

    ready  the names of contenders that can take part, in the order of the plan
    """

    def __init__(self, workers: Workers, names: Sequence[str], threads: int, control: Control) -> None:
        self._workers = workers
        self._names = names
        self._threads = threads
        self._control = control
        self._waiting = list(names)
        self._begun: dict[str, tuple[AskedProcess, float]] = {}  # and its start time
        self._stages: dict[str, str] = {}
        self._ready: set[str] = set()

    @property
    def is_done(self) -> bool:
        return not (self._waiting or self._begun)

    @property
    def ready(self) -> list[str]:
        return [name for name in self._names if name in self._ready]

    def events(self, wait_s: float = 0.0) -> Iterator[Event]:
        """Yield the events since the last call, waiting up to `wait_s` seconds; raises Stopped.

        A contender that is ready gives `loaded`, one that failed `left out`.
        """
        self._control.wait_while_paused()
        if self._control.shall_stop():
            raise Stopped
        yield from self._begin_some()
        for name in list(self._begun):
            try:
                event = self._poll(name, wait_s / len(self._begun))
            except (ContenderFailed, WorkerLost) as error:
                self._begun.pop(name)
                event = left_out(name, str(error))
            yield from self._begin_some()  # before the one that is ready takes its first turns
            if event is not None:
                yield event

    def _begin_some(self) -> Iterator[Event]:
        while self._waiting and len(self._begun) < (os.cpu_count() or 1):
            name = self._waiting.pop(0)
            yield self._stage_event(name, STARTS)
            try:
                self._begun[name] = self._workers.begin(name, self._threads), time.monotonic()
            except (ContenderFailed, WorkerLost) as error:
                yield left_out(name, str(error))

    def _poll(self, name: str, wait_s: float) -> Event | None:
        process, begun_s = self._begun[name]
        if not self._workers.has_loaded(name, self._threads, wait_s):
            is_new = process.stage not in ("", self._stages[name])
            return self._stage_event(name, process.stage) if is_new else None
        self._ready.add(name)
        del self._begun[name]
        loading_s = time.monotonic() - begun_s
        details = asdict(self._workers.loaded[name])
        return {"event": "loaded", "contender": name, **details, "loading_s": loading_s}

    def _stage_event(self, name: str, stage: str) -> Event:
        self._stages[name] = stage
        return loading(name, stage)


def loading(name: str, stage: str = STARTS) -> Event:
    """The event of a contender that loads, maybe again: after it was lost, or on other threads."""
    return {"event": "loading", "contender": name, "stage": stage, "share": SHARES.get(stage, 0.0)}


def left_out(name: str, reason: str, cell: BenchCell | None = None, operation: str | None = None) -> Event:
    """The event of a contender that takes no part in a cell, or in any cell if `cell` is None."""
    cell_key = (None, None, None) if cell is None else (cell.scenario, cell.corpus, cell.size_bytes)
    scenario, corpus, size_bytes = cell_key
    return {"event": "left out", **vars(LeftOut(name, reason, scenario, operation, corpus, size_bytes))}
