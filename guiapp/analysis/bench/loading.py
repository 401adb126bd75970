"""Contenders that load beside each other, the quickest known first, while those that are ready take turns."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.events import Event, left_out, loading
from guiapp.analysis.bench.forecast import usual_loading_s
from guiapp.analysis.bench.worker import OPENS, READS, STARTS, WRITES
from guiapp.analysis.bench.worker_process import ContenderFailed, Stopped, WorkerLost
from guiapp.analysis.bench.workers import Workers

SHARES = {STARTS: (0.0, 0.1), OPENS: (0.1, 0.3), WRITES: (0.3, 0.5), READS: (0.5, 1.0)}  # of loading
USUAL_S = 1.0  # of a stage; nearer and nearer to its end after that
TELL_EVERY_S = 0.2


class ContenderLoader:
    """The contenders of a run on their way.

    ready     those that can take part, in the order of the plan
    latest_s  when something came of one of them
    """

    def __init__(
        self,
        workers: Workers,
        names: Sequence[str],
        threads: int,
        control: Control,
        clock_s: Callable[[], float] = time.monotonic,
        n_at_once: int = os.cpu_count() or 1,
    ) -> None:
        self._workers = workers
        self._names = names
        self._threads = threads
        self._control = control
        self._clock_s = clock_s
        self._n_at_once = n_at_once
        self._waiting = sorted(names, key=usual_loading_s)
        self._begun_s: dict[str, float] = {}
        self._stages: dict[str, tuple[str, float]] = {}  # and since when
        self._told_s: dict[str, float] = {}
        self._ready: set[str] = set()
        self.latest_s = clock_s()

    @property
    def is_done(self) -> bool:
        return not (self._waiting or self._begun_s)

    @property
    def ready(self) -> list[str]:
        return [name for name in self._names if name in self._ready]

    def events(self, wait_s: float = 0.0) -> Iterator[Event]:
        """What happened since the last time, or happens within some seconds; raises Stopped.

        Those that are ready are told by `loaded`, those that failed by `left out`.
        """
        self._control.wait_while_paused()
        if self._control.shall_stop():
            raise Stopped
        yield from self._begin_some()
        for name in list(self._begun_s):
            told = list(self._poll(name, wait_s / len(self._begun_s)))
            yield from self._begin_some()  # before whoever is ready takes its first turns
            yield from told

    def _begin_some(self) -> Iterator[Event]:
        while self._waiting and len(self._begun_s) < self._n_at_once:
            yield from self._begin(self._waiting.pop(0))

    def _begin(self, name: str) -> Iterator[Event]:
        self._begun_s[name] = self._clock_s()
        self._stages[name] = STARTS, self._clock_s()
        yield self._progress_event(name)
        try:
            self._workers.begin(name, self._threads)
        except (ContenderFailed, WorkerLost) as error:
            yield self._failed(name, error)

    def _poll(self, name: str, wait_s: float) -> Iterator[Event]:
        try:
            if self._workers.has_loaded(name, self._threads, wait_s):
                yield self._is_ready(name)
                return
        except (ContenderFailed, WorkerLost) as error:
            yield self._failed(name, error)
            return
        now_s, stage = self._clock_s(), self._workers.stage_of(name, self._threads)
        if stage and stage != self._stages[name][0]:
            self._stages[name] = stage, now_s
        elif now_s - self._told_s[name] < TELL_EVERY_S:
            return
        yield self._progress_event(name)

    def _progress_event(self, name: str) -> Event:
        (stage, since_s), now_s = self._stages[name], self._clock_s()
        self._told_s[name] = now_s
        low, high = SHARES.get(stage, (0.0, 1.0))
        share = low + (high - low) * (1 - math.exp((since_s - now_s) / USUAL_S))
        return loading(name, self._names.index(name) + 1, len(self._names), stage, share)

    def _is_ready(self, name: str) -> Event:
        self.latest_s = self._clock_s()
        self._ready.add(name)
        loading_s = self.latest_s - self._begun_s.pop(name)
        return {
            "event": "loaded",
            "contender": name,
            **asdict(self._workers.loaded[name]),
            "loading_s": loading_s,
        }

    def _failed(self, name: str, error: Exception) -> Event:
        self.latest_s = self._clock_s()
        self._begun_s.pop(name)
        return left_out(name, str(error))
