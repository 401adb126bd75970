"""How all pages write tokens."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.explain.spelling import Spelling


class SharedSpelling(QObject):
    """The one choice of a window.

    Signals:
        changed(): `now` is new.
    """

    changed = Signal()

    def __init__(self, now: Spelling = Spelling.SIGNS, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.now = now

    def choose(self, spelling: Spelling) -> None:
        if spelling is not self.now:
            self.now = spelling
            self.changed.emit()
