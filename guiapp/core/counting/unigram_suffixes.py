"""The token counts of all suffixes of a text that grows at its beginning, where tokens are the most probable.

A byte costs the same however long the text is, but for the logarithm of it where segmentations are as good.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.prefix_table import SMALLEST_ROOM, grown
from guiapp.core.counting.suffixes_in_turns import SuffixesInTurns
from guiapp.core.kernels import unigram_suffixes as kernels
from guiapp.core.kernels.unigram_prefixes import MARK, UnigramRules
from guiapp.core.kernels.unigram_suffixes import Suffixes

LONGEST_CHARACTER = 4
ROOM_PER_BYTE = 4  # of normalised text, for a start


class UnigramSuffixes(SuffixesInTurns):
    """One text, empty in the beginning; nothing is told of more than `longest` bytes."""

    def __init__(self, rules: UnigramRules, longest: int) -> None:
        super().__init__()
        self._rules, self._longest = rules, longest
        self._most_per_byte = (MARK + 1) * (_longest_output(rules) + 1)
        room = ROOM_PER_BYTE * SMALLEST_ROOM
        self._suffixes = Suffixes(
            text=np.zeros(SMALLEST_ROOM, np.uint8),
            places=np.zeros(SMALLEST_ROOM + 1, np.int32),
            begins=np.zeros(SMALLEST_ROOM + 1, np.uint8),
            data=np.empty(room, np.uint8),
            scores=np.zeros(room + 1, np.float64),
            counts=np.zeros(room + 1, np.int32),
            unknown=np.zeros(room + 1, np.uint8),
            parents=np.zeros(room + 1, np.int32),
            depths=np.zeros(room + 1, np.int32),
            jumps=np.zeros(room + 1, np.int32),
        )

    def prepend(self, new: NDArray[np.uint8]) -> NDArray[np.int32]:
        return super().prepend(new[max(0, len(new) - self._longest + self._size) :])

    def _make_room(self, size: int) -> None:
        old = self._suffixes
        if size > len(old.text):
            text = np.zeros(2 * size, np.uint8)
            text[-len(old.text) :] = old.text
            places, begins = grown(old.places, 2 * size + 1), grown(old.begins, 2 * size + 1)
            self._suffixes = old._replace(text=text, places=places, begins=begins)

    def _make_room_for_data(self, n_bytes: int) -> None:
        """For what one byte may bring; some bring nothing."""
        old = self._suffixes
        least = int(old.places[self._size]) + self._most_per_byte
        if least > len(old.data):
            room = 2 * least
            self._suffixes = old._replace(
                data=grown(old.data, room),
                scores=grown(old.scores, room + 1),
                counts=grown(old.counts, room + 1),
                unknown=grown(old.unknown, room + 1),
                parents=grown(old.parents, room + 1),
                depths=grown(old.depths, room + 1),
                jumps=grown(old.jumps, room + 1),
            )

    def _count(self, new: NDArray[np.uint8], counts: NDArray[np.int32]) -> int:
        return kernels.prepend(new, self._size, self._rules, self._suffixes, counts)


def _longest_output(rules: UnigramRules) -> int:
    """The most bytes that a stretch of text becomes which is normalised in one go, but for marks."""
    ends = np.flatnonzero(np.append(rules.replacements, 0) == 0)
    return max(int(np.diff(ends, prepend=-1).max()) - 1, rules.longest, LONGEST_CHARACTER)
