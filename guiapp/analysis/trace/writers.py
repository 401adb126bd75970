"""Which step wrote a cell last, at any time: what an encoder knows at a place, without replaying to it.

Sorted by cell, all steps that ever write to a place lie side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Writers(NamedTuple):
    """The steps that write to the cells of a trace, by cell, those of one cell in the order of time.

    steps  int32[n]
    first  int32[n_cells + 1]  those of cell i are steps[first[i] : first[i + 1]]
    """

    steps: NDArray[np.int32]
    first: NDArray[np.int32]

    def last(self, cells: slice, n_steps: int) -> NDArray[np.int32]:
        """For each cell of a stretch the last of the first `n_steps` steps that wrote it, -1 for none."""
        bounds = self.first[cells.start : cells.stop + 1]
        steps = self.steps[bounds[0] : bounds[-1]]
        found = np.full(cells.stop - cells.start, -1, np.int32)
        is_written = bounds[:-1] < bounds[1:]
        if len(steps):
            past = np.where(steps < np.int32(n_steps), steps, np.int32(-1))
            found[is_written] = np.maximum.reduceat(past, (bounds[:-1] - bounds[0])[is_written])
        return found


def writers_of(n_cells: int, steps: NDArray[np.int64], cells: NDArray[np.int32]) -> Writers:
    """What these steps, in the order of time, write: each one cell."""
    order = np.argsort(cells, kind="stable")
    first = np.zeros(n_cells + 1, np.int32)
    np.cumsum(np.bincount(cells, minlength=n_cells), out=first[1:])
    return Writers(steps[order].astype(np.int32), first)
