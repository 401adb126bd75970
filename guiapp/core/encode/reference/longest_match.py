"""Matching tokens: the longest, or as few as possible; and the steps that all matching encoders share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from guiapp.core.encode.dropout import Dropout

WORD = re.compile(rb"[^\t-\r ]+")
PIECE = re.compile(rb".+", re.DOTALL)  # for text that is already split
Taken = list[tuple[int, int, int]]
"""Token, start and end of each token taken so far."""


@dataclass(frozen=True)
class Take:
    """A token is taken."""

    token_id: int
    start: int
    end: int

    def apply(self, taken: Taken) -> None:
        taken.append((self.token_id, self.start, self.end))


class Attempt:
    """A step that changes nothing."""

    def apply(self, state: object) -> None:
        """Change nothing."""


@dataclass(frozen=True)
class Miss(Attempt):
    """The text between `start` and `end` is not a token: try a shorter one, if allowed."""

    start: int
    end: int


class Chosen(Protocol):
    """A state to which the tokens of a piece are added, the last one first."""

    tokens: Taken


@dataclass(frozen=True)
class Choose:
    """A token of the whole piece, found on the way back from its end."""

    token_id: int
    start: int
    end: int

    def apply(self, state: Chosen) -> None:
        state.tokens.append((self.token_id, self.start, self.end))


@dataclass(frozen=True)
class Join:
    """The last unknown token absorbs a neighbouring one and then spans `start` to `end`."""

    token_id: int
    start: int
    end: int

    def apply(self, taken: Taken) -> None:
        taken[-1] = (self.token_id, self.start, self.end)


class TokenMatches(NamedTuple):
    """The tokens of a vocabulary that match in one piece.

    longest    the longest token at an offset, or None
    shorter    the longest proper prefix of a token that is a token, or None
    length     bytes of a token
    fallback   if no token begins at an offset: the offset to continue at, and the tokens, if any, for the
               text up to there
    """

    longest: Callable[[int], int | None]
    shorter: Callable[[int], int | None]
    length: Callable[[int], int]
    fallback: Callable[[int], tuple[int, Taken]]

    def at(self, start: int) -> Iterator[tuple[int, int]]:
        """All tokens at an offset with their ends, the longest first."""
        token = self.longest(start)
        while token is not None:
            yield token, start + self.length(token)
            token = self.shorter(token)


def steps(size: int, matches: TokenMatches) -> Iterator[Take]:
    """Yield the tokens of a piece of `size` bytes, in order.

    Where no token begins, `fallback` gives the tokens.  Native version: native/matching.cpp.
    """
    at = 0
    while at < size:
        token = matches.longest(at)
        if token is None:
            at, tokens = matches.fallback(at)
            yield from (Take(*token) for token in tokens)
        else:
            yield Take(token, at, at + matches.length(token))
            at += matches.length(token)


def rwkv_steps(
    text: bytes, tokens: Mapping[bytes, int], longest_bytes: int, unknown_id: int
) -> Iterator[Take]:
    """RWKV World: repeatedly take the longest token that the rest of the text begins with.

    A byte that no token begins with becomes an unknown token.  So does one that begins only tokens that do
    not fit to their end: llama.cpp never returns from such a text.  O(n · longest token).
    Native version: native/rwkv.cpp.
    Source: https://github.com/BlinkDL/RWKV-LM
    """
    start = 0
    while start < len(text):
        end = min(len(text), start + longest_bytes)
        while end > start and text[start:end] not in tokens:
            end -= 1
        token = tokens[text[start:end]] if end > start else unknown_id
        end = max(end, start + 1)
        yield Take(token, start, end)
        start = end


def word_steps(
    text: bytes,
    find: Callable[[bytes], int | None],
    unknown_id: int | None,
    word: re.Pattern[bytes] = WORD,
) -> Iterator[Take | Miss]:
    """Whole words: look up the text between white space as it is; it is unknown if it is not a token.

    The simplest idea, for comparison; any vocabulary can do it, none was made for it.  A word that follows
    a space is looked up with that space first.  Without an unknown token, unknown words are left out.
    O(n).
    Native version: native/words.cpp.
    Source: the word-level models before Sennrich, Haddow & Birch 2016, https://aclanthology.org/P16-1162.
    """
    for match in word.finditer(text):
        start, end = match.span()
        for first in (start - 1, start) if text[:start].endswith(b" ") else (start,):
            token = find(text[first:end])
            if token is not None:
                yield Take(token, first, end)
                break
            yield Miss(first, end)
        else:
            if unknown_id is not None:
                yield Take(unknown_id, start, end)


class ShortestPath(NamedTuple):
    """The best path to an offset: its number of tokens, and its last token, None for a byte without one."""

    n_tokens: int
    origin: int
    token_id: int | None


@dataclass
class State:
    """The best path to each offset reached so far, then the tokens, last one first."""

    best_by_end: dict[int, ShortestPath] = field(default_factory=lambda: {0: ShortestPath(0, 0, None)})
    tokens: Taken = field(default_factory=list)


@dataclass(frozen=True)
class Reach:
    """A token was tried; it replaces the best path to `end` if that `is_better`."""

    token_id: int | None
    start: int
    end: int
    n_tokens: int
    is_better: bool

    def apply(self, state: State) -> None:
        if self.is_better:
            state.best_by_end[self.end] = ShortestPath(self.n_tokens, self.start, self.token_id)


@dataclass(frozen=True)
class RuleOut(Attempt):
    """A token is ruled out at random."""

    token_id: int
    start: int
    end: int


def fewest_steps(size: int, matches: TokenMatches, dropout: Dropout) -> Iterator[Reach | RuleOut | Choose]:
    """As few tokens as possible: yield the attempts in a piece, then its tokens from the end.

    From left to right, store for each offset the least number of tokens that reach it; of equally good paths
    the one with the longest last token.  With dropout, uses of tokens are ruled out at random, so that a
    text has many segmentations to learn from.  Not the result of merging.  O(n · longest token).
    Native version: native/matching.cpp.
    Source: minimal encoding with dropout, github/rust-gems, crates/bpe; dropout after Provilkov et al. 2020,
    https://aclanthology.org/2020.acl-main.170.
    """
    state = State()
    for start in range(size):
        if start in state.best_by_end:
            for step in _try_all(start, matches, dropout, state):
                step.apply(state)
                yield step
    end = size
    while end > 0:
        _, start, token = state.best_by_end[end]
        chosen = matches.fallback(start)[1] if token is None else [(token, start, end)]
        yield from (Choose(*token) for token in reversed(chosen))
        end = start


def _try_all(start: int, matches: TokenMatches, dropout: Dropout, state: State) -> Iterator[Reach | RuleOut]:
    options: list[tuple[int | None, int]] = [*matches.at(start)] or [(None, start + 1)]
    cost = state.best_by_end[start].n_tokens + 1
    for token, end in options:
        if token is not None and token != options[-1][0] and dropout.rules_out():
            yield RuleOut(token, start, end)
            continue
        yield Reach(
            token, start, end, cost, end not in state.best_by_end or cost < state.best_by_end[end].n_tokens
        )
