"""A hunt that goes on in a thread and its worker processes, told state by state."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.hunt.engine import HuntPlan, hunt
from guiapp.analysis.hunt.finds import Hunt
from guiapp.analysis.hunt.sides import HuntError
from guiapp.core.vocabulary.quoting import quoted
from guiapp.kit.state.background import LatestJob
from guiapp.native.checkpoint import watched

Engine = Callable[[HuntPlan, Callable[[], bool]], Iterator[Hunt]]
FAREWELL_S = 10.0


class _Stopped(Exception):  # noqa: N818  # nothing went wrong
    """Somebody asked to stop while files were opened."""


class HuntRunner(QObject):
    """One hunt at a time.

    Signals:
        told(Hunt): its newest state.
        ended(str): it is over and its processes are gone; why, where it could not be, else "".
    """

    told = Signal(object)
    ended = Signal(str)
    _told = Signal(object, object)

    def __init__(self, engine: Engine = hunt, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._engine = engine
        self._stopped = threading.Event()  # of the newest one
        self._job = LatestJob[None](self)
        self._told.connect(self._tell)
        self._job.done.connect(self._end)
        self._job.failed.connect(self.ended)

    @property
    def is_running(self) -> bool:
        """From `start` to `ended` or `drop`."""
        return self._job.is_busy

    def start(self, make_plan: Callable[[], HuntPlan]) -> None:
        """Begin; the plan is made in the thread, as it may write and read files."""
        self._stopped = stopped = threading.Event()
        self._job.start(lambda _progress: self._run(make_plan, stopped))

    def stop(self) -> None:
        """Have it told what it found, and ended."""
        self._stopped.set()

    def drop(self) -> None:
        """End it, and listen no more."""
        self._stopped.set()
        self._job.cancel()

    def close(self) -> None:
        """The same, and wait until its processes are gone."""
        self.drop()
        self._job.finish(FAREWELL_S)

    def _run(self, make_plan: Callable[[], HuntPlan], stopped: threading.Event) -> None:
        def check() -> None:
            if stopped.is_set():
                raise _Stopped

        try:
            with watched(check):
                for state in self._engine(make_plan(), stopped.is_set):
                    self._told.emit(stopped, state)
        except _Stopped:
            pass
        except OSError as error:
            named = quoted(str(error.filename or "A text"))
            raise HuntError(f"{named} cannot be read: {error.strerror or error}. Untick it.") from error

    def _tell(self, stopped: threading.Event, state: Hunt) -> None:
        if stopped is self._stopped and self.is_running:
            self.told.emit(state)

    def _end(self) -> None:
        self.ended.emit("")
