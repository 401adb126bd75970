"""Something to find out about the whole text, in the background, once typing has paused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.state.later import later

Found = TypeVar("Found")
Job = Callable[[Progress], Found]

PAUSE_MS = 150  # typing goes on meanwhile


class TextCheck(QObject, Generic[Found]):
    """Asks for what to do, does it, and forgets what it found as soon as the text changes.

    result  None while it is not known

    Signals:
        changed(): `result` is new.
        failed(str): why it cannot be found out.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.result: Found | None = None
        self._job = LatestJob[Found](self, self._set, self.failed)
        self._pause = later(self, PAUSE_MS, self._start)
        self._prepare: Callable[[], Job[Found] | None] | None = None

    def check(self, prepare: Callable[[], Job[Found] | None]) -> None:
        """Find out soon; `prepare` is asked for what to do once typing has paused, None for nothing."""
        self._prepare = prepare
        self._pause.start()

    def forget(self) -> None:
        """The text has changed: the old answer holds no more."""
        self._pause.stop()
        self._job.cancel()
        self._set(None)

    def wait(self) -> None:
        """Stop, and wait for the thread; for closing."""
        self._pause.stop()
        self._job.wait()

    def _start(self) -> None:
        job = None if self._prepare is None else self._prepare()
        if job is not None:
            self._job.start(job)

    def _set(self, result: Found | None) -> None:
        if result != self.result:
            self.result = result
            self.changed.emit()
