"""One cell: all contenders are warmed up and compared, then take turns until enough is known.

Where a cell has several operations, each contender has a turn for each of them.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guiapp.core.bench.agreement import Tokens, compare
from guiapp.core.bench.contenders.contender import split_name
from guiapp.core.bench.control import Control
from guiapp.core.bench.measurement import Series, agreement_record, memory_record
from guiapp.core.bench.operations import MEMORY, REBUILDING
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import Cell
from guiapp.core.bench.statistics import summarize
from guiapp.core.bench.worker_process import ContenderFailed, Stopped, Worker, WorkerLost
from guiapp.core.bench.workers import LOAD_LIMIT_S, Workers

FEWEST_ROUNDS, MOST_ROUNDS = 5, 40
NARROW_ROUNDS, NARROW_WIDTH = 8, 0.02  # from so many rounds on, intervals so narrow are enough
PATIENCE, PATIENCE_S = 4.0, 8.0  # budgets, or seconds, that a cell may use for the fewest rounds
PREPARING_CALLS = 5  # a contender is called so often before it is timed
STEEPEST = 2.0  # exponent that is expected: a step, as where a cache ends, looks steeper than it goes on
LOST_BEFORE = "It was lost with a shorter text."

Event = dict[str, Any]


class Race:
    """The cells of one plan.

    reference      the right tokens of texts for a contender that splits them, or one that does not
    token_lengths  int64[n_tokens]: the bytes that each token stands for
    used_s         what timing has taken so far
    """

    def __init__(
        self,
        plan: Plan,
        workers: Workers,
        control: Control,
        reference: Callable[[Sequence[bytes], bool], Tokens],
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
        self._preparers: dict[tuple[str, str], Worker] = {}
        self.used_s = 0.0

    def run(self, cell: Cell, contenders: Sequence[str], budget_s: float) -> Iterator[Event]:
        """The events of one cell; when stopped, the results of what was measured and then Stopped."""
        if cell.operations == (MEMORY,):
            yield from self._measure_memory(cell, contenders)
            return
        entered: list[Series] = []
        stopped: Stopped | None = None
        try:
            kinds = {split_name(name)[1] for name in contenders}
            references = {is_split: self._reference(cell.texts, is_split) for is_split in kinds}
            for operation in cell.operations:
                for number, name in enumerate(contenders, 1):
                    if not cell.is_for(name, operation):
                        continue
                    if not self._workers.is_loaded(name, cell.threads):
                        yield loading(name, number, len(contenders))
                    yield from self._enter(cell, name, operation, references[split_name(name)[1]], entered)
            yield from self._take_turns(list(entered), budget_s)
        except Stopped as error:
            stopped = error
        for series in entered:
            if series.samples:
                self._remember(series)
                yield {"event": "result", **series.record(self._plan.clock)}
        if stopped is not None:
            raise stopped

    def _enter(
        self, cell: Cell, name: str, operation: str, reference: Tokens, entered: list[Series]
    ) -> Iterator[Event]:
        """Warm a contender up and compare its ids; it takes part unless that fails."""
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
        has_other_vocabulary = bool(self._workers.loaded[name].other_vocabulary)
        agreement = None if has_other_vocabulary else compare(reference, tokens, self._token_lengths)
        entered.append(Series(cell, name, operation, len(tokens.ids), agreement))
        yield {
            "event": "compared",
            "contender": name,
            "operation": operation,
            "n_tokens": entered[-1].n_unit_tokens,
            **agreement_record(agreement),
        }

    def _prepare(self, cell: Cell, name: str, operation: str) -> Tokens:
        self._preparers[name, operation] = worker = self._workers.get(name, cell.threads)
        limit_s = self._plan.call_limit_s * PREPARING_CALLS
        tokens: Tokens = worker.ask(limit_s, "prepare", operation, cell.texts, cell.parts, cell.threads)
        return tokens

    def _take_turns(self, racers: list[Series], budget_s: float) -> Iterator[Event]:
        """Rounds of one sample each, every one in another order."""
        started_s, paused_s = self._clock_s(), self._control.paused_s
        while racers:
            order = [racers[index] for index in self._order.permutation(len(racers))]
            for series in order:
                if not (yield from self._sample(series)):
                    racers.remove(series)
            used_s = self._clock_s() - started_s - (self._control.paused_s - paused_s)
            if is_enough([series.seconds(self._plan.clock) for series in racers], used_s, budget_s):
                self.used_s += used_s
                return

    def _sample(self, series: Series) -> Generator[Event, None, bool]:
        """One more sample; false if the contender failed."""
        self._check_control()
        cell, name, operation = series.cell, series.contender, series.operation
        limit_s = self._plan.call_limit_s
        if operation in REBUILDING:
            limit_s += LOAD_LIMIT_S
        try:
            worker = self._workers.get(name, cell.threads)
            if worker is not self._preparers[name, operation]:  # that was lost in another operation
                self._prepare(cell, name, operation)
            sample = worker.ask(limit_s, "sample", operation)
        except (ContenderFailed, WorkerLost) as error:
            yield self._failure(cell, name, operation, error)
            return False
        series.samples.append(sample)
        seconds = series.seconds(self._plan.clock)
        yield {
            "event": "sample",
            "contender": name,
            "operation": operation,
            "seconds": seconds[-1],
            "n": len(seconds),
        }
        return True

    def _measure_memory(self, cell: Cell, contenders: Sequence[str]) -> Iterator[Event]:
        for name in contenders:
            self._check_control()
            try:
                worker = self._workers.get(name, cell.threads)
                encoding_bytes = worker.ask(self._plan.call_limit_s * PREPARING_CALLS, "memory", cell.texts)
            except (ContenderFailed, WorkerLost) as error:
                yield self._failure(cell, name, MEMORY, error)
                continue
            built_bytes = self._workers.loaded[name].memory_bytes
            yield {"event": "result", **memory_record(cell, name, built_bytes, encoding_bytes)}

    def _check_control(self) -> None:
        self._control.wait_while_paused()
        if self._control.shall_stop():
            raise Stopped

    def _failure(self, cell: Cell, name: str, operation: str, error: ContenderFailed | WorkerLost) -> Event:
        if isinstance(error, WorkerLost):
            self._workers.lose(name, cell.threads, error)
            self._points.setdefault(_line(cell, name, operation), []).append((cell.size_bytes, math.inf))
        return left_out(name, str(error), cell, operation)

    def _remember(self, series: Series) -> None:
        seconds = summarize(series.seconds("wall")).median
        line = _line(series.cell, series.contender, series.operation)
        self._points.setdefault(line, []).append((series.cell.size_bytes, seconds))

    def _expected_s(self, cell: Cell, name: str, operation: str) -> float:
        """What the last two sizes of the same text let one expect, at least growth in proportion; else 0."""
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


def is_enough(seconds: Sequence[Sequence[float]], used_s: float, budget_s: float) -> bool:
    """Whether another round of all contenders would tell little, or there is no time for one."""
    n_rounds = min(map(len, seconds), default=MOST_ROUNDS)
    if n_rounds >= MOST_ROUNDS or used_s >= max(PATIENCE * budget_s, PATIENCE_S):
        return True
    if n_rounds < FEWEST_ROUNDS:
        return False
    if used_s >= budget_s:
        return True
    return n_rounds >= NARROW_ROUNDS and all(
        summarize(each).relative_width <= NARROW_WIDTH for each in seconds
    )


def loading(name: str, number: int, of: int) -> Event:
    """A contender is about to be loaded, or is again: after it was lost, or on other threads."""
    return {"event": "loading", "contender": name, "number": number, "of": of}


def left_out(name: str, reason: str, cell: Cell | None = None, operation: str | None = None) -> Event:
    """A contender that takes no part in a cell, in any where there is none."""
    return {
        "event": "left out",
        "contender": name,
        "scenario": cell and cell.scenario,
        "operation": operation,
        "corpus": cell and cell.corpus,
        "size_bytes": cell and cell.size_bytes,
        "reason": reason,
    }


def _line(cell: Cell, name: str, operation: str) -> tuple[str, str, str, str]:
    """Cells that differ in size only."""
    return cell.scenario, operation, cell.corpus, name
