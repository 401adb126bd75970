"""Unigram: the segmentations of a text with the highest sums of scores, the best one or the n best.

From left to right, store for each offset the best path to it; then follow these back from the end.
O(n · longest token).
Native version for the best one: native/unigram.cpp.
Source: Kudo 2018, https://aclanthology.org/P18-1007; details as in llama.cpp.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from guiapp.core.encode.encoding import Encoding, FragmentTokens
from guiapp.core.text.normalizers import symbol_length

Edge = tuple[int, int, float]
"""The end of a token, its id, its score."""
FARTHEST_SUM = 100_000


class BestPath(NamedTuple):
    """The best path to an offset: its score, and the start and id of its last token."""

    score: float
    origin: int
    token_id: int


@dataclass
class State:
    """The best path to each offset reached so far, then the tokens, last one first."""

    best_by_end: dict[int, BestPath]
    tokens: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Reach:
    """The token from `start` to `end` was tried; it replaces the best path to `end` if that `is_better`."""

    token_id: int
    start: int
    end: int
    score: float
    is_better: bool

    def apply(self, state: State) -> None:
        if self.is_better:
            state.best_by_end[self.end] = BestPath(self.score, self.start, self.token_id)


@dataclass(frozen=True)
class Choose:
    """A token of the best path; if it `joins`, it merges with the unknown token after it."""

    token_id: int
    start: int
    end: int
    joins: bool

    def apply(self, state: State) -> None:
        end = state.tokens.pop()[2] if self.joins else self.end
        state.tokens.append((self.token_id, self.start, end))


@dataclass(frozen=True)
class Spell:
    """A token that replaces unknown text, or its beginning; the rest stays unknown for now."""

    token_id: int
    start: int
    end: int

    def apply(self, state: State) -> None:
        at = next(at for at, (_, start, _) in enumerate(state.tokens) if start == self.start)
        unknown_id, _, end = state.tokens[at]
        rest = [(unknown_id, self.end, end)] if self.end < end else []
        state.tokens[at : at + 1] = [*rest, (self.token_id, self.start, self.end)]


class Pieces(NamedTuple):
    """The model of Unigram.

    ids            token id of each text that may be a token
    scores         of each token id; user-defined tokens count as 0
    longest_bytes  length of the longest token
    unknown_id, unknown_score   for a character that is not a token
    is_single      sums are rounded to 32 bits, and restart from 0 if they are far from it
    """

    ids: Mapping[bytes, int]
    scores: Mapping[int, float]
    longest_bytes: int
    unknown_id: int
    unknown_score: float
    is_single: bool = False


def steps(text: bytes, pieces: Pieces) -> Iterator[Reach | Choose]:
    """Yield every token that is tried, left to right and short to long, then the best ones from the end."""
    state = State({0: BestPath(0.0, 0, pieces.unknown_id)})
    nowhere = BestPath(-sys.float_info.max, 0, pieces.unknown_id)
    start = 0
    while start < len(text):
        character_end = min(len(text), start + symbol_length(text[start]))
        if pieces.is_single:
            _rebase(start, state)
        score_here = state.best_by_end.get(start, nowhere).score
        for end, token_id, added in _candidates(text, start, character_end, pieces):
            score = single(score_here + added) if pieces.is_single else score_here + added
            reach = Reach(token_id, start, end, score, score > state.best_by_end.get(end, nowhere).score)
            reach.apply(state)
            yield reach
        start = character_end
    yield from _backtrack(len(text), state, nowhere)


def spell(text: bytes, state: State, pieces: Pieces, byte_ids: Mapping[int, int]) -> Iterator[Spell]:
    """Yield the tokens with which some libraries replace unknown text, from its end to its start.

    The token with the same text, if there is one; else the tokens of its bytes, if each has one.
    """
    for token_id, start, end in tuple(state.tokens):
        if token_id != pieces.unknown_id:
            continue
        if (whole := pieces.ids.get(text[start:end], token_id)) != token_id:
            yield Spell(whole, start, end)
        elif text[start:end] not in pieces.ids and byte_ids.keys() >= set(text[start:end]):
            for at in range(start, end):
                yield Spell(byte_ids[text[at]], at, at + 1)


def single(number: float) -> float:
    """The nearest 32-bit float."""
    return float(np.float32(number))


def _rebase(start: int, state: State) -> None:
    """Subtract the sum at `start`, if it is far from 0, from all sums reached from there on."""
    offset = state.best_by_end[start].score
    if abs(offset) > FARTHEST_SUM:
        for end in [end for end in state.best_by_end if end >= start]:
            way = state.best_by_end[end]
            state.best_by_end[end] = way._replace(score=single(way.score - offset))


def _candidates(
    text: bytes, start: int, character_end: int, pieces: Pieces
) -> Iterator[tuple[int, int, float]]:
    """End, id and score of the tokens at `start`, the unknown one last."""
    is_known = False
    for end in range(start + 1, min(len(text), start + pieces.longest_bytes) + 1):
        token_id = pieces.ids.get(text[start:end])
        if token_id is not None:
            is_known |= end == character_end
            yield end, token_id, pieces.scores[token_id]
    if not is_known:
        yield character_end, pieces.unknown_id, pieces.unknown_score


def _backtrack(end: int, state: State, nowhere: BestPath) -> Iterator[Choose]:
    """The tokens of the best path; neighbouring unknown tokens become one."""
    unknown_id, was_unknown = nowhere.token_id, False
    while end > 0:
        way = state.best_by_end.get(end, nowhere)
        is_unknown = way.token_id == unknown_id
        yield Choose(way.token_id, way.origin, end, is_unknown and was_unknown)
        was_unknown = is_unknown
        end = way.origin


@dataclass(frozen=True, eq=False)
class Segmentation:
    """One segmentation of a text; `score` is the sum of its tokens' scores, without special tokens."""

    encoding: Encoding
    score: float


