"""The tokens of all prefixes of texts in WordPiece vocabularies, however long their words are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.prefix_table import SMALLEST_ROOM, grown
from guiapp.core.kernels import longest_prefixes
from guiapp.core.kernels.longest_prefixes import FIELDS
from guiapp.core.pipelines.word_piece import WordPiecePipeline
from guiapp.core.text.utf8 import LONGEST_CHARACTER


class WordPrefixes:
    """One text, empty in the beginning."""

    def __init__(self, pipeline: WordPiecePipeline) -> None:
        self._pipeline = pipeline
        self._pending, self._state = np.zeros(LONGEST_CHARACTER, np.uint8), np.zeros(FIELDS, np.int64)
        self._counts, self._size = np.zeros(SMALLEST_ROOM + 1, np.int32), 0

    @property
    def counts(self) -> NDArray[np.int32]:
        """int32[n + 1]: how many tokens the first 0, 1, … n bytes have."""
        return self._counts[: self._size + 1]

    def takes(self, new: NDArray[np.uint8]) -> bool:
        """Any bytes may follow."""
        return True

    def append(self, new: NDArray[np.uint8]) -> None:
        """Put bytes behind those that came before."""
        first, self._size = self._size + 1, self._size + len(new)
        if self._size >= len(self._counts):
            self._counts = grown(self._counts, 2 * self._size + 1)
        actions, links, alone = self._pipeline.word_rules
        longest_prefixes.count_words(
            new, actions, links, alone, self._pending, self._state, self._counts[first:]
        )


def word_prefixes(pipeline: WordPiecePipeline) -> WordPrefixes | None:
    """None where a word may have no tokens and nothing stands for it."""
    return WordPrefixes(pipeline) if pipeline.has_unknown else None
