"""Keep the tokens of a document in order while it is edited; used by core/editing/live_encoding.py."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.compile import kernel


@kernel
def replace_tokens(
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    count: int,
    first: int,
    last: int,
    new_ids: NDArray[np.int32],
    new_starts: NDArray[np.int64],
    new_ends: NDArray[np.int64],
    shift: int,
) -> int:
    """Put the new tokens in place of [first, last), and move the spans behind by `shift` bytes.

    The arrays have room for the result.  Returns the new count.
    """
    n_new = len(new_ids)
    grown = n_new - (last - first)
    if grown > 0:
        for at in range(count - 1, last - 1, -1):
            ids[at + grown] = ids[at]
            starts[at + grown] = starts[at] + shift
            ends[at + grown] = ends[at] + shift
    elif grown < 0 or shift != 0:
        for at in range(last, count):
            ids[at + grown] = ids[at]
            starts[at + grown] = starts[at] + shift
            ends[at + grown] = ends[at] + shift
    for at in range(n_new):
        ids[first + at] = new_ids[at]
        starts[first + at] = new_starts[at]
        ends[first + at] = new_ends[at]
    return count + grown
