"""Pair merging as first described: merge the best pair, look again, until there is none left.

The version to read and to step through; O(n²) in the length of the piece.
Native twin: native/merger.cpp.
Source: Sennrich, Haddow & Birch 2016, section 3.2, https://aclanthology.org/P16-1162.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from guiapp.core.encode.reference.merge import Merge, Rules, Slots, possible_merges


def steps(piece: Sequence[int], rules: Rules) -> Iterator[Merge]:
    """Yield the merges made on one piece, in order.  Of equal ranks, the leftmost goes first."""
    slots: Slots = list(piece)
    while merge := _best_merge(slots, rules):
        merge.apply(slots)
        yield merge


def _best_merge(slots: Slots, rules: Rules) -> Merge | None:
    return min(possible_merges(slots, rules), key=lambda merge: merge.rank, default=None)
