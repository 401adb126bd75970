"""How many pairs could merge, counted along with the steps of the queue instead of anew at each."""

from __future__ import annotations

Key = tuple[int, int, int, int]
"""Left slot, right slot, and the symbols in them."""


class QueueCount:
    """Follows pushes, pops and merges of one piece.

    n_candidates  pairs in the queue that are not stale
    is_used       whether anything entered it
    """

    def __init__(self) -> None:
        self.n_candidates = 0
        self.is_used = False
        self._pushed: dict[Key, int] = {}
        self._right_of: dict[int, int] = {}  # left slot -> right slot of a pair that could merge
        self._left_of: dict[int, int] = {}

    def push(self, key: Key, step: int) -> None:
        """A pair enters the queue at a step."""
        self._pushed[key] = step
        self._right_of[key[0]] = key[1]
        self._left_of[key[1]] = key[0]
        self.n_candidates += 1
        self.is_used = True

    def pop(self, key: Key) -> int:
        """The step at which it entered; -1 for algorithms without a queue."""
        return self._pushed.pop(key, -1)

    def merge(self, left: int, right: int) -> None:
        """Two slots became one: they and what their neighbours could merge with is gone."""
        self._forget(left)
        self._forget(right)
        if left in self._left_of:
            self._forget(self._left_of[left])

    def _forget(self, left: int) -> None:
        """The pair that begins with a slot is none any more."""
        right = self._right_of.pop(left, -1)
        if right >= 0:
            del self._left_of[right]
            self.n_candidates -= 1
