"""Matching tokens: the longest, or as few as possible; and the steps that all encoders share which do it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from guiapp.core.encode.dropout import Dropout

WORD = re.compile(rb"[^\t-\r ]+")
PIECE = re.compile(rb".+", re.DOTALL)  # where text has been split before
Taken = list[tuple[int, int, int]]
"""Token, start and end of what is taken so far."""


@dataclass(frozen=True)
class Take:
    """A token is taken."""

    token_id: int
    start: int
    end: int

    def apply(self, taken: Taken) -> None:
        taken.append((self.token_id, self.start, self.end))


class Attempt:
    """A step that is looked at and changes nothing."""

    def apply(self, state: object) -> None:
        """Change nothing."""


@dataclass(frozen=True)
class Miss(Attempt):
    """What lies between `start` and `end` is no token: try a shorter one, if any may be tried."""

    start: int
    end: int


class Chosen(Protocol):
    """A state that the tokens of a piece are added to, the last one first."""

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
    """The last unknown token grows over a neighbouring one, to what lies between `start` and `end`."""

    token_id: int
    start: int
    end: int

    def apply(self, taken: Taken) -> None:
        taken[-1] = (self.token_id, self.start, self.end)


class TokenMatches(NamedTuple):
    """The tokens of a vocabulary, found in one piece.

    longest    the longest token at an offset, or None
    shorter    the longest proper prefix of a token that is one, or None
    length     bytes of a token
    fallback   where no token begins at an offset: up to where it is passed over, and the tokens, if any,
               that are written for that
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

    Where no token begins, `fallback` says what is written.  Native twin: native/matching.cpp.
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
    """RWKV World: take the longest token that the rest of the text begins with, again and again.

    A byte that no token begins with is an unknown token.  So is one that begins tokens of which none fits to
    its end: llama.cpp never returns from such a text.  O(n · longest token).
    Native twin: native/rwkv.cpp.
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
    """Whole words: what stands between white space is looked up as it is, and unknown where it is no token.

    What people try first, for comparison; any vocabulary can do it, none was made for it.  A word that
    follows a space is looked up with that space first.  Without an unknown token, unknown words are left out.
    O(n).
    Native twin: native/words.cpp.
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
    """The best way to an offset: how many tokens, and the last of them, None for a byte without a token."""

    n_tokens: int
    origin: int
    token_id: int | None


@dataclass
class State:
    """The best way to each offset that was reached, then the tokens, last one first."""

    best_by_end: dict[int, ShortestPath] = field(default_factory=lambda: {0: ShortestPath(0, 0, None)})
    tokens: Taken = field(default_factory=list)


@dataclass(frozen=True)
class Reach:
    """A token was tried; it replaces the best way to `end` if that `is_better`."""

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
    """A token is not tried, by chance."""

    token_id: int
    start: int
    end: int


def fewest_steps(size: int, matches: TokenMatches, dropout: Dropout) -> Iterator[Reach | RuleOut | Choose]:
    """As few tokens as possible: yield what is tried in a piece, then its tokens from the end.

    Going from left to right, keep for each offset the least number of tokens that reach it; of equally good
    ways the one with the longest last token.  With dropout, uses of tokens are ruled out at random, so that a
    text has many segmentations to learn from.  Not what merging gives.  O(n · longest token).
    Native twin: native/matching.cpp.
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
