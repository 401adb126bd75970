"""Two texts in tokens: which tokens the other one has as well, and where it goes on with each."""

from __future__ import annotations

from bisect import bisect_left
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from guiapp.analysis.compare.id_changes import IdChange, IdChanges, counterpart, counterparts
from guiapp.kit.spans.layout import SpanWindow
from guiapp.kit.spans.source import TokenizedText


class TextPair(Protocol):
    """Whose changes are shown."""

    @property
    def outcome(self) -> IdChanges: ...

    @property
    def is_shown(self) -> bool:
        """Whether there is another text, and it has tokens."""


class MarkedSpans(TokenizedText):
    """The tokens of a source, marked by which of them the other side has as well.

    side  0 for the first of both lists of tokens, 1 for the second, which has a `reference` for its colours
    """

    def __init__(
        self,
        source: TokenizedText,
        pair: TextPair,
        parent: QObject,
        side: int = 0,
        reference: MarkedSpans | None = None,
    ) -> None:
        super().__init__(source.document, source, source.spelling, parent=parent)
        self.side = side
        self._source = source
        self._pair = pair
        self._reference = reference

    def spans_in(self, start: int, end: int) -> SpanWindow:
        window = self._source.spans_in(start, end)
        if not self._pair.is_shown:
            return window
        is_changed = self.is_changed(window)
        if self._reference is not None:
            rows, kept = self._pair.outcome.rows, np.flatnonzero(~is_changed)
            tints = window.tints.copy()
            tints[kept] = self._reference.tints_of(counterparts(rows, self.side, window.first_index + kept))
            window = window._replace(tints=tints)
        return window.marked(~is_changed, is_changed)

    def tints_of(self, indexes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The colours of tokens, in ascending order."""
        first, end = (int(indexes[0]), int(indexes[-1]) + 1) if len(indexes) else (0, 0)
        tints = self.tokens.between(first, end).tints
        places = np.minimum(indexes - first, len(tints) - 1)
        outcome: NDArray[np.uint8] = tints[places] if len(tints) else np.zeros(len(indexes), np.uint8)
        return outcome

    def is_changed(self, window: SpanWindow) -> NDArray[np.bool_]:
        """bool[k]: whether the other side does not have the token."""
        starts, ends = self._pair.outcome.rows[:, 2 * self.side : 2 * self.side + 2].T
        indexes = np.arange(window.first_index, window.first_index + len(window.ids))
        n_begun, n_ended = (each.searchsorted(indexes, side="right") for each in (starts, ends))
        is_changed: NDArray[np.bool_] = n_begun > n_ended
        return is_changed

    def byte_span(self, change: IdChange) -> tuple[int, int]:
        """The bytes of what changed on this side; empty where nothing was removed or inserted."""
        first, end = change[2 * self.side : 2 * self.side + 2]
        start = self.offset_of(first)
        return start, self.tokens.span(end - 1)[1] if first < end <= len(self.tokens) else start

    @property
    def change_offsets(self) -> NDArray[np.int64]:
        """int64[n]: the bytes where changes begin."""
        starts = np.append(self.tokens.between(0, len(self.tokens)).starts, self.document.size)
        rows = self._pair.outcome.rows if self._pair.is_shown else self._pair.outcome.rows[:0]
        offsets: NDArray[np.int64] = starts[np.minimum(rows[:, 2 * self.side], len(starts) - 1)]
        return offsets

    @property
    def common_end(self) -> int:
        """Where the tokens end that both sides begin with."""
        return self.offset_of(self._pair.outcome.n_common)

    def offset_of(self, index: int) -> int:
        return self.tokens.span(index)[0] if index < len(self.tokens) else self.document.size

    def counterpart_offset(self, other: MarkedSpans, offset: int) -> int:
        """Where the other text goes on with what is at `offset` here."""
        index = self.tokens.first_ending_after(offset)
        there = counterpart(self._pair.outcome.rows, self.side, index)
        start = other.offset_of(there)
        within = max(offset - self.offset_of(index), 0)
        return min(start + within, other.offset_of(there + 1))


class ChangeSpans:
    """The changes as `Differences` of the text of one side."""

    def __init__(self, side: MarkedSpans, outcome: IdChanges) -> None:
        self._side, self._rows = side, outcome.rows

    def __len__(self) -> int:
        return len(self._rows)

    def span(self, index: int) -> tuple[int, int]:
        return self._side.byte_span(IdChange._make(self._rows[index].tolist()))

    def first_from(self, offset: int) -> int:
        return bisect_left(range(len(self)), offset, key=lambda index: self.span(index)[0])

    def ids(self, first: int, last: int) -> NDArray[np.int32]:
        """All are of one kind."""
        return np.zeros(last - first, np.int32)
