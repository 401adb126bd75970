"""PLaMo 2: the cheapest segmentation of a text into tokens, computed from the end to the start.

A token costs its negative score times 10,000 as a whole number; an unknown character, which becomes one
token for each of its bytes, costs 10,000,000.  O(n · longest token).

llama.cpp mistakes a token that costs exactly 10,000,000 for the unknown character: it tries nothing shorter
and forgets its matches in the text after it.  Only such a vocabulary needs `Pieces.suffixes`.
Native version, for all other vocabularies: native/plamo2.cpp.
Source: the tokenizer of https://huggingface.co/pfnet/plamo-2-1b, as in llama.cpp.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from guiapp.core.text.normalizers import symbol_length

UNKNOWN_COST = 10_000_000


class CheapestPath(NamedTuple):
    """The cheapest path from an offset to the end: its cost, and its first token (None: bytes)."""

    cost: int
    end: int
    token_id: int | None


@dataclass
class State:
    """The cheapest path from each character found so far, then the tokens."""

    best_by_end: dict[int, CheapestPath]
    tokens: list[tuple[int, int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class Try:
    """The token from `start` to `end` (None: the bytes of a character) was tried before the rest."""

    token_id: int | None
    start: int
    end: int
    cost: int
    is_better: bool

    def apply(self, state: State) -> None:
        if self.is_better:
            state.best_by_end[self.start] = CheapestPath(self.cost, self.end, self.token_id)


@dataclass(frozen=True)
class Choose:
    """A token of the cheapest path."""

    token_id: int
    start: int
    end: int

    def apply(self, state: State) -> None:
        state.tokens.append((self.token_id, self.start, self.end))


class Pieces(NamedTuple):
    """The model of PLaMo 2.

    tokens         id and cost of each text that may be a token
    byte_ids       the 256 tokens that unknown characters are made of
    longest_bytes  length of the longest token
    suffixes       all suffixes of tokens, whole tokens included, if a token costs UNKNOWN_COST
    """

    tokens: Mapping[bytes, tuple[int, int]]
    byte_ids: Sequence[int]
    longest_bytes: int
    suffixes: frozenset[bytes] = frozenset()

    def is_taken_for_unknown(self, text: bytes) -> bool:
        return text in self.tokens and self.tokens[text][1] == UNKNOWN_COST


def steps(text: bytes, pieces: Pieces) -> Iterator[Try | Choose]:
    """Yield every token that is tried, right to left and long to short, then the best ones, left to right."""
    state = State({len(text): CheapestPath(0, len(text), None)})
    known_end = len(text)
    for start in reversed(range(len(text))):
        if text[start] & 0xC0 == 0x80:
            continue
        known_end = _known_end(text, start, known_end, pieces)
        for end, token_id, added in _candidates(text, start, known_end, pieces):
            cost = state.best_by_end[end].cost + added
            attempt = Try(
                token_id,
                start,
                end,
                cost,
                start not in state.best_by_end or cost < state.best_by_end[start].cost,
            )
            attempt.apply(state)
            yield attempt
    at = 0
    while at < len(text):
        _, end, token_id = state.best_by_end[at]
        if token_id is not None:
            yield Choose(token_id, at, end)
        else:
            yield from (Choose(pieces.byte_ids[text[k]], k, k + 1) for k in range(at, end))
        at = end


def _known_end(text: bytes, start: int, known_end: int, pieces: Pieces) -> int:
    """The farthest end of a token at `start`; `known_end` is the same for the next character."""
    if not pieces.suffixes:
        return min(len(text), start + pieces.longest_bytes)
    after = start + symbol_length(text[start])
    for end in range(known_end, after - 1, -1):
        if text[start:end] in pieces.suffixes:
            return end
        if pieces.is_taken_for_unknown(text[after:end]):
            break
    return start


def _candidates(
    text: bytes, start: int, known_end: int, pieces: Pieces
) -> Iterator[tuple[int, int | None, int]]:
    """End, id and cost of the tokens at `start`, the unknown character last."""
    for end in range(known_end, start, -1):
        if text[start:end] in pieces.tokens:
            yield end, *pieces.tokens[text[start:end]]
            if pieces.suffixes and pieces.is_taken_for_unknown(text[start:end]):
                return
    yield start + symbol_length(text[start]), None, UNKNOWN_COST
