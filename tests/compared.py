"""Models side by side over one text, without a window."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

import guiapp
from guiapp.core.editing.options import Options
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession


class Compared(QObject):
    """As `ComparedModels`."""

    sessions_changed = Signal()

    def __init__(self, text=b"", load=lambda name, pre, progress: guiapp.open_model(name, pre)):
        super().__init__()
        self._load = load
        self.text = TextSession(text)
        self.sessions = [ModelSession(self.text, Options(), load)]

    @property
    def can_add(self):
        return len(self.sessions) < 4

    def add(self, name, pre=None):
        session = ModelSession(self.text, self.sessions[0].options, self._load)
        self.sessions.append(session)
        session.loader.open(name, pre)
        self.sessions_changed.emit()
        return session

    def remove(self, session):
        self.sessions.remove(session)
        self.sessions_changed.emit()
        session.close()

    def close(self):
        for session in self.sessions:
            session.close()
        self.text.close()
