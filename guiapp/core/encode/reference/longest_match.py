"""Longest match, and what all encoders that match tokens share: their steps, and the tokens of a piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

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


@dataclass(frozen=True)
class Miss:
    """What lies between `start` and `end` is no token: try a shorter one, if any may be tried."""

    start: int
    end: int

    def apply(self, taken: Taken) -> None:
        """Change nothing."""


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
