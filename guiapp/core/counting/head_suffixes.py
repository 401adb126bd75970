"""The counts of a text's head that grows, where the tokens of all its suffixes can be told.

There even text without any certain cut costs the same per byte, however often somebody asks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.counting.certain_cuts import CertainCuts
from guiapp.core.counting.suffix_counts import NewSuffixes, SuffixCounts, new_suffixes_of
from guiapp.core.tokenizer import Tokenizer

LEAST_BYTES = 1 << 10  # for which it pays to find out about all tokens of a vocabulary
NO_COUNTS = np.empty(0, np.int32)


class HeadSuffixes:
    """Counts the tokens of one head after the other, each of which only grows and has its last byte first.

    n_taken   how many bytes of the head are counted
    n_tokens  how many tokens these have
    """

    def __init__(self, tokenizer: Tokenizer, cuts: CertainCuts) -> None:
        self._tokenizer, self._cuts = tokenizer, cuts
        self._new_suffixes: NewSuffixes | None = None
        self._is_known = False  # whether and how suffixes are told
        self.begin()

    def begin(self) -> None:
        """Begin with another head."""
        self._suffixes: SuffixCounts | None = None
        self.n_taken = self.n_tokens = 0
        self._can_take = True

    def pay(self, n_bytes: int) -> bool:
        """Whether it pays to count suffixes if so many bytes are put in, or nothing more can be."""
        return self._can_take and (self._is_known or n_bytes >= LEAST_BYTES)

    def take(self, head: bytearray) -> NDArray[np.int32]:
        """Count from each byte of the head on that is new, in the order of the text.

        Only from the last few where more is not told; then no more can be taken.  Not from where on a special
        token is in the text.
        """
        if not self._can_take or self.n_taken == len(head):
            return NO_COUNTS
        if self._suffixes is None:
            self._suffixes = self._begun()
        seen = max(0, self.n_taken - self._cuts.margin)
        around = np.frombuffer(head[seen:][::-1], np.uint8)
        n_new = len(head) - self.n_taken
        clusters = self._cuts.clusters(around)
        first = min(int(clusters.ends.max(initial=0)), n_new)
        told = NO_COUNTS if self._suffixes is None else self._suffixes.prepend(around[first:n_new].copy())
        self._can_take = len(told) == n_new
        self.n_taken += len(told)
        if len(told):
            self.n_tokens = int(told[0])
        return told

    def _begun(self) -> SuffixCounts | None:
        if not self._is_known:
            self._new_suffixes, self._is_known = new_suffixes_of(self._tokenizer), True
        return None if self._new_suffixes is None else self._new_suffixes()
