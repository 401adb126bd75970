"""The one kind of decision that pair merging takes, and the state that it changes.

The state is a list with one slot for each start symbol of a piece.  Merging two neighbours puts what they
make into the left one's slot and empties the right one's, so a position names the same text at every step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from guiapp.core.vocabulary.merges import MergeRule

Slots: TypeAlias = list[int | None]
Rules: TypeAlias = Mapping[tuple[int, int], MergeRule]


@dataclass(frozen=True)
class SymbolPair:
    """Two neighbouring symbols that a rule makes one.

    position, right_position  the slots of the two
    left, right, made         symbols
    rank                      of the rule; the lowest went first
    """

    position: int
    right_position: int
    left: int
    right: int
    made: int
    rank: int


class Merge(SymbolPair):
    """The two become one."""

    def apply(self, slots: Slots) -> None:
        slots[self.position] = self.made
        slots[self.right_position] = None


def symbol_slots(slots: Sequence[int | None]) -> list[int]:
    """The positions of the symbols that are there, in order."""
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
