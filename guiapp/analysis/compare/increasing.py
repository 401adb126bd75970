"""The longest increasing subsequence: what stands in the same order in two lists."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from guiapp.native.checkpoint import stoppable


def longest_increasing(values: NDArray[np.integer]) -> NDArray[np.int64]:
    """Which of some different numbers make the longest increasing subsequence: their places, ascending.

    O(n log n).  Source: Fredman 1975, https://doi.org/10.1016/0012-365X(75)90103-X.
    """
    last_values: list[int] = []  # the least value that a subsequence of each length ends with
    last_places: list[int] = []
    before = np.full(len(values), -1, np.int64)
    for place, value in enumerate(stoppable(values.tolist())):
        length = bisect_left(last_values, value)
        if length:
            before[place] = last_places[length - 1]
        last_values[length : length + 1] = [value]
        last_places[length : length + 1] = [place]
    found = np.empty(len(last_places), np.int64)
    place = last_places[-1] if last_places else -1
    for at in range(len(found) - 1, -1, -1):
        found[at] = place
        place = int(before[place])
    return found
