"""The tokens of one of several models, with how far the others have the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import N_TINTS, TokenStore
from guiapp.kit.spans.layout import SpanWindow, Strength

if TYPE_CHECKING:
    from guiapp.analysis.compare.live_comparison import LiveComparison
    from guiapp.kit.session.model_session import ModelSession


class ComparedSpans(QObject):
    """A column: the `SpanSource` of an editor, whose tokens look as the comparison says.

    They are those of the session that were compared last; a session's newer ones show together with what
    comparing them gives.

    Signals:
        tokens_changed(TextEdit | None, TokenStore): as those of a session.
        renewed(): the session has other tokens, and by no edit.
    """

    tokens_changed = Signal(object, object)
    renewed = Signal()

    def __init__(self, session: ModelSession, parent: QObject) -> None:
        super().__init__(parent)
        self.session = session
        self.show(None, is_alone=True)
        session.tokens_changed.connect(self._on_tokens_changed)

    def close(self) -> None:
        """Follow the session no more."""
        self.session.tokens_changed.disconnect(self._on_tokens_changed)
        self.deleteLater()

    def _on_tokens_changed(self, edit: TextEdit | None, tokens: TokenStore) -> None:
        if edit is None:
            self.renewed.emit()

    @property
    def n_tokens(self) -> int:
        return len(self.tokens)

    @property
    def takes_part(self) -> bool:
        """Whether there are tokens of the whole text to compare."""
        session = self.session
        return session.tokenizer is not None and (len(session.tokens) > 0 or not session.document.size)

    @property
    def is_current(self) -> bool:
        """Whether these are still the tokens that the session goes on with."""
        return self.tokens is self.session.tokens

    @property
    def is_readable(self) -> bool:
        """Whether the vocabulary of these tokens is still that of the session."""
        return self._vocabulary is self.session.vocabulary

    def show(self, live: LiveComparison | None, row: int = 0, is_alone: bool = False) -> None:
        """Look as a row of a comparison says from now on; without one as what all models share."""
        self.tokens, self._vocabulary = self.session.tokens, self.session.vocabulary
        self._live, self._row, self._is_alone = live, row, is_alone

    def notify(self, edit: TextEdit | None) -> None:
        """Have those who paint look again."""
        self.tokens_changed.emit(edit, self.tokens)

    def spans_in(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap or touch the bytes [start, end]."""
        first, last = self.tokens.first_ending_from(start), self.tokens.first_after(end)
        window = SpanWindow(first, *self.tokens.between(first, last))
        if self._is_alone:
            return window
        if self._live is None:
            return window._replace(tints=window.tints + np.uint8(N_TINTS * Strength.QUIET))
        shares, tints = self._live.shares[self._row][first:last], self._live.tints[self._row][first:last]
        strengths = np.full(len(shares), Strength.FULL, np.uint8)
        strengths[shares == 1] = Strength.RINGED
        strengths[shares == len(self._live.shares)] = Strength.QUIET
        return window._replace(tints=tints + N_TINTS * strengths)

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        return self.session.attributes_of(ids)

    def label_of(self, token_id: int) -> str:
        """What to call a token that is not in the text."""
        return self.session.label_of(token_id)
