"""What counts the suffixes of a text by a kernel that stops where it has no more room."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray


class SuffixesInTurns(ABC):
    """One text, empty in the beginning."""

    def __init__(self) -> None:
        self._size = 0

    def prepend(self, new: NDArray[np.uint8]) -> NDArray[np.int32]:
        """See `SuffixCounts`."""
        self._make_room(self._size + len(new))
        counts, first = np.empty(len(new), np.int32), len(new)
        while first:
            self._make_room_for_data(first)
            n_left = self._count(new[:first], counts)
            if n_left == first:
                break
            self._size += first - n_left
            first = n_left
        return counts[first:]

    @abstractmethod
    def _make_room(self, size: int) -> None:
        """For a text of so many bytes."""

    @abstractmethod
    def _make_room_for_data(self, n_bytes: int) -> None:
        """For what the next bytes become: at least for one of them, of so many that are to come."""

    @abstractmethod
    def _count(self, new: NDArray[np.uint8], counts: NDArray[np.int32]) -> int:
        """Put bytes before the text, the last one first, and count from each; returns how many are left."""
