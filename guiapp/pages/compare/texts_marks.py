"""The tokens of one of two compared texts, with what is told of each: in common, or only on this side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.compare.id_changes import IdChange, counterpart, counterparts
from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.analysis.editing.token_store import N_TINTS, TokenStore
from guiapp.kit.spans.layout import SpanWindow, Strength

if TYPE_CHECKING:
    from guiapp.kit.session.model_session import ModelSession
    from guiapp.pages.compare.texts import ComparedTexts
    from guiapp.pages.compare.texts_ids import ListedSpans


class MarkedSpans(QObject):
    """A `SpanSource` that knows which tokens the other side has as well.

    side      0 for the first of both lists of tokens, 1 for the second, which has a `reference`
    document  the text

    Signals:
        tokens_changed(TextEdit | None, TokenStore): as of a `ModelSession`; also where only marks are new.
    """

    tokens_changed = Signal(object, object)

    def __init__(
        self,
        source: ModelSession | ListedSpans,
        changes: ComparedTexts,
        parent: QObject,
        reference: MarkedSpans | None = None,
    ) -> None:
        super().__init__(parent)
        self.side = 0 if reference is None else 1
        self.document = source.document
        self._source = source
        self._changes = changes
        self._reference = reference

    @property
    def tokens(self) -> TokenStore:
        return self._source.tokens

    def notify(self, edit: TextEdit | None = None) -> None:
        """Tokens or marks are new."""
        self.tokens_changed.emit(edit, self.tokens)

    def spans_in(self, start: int, end: int) -> SpanWindow:
        """The tokens that overlap or touch the bytes [start, end]; those in common look alike."""
        window = self._source.spans_in(start, end)
        if not self._changes.is_shown:
            return window
        is_changed = self.is_changed(window)
        tints = window.tints.copy()
        if self._reference is not None:
            rows, kept = self._changes.outcome.rows, np.flatnonzero(~is_changed)
            places = counterparts(rows, self.side, window.first_index + kept)
            tints[kept] = self._reference.tints_of(places)
        tints += np.where(is_changed, N_TINTS * Strength.RINGED, N_TINTS * Strength.QUIET).astype(np.uint8)
        return window._replace(tints=tints)

    def tints_of(self, indexes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The colours of tokens, in ascending order."""
        first, end = (int(indexes[0]), int(indexes[-1]) + 1) if len(indexes) else (0, 0)
        tints = self.tokens.between(first, end).tints
        places = np.minimum(indexes - first, len(tints) - 1)
        outcome: NDArray[np.uint8] = tints[places] if len(tints) else np.zeros(len(indexes), np.uint8)
        return outcome

    def is_changed(self, window: SpanWindow) -> NDArray[np.bool_]:
        """bool[k]: whether the other side does not have the token."""
        starts, ends = self._changes.outcome.rows[:, 2 * self.side : 2 * self.side + 2].T
        indexes = np.arange(window.first_index, window.first_index + len(window.ids))
        n_begun, n_ended = (each.searchsorted(indexes, side="right") for each in (starts, ends))
        is_changed: NDArray[np.bool_] = n_begun > n_ended
        return is_changed

    def attributes_of(self, ids: NDArray[np.int32]) -> NDArray[np.uint16]:
        return self._source.attributes_of(ids)

    def label_of(self, token_id: int) -> str:
        return self._source.label_of(token_id)

    # Places

    def byte_span(self, change: IdChange) -> tuple[int, int]:
        """The bytes of what changed on this side; empty where nothing was removed or inserted."""
        first, end = change[2 * self.side : 2 * self.side + 2]
        start = self.offset_of(first)
        return start, self.tokens.span(end - 1)[1] if first < end <= len(self.tokens) else start

    @property
    def common_end(self) -> int:
        """Where the tokens end that both sides begin with."""
        return self.offset_of(self._changes.outcome.n_common)

    def offset_of(self, index: int) -> int:
        """Where a token begins, or the text ends."""
        return self.tokens.span(index)[0] if index < len(self.tokens) else self.document.size

    def counterpart_offset(self, other: MarkedSpans, offset: int) -> int:
        """Where the other text goes on with what is at `offset` here."""
        index = self.tokens.first_ending_after(offset)
        there = counterpart(self._changes.outcome.rows, self.side, index)
        start = other.offset_of(there)
        within = max(offset - self.offset_of(index), 0)
        return min(start + within, other.offset_of(there + 1))
