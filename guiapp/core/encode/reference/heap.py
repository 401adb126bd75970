"""Pair merging with a priority queue: the same merges as `scan` in O(n log n).

Every pair that could merge waits in a queue, the best first.  A merge changes two neighbouring pairs; what
the queue holds about the old ones stays there and is found to be stale when its turn comes.
Native twin: native/merger.cpp.
Source: SentencePiece, Kudo & Richardson 2018, https://aclanthology.org/D18-2012.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import count
from typing import TypeVar

from guiapp.core.encode.reference.merge import (
    Merge,
    Rules,
    Slots,
    SymbolPair,
    possible_merge,
    possible_merges,
)


class QueueEntry(SymbolPair):
    """A pair that waits in the queue."""

    def apply(self, slots: Slots) -> None:
        """Change nothing."""


class Push(QueueEntry):
    """Two neighbours could merge: they enter the queue."""


class Stale(QueueEntry):
    """An entry left the queue whose symbols have been merged with others meanwhile: nothing to do."""


def steps(piece: Sequence[int], rules: Rules) -> Iterator[Push | Merge | Stale]:
    """Yield what enters the queue and what leaves it: lowest rank first, of equal ranks the leftmost."""
    slots: Slots = list(piece)
    neighbours = _Neighbours(len(slots))
    order = count()  # so that merges themselves are never compared
    queue = [(merge.rank, merge.position, next(order), merge) for merge in possible_merges(slots, rules)]
    yield from (_entry(Push, merge) for *_, merge in queue)
    heapq.heapify(queue)
    while queue:
        *_, merge = heapq.heappop(queue)
        if merge != possible_merge(slots, merge.position, merge.right_position, rules):
            yield _entry(Stale, merge)
            continue
        merge.apply(slots)
        neighbours.remove(merge.right_position)
        yield merge
        for pair in neighbours.pairs_with(merge.position):
            if (candidate := possible_merge(slots, *pair, rules)) is not None:
                heapq.heappush(queue, (candidate.rank, candidate.position, next(order), candidate))
                yield _entry(Push, candidate)


AnyEntry = TypeVar("AnyEntry", bound=QueueEntry)


def _entry(kind: type[AnyEntry], merge: Merge) -> AnyEntry:
    return kind(merge.position, merge.right_position, merge.left, merge.right, merge.made, merge.rank)


class _Neighbours:
    """A linked list over slots: which symbol comes before and after each."""

    def __init__(self, n_slots: int) -> None:
        self._before = list(range(-1, n_slots - 1))
        self._after = list(range(1, n_slots + 1))

    def remove(self, position: int) -> None:
        before, after = self._before[position], self._after[position]
        self._after[before] = after
        if after < len(self._before):
            self._before[after] = before

    def pairs_with(self, position: int) -> Iterator[tuple[int, int]]:
        """The pairs of neighbours that a symbol belongs to."""
        if self._before[position] >= 0:
            yield self._before[position], position
        if self._after[position] < len(self._after):
            yield position, self._after[position]
