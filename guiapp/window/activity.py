"""The one thing under way that a person may wait for, of all that runs in the background."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.vocabulary.opening import stage_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener


class Activity(QObject):
    """Loading a model before opening a session, reading a text, and encoding.

    Signals:
        changed(): `title`, `progress` or `can_cancel` is new.
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
    def title(self) -> str | None:
        """What goes on, None for nothing."""
        session = self._session
        if session.loader.loading_name is not None:
            stage = stage_of(session.loader.job.progress)
            return f"Opening {Path(session.loader.loading_name).name}: {stage}"
        if self._opening.is_busy:
            return "Opening the session"
        if session.text.reading.is_busy:
            return "Reading the text"
        return "Encoding" if session.spans.job.is_busy else None

    @property
    def progress(self) -> float:
        """The share done, 0 to 1; 0 also where that is not known."""
        session = self._session
        if session.loader.loading_name is not None:
            return session.loader.job.progress
        if self._opening.is_busy:
            return self._opening.progress
        if session.text.reading.is_busy:
            return session.text.reading.progress
        return session.spans.job.progress

    @property
    def can_cancel(self) -> bool:
        session = self._session
        is_reading = self._opening.is_busy or session.text.reading.is_busy
        return is_reading or session.loader.loading_name is not None

    def cancel(self) -> None:
        """Stop it; what was there before stays."""
        if self._session.loader.loading_name is not None:
            self._session.loader.cancel()
        elif self._opening.is_busy:
            self._opening.cancel()
        else:
            self._session.text.reading.cancel()
