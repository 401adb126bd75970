"""The workers of one run: each started when it is needed, and again when it was lost."""

from __future__ import annotations

from collections.abc import Callable

from guiapp.core.bench.worker import Loaded
from guiapp.core.bench.worker_process import ContenderFailed, TookTooLong, Worker, WorkerLost

LOAD_LIMIT_S = 180.0
MOST_LOSSES = 3

StartWorker = Callable[[str, int], Worker]  # the contender's name, threads


class Workers:
    """One worker for each contender and number of threads."""

    def __init__(self, start: StartWorker) -> None:
        self._start = start
        self._running: dict[tuple[str, int], Worker] = {}
        self._n_losses: dict[str, int] = {}
        self.loaded: dict[str, Loaded] = {}

    def is_loaded(self, name: str, threads: int) -> bool:
        """Whether the next question needs no new worker."""
        return (name, threads) in self._running

    def get(self, name: str, threads: int) -> Worker:
        """A worker that has loaded its contender; raises ContenderFailed, WorkerLost or Stopped."""
        if (name, threads) not in self._running:
            if self._n_losses.get(name, 0) >= MOST_LOSSES:
                raise ContenderFailed(f"It crashed {MOST_LOSSES} times.")
            self._running[name, threads] = worker = self._start(name, threads)
            try:
                loaded = worker.ask(LOAD_LIMIT_S, "load")
            except (ContenderFailed, WorkerLost) as error:
                self.lose(name, threads, error)
                raise
            self.loaded.setdefault(name, loaded)
        return self._running[name, threads]

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
        for worker in self._running.values():
            worker.end()
        self._running.clear()
