"""The ids of short texts of which all prefixes were counted, piece by piece from their ends on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.borrowing import borrowing
from guiapp.core.kernels.compile import kernel
from guiapp.core.kernels.prefix_bases import Growth
from guiapp.core.kernels.right_edges import EDGE, NONE, PLACE, ROOT, SIZE, STOP, Prefixes
from guiapp.core.kernels.stretch_counts import NOT_TOLD


@kernel
def write_ids(
    ends: NDArray[np.int64],
    growth: Growth,
    prefixes: Prefixes,
    totals: NDArray[np.int64],
    ids: NDArray[np.int32],
) -> None:
    """Write the ids of the texts that end at `ends`, each one's from where it begins on.

    growth, prefixes  once the prefixes of these texts are counted, `totals` being all tokens of each
    ids               NOT_TOLD comes first where a piece was not counted by `right_edges`
    """
    n_begun, bases, start = growth.n_begun, growth.bases, 0
    for text in range(len(ends)):
        end = int(ends[text])
        at, place = end, start + int(totals[end])
        while 0 < at < len(bases) and n_begun[at] == 0:
            place = _write_piece(int(prefixes.last[at]), prefixes, place, ids)
            at = int(bases[at])
        if at != 0 and start < end:
            ids[start] = NOT_TOLD
        start = end


@borrowing
def _write_piece(node: int, prefixes: Prefixes, place: int, ids: NDArray[np.int32]) -> int:
    """Write the ids of a piece that end at `place`; where they begin."""
    if prefixes.whole_ids[node] != NONE:
        ids[place - 1] = prefixes.whole_ids[node]
        return place - 1
    spans, edges, places = prefixes.spans, prefixes.edges, prefixes.places
    start, stop = int(places[PLACE * node]), int(places[PLACE * node + STOP])
    while node != ROOT:
        row = EDGE * int(spans[2 * node + 1] - 1)
        stop -= int(edges[row + SIZE])
        place -= 1
        ids[place] = edges[row]
        node = ROOT if stop == start else int(prefixes.path[stop])
    return place
