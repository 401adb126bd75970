"""The tokens of a document that changes: flat arrays with room to grow, edited in place."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.token_spans import replace_tokens

Scalar = TypeVar("Scalar", bound=np.generic)


class TokenStore:
    """Token ids with their byte spans, in order of position.

    ids, starts, ends  int32, int64, int64 [count]: views that the next `replace` makes invalid
    """

    def __init__(self, ids: NDArray[np.int32], starts: NDArray[np.int64], ends: NDArray[np.int64]) -> None:
        self._count = len(ids)
        capacity = _roomy(self._count)
        self._ids = _grown(ids, np.int32, capacity)
        self._starts = _grown(starts, np.int64, capacity)
        self._ends = _grown(ends, np.int64, capacity)

    def __len__(self) -> int:
        return self._count

    @property
    def ids(self) -> NDArray[np.int32]:
        return self._ids[: self._count]

    @property
    def starts(self) -> NDArray[np.int64]:
        return self._starts[: self._count]

    @property
    def ends(self) -> NDArray[np.int64]:
        return self._ends[: self._count]

    def first_from(self, position: int) -> int:
        """The index of the first token that begins at or after `position`."""
        return int(np.searchsorted(self.starts, position, "left"))

    def first_start_from(self, position: int, otherwise: int) -> int:
        """Where the first token that begins at or after `position` begins."""
        index = self.first_from(position)
        return int(self._starts[index]) if index < self._count else otherwise

    def last_end_until(self, position: int) -> int:
        """Where the last token that ends at or before `position` ends; 0 where there is none."""
        index = int(np.searchsorted(self.ends, position, "right"))
        return int(self._ends[index - 1]) if index > 0 else 0

    def ends_at(self, position: int) -> bool:
        """Whether a token ends exactly at `position`."""
        index = int(np.searchsorted(self.ends, position, "left"))
        return index < self._count and bool(self._ends[index] == position)

    def covering(self, position: int) -> tuple[int, int] | None:
        """The span of the token that begins before `position` and ends behind it."""
        index = self.first_from(position) - 1
        if index < 0 or self._ends[index] <= position:
            return None
        return int(self._starts[index]), int(self._ends[index])

    def has_empty_at(self, position: int) -> bool:
        """Whether a token with an empty span stands exactly at `position`."""
        index = self.first_from(position)
        return index < self._count and bool(self._ends[index] == position)

    def replace(
        self,
        first: int,
        last: int,
        ids: NDArray[np.int32],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        shift: int,
    ) -> None:
        """Put new tokens in place of those in [first, last); spans behind them move by `shift` bytes."""
        self._make_room(self._count + len(ids) - (last - first))
        self._count = replace_tokens(
            self._ids,
            self._starts,
            self._ends,
            self._count,
            first,
            last,
            np.ascontiguousarray(ids),
            np.ascontiguousarray(starts),
            np.ascontiguousarray(ends),
            shift,
        )

    def _make_room(self, needed: int) -> None:
        if needed <= len(self._ids):
            return
        capacity = _roomy(needed)
        self._ids = _grown(self.ids, np.int32, capacity)
        self._starts = _grown(self.starts, np.int64, capacity)
        self._ends = _grown(self.ends, np.int64, capacity)


def _roomy(count: int) -> int:
    """Room for so many tokens and for those that typing adds, so that few edits need a larger array."""
    return count + count // 8 + 1024


def _grown(values: NDArray[Scalar], dtype: type[Scalar], capacity: int) -> NDArray[Scalar]:
    grown = np.empty(capacity, dtype)
    grown[: len(values)] = values
    return grown
