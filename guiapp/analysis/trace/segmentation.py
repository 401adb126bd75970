"""The best segmentation that does without a token, from the steps that Viterbi's algorithm has taken."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.operations import NUMBERS
from guiapp.analysis.trace.trace import Trace

Token = tuple[int, int, int]
"""A token, and from where to where in the text it reaches."""


class ScoredTokens(NamedTuple):
    """Tokens side by side, and the sum of their scores."""

    tokens: list[Token]
    score: float


class _Edge(NamedTuple):
    """A token that was tried between two offsets of the piece, and the step that did."""

    start: int
    end: int
    score: float
    step: int


def rejected_cut(trace: Trace, piece: int, maker: int) -> tuple[ScoredTokens, ScoredTokens, int] | None:
    """How the text around the token that the step `maker` chose is cut, and the best cut without it.

    Both are the least stretch in which they differ; the number is the step that tried the last token of the
    second.  None where there is no other way to cut the piece.
    """
    edges = _edges(trace, piece)
    size = max((edge.end for edge in edges), default=0)
    uses = _uses(trace, piece, maker)
    best = _best_recorded(trace, edges, size)
    other = _best((edge for edge in edges if edge.step not in uses), size)
    if best is None or other is None or not uses:
        return None
    won, lost = _differing(best, other)
    return _cut(trace, won), _cut(trace, lost), lost[-1].step


def _uses(trace: Trace, piece: int, maker: int) -> set[int]:
    """The steps that tried the token which a step chose, at its place; or the parts of an unknown one."""
    columns, steps = trace.columns, _way_steps(trace, piece)
    is_it = columns.result[steps] == columns.result[maker]
    is_it &= columns.other_cell[steps] >= columns.other_cell[maker]
    is_it &= columns.end[steps] <= columns.end[maker]
    return {*steps[is_it].tolist()}


def _way_steps(trace: Trace, piece: int) -> NDArray[np.int64]:
    first, done = int(trace.pieces.first_step[piece]), int(trace.pieces.done_step[piece])
    here = trace.columns.operation[first:done]
    return np.flatnonzero((here == NUMBERS["reach"]) | (here == NUMBERS["worse"])) + first


def _edges(trace: Trace, piece: int) -> list[_Edge]:
    """All tokens that were tried, each with its own score."""
    columns, best, edges = trace.columns, {0: 0.0}, list[_Edge]()
    for step in _way_steps(trace, piece).tolist():
        start, end, total = int(columns.other_cell[step]), int(columns.cell[step]), float(columns.rank[step])
        if start not in best:
            continue
        edges.append(_Edge(start, end, total - best[start], step))
        if columns.operation[step] == NUMBERS["reach"]:
            best[end] = total
    return edges


def _best_recorded(trace: Trace, edges: Iterable[_Edge], size: int) -> list[_Edge] | None:
    """The way that the algorithm found: sums that are added up anew may be rounded otherwise."""
    reach = NUMBERS["reach"]
    return _back({edge.end: edge for edge in edges if trace.columns.operation[edge.step] == reach}, size)


def _best(edges: Iterable[_Edge], size: int) -> list[_Edge] | None:
    """The best way from 0 to `size`; edges come in the order of their starts."""
    best_by_end: dict[int, tuple[float, _Edge | None]] = {0: (0.0, None)}
    for edge in edges:
        if edge.start in best_by_end:
            score = best_by_end[edge.start][0] + edge.score
            if edge.end not in best_by_end or score > best_by_end[edge.end][0]:
                best_by_end[edge.end] = score, edge
    return _back({end: edge for end, (_, edge) in best_by_end.items() if edge is not None}, size)


def _back(last: dict[int, _Edge], size: int) -> list[_Edge] | None:
    """The way from 0 to `size` by the last token of the way to each place; None where there is none."""
    path, at = list[_Edge](), size
    while at > 0:
        if at not in last:
            return None
        path.append(last[at])
        at = last[at].start
    return path[::-1]


def _differing(one: list[_Edge], other: list[_Edge]) -> tuple[list[_Edge], list[_Edge]]:
    """Both without what they begin and end with in common."""
    first = 0
    while first < min(len(one), len(other)) and one[first] == other[first]:
        first += 1
    last = 0
    while last < min(len(one), len(other)) - first and one[-1 - last] == other[-1 - last]:
        last += 1
    return one[first : len(one) - last], other[first : len(other) - last]


def _cut(trace: Trace, edges: list[_Edge]) -> ScoredTokens:
    columns = trace.columns
    tokens = [
        (int(columns.result[edge.step]), int(columns.position[edge.step]), int(columns.end[edge.step]))
        for edge in edges
    ]
    return ScoredTokens(tokens, sum(edge.score for edge in edges))
