"""The most probable segmentation, compiled; readable twin: algorithms/viterbi.py."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.kernels.byte_trie import NONE, TokenMatcher, find_longest
from guiapp.core.kernels.compile import kernel, routine

LEAST = -float(np.finfo(np.float64).max)


class Lattice(NamedTuple):
    """The best way to each offset of a text: scratch space of its length + 1.

    scores   float64[m + 1]  sum of the scores of the tokens up to here
    origins  int64[m + 1]    where the last of these tokens starts
    tokens   int32[m + 1]    which it is
    found    int32[m + 1]    the longest token that starts here
    """

    scores: NDArray[np.float64]
    origins: NDArray[np.int64]
    tokens: NDArray[np.int32]
    found: NDArray[np.int32]


def empty_lattice(size: int) -> Lattice:
    return Lattice(
        np.empty(size + 1, np.float64),
        np.empty(size + 1, np.int64),
        np.empty(size + 1, np.int32),
        np.empty(size + 1, np.int32),
    )


@routine
def segment(
    data: NDArray[np.uint8],
    start: int,
    stop: int,
    matcher: TokenMatcher,
    token_scores: NDArray[np.float64],
    unknown: int,
    unknown_score: float,
    first_score: float,
    lattice: Lattice,
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write the tokens of data[start:stop] with the highest sum of scores, last token first; their number.

    first_score  the sum before this text; sums are rounded as if the text before were here too
    lattice      has a place for each offset up to `stop`
    Ties go to the token that starts first.  Neighbouring unknown tokens become one.
    """
    find_longest(matcher, data, start, stop, lattice.found)
    for offset in range(start, stop + 1):
        lattice.scores[offset] = LEAST
        lattice.origins[offset] = start
        lattice.tokens[offset] = unknown
    lattice.scores[start] = first_score
    at = start
    while at < stop:
        lead = int(data[at])
        character_end = min(stop, at + 1 + int(lead >= 0xC0) + int(lead >= 0xE0) + int(lead >= 0xF0))
        score_here = lattice.scores[at]
        is_known = False
        token = int(lattice.found[at])
        while token != NONE:
            end = at + int(matcher.lengths[token])
            is_known |= end == character_end
            score = score_here + token_scores[token]
            if score > lattice.scores[end]:
                lattice.scores[end] = score
                lattice.origins[end] = at
                lattice.tokens[end] = token
            token = int(matcher.shorter[token])
        if not is_known and score_here + unknown_score > lattice.scores[character_end]:
            lattice.scores[character_end] = score_here + unknown_score
            lattice.origins[character_end] = at
            lattice.tokens[character_end] = unknown
        at = character_end
    return follow_back(start, stop, unknown, lattice, ids, starts, ends)


@routine
def follow_back(
    start: int,
    stop: int,
    unknown: int,
    lattice: Lattice,
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """Write the tokens of the best way from `stop` back to `start`; their number."""
    count, end = 0, stop
    while end > start:
        token, origin = int(lattice.tokens[end]), int(lattice.origins[end])
        if token == unknown and count > 0 and ids[count - 1] == unknown:
            starts[count - 1] = origin
        else:
            ids[count] = token
            starts[count] = origin
            ends[count] = end
            count += 1
        end = origin
    return count


@kernel
def encode(
    data: NDArray[np.uint8],
    matcher: TokenMatcher,
    token_scores: NDArray[np.float64],
    unknown: int,
    unknown_score: float,
    first_score: float,
    lattice: Lattice,
    ids: NDArray[np.int32],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> int:
    """`segment`, for those who are not a kernel."""
    return segment(
        data,
        0,
        len(data),
        matcher,
        token_scores,
        unknown,
        unknown_score,
        first_score,
        lattice,
        ids,
        starts,
        ends,
    )
