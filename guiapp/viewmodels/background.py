"""Work off the GUI thread: the newest job wins, older ones stop at their next report of progress."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, QThreadPool, Signal

from guiapp.core.errors import TokenloupeError

T = TypeVar("T")
Progress = Callable[[float], None]
WHOLE = 1000  # progress travels in thousandths, so that reports of less are not sent


class SupersededError(Exception):
    """Raised inside a job by its progress callback: nobody wants the result any more."""


class LatestJob(QObject, Generic[T]):
    """Runs one job at a time and delivers the result of the newest only.

    A job is a function of a progress callback, to be called now and then with the share done, 0 to 1.
    TokenloupeErrors become `failed`; anything else is our own mistake and goes to sys.excepthook.

    Signals, all in the thread that this object lives in:
        done(object): the result of the newest job.
        failed(str): why there is none, to show as it stands.
        busy_changed(): `is_busy` is new.
        progress_changed(): `progress` is new.
    """

    done = Signal(object)
    failed = Signal(str)
    busy_changed = Signal()
    progress_changed = Signal()
    _ended = Signal(int, object, object)
    _reported = Signal(int, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._generation = 0
        self._is_busy = False
        self._progress = 0
        self._ended.connect(self._finish)
        self._reported.connect(self._note_progress)

    @property
    def is_busy(self) -> bool:
        return self._is_busy

    @property
    def progress(self) -> float:
        """The share done, 0 to 1; 0 also for jobs that do not tell."""
        return self._progress / WHOLE

    def start(self, work: Callable[[Progress], T]) -> None:
        """Run `work` instead of whatever runs or waits now."""
        self._generation += 1
        self._pool.clear()
        self._progress = 0
        self._pool.start(partial(self._run, self._generation, work))
        self._set_busy(True)

    def cancel(self) -> None:
        """Give up the present job; nothing will be delivered."""
        self._generation += 1
        self._pool.clear()
        self._set_busy(False)

    def wait(self) -> None:
        """Give up the present job and wait until its thread has ended; for closing."""
        self.cancel()
        self._pool.waitForDone()

    def _run(self, generation: int, work: Callable[[Progress], T]) -> None:
        result, error = None, None
        sent = 0

        def report(share: float) -> None:
            nonlocal sent
            if generation != self._generation:
                raise SupersededError
            if (now := int(share * WHOLE)) > sent:
                sent = now
                self._reported.emit(generation, now)

        try:
            report(0.0)
            result = work(report)
        except SupersededError:
            return
        except Exception as caught:  # delivered to the GUI thread, and shown there
            error = caught
        self._ended.emit(generation, result, error)

    def _finish(self, generation: int, result: T, error: Exception | None) -> None:
        if generation != self._generation:
            return
        self._set_busy(False)
        if error is None:
            self.done.emit(result)
        elif isinstance(error, TokenloupeError):
            self.failed.emit(str(error))
        else:
            sys.excepthook(type(error), error, error.__traceback__)

    def _note_progress(self, generation: int, thousandths: int) -> None:
        if generation == self._generation and self._is_busy:
            self._progress = thousandths
            self.progress_changed.emit()

    def _set_busy(self, is_busy: bool) -> None:
        if is_busy != self._is_busy:
            self._is_busy = is_busy
            self.busy_changed.emit()
