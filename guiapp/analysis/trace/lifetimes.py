"""When the symbols of pair merging come and go: what stands at a place at any step, without replaying to it.

A symbol stands in a slot from the start or from the merge that makes it, until the merge that joins it to a
neighbour.  Sorted by slot, all that ever stand near a place lie side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NEVER = np.iinfo(np.int32).max
SLOT_BITS = 32  # of a key, left of the time
TIME = (1 << SLOT_BITS) - 1


class Lifetimes(NamedTuple):
    """All symbols that the slots of a trace ever hold, by slot, those of one slot in the order of time.

    keys   int64[n]   the slot, and in the low bits the number of steps taken when the symbol appears
    dies   int32[n]   the merge that joins it to a neighbour; NEVER for none
    first  int32[n_slots + 1]  the symbols of slot i are first[i] : first[i + 1]
    """

    keys: NDArray[np.int64]
    dies: NDArray[np.int32]
    first: NDArray[np.int32]

    def standing(self, slots: slice, n_steps: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The slots of a stretch that are not empty after so many steps, and the merges that filled them.

        In place of a merge, -1 stands for what was there from the start.
        """
        here = slice(int(self.first[slots.start]), int(self.first[slots.stop]))
        keys = self.keys[here]
        keys = keys[((keys & TIME) <= n_steps) & (self.dies[here] >= np.int32(n_steps))]
        return keys >> SLOT_BITS, (keys & TIME) - 1

    def end_of(self, slots: NDArray[np.int32], n_steps: NDArray[np.int32]) -> NDArray[np.int32]:
        """The merges that end what the slots hold after so many steps, NEVER for none."""
        keys = (slots.astype(np.int64) << SLOT_BITS) | n_steps
        return self.dies[np.searchsorted(self.keys, keys, side="right") - 1]


def lifetimes_of(
    n_slots: int, merges: NDArray[np.int64], lefts: NDArray[np.int32], rights: NDArray[np.int32]
) -> Lifetimes:
    """What merges at these steps make of slots: each fills its left one and empties its right one."""
    starts = np.arange(n_slots, dtype=np.int64) << SLOT_BITS
    keys = np.append(starts, (lefts.astype(np.int64) << SLOT_BITS) | (merges + 1))
    keys.sort()
    born = (keys & TIME).astype(np.int32)
    first = np.append(np.flatnonzero(born == 0), len(born)).astype(np.int32)
    gone = np.full(n_slots, NEVER, np.int32)
    gone[rights] = merges
    dies = np.append(born[1:] - np.int32(1), np.int32(0))[: len(born)]
    dies[first[1:] - 1] = gone
    return Lifetimes(keys, dies, first)
