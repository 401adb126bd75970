"""A prompt cut into blocks: a turn begins a new one, with an empty row above; two newlines share a row.

Control tokens stay whole.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.editing.text_blocks import BlockSplice, TextBlocks, Unbroken
from guiapp.analysis.editing.text_buffer import TextBuffer, TextEdit
from guiapp.core.text.common_ends import n_equal_from_start
from guiapp.pages.chat.spans import ChatSpans


class TurnBlocks(TextBlocks):
    """Lines as in any text, but that those within a turn end where it does."""

    def __init__(self, buffer: TextBuffer, spans: ChatSpans) -> None:
        self._spans = spans
        super().__init__(buffer)

    def unbroken(self, block: int) -> Unbroken:
        start, controls = self.start(block), self._spans.controls
        first, last = np.searchsorted(controls[:, 0], (start, self.end(block)))
        return tuple((each - start, end - start) for each, end in controls[first:last].tolist())

    def reset(self) -> None:
        """Cut the whole text anew."""
        super().reset()
        self._starts = self._starts[~np.isin(self._starts, _between_pairs(self._buffer.newlines))]
        turns = self._spans.turns
        turns = turns[turns < len(self._buffer)]
        new = turns[~np.isin(turns, self._starts)]
        self._starts = np.sort(np.concatenate((self._starts, new, turns)))  # twice: an empty block before

    def apply(self, edit: TextEdit) -> BlockSplice:
        """Follow an edit; turns may begin elsewhere on both sides of it."""
        old = self._starts
        self.reset()
        n_before = n_equal_from_start(old, self._starts)
        behind = old[n_before:] + edit.shift, self._starts[n_before:]
        n_behind = n_equal_from_start(behind[0][::-1], behind[1][::-1])
        n_kept = n_before + n_behind
        return BlockSplice(n_before, len(old) - n_kept, len(self._starts) - n_kept)


def _between_pairs(newlines: NDArray[np.int64]) -> NDArray[np.int64]:
    """The offsets between two newlines side by side, which stand in one row; of more, two by two."""
    goes_on = np.diff(newlines, prepend=np.int64(-2)) == 1
    firsts = np.maximum.accumulate(np.where(goes_on, 0, np.arange(len(newlines))))
    seconds: NDArray[np.int64] = newlines[(np.arange(len(newlines)) - firsts) % 2 == 1]
    return seconds
