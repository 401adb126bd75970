"""The one thing under way that a person may wait for, of all that runs in the background."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.core.vocabulary.opening import stage_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener


class Work(NamedTuple):
    """What goes on.

    progress  the share done, 0 to 1; 0 also where that is not known
    cancel    stops it, and what was there before stays; None for what cannot be stopped
    """

    title: str
    progress: float
    cancel: Callable[[], object] | None


class Activity(QObject):
    """Loading a model before opening a session, reading a text, and encoding.

    Signals:
        changed(): `now` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, opener: SessionOpener) -> None:
        super().__init__()
        self._session = session
        self._opening = opener.reading
        loader = session.loader
        for signal in (loader.loading_changed, loader.progress_changed):
            signal.connect(self.changed)
        for job in (self._opening, session.text.reading, session.spans.job):
            job.busy_changed.connect(self.changed)
            job.progress_changed.connect(self.changed)

    @property
    def now(self) -> Work | None:
        """What goes on, None for nothing."""
        loader, opening, reading = self._session.loader, self._opening, self._session.text.reading
        encoding = self._session.spans.job
        if loader.loading_name is not None:
            title = f"Opening {Path(loader.loading_name).name}: {stage_of(loader.job.progress)}"
            return Work(title, loader.job.progress, loader.cancel)
        if opening.is_busy:
            return Work("Opening the session", opening.progress, opening.cancel)
        if reading.is_busy:
            return Work("Reading the text", reading.progress, reading.cancel)
        return Work("Encoding", encoding.progress, None) if encoding.is_busy else None
