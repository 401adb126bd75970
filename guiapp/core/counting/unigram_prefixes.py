"""The tokens of all prefixes of texts, where tokens are the most probable ones: in Unigram vocabularies.

A byte costs the same however long the text is, be there spaces in it or none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.prefix_table import grown
from guiapp.core.kernels import unigram_prefixes as kernels
from guiapp.core.kernels.byte_trie import NONE
from guiapp.core.kernels.unigram_prefixes import (
    FIELDS,
    LENGTH,
    PADDING,
    PROGRESS,
    SIDE,
    SIZE,
    Normalized,
    Source,
    UnigramRules,
    Ways,
)

SMALLEST_ROOM = 1 << 9
LEAST_PER_BYTE = 16  # of normalised text, most of it for the time being
BLOCK = 1 << 12  # bytes at a time
NO_ENDS = np.empty(0, np.int64)


class UnigramPrefixes:
    """One text, empty in the beginning, that is normalised for itself."""

    def __init__(self, rules: UnigramRules) -> None:
        self._rules = rules
        self._source = Source(np.zeros(SMALLEST_ROOM + PADDING, np.uint8), np.zeros(PROGRESS, np.int64))
        self._counts = np.zeros(SMALLEST_ROOM + 1, np.int32)
        self._ways = Ways(
            scores=np.zeros(SMALLEST_ROOM, np.float64),
            tokens=np.full(SMALLEST_ROOM, NONE, np.int32),
            n_tokens=np.zeros(SMALLEST_ROOM, np.int32),
            starts=np.empty(2 * rules.longest + 2, np.int64),
            nodes=np.empty(2 * rules.longest + 2, np.int32),
            state=np.zeros(SIDE + 1, np.int64),
        )

    def __len__(self) -> int:
        """The number of bytes."""
        return int(self._source.progress[LENGTH])

    def append(self, new: NDArray[np.uint8]) -> None:
        """Put bytes behind those that came before."""
        size = len(self)
        self._make_room(size + len(new))
        self._count(new, NO_ENDS, self._counts[size + 1 :])

    @property
    def counts(self) -> NDArray[np.int32]:
        """int32[n + 1]: how many tokens the first 0, 1, … n bytes have."""
        return self._counts[: len(self) + 1]

    def takes(self, new: NDArray[np.uint8]) -> bool:
        """Any bytes may follow."""
        return True

    def counts_of_texts(self, texts: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """The same for all prefixes of the texts that end at `ends`, where nothing came before."""
        self._make_room(int(np.diff(ends, prepend=0).max(initial=0)))
        counts = np.empty(len(texts), np.int32)
        self._count(texts, ends, counts)
        return counts

    def _count(self, new: NDArray[np.uint8], ends: NDArray[np.int64], counts: NDArray[np.int32]) -> None:
        at, room = 0, LEAST_PER_BYTE * min(len(new), BLOCK) + SMALLEST_ROOM
        while at < len(new):
            block = new[at : at + BLOCK]
            out = Normalized(
                np.empty(room, np.uint8), np.empty(2 * len(block), np.int64), np.empty(len(block), np.uint8)
            )
            n_taken = kernels.normalize(block, ends, self._rules, self._source, out)
            if n_taken == 0:
                room *= 2
                continue
            self._make_room_for_ways(int(out.ends[2 * n_taken - 1]))
            kernels.count(n_taken, out, self._rules, self._ways, counts[at:])
            at, ends = at + n_taken, ends[ends > n_taken] - n_taken

    def _make_room(self, size: int) -> None:
        old = self._source.text
        if size + PADDING > len(old):
            text = np.zeros(2 * size + PADDING, np.uint8)
            text[: len(old)] = old
            self._source = self._source._replace(text=text)
            self._counts = grown(self._counts, 2 * size + 1)

    def _make_room_for_ways(self, n_more: int) -> None:
        ways = self._ways
        size = int(ways.state[[SIZE, FIELDS + SIZE]].max()) + n_more + 1
        if size > len(ways.scores):
            self._ways = ways._replace(
                scores=grown(ways.scores, 2 * size),
                tokens=grown(ways.tokens, 2 * size),
                n_tokens=grown(ways.n_tokens, 2 * size),
            )
