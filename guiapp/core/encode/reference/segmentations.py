"""The best ways to cut a text into the tokens of a Unigram vocabulary, with their scores."""

from __future__ import annotations

from dataclasses import dataclass
from heapq import heappop, heappush
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import Encoding, FragmentTokens


@dataclass(frozen=True, eq=False)
class Segmentation:
    """One of the ways to encode a text; `score` is the sum of its tokens' scores, special tokens left out."""

    encoding: Encoding
    score: float


@runtime_checkable
class Segmenting(Protocol):
    """A pipeline that knows more than the best segmentation."""

    def segmentations(self, fragment: NDArray[np.uint8], n: int) -> list[tuple[float, FragmentTokens]]: ...


class Joint(NamedTuple):
    """Segmentations of the stretches of a text up to one of them.

    before   the rank of what this goes on from among those of the stretches before
    here     the rank of the segmentation of the last stretch
    """

    score: float
    before: int
    here: int


def best_joint(scores_by_segment: list[list[float]], n: int) -> list[tuple[float, list[int]]]:
    """The `n` best sums of one score from each stretch: the sum, and the rank that is taken from each.

    Scores are sorted, the best first.  Ties: what is better in the stretches before goes first.
    """
    columns = [[Joint(0.0, 0, 0)]]
    for scores in scores_by_segment:
        columns.append(_best_pairs(columns[-1], scores, n))
    results = []
    for last in columns[-1]:
        joint, ranks = last, []
        for column in reversed(columns[:-1]):
            ranks.append(joint.here)
            joint = column[joint.before]
        results.append((last.score, ranks[::-1]))
    return results


def _best_pairs(before: list[Joint], scores: list[float], n: int) -> list[Joint]:
    waiting = [(-(before[0].score + scores[0]), 0, 0)]
    results: list[Joint] = []
    while waiting and len(results) < n:
        cost, row, rank = heappop(waiting)
        results.append(Joint(-cost, row, rank))
        if rank + 1 < len(scores):
            heappush(waiting, (-(before[row].score + scores[rank + 1]), row, rank + 1))
        if rank == 0 and row + 1 < len(before):
            heappush(waiting, (-(before[row + 1].score + scores[0]), row + 1, 0))
    return results
