"""The pairs of a text by what they are worth: the best few, without sorting all of them at each step."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable

from guiapp.analysis.train.corpus import Pair


class Ranking:
    """Asks `worth` again for the pairs that it is told of; pairs worth nothing do not compete."""

    def __init__(self, pairs: Iterable[Pair], worth: Callable[[Pair], float]) -> None:
        self._worth = worth
        self._entered: dict[Pair, float] = {}
        self._queue: list[tuple[float, Pair]] = []
        self.look_again(pairs)

    def look_again(self, pairs: Iterable[Pair]) -> None:
        """These may be worth more or less than before."""
        for pair in pairs:
            worth = self._worth(pair)
            if worth > 0 and self._entered.get(pair) != worth:
                self._entered[pair] = worth
                heapq.heappush(self._queue, (-worth, pair))

    def best(self, limit: int) -> list[tuple[Pair, float]]:
        """The pairs that are worth most, those that sort first by code points before equal ones."""
        found: dict[Pair, float] = {}
        while self._queue and len(found) < limit:
            negative_worth, pair = heapq.heappop(self._queue)
            if self._worth(pair) == -negative_worth:
                found[pair] = -negative_worth
            elif self._entered.get(pair) == -negative_worth:
                del self._entered[pair]
        for pair, worth in found.items():
            heapq.heappush(self._queue, (-worth, pair))
        return list(found.items())
