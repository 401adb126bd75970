"""The tokens of each line of the text, and which lines are dear."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.explain.characters import n_characters
from guiapp.core.encode.counting.cost import CostlyText, CostlyTexts, costly_texts_of
from guiapp.core.encode.encoding import Offsets
from guiapp.kit.state.background import LatestJob, Progress, Working, later

if TYPE_CHECKING:
    from guiapp.kit.session.model_session import ModelSession

N_MOST = 20
LONG_BYTES = 1_000_000
LIST_PAUSE_MS, LONG_PAUSE_MS = 150, 1000  # without an edit, in a short text and in a long one
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
        session.tokens_changed.connect(self._on_tokens_changed)

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

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        if self._is_shown:
            self.changed.emit()
            self._pause.start()

    def _count(self) -> None:
        starts = np.append(0, self.session.document.buffer.newlines + 1)
        self.most = int(self.session.n_in_lines(starts).max())
        self.changed.emit()


class MostExpensiveModel(Working):
    """What is dearest in the text of a session, while somebody looks.

    result  None before the first time, and where there is no model

    Signals:
        changed(): `result` is new.
    """

    changed = Signal()

    def __init__(self, session: ModelSession, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._is_shown = self._is_stale = False
        self._edits: list[TextEdit] = []  # since the text that `result` is about
        self.result: CostlyTexts | None = None
        self._pause = QTimer(self, singleShot=True)
        self._pause.timeout.connect(self._find)
        self._job = LatestJob[CostlyTexts](self, self._take)
        session.tokens_changed.connect(self._on_tokens_changed)
        self._on_tokens_changed(None)

    @property
    def is_busy(self) -> bool:
        """Whether what is newer is still to come."""
        return self._pause.isActive() or self._job.is_busy

    def set_shown(self, is_shown: bool) -> None:
        """Look only while people do."""
        self._is_shown = is_shown
        if is_shown and self._is_stale:
            self._find()

    def go_to(self, row: CostlyText) -> tuple[int, int]:
        """Select the first place of one of those found, where it is by now; return that."""
        start, end = row.start, row.end
        for edit in self._edits:
            if edit.start + edit.removed <= start:
                start, end = start + edit.shift, end + edit.shift
        self._session.document.select(*sorted((min(end, self._session.document.size), start)))
        return self._session.document.selection

    def line_of(self, row: CostlyText) -> int:
        """The number of the line of its first place, from 1."""
        return self._session.document.line_of(min(row.start, self._session.document.size)) + 1

    def _on_tokens_changed(self, edit: TextEdit | None) -> None:
        self._is_stale = True
        if edit is not None:
            self._edits.append(edit)
        self._job.cancel()
        if self._is_shown:
            is_long = self._session.document.size > LONG_BYTES
            self._pause.start(LONG_PAUSE_MS if is_long else LIST_PAUSE_MS)

    def _find(self) -> None:
        self._pause.stop()
        if self._session.is_encoding:
            return  # the tokens will come
        self._is_stale = False
        tokens = self._session.tokens.between(0, len(self._session.tokens))
        columns = np.array(tokens.starts), np.array(tokens.ends)  # copies, as those are changed by edits
        self._job.start(partial(_find, self._session.document.text(), *columns))

    def _take(self, result: CostlyTexts) -> None:
        self.result, self._edits = result, []  # an edit since would have ended the job
        self.changed.emit()


def _find(text: bytes, starts: Offsets, ends: Offsets, progress: Progress) -> CostlyTexts:
    return costly_texts_of(text, starts, ends, N_MOST)
