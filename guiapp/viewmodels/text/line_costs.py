"""The tokens of each line of the text, and which lines are dear."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.core.counting.cost import steps_of
from guiapp.core.editing.text_buffer import TextEdit
from guiapp.core.explain.characters import n_characters
from guiapp.viewmodels.model_session import ModelSession

PAUSE_MS = 250  # without an edit, until all lines are counted
LOOKED_AT_BYTES = 1 << 14  # of a line; the whole of a long one would have people wait at each key
DEAR_STEP = 2  # fewer than two characters a token


class LineCosts(QObject):
    """Counts of a session.

    session  whose
    most     tokens of the line with the most, the scale of all bars

    Signals:
        changed(): counts are new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._is_shown = False
        self.most = 0
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._count)
        session.tokens_changed.connect(self._follow)

    def set_shown(self, is_shown: bool) -> None:
        """Look at all lines only while people see them."""
        self._is_shown = is_shown
        if is_shown:
            self._count()

    def is_dear(self, start: int, end: int) -> bool:
        """Whether a line has few characters for its tokens, as far as one of that length is looked at."""
        document = self.session.document
        end = document.character_start(min(end, start + LOOKED_AT_BYTES))
        n_tokens = self.session.n_in_line(start, end)
        size = n_characters(document.slice(start, end))
        return int(steps_of(np.array([size]), np.array([n_tokens]))[0]) >= DEAR_STEP

    def _follow(self, edit: TextEdit | None) -> None:
        if self._is_shown:
            self.changed.emit()
            self._pause.start()

    def _count(self) -> None:
        starts = np.append(0, self.session.document.buffer.newlines + 1)
        self.most = int(self.session.n_in_lines(starts).max())
        self.changed.emit()
