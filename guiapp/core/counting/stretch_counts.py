"""The token counts of all prefixes of a text, a certain cut being known by the two bytes around it.

Text repeats itself: most stretches between two cuts are short and were met before.  What the prefixes of
one count is found out by encoding each of them, once for a tokenizer.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels import stretch_counts as kernel
from guiapp.core.kernels.piece_keys import LENGTH_SHIFT
from guiapp.core.kernels.stretch_counts import (
    BEGINS_TEXT,
    COUNT_BITS,
    COUNTS,
    CUT,
    HIGH,
    LONGEST,
    LOW,
    MOST,
    NO_CUT,
    PLACE,
    ROW,
    UNKNOWN,
)
from guiapp.core.tokenizer import Tokenizer

N_ROWS = 1 << 16
ASCII_END = 0x80


class StretchCounts:
    """Threads may share it: each call borrows rows that no other call has."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._pipeline = tokenizer.pipeline
        self._cuts = np.full(1 << 16, NO_CUT, np.uint8)
        self._cuts.reshape(256, 256)[:ASCII_END, :ASCII_END] = UNKNOWN
        self._free: list[_Rows] = []

    def add(
        self,
        data: NDArray[np.uint8],
        begins_text: bool,
        start: int,
        n_before: int,
        counts: NDArray[np.int32],
    ) -> int:
        """Write the number of tokens of data[: i + 1] to counts[i] for all i >= start.

        begins_text  whether `data` does, or begins at a certain cut; no special token is in it
        start        a certain cut or 0, data[:start] having `n_before` tokens
        Returns where a stretch begins that is too long, or len(data).
        """
        rows = self._borrowed_rows()
        missing = np.zeros(ROW, np.uint64)
        first = start
        while start < len(data):
            start = kernel.add_counts(
                data, start, self._cuts, rows.rows, n_before, begins_text, counts, missing
            )
            if start > first:
                n_before = int(counts[start - 1])
            if start < len(data) and not self._learn(data, start, missing, rows):
                break
        self._free.append(rows)
        return start

    def last_cut(self, data: NDArray[np.uint8]) -> int:
        """The last cut between two bytes of a text, or 0."""
        at = len(data) - 1
        while at > 0 and not self._is_cut(data, at):
            at -= 1
        return max(at, 0)

    def next_cut(self, data: NDArray[np.uint8], start: int) -> int:
        """The first cut behind `start`, or the end."""
        at = start + 1
        while at < len(data) and not self._is_cut(data, at):
            at += 1
        return min(at, len(data))

    def _is_cut(self, data: NDArray[np.uint8], at: int) -> bool:
        """Whether all text may be cut between two such bytes."""
        pair = int(data[at - 1]) << 8 | int(data[at])
        if self._cuts[pair] == UNKNOWN:
            both = data[at - 1 : at + 1].copy()
            is_cut = self._pipeline.cut_after(both, 0) == 1 or self._pipeline.cut_before(both, 2) == 1
            self._cuts[pair] = CUT if is_cut else NO_CUT
        return bool(self._cuts[pair] == CUT)

    def _learn(self, data: NDArray[np.uint8], start: int, missing: NDArray[np.uint64], rows: _Rows) -> bool:
        """Find out what the kernel did not know; false if a stretch is too long, or has too many tokens."""
        if missing[HIGH]:
            return self._learn_stretch(data[start:], missing, rows)
        if unknown := int(missing[PLACE]):
            self._is_cut(data, unknown)
        return unknown > 0

    def _learn_stretch(self, data: NDArray[np.uint8], missing: NDArray[np.uint64], rows: _Rows) -> bool:
        packed, encoder = 0, self._pipeline.encoders[0]
        begins_text = bool(missing[HIGH] & BEGINS_TEXT)
        for size in range(int(missing[HIGH] >> LENGTH_SHIFT) & LONGEST, 0, -1):
            n_tokens = len(self._pipeline.encode(data[:size], begins_text, encoder).ids)
            if n_tokens > MOST:
                return False
            packed = packed << int(COUNT_BITS) | n_tokens
        rows.enter(missing, packed)
        return True

    def _borrowed_rows(self) -> _Rows:
        """Asked for and taken in one go, because another thread may be faster."""
        try:
            return self._free.pop()
        except IndexError:
            return _Rows()


class _Rows:
    """At most half full; begins anew then."""

    def __init__(self) -> None:
        self.rows = np.zeros(ROW * N_ROWS, np.uint64)
        self._n_used = 0

    def enter(self, missing: NDArray[np.uint64], packed: int) -> None:
        if 2 * self._n_used >= N_ROWS:
            self.rows[:] = 0
            self._n_used = 0
            return  # to be missed again, and have its place told anew
        row = int(missing[PLACE])
        self.rows[row + LOW], self.rows[row + HIGH] = missing[LOW], missing[HIGH]
        self.rows[row + COUNTS] = packed
        self._n_used += 1


@lru_cache(maxsize=2)
def stretch_counts_of(tokenizer: Tokenizer) -> StretchCounts:
    """One for all who append to texts of the same tokenizer."""
    return StretchCounts(tokenizer)
