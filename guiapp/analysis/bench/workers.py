"""The workers of one run: each started when it is needed, and again when it was lost."""

from __future__ import annotations

from collections.abc import Callable

from guiapp.analysis.bench.worker import LoadedContender
from guiapp.analysis.bench.worker_process import (
    GLANCE_S,
    AskedProcess,
    ContenderFailed,
    TookTooLong,
    WorkerLost,
)

LOAD_LIMIT_S = 180.0
MOST_LOSSES = 3

StartWorker = Callable[[str, int], AskedProcess]  # the contender's name, threads


class Workers:
    """One worker for each contender and number of threads."""

    def __init__(self, start: StartWorker) -> None:
        self._start = start
        self._running: dict[tuple[str, int], AskedProcess] = {}
        self._loading: dict[tuple[str, int], AskedProcess] = {}
        self._n_losses: dict[str, int] = {}
        self.loaded: dict[str, LoadedContender] = {}

    def is_loaded(self, name: str, threads: int) -> bool:
        """Whether the next question needs no new worker."""
        return (name, threads) in self._running

    def get(self, name: str, threads: int) -> AskedProcess:
        """A worker that has loaded its contender; raises ContenderFailed, WorkerLost or Stopped."""
        if (name, threads) not in self._running:
            self.begin(name, threads)
            while not self.has_loaded(name, threads, GLANCE_S):
                pass
        return self._running[name, threads]

    def begin(self, name: str, threads: int) -> None:
        """Start one that loads while something else is done; raises ContenderFailed or WorkerLost."""
        if self._n_losses.get(name, 0) >= MOST_LOSSES:
            raise ContenderFailed(f"It crashed {MOST_LOSSES} times.")
        self._loading[name, threads] = worker = self._start(name, threads)
        worker.begin(LOAD_LIMIT_S, "load")

    def has_loaded(self, name: str, threads: int, wait_s: float) -> bool:
        """Whether one that was begun is ready within some seconds; raises as `get` does."""
        worker = self._loading[name, threads]
        try:
            if not worker.is_answered(wait_s):
                return False
            self.loaded.setdefault(name, worker.answer())
        except (ContenderFailed, WorkerLost) as error:
            self._running[name, threads] = self._loading.pop((name, threads))
            self.lose(name, threads, error)
            raise
        self._running[name, threads] = self._loading.pop((name, threads))
        return True

    def stage_of(self, name: str, threads: int) -> str:
        """What one that loads does, in words."""
        return self._loading[name, threads].stage

    def lose(self, name: str, threads: int, error: ContenderFailed | WorkerLost) -> None:
        """End a worker that failed; the next one asked for is a new one, unless it crashes all the time."""
        worker = self._running.pop((name, threads), None)
        if worker is None:  # it was lost while it loaded
            return
        if not isinstance(error, TookTooLong):
            self._n_losses[name] = self._n_losses.get(name, 0) + 1
        worker.end()

    def end_others(self, threads: int) -> None:
        """End all that use another number of threads."""
        for key in [key for key in self._running if key[1] != threads]:
            self._running.pop(key).end()

    def end(self) -> None:
        for workers in (self._running, self._loading):
            for worker in workers.values():
                worker.end()
            workers.clear()
