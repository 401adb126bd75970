"""The token counts of all suffixes of a text that grows at its beginning, where tokens are the longest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.prefix_table import SMALLEST_ROOM, grown
from guiapp.core.kernels import longest_suffixes as kernels
from guiapp.core.kernels.longest_suffixes import FIELDS, MOST_WRITTEN, Words
from guiapp.core.pipelines.rwkv import RwkvPipeline
from guiapp.core.pipelines.word_piece import WordPiecePipeline


class ByteSuffixes:
    """One text of an RWKV vocabulary, empty in the beginning."""

    def __init__(self, pipeline: RwkvPipeline) -> None:
        self._matcher, self._has_unknown = pipeline.matcher, pipeline.has_unknown
        self._node = np.array([len(self._matcher.edges)], np.int32)
        self._known, self._size = np.zeros(SMALLEST_ROOM + 1, np.int32), 0

    def prepend(self, new: NDArray[np.uint8]) -> NDArray[np.int32]:
        """See `SuffixCounts`."""
        size = self._size + len(new)
        if size >= len(self._known):
            self._known = grown(self._known, 2 * size + 1)
        counts = np.empty(len(new), np.int32)
        first = kernels.prepend_bytes(
            new, self._size, self._matcher, self._has_unknown, self._node, self._known, counts
        )
        self._size += len(new) - first
        return counts[first:]


class WordSuffixes:
    """One text of a WordPiece vocabulary, empty in the beginning."""

    def __init__(self, pipeline: WordPiecePipeline) -> None:
        self._pipeline, self._size = pipeline, 0
        self._words = Words(
            np.empty(SMALLEST_ROOM, np.uint8),
            np.zeros((FIELDS, SMALLEST_ROOM + 1), np.int32),
            np.empty(MOST_WRITTEN * (SMALLEST_ROOM + 1), np.int32),
        )

    def prepend(self, new: NDArray[np.uint8]) -> NDArray[np.int32]:
        """See `SuffixCounts`."""
        self._make_room(self._size + len(new))
        counts = np.empty(len(new), np.int32)
        pipeline = self._pipeline
        kernels.prepend_words(new, self._size, pipeline.actions, pipeline.matcher, self._words, counts)
        self._size += len(new)
        return counts

    def _make_room(self, size: int) -> None:
        old = self._words
        if size > len(old.text):
            known = np.empty((FIELDS, 2 * size + 1), np.int32)
            known[:, : old.known.shape[1]] = old.known
            alone = grown(old.alone, MOST_WRITTEN * (2 * size + 1))
            self._words = Words(grown(old.text, 2 * size), known, alone)