@runtime_checkable
class Segmenting(Protocol):
    """A pipeline that can give more than the best segmentation."""

    def segmentations(self, fragment: NDArray[np.uint8], n: int) -> list[tuple[float, FragmentTokens]]: ...


class Joint(NamedTuple):
    """Segmentations of all fragments of a text up to one of them.

    before   the rank of the joint segmentation of the previous fragments that this continues
    here     the rank of the segmentation of the last fragment
    """

    score: float
    before: int
    here: int


def best_joint(scores_by_segment: list[list[float]], n: int) -> list[tuple[float, list[int]]]:
    """The `n` best sums of one score from each fragment: the sum, and the rank chosen in each.

    Scores are sorted, the best first.  Ties: the better one in the previous fragments goes first.
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


class RankedPath(NamedTuple):
    """A path to an offset; the lesser tuple is the better path.

    cost    the negative sum of the scores
    origin  the start of its last token
    rank    the rank of the path to `origin` that it continues; 0 is the best
    added   the score of the last token
    """

    cost: float
    origin: int
    rank: int
    token_id: int
    added: float


class SegmentationLattice:
    """All ways to cut a text of `size` bytes into tokens.

    edges  the tokens that start at an offset; called from left to right for each offset from `next_start`
    An offset that no token reaches counts as reached from the start by an unknown token, as in `viterbi`.

    The paths to each offset are found in order, the best first, and only as many as the caller asks for.  The
    next best path derives from a known one: it takes the next best path to the start of its last token, or
    another last token.  Each path after the first takes at most O(n) steps of O(log longest token).
    Ties: of paths with equal sums, first the one whose last token starts first, as in `steps`; then the one
    whose path up to that token is better.  Sums are taken from left to right, so that they are rounded alike.
    Source: Huang & Chiang 2005, algorithm 3, https://aclanthology.org/W05-1506.
    """

    def __init__(
        self,
        size: int,
        edges: Callable[[int], Iterable[Edge]],
        next_start: Callable[[int], int],
        unknown_id: int,
    ) -> None:
        self._size = size
        self._nowhere = RankedPath(sys.float_info.max, 0, 0, unknown_id, 0.0)
        self._waiting: dict[int, list[RankedPath]] = {}
        self._ways: dict[int, list[RankedPath]] = {0: [RankedPath(-0.0, 0, 0, unknown_id, 0.0)]}
        start = 0
        while start < size:
            if start > 0:
                self._begin(start)
            cost = self._ways[start][0].cost
            for end, token_id, added in edges(start):
                self._offer(end, RankedPath(cost - added, start, 0, token_id, added))
            start = next_start(start)
        if size > 0:
            self._begin(size)

    def best(self) -> Iterator[tuple[float, list[tuple[int, int, int]]]]:
        """The sum of the scores, and the tokens with their starts and ends, of each path, the best first."""
        rank = 0
        while rank < len(self._ways[self._size]):
            yield -self._ways[self._size][rank].cost, self._tokens(rank)
            rank += 1
            if rank == len(self._ways[self._size]):
                self._find_next()

    def _offer(self, end: int, way: RankedPath) -> None:
        if way.cost < self._nowhere.cost:
            self._waiting.setdefault(end, []).append(way)

    def _begin(self, offset: int) -> None:
        """Find the best path to an offset, once all tokens that end there are known."""
        waiting = self._waiting.setdefault(offset, [])
        heapify(waiting)
        self._ways[offset] = [heappop(waiting) if waiting else self._nowhere]

    def _find_next(self) -> None:
        """Find one more path to the end, after those that it continues, if there are any."""
        offsets, offset = [], self._size
        while offset > 0:
            offsets.append(offset)
            last = self._ways[offset][-1]
            if len(self._ways[last.origin]) > last.rank + 1:
                break
            offset = last.origin
        for offset in reversed(offsets):
            self._find_next_to(offset)

    def _find_next_to(self, offset: int) -> None:
        last, waiting = self._ways[offset][-1], self._waiting[offset]
        if last is self._nowhere:
            return
        origins = self._ways[last.origin]
        if len(origins) > last.rank + 1:
            cost = origins[last.rank + 1].cost - last.added
            heappush(waiting, RankedPath(cost, last.origin, last.rank + 1, last.token_id, last.added))
        if waiting:
            self._ways[offset].append(heappop(waiting))

    def _tokens(self, rank: int) -> list[tuple[int, int, int]]:
        """The tokens of a path to the end; neighbouring unknown tokens become one."""
        tokens: list[tuple[int, int, int]] = []
        end, unknown_id = self._size, self._nowhere.token_id
        while end > 0:
            way = self._ways[end][rank]
            if tokens and way.token_id == unknown_id == tokens[-1][0]:
                tokens[-1] = (unknown_id, way.origin, tokens[-1][2])
            else:
                tokens.append((way.token_id, way.origin, end))
            end, rank = way.origin, way.rank
        return tokens[::-1]
