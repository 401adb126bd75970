"""The token counts of all prefixes and of all suffixes of a text that grows, in PLaMo 2 vocabularies.

A byte costs the same however long the text is, but for the logarithm of it where segmentations are as good.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.prefix_table import SMALLEST_ROOM, grown
from guiapp.core.kernels import plamo2_growth as kernels
from guiapp.core.kernels.plamo2_growth import FIELDS, LONGEST_CHARACTER, Prefixes, Suffixes
from guiapp.core.pipelines.plamo2 import GrowthRules

LONGEST_NORMALIZED = 3  # bytes that one may become
NO_ENDS = np.empty(0, np.int64)
ROOM_AHEAD = LONGEST_NORMALIZED * LONGEST_CHARACTER  # for what a broken end becomes


class Plamo2Prefixes:
    """One text, empty in the beginning."""

    def __init__(self, rules: GrowthRules) -> None:
        self._rules = rules
        self._counts, self._size = np.zeros(SMALLEST_ROOM + 1, np.int32), 0
        room = LONGEST_NORMALIZED * SMALLEST_ROOM + ROOM_AHEAD
        columns = {name: np.zeros(room + 1, np.int32) for name in ("counts", "parents", "depths", "jumps")}
        self._prefixes = Prefixes(
            data=np.empty(room, np.uint8),
            costs=np.zeros(room + 1, np.int64),
            pending=np.zeros(LONGEST_CHARACTER, np.uint8),
            progress=np.zeros(FIELDS, np.int64),
            **columns,
        )

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
        self._make_room(self._size)
        kernels.append(new, NO_ENDS, *self._rules, self._prefixes, self._counts[first:])

    def counts_of_texts(self, texts: NDArray[np.uint8], ends: NDArray[np.int64]) -> NDArray[np.int32]:
        """The same for all prefixes of the texts that end at `ends`, where nothing came before."""
        self._make_room(int(np.diff(ends, prepend=0).max(initial=0)))
        counts = np.empty(len(texts), np.int32)
        kernels.append(texts, ends, *self._rules, self._prefixes, counts)
        return counts

    def _make_room(self, size: int) -> None:
        if size < len(self._counts):
            return
        self._counts = grown(self._counts, 2 * size + 1)
        old, room = self._prefixes, LONGEST_NORMALIZED * 2 * size + ROOM_AHEAD
        self._prefixes = old._replace(
            data=grown(old.data, room),
            costs=grown(old.costs, room + 1),
            counts=grown(old.counts, room + 1),
            parents=grown(old.parents, room + 1),
            depths=grown(old.depths, room + 1),
            jumps=grown(old.jumps, room + 1),
        )


class Plamo2Suffixes:
    """One text, empty in the beginning."""

    def __init__(self, rules: GrowthRules) -> None:
        self._rules, self._size = rules, 0
        room = LONGEST_NORMALIZED * SMALLEST_ROOM
        self._suffixes = Suffixes(
            text=np.empty(SMALLEST_ROOM, np.uint8),
            places=np.zeros(SMALLEST_ROOM + 1, np.int32),
            data=np.empty(room, np.uint8),
            costs=np.zeros(room + 1, np.int64),
            counts=np.zeros(room + 1, np.int32),
            nodes=np.full(room + 1, len(self._rules.matcher.edges), np.int32),
        )

    def prepend(self, new: NDArray[np.uint8]) -> NDArray[np.int32]:
        """See `SuffixCounts`."""
        self._make_room(self._size + len(new))
        counts = np.empty(len(new), np.int32)
        kernels.prepend(new, self._size, *self._rules, self._suffixes, counts)
        self._size += len(new)
        return counts

    def _make_room(self, size: int) -> None:
        old, room = self._suffixes, LONGEST_NORMALIZED * 2 * size
        if size > len(old.text):
            self._suffixes = Suffixes(
                text=grown(old.text, 2 * size),
                places=grown(old.places, 2 * size + 1),
                data=grown(old.data, room),
                costs=grown(old.costs, room + 1),
                counts=grown(old.counts, room + 1),
                nodes=grown(old.nodes, room + 1),
            )
