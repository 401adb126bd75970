"""The last token of every prefix: the tokens of pair merging in linear time, by dynamic programming.

Going from left to right, try all tokens that begin where a prefix ends.  One that is compatible with the
last token of that prefix (their joint text, merged by itself, gives just these two) is the last token of
the longer prefix; there is exactly one for each.  Going back from the end gives the tokens of the text.
O(n · longest token).
Native twin: native/linear.cpp.
Source: github/rust-gems, crates/bpe (encoding of all prefixes).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from guiapp.core.encode.reference.backtrack import AreCompatible
from guiapp.core.encode.reference.longest_match import Choose, Taken, TokenMatches


@dataclass
class State:
    """Where the last token of each prefix begins and which it is; then the tokens, last one first."""

    last: dict[int, tuple[int, int]] = field(default_factory=dict)
    tokens: Taken = field(default_factory=list)


@dataclass(frozen=True)
class Reach:
    """A token is the last one of the prefix that ends with it, if it `is_compatible` with what is before."""

    token_id: int
    start: int
    end: int
    is_compatible: bool

    def apply(self, state: State) -> None:
        if self.is_compatible:
            state.last[self.end] = self.start, self.token_id


def steps(size: int, matches: TokenMatches, are_compatible: AreCompatible) -> Iterator[Reach | Choose]:
    """Yield every token that is tried in a piece of `size` bytes, then those of the piece from its end."""
    state = State()
    unmatched: dict[int, tuple[int, Taken]] = {}
    begins_run, start = True, 0
    while start < size:
        if not (begins_run or start in state.last):
            start += 1
            continue
        options = list(matches.at(start))
        if not options:  # a character that no token begins with
            begin, (start, tokens) = start, matches.fallback(start)
            unmatched[start] = begin, tokens
            begins_run = True
            continue
        for token, end in options:
            if end not in state.last:
                fits = begins_run or are_compatible(state.last[start][1], token)
                step = Reach(token, start, end, fits)
                step.apply(state)
                yield step
        begins_run, start = False, start + 1
    yield from _backtrack(size, state, unmatched)


def _backtrack(end: int, state: State, unmatched: dict[int, tuple[int, Taken]]) -> Iterator[Choose]:
    while end > 0:
        if end in unmatched:
            start, tokens = unmatched[end]
            yield from (Choose(*token) for token in reversed(tokens))
        else:
            start, token = state.last[end]
            yield Choose(token, start, end)
        end = start
