"""A contender's process of the field: what a benchmark's does, ids text by text, and opening it once more.

("ids", texts)      the ids of each text, None of one that it refuses
("opening", text)   seconds of building it, and of the first call with the text, each time anew
"""

from __future__ import annotations

import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.bench.worker import LoadedContender, Worker, answer_all, prepare_process
from guiapp.analysis.bench.worker_process import AskedProcess

Ids = NDArray[np.int32]
OPENED_S, MOST_OPENED = 1.0, 5  # it is opened once more until so much time, or so often


class FieldWorker(Worker):
    """A worker that is loaded once, whoever asks for that."""

    _loaded: LoadedContender | None = None

    def load(self) -> LoadedContender:
        if self._loaded is None:
            self._loaded = super().load()
        return self._loaded

    def ids(self, texts: list[bytes]) -> list[Ids | None]:
        return [self._ids_of(text) for text in texts]

    def _ids_of(self, text: bytes) -> Ids | None:
        contender = self._contender
        assert contender is not None
        try:
            return contender.tokens(contender.encode(contender.take_text(text))).ids
        except MemoryError:
            raise
        except BaseException:  # whatever another library raises, those in Rust panics: it refuses the text
            return None

    def opening(self, text: bytes) -> list[tuple[float, float]]:
        assert self._build is not None
        assert self._contender is not None
        taken = self._contender.take_text(text)
        times: list[tuple[float, float]] = []
        while len(times) < MOST_OPENED and sum(map(sum, times)) < OPENED_S:
            started = time.perf_counter()
            fresh = self._build()
            built = time.perf_counter()
            fresh.encode(taken)
            times.append((built - started, time.perf_counter() - built))
        return times


class FieldProcess(AskedProcess):
    """A child process with a contender."""

    def __init__(self, model: str, name: str, threads: int, shall_stop: Callable[[], bool]) -> None:
        super().__init__(serve, (model, name, threads), shall_stop)


def serve(connection: Connection, model: str, name: str, threads: int) -> None:
    """Answer until the pipe is closed."""
    prepare_process(threads)
    answer_all(connection, FieldWorker(model, name))
