"""As few tokens as possible: a shortest path through all ways to cut a text into tokens.

Going from left to right, keep for each offset the least number of tokens that reach it; of equally good
ways the one with the longest last token.  With dropout, uses of tokens are ruled out at random, so that a
text has many segmentations to learn from.  Not what merging gives.  O(n · longest token), and offered
where `greedy` is.
Native twin: native/matching.cpp.
Source: minimal encoding with dropout, github/rust-gems, crates/bpe; dropout after Provilkov et al. 2020,
https://aclanthology.org/2020.acl-main.170.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from guiapp.core.encode.reference.longest_match import Choose, Taken, TokenMatches

LOW_32 = 0xFFFFFFFF


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
class RuleOut:
    """A token is not tried, by chance."""

    token_id: int
    start: int
    end: int

    def apply(self, state: State) -> None:
        """Change nothing."""


@dataclass
class Dropout:
    """Rules out `share` of 2**32 uses of tokens; numbers go on from piece to piece."""

    share: int = 0
    random_state: int = 1

    def rules_out(self) -> bool:
        if self.share == 0:
            return False
        self.random_state = next_random(self.random_state)
        return self.random_state < self.share


def next_random(state: int) -> int:
    """The number behind `state` in a sequence of numbers below 2**32 (xorshift, Marsaglia 2003)."""
    state ^= (state << 13) & LOW_32
    state ^= state >> 17
    return state ^ ((state << 5) & LOW_32)


def steps(size: int, matches: TokenMatches, dropout: Dropout) -> Iterator[Reach | RuleOut | Choose]:
    """Yield every token that is tried in a piece of `size` bytes, then the best ones from its end."""
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
