"""The models that are compared: the window's own, and those that were put beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from guiapp.core.open_model import open_model
from guiapp.kit.models.loader import Load
from guiapp.kit.session.model_session import ModelSession

MOST = 4  # beside each other


class ComparedModels(QObject):
    """Sessions of one text; the first is the window's own, which stays.

    Signals:
        sessions_changed(): `sessions` is new; those that went are closed.
    """

    sessions_changed = Signal()

    def __init__(self, session: ModelSession, load: Load = open_model) -> None:
        super().__init__()
        self._load = load
        self._sessions = [session]

    @property
    def sessions(self) -> Sequence[ModelSession]:
        """From left to right."""
        return self._sessions

    @property
    def can_add(self) -> bool:
        """Whether there is room for one more."""
        return len(self._sessions) < MOST

    def add(self, name: str, pre: str | None = None) -> ModelSession:
        """Begin to open one more model, with the switches of the first one; `pre` as in `open_model`."""
        assert self.can_add
        first = self._sessions[0]
        session = ModelSession(first.text, first.options, self._load, self, False, first.spelling)
        self._sessions.append(session)
        self.sessions_changed.emit()
        session.loader.open(name, pre)
        return session

    def remove(self, session: ModelSession) -> None:
        """Put a model away that was added."""
        self._sessions.remove(session)
        self.sessions_changed.emit()
        session.close()
        session.deleteLater()

    def stop(self) -> None:
        """End what the added ones do; nothing of theirs is delivered any more."""
        for session in self._sessions[1:]:
            session.close()
