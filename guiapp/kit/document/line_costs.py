"""The tokens of each line of the text, and which lines are dear."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.later import later

PAUSE_MS = 250  # without an edit, until all lines are counted
LOOKED_AT_BYTES = 1 << 14  # of a line; the whole of a long one would have people wait at each key
DEAR_BELOW = 2  # characters a token, from the third of `cost.STEPS` on


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
        self._pause = later(self, PAUSE_MS, self._count)
        session.tokens_changed.connect(self._follow)

    def set_shown(self, is_shown: bool) -> None:
        """Look at all lines only while people see them."""
        self._is_shown = is_shown
        if is_shown:
            self._count()

    def of_line(self, start: int, end: int) -> tuple[int, bool]:
        """The tokens of a line, and whether it has few characters for them, as far as it is looked at.

        It is asked for each line that shows at each key: there is no array in it.
        """
        document, n_tokens = self.session.document, self.session.n_in_line(start, end)
        n_looked_at = n_tokens
        if end - start > LOOKED_AT_BYTES:
            end = document.character_start(start + LOOKED_AT_BYTES)
            n_looked_at = self.session.n_in_line(start, end)
        size = n_characters(document.slice(start, end))
        return n_tokens, n_looked_at > 1 and size < DEAR_BELOW * n_looked_at

    def _follow(self, edit: TextEdit | None) -> None:
        if self._is_shown:
            self.changed.emit()
            self._pause.start()

    def _count(self) -> None:
        starts = np.append(0, self.session.document.buffer.newlines + 1)
        self.most = int(self.session.n_in_lines(starts).max())
        self.changed.emit()
