"""Something to find out about the whole text, in the background, once typing has paused."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from PySide6.QtCore import QObject, Signal

from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.later import later

Given = TypeVar("Given")
Found = TypeVar("Found")

PAUSE_MS = 150  # typing goes on meanwhile


class TextCheck(QObject, Generic[Given, Found]):
    """Asks for what to look at, looks, and forgets what it found as soon as the text changes.

    result  None while it is not known

    Signals:
        changed(): `result` is new.
        failed(str): why it cannot be found out.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, find_out: Callable[[Given, Progress], Found], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._find_out = find_out
        self.result: Found | None = None
        self._job = LatestJob[Found](self, self._set, self.failed)
        self._pause = later(self, PAUSE_MS, self._start)
        self._snapshot: Callable[[], Given | None] | None = None

    def check(self, snapshot: Callable[[], Given | None]) -> None:
        """Find out soon; `snapshot` is asked for what to look at once typing has paused."""
        self._snapshot = snapshot
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
        given = None if self._snapshot is None else self._snapshot()
        if given is not None:
            self._job.start(partial(self._find_out, given))

    def _set(self, result: Found | None) -> None:
        if result != self.result:
            self.result = result
            self.changed.emit()
