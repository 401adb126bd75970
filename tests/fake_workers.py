"""Workers that report made-up times, so that runs need no processes and no waiting."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np

from guiapp import open_model
from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.engine import run
from guiapp.analysis.bench.operations import TimingSample, encode_all
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.run_results import BenchRun, Record
from guiapp.analysis.bench.worker import AskedProcess, LoadedContender
from guiapp.analysis.libraries.contender import Contender, ContenderTokens, our_contender

Seconds = Callable[[str, int], float]  # contender, bytes


class AnswersAtOnce:
    """A worker whose answers are available at once."""

    stage = ""

    def begin(self, limit_s: float, command: str, *arguments: object) -> None:
        self._asked = limit_s, command, *arguments

    def is_answered(self, wait_s: float) -> bool:
        return True

    def answer(self) -> object:
        return self.ask(*self._asked)


class FakeWorker(AnswersAtOnce):
    """Returns the right tokens and, for each sample, `seconds` with a little noise."""

    def __init__(self, model: str, name: str, seconds: Seconds, log: list[tuple[object, ...]]) -> None:
        self._model = model
        self._name = name
        self._seconds = seconds
        self._size_bytes = 0
        self._prepared: set[object] = set()
        self._noise = np.random.default_rng(len(name))
        self._log = log
        self.is_ended = False

    def ask(self, limit_s: float, command: str, *arguments: object) -> object:
        self._log.append((self._name, command))
        if command == "load":
            return LoadedContender("1.0", "", 1_000_000)
        if command == "memory":
            return 2_000_000
        if command == "prepare":
            texts = arguments[1]
            self._size_bytes = sum(map(len, texts))
            self._prepared.add(arguments[0])
            return _right_tokens(self._model, texts)
        assert arguments[0] in self._prepared
        self._log[-1] = (self._name, command, *arguments)
        seconds = self._seconds(self._name, self._size_bytes) * self._noise.lognormal(0, 0.01)
        return TimingSample(seconds, seconds)

    def end(self) -> None:
        self.is_ended = True


class FakeStarter:
    """Starts fake workers and keeps them in a list.

    log  their requests in order: name, command, and the operation of samples
    """

    def __init__(self, seconds: Seconds, model: str = "demo:bpe") -> None:
        self._seconds = seconds
        self._model = model
        self.workers: list[FakeWorker] = []
        self.log: list[tuple[object, ...]] = []

    def __call__(self, name: str, threads: int) -> AskedProcess:
        self.workers.append(FakeWorker(self._model, name, self._seconds, self.log))
        return self.workers[-1]


def report_of(plan: Plan, starter: FakeStarter | None = None, control: Control | None = None) -> Record:
    """The record of a whole run; without a starter, all contenders take a nanosecond a byte."""
    report = BenchRun()
    starter = starter or FakeStarter(lambda name, size_bytes: size_bytes * 1e-9)
    for event in run(plan, control or Control(), starter):
        report.add(event)
    assert all(worker.is_ended for worker in starter.workers)
    return report.record()


@cache
def _contender(model: str) -> Contender:
    return our_contender(open_model(model), "fast")


@lru_cache(maxsize=8)  # all workers of a cell encode the same texts
def _right_tokens(model: str, texts: tuple[bytes, ...]) -> ContenderTokens:
    return encode_all(_contender(model), texts)
