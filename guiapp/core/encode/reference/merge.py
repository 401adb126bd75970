"""Pair merging: its one kind of decision, and two algorithms that find the next one.

The state is a list with one slot for each start symbol of a piece.  A merge of two neighbours stores the
result in the left slot and empties the right one, so a position names the same text at every step.
Native version of both: native/merger.cpp.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import TypeAlias, TypeVar

from guiapp.core.vocabulary.merges import MergeRule

Slots: TypeAlias = list[int | None]
Rules: TypeAlias = Mapping[tuple[int, int], MergeRule]


@dataclass(frozen=True)
class SymbolPair:
    """Two neighbouring symbols that a rule merges.

    position, right_position  the slots of the two
    left, right, made         symbols
    rank                      of the rule; the lowest goes first
    """

    position: int
    right_position: int
    left: int
    right: int
    made: int
    rank: int


class Merge(SymbolPair):
    """The two symbols become one."""

    def apply(self, slots: Slots) -> None:
        slots[self.position] = self.made
        slots[self.right_position] = None


def symbol_slots(slots: Sequence[int | None]) -> list[int]:
    """The positions of the remaining symbols, in order."""
    return [position for position, symbol in enumerate(slots) if symbol is not None]


def possible_merge(slots: Slots, position: int, right_position: int, rules: Rules) -> Merge | None:
    """The merge of two neighbours, if there is a rule for it."""
    left, right = slots[position], slots[right_position]
    if left is None or right is None or (rule := rules.get((left, right))) is None:
        return None
    return Merge(position, right_position, left, right, rule.made, rule.rank)


def possible_merges(slots: Slots, rules: Rules) -> list[Merge]:
    """All merges that could come next, from left to right."""
    pairs = pairwise(symbol_slots(slots))
    return [merge for pair in pairs if (merge := possible_merge(slots, *pair, rules)) is not None]


def steps(piece: Sequence[int], rules: Rules) -> Iterator[Merge]:
    """Yield the merges made on one piece, in order.  Of equal ranks, the leftmost goes first.

    Merge the best pair and search again until none is left: O(n²) in the length of the piece.
    Source: Sennrich, Haddow & Birch 2016, section 3.2, https://aclanthology.org/P16-1162.
    """
    slots: Slots = list(piece)
    while merge := _best_merge(slots, rules):
        merge.apply(slots)
        yield merge


def _best_merge(slots: Slots, rules: Rules) -> Merge | None:
    return min(possible_merges(slots, rules), key=lambda merge: merge.rank, default=None)


class QueueEntry(SymbolPair):
    """A pair in the queue."""

    def apply(self, slots: Slots) -> None:
        """Change nothing."""


class Push(QueueEntry):
    """Two neighbours that could merge enter the queue."""


class Stale(QueueEntry):
    """An entry left the queue, but its symbols have since been merged with others: nothing to do."""


def heap_steps(piece: Sequence[int], rules: Rules) -> Iterator[Push | Merge | Stale]:
    """Yield what enters and what leaves the queue: lowest rank first, of equal ranks the leftmost.

    The same merges as `steps`, in O(n log n): every pair that could merge waits in a queue.  A merge changes
    two neighbouring pairs; their old entries turn out to be stale when they leave the queue.
    Source: SentencePiece, Kudo & Richardson 2018, https://aclanthology.org/D18-2012.
    """
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
    """A linked list over slots: the symbols before and after each."""

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
