"""Unigram: of all ways to cut a text into tokens, the one with the highest sum of scores.

Going from left to right, keep for each offset the best way to reach it, and follow these back from the
end.  O(n · longest token).
Native twin: native/unigram.cpp.
Source: Kudo 2018, https://aclanthology.org/P18-1007; details as in llama.cpp.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from guiapp.core.text.normalizers import symbol_length

FARTHEST_SUM = 100_000


class BestPath(NamedTuple):
    """The best way to an offset: its score, and the token that it ends with."""

    score: float
    origin: int
    token_id: int


@dataclass
class State:
    """What is known so far: the best way to each offset that was reached, then the tokens, last one first."""

    best_by_end: dict[int, BestPath]
    tokens: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Reach:
    """The token from `start` to `end` was tried; it replaces the best way to `end` if that `is_better`."""

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
    """A token of the best way; `joins` where it is swallowed by the unknown token behind it."""

    token_id: int
    start: int
    end: int
    joins: bool

    def apply(self, state: State) -> None:
        end = state.tokens.pop()[2] if self.joins else self.end
        state.tokens.append((self.token_id, self.start, end))


@dataclass(frozen=True)
class Spell:
    """A token in the place of unknown text, or of its beginning; what is behind it stays unknown for now."""

    token_id: int
    start: int
    end: int

    def apply(self, state: State) -> None:
        at = next(at for at, (_, start, _) in enumerate(state.tokens) if start == self.start)
        unknown_id, _, end = state.tokens[at]
        rest = [(unknown_id, self.end, end)] if self.end < end else []
        state.tokens[at : at + 1] = [*rest, (self.token_id, self.start, self.end)]


class Pieces(NamedTuple):
    """What Unigram knows.

    ids            token id of each text that may be a token
    scores         of each token id; user-defined tokens count as 0
    longest_bytes  length of the longest token
    unknown_id, unknown_score   what a character costs that is no token
    is_single      sums are rounded to 32 bits, and counted from 0 again where they are far from it
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
    """Yield the tokens that some libraries put in the place of unknown text, from its end to its start.

    The token of such a text, if there is any; else those of its bytes, if each has one.
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
    """The nearest number of 32 bits."""
    return float(np.float32(number))


def _rebase(start: int, state: State) -> None:
    """Take a sum that is far from 0 away from those of all places that were reached from there on."""
    offset = state.best_by_end[start].score
    if abs(offset) > FARTHEST_SUM:
        for place in [place for place in state.best_by_end if place >= start]:
            way = state.best_by_end[place]
            state.best_by_end[place] = way._replace(score=single(way.score - offset))


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
    """The tokens of the best way; runs of unknown ones become one."""
    unknown_id, was_unknown = nowhere.token_id, False
    while end > 0:
        way = state.best_by_end.get(end, nowhere)
        is_unknown = way.token_id == unknown_id
        yield Choose(way.token_id, way.origin, end, is_unknown and was_unknown)
        was_unknown = is_unknown
        end = way.origin
