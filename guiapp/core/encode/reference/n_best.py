"""The best segmentations of a text, one after the other: Viterbi with more than one way to a place.

For each place the ways to it are found in order, the best first, and no more of them than somebody asks
for.  The next best way to a place goes on from one that was found: with the next best way to where its
last token starts, or with another last token.  Finding the best way takes O(n · longest token), each
further one O(n) steps at most and O(log longest token) for each of these.
Ties: of ways with equal sums the one whose last token starts first, as in `viterbi`; then the one whose
way up to that token is better.  Sums are taken from left to right, so that they are rounded alike.
There is no native twin: the steps that are many are those of `viterbi`.
Source: Huang & Chiang 2005, algorithm 3, https://aclanthology.org/W05-1506.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import NamedTuple

Edge = tuple[int, int, float]
"""Where a token ends, its id, its score."""


class RankedPath(NamedTuple):
    """A way to a place; the lesser tuple is the better way.

    cost    the negative sum of the scores
    origin  where its last token starts
    rank    which of the ways to there it goes on from; 0 is the best
    added   the score of the last token
    """

    cost: float
    origin: int
    rank: int
    token_id: int
    added: float


class SegmentationLattice:
    """All ways to cut a text of `size` bytes into tokens.

    edges  the tokens that start at a place; asked from left to right, for each place that `next_start` names
    A place that no token leads to counts as reached from the start by an unknown token, as in `viterbi`.
    """

    def __init__(
        self,
        size: int,
        edges: Callable[[int], Iterable[Edge]],
        next_start: Callable[[int], int],
        unknown_id: int,
    ) -> None:
        self._size = size
        self._nowhere = RankedPath(sys.float_info.max, 0, 0, unknown_id, 0.0)
        self._waiting: dict[int, list[RankedPath]] = {}
        self._ways: dict[int, list[RankedPath]] = {0: [RankedPath(-0.0, 0, 0, unknown_id, 0.0)]}
        start = 0
        while start < size:
            if start > 0:
                self._begin(start)
            cost = self._ways[start][0].cost
            for end, token_id, added in edges(start):
                self._offer(end, RankedPath(cost - added, start, 0, token_id, added))
            start = next_start(start)
        if size > 0:
            self._begin(size)

    def best(self) -> Iterator[tuple[float, list[tuple[int, int, int]]]]:
        """The sum of the scores, and the tokens with their starts and ends, of each way, the best first."""
        rank = 0
        while rank < len(self._ways[self._size]):
            yield -self._ways[self._size][rank].cost, self._tokens(rank)
            rank += 1
            if rank == len(self._ways[self._size]):
                self._find_next()

    def _offer(self, end: int, way: RankedPath) -> None:
        if way.cost < self._nowhere.cost:
            self._waiting.setdefault(end, []).append(way)

    def _begin(self, place: int) -> None:
        """Find the best way to a place, now that all tokens that lead to it are known."""
        waiting = self._waiting.setdefault(place, [])
        heapify(waiting)
        self._ways[place] = [heappop(waiting) if waiting else self._nowhere]

    def _find_next(self) -> None:
        """Find one more way to the end, and first those that it goes on from, if there are any."""
        places, place = [], self._size
        while place > 0:
            places.append(place)
            last = self._ways[place][-1]
            if len(self._ways[last.origin]) > last.rank + 1:
                break
            place = last.origin
        for place in reversed(places):
            self._find_next_to(place)

    def _find_next_to(self, place: int) -> None:
        last, waiting = self._ways[place][-1], self._waiting[place]
        if last is self._nowhere:
            return
        origins = self._ways[last.origin]
        if len(origins) > last.rank + 1:
            cost = origins[last.rank + 1].cost - last.added
            heappush(waiting, RankedPath(cost, last.origin, last.rank + 1, last.token_id, last.added))
        if waiting:
            self._ways[place].append(heappop(waiting))

    def _tokens(self, rank: int) -> list[tuple[int, int, int]]:
        """The tokens of a way to the end; runs of unknown ones become one."""
        tokens: list[tuple[int, int, int]] = []
        end, unknown_id = self._size, self._nowhere.token_id
        while end > 0:
            way = self._ways[end][rank]
            if tokens and way.token_id == unknown_id == tokens[-1][0]:
                tokens[-1] = (unknown_id, way.origin, tokens[-1][2])
            else:
                tokens.append((way.token_id, way.origin, end))
            end, rank = way.origin, way.rank
        return tokens[::-1]
