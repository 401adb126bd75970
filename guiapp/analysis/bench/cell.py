"""One cell: all contenders are warmed up and compared, then take turns until enough is known.

Where a cell has several operations, each contender has a turn for each of them.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Generator, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.bench.agreement import Tokens, compare
from guiapp.analysis.bench.busy import is_busy
from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.environment import load_now
from guiapp.analysis.bench.events import Event, left_out, loading
from guiapp.analysis.bench.loading import Loading
from guiapp.analysis.bench.measurement import Series, agreement_record, memory_record
from guiapp.analysis.bench.operations import MEMORY
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.statistics import summarize
from guiapp.analysis.bench.tasks import Cell
from guiapp.analysis.bench.turns import is_enough
from guiapp.analysis.bench.worker_process import GLANCE_S, AskedProcess, ContenderFailed, Stopped, WorkerLost
from guiapp.analysis.bench.workers import Workers
from guiapp.analysis.libraries.contender import split_name

IMPRESSION_TURNS = 5  # of each, while others load
GRACE_S = 10.0  # without somebody who gets ready, until the turns that count begin
PREPARING_CALLS = 5  # a contender is called so often before it is timed
STEEPEST = 2.0  # exponent that is expected: a step, as where a cache ends, looks steeper than it goes on
LOST_BEFORE = "It was lost with a shorter text."


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
        self._preparers: dict[tuple[str, str], AskedProcess] = {}
        self.used_s = 0.0

    def run(
        self, cell: Cell, contenders: Sequence[str], budget_s: float, coming: Loading | None = None
    ) -> Iterator[Event]:
        """The events of one cell; when stopped, the results of what was measured and then Stopped.

        contenders  those that are ready
        coming      others, who join as soon as they are
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
        shares = [share for series in entered for share in series.shares]
        busy = is_busy(shares, load_now(), os.cpu_count() or 1, cell.threads)
        for series in entered:
            if series.samples:
                self._remember(series)
                yield {"event": "result", **series.record(self._plan.clock, busy)}
        if stopped is not None:
            raise stopped

    def _enter_all(self, cell: Cell, contenders: Sequence[str], entered: list[Series]) -> Iterator[Event]:
        kinds = {split_name(name)[1] for name in contenders}
        references = {is_split: self._reference(cell.texts, is_split) for is_split in kinds}
        for operation in cell.operations:
            for number, name in enumerate(contenders, 1):
                if not self._workers.is_loaded(name, cell.threads):
                    yield loading(name, number, len(contenders))
                yield from self._enter(cell, name, operation, references[split_name(name)[1]], entered)

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
        tokens: Tokens = worker.ask(limit_s, "prepare", operation, cell.texts, cell.threads)
        return tokens

    def _take_turns(
        self, cell: Cell, entered: list[Series], budget_s: float, coming: Loading | None
    ) -> Iterator[Event]:
        """Turns of one sample each, every one in another order.

        While others load, each gives a first impression and then leaves them the processor.
        """
        racers, turn = list(entered), 0
        are_impressions, started_s = coming is not None, self._now_s()
        while racers or not (coming is None or coming.is_done):
            is_waiting = are_impressions and _is_waiting(coming, self._clock_s(), len(racers))
            have_impressed = all(len(series.samples) >= IMPRESSION_TURNS for series in racers)
            if coming is not None and (have_impressed if is_waiting else not racers):
                yield from self._join(cell, entered, racers, coming, GLANCE_S)
                continue
            if are_impressions and not is_waiting:
                are_impressions, started_s = False, self._now_s()
                for series in racers:
                    series.begins_anew = True
            yield from self._turn(racers, turn)
            turn += 1
            used_s = self._now_s() - started_s
            is_complete = coming is None or coming.is_done
            if is_complete and not are_impressions and self._is_enough(racers, used_s, budget_s):
                self.used_s += used_s
                return
            if coming is not None:
                yield from self._join(cell, entered, racers, coming, 0.0)

    def _join(
        self, cell: Cell, entered: list[Series], racers: list[Series], coming: Loading, wait_s: float
    ) -> Iterator[Event]:
        """Let those in who became ready."""
        for event in coming.events(wait_s):
            yield event
            if event["event"] == "loaded":
                newcomers: list[Series] = []
                yield from self._enter_all(cell, [event["contender"]], newcomers)
                entered += newcomers
                racers += newcomers

    def _turn(self, racers: list[Series], turn: int) -> Iterator[Event]:
        for series in [racers[index] for index in self._order.permutation(len(racers))]:
            if not (yield from self._sample(series, turn)):
                racers.remove(series)

    def _is_enough(self, racers: Sequence[Series], used_s: float, budget_s: float) -> bool:
        return is_enough([series.seconds(self._plan.clock) for series in racers], used_s, budget_s)

    def _now_s(self) -> float:
        """By a clock that stands while the run is paused."""
        return self._clock_s() - self._control.paused_s

    def _sample(self, series: Series, turn: int) -> Generator[Event, None, bool]:
        """One more sample; false if the contender failed."""
        self._check_control()
        cell, name, operation = series.cell, series.contender, series.operation
        try:
            worker = self._workers.get(name, cell.threads)
            if worker is not self._preparers[name, operation]:  # that was lost in another operation
                self._prepare(cell, name, operation)
            sample = worker.ask(self._plan.call_limit_s, "sample", operation)
        except (ContenderFailed, WorkerLost) as error:
            yield self._failure(cell, name, operation, error)
            return False
        series.add(sample, turn)
        yield {
            "event": "sample",
            "contender": name,
            "operation": operation,
            "seconds": series.seconds(self._plan.clock)[-1],
            "n": len(series.samples),
            "turn": turn,
            "share": None if series.has_waited or not sample.wall_s else sample.cpu_s / sample.wall_s,
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


def _is_waiting(coming: Loading | None, now_s: float, n_racers: int) -> bool:
    """Whether turns are no more than first impressions: somebody is loading who may be ready soon."""
    if coming is None or coming.is_done:
        return False
    return n_racers < 2 or now_s - coming.latest_s < GRACE_S


def _line(cell: Cell, name: str, operation: str) -> tuple[str, str, str, str]:
    """Cells that differ in size only."""
    return cell.scenario, operation, cell.corpus, name
