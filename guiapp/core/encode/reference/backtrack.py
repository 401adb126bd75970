"""The tokens of pair merging in linear time: longest match with steps back, and a table of all prefixes.

Two neighbouring tokens are compatible if their joint text, merged by itself, gives exactly these two.  The
tokens of a text are the only sequence in which all neighbours are compatible.  Both algorithms take
O(n · longest token).
Native version: native/linear.cpp.
Source: github/rust-gems, crates/bpe (backtracking encoder, encoding of all prefixes); proof in its README.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from guiapp.core.encode.reference.longest_match import Attempt, Choose, Take, Taken, TokenMatches

AreCompatible = Callable[[int, int], bool]


@dataclass(frozen=True)
class Reject(Attempt):
    """A token fits the text but not its context.

    is_dead_end  its end is no boundary between tokens; otherwise it is not compatible with the previous one
    """

    token_id: int
    start: int
    end: int
    is_dead_end: bool


@dataclass(frozen=True)
class Back:
    """No token can follow the last one, which is taken back."""

    token_id: int
    start: int
    end: int

    def apply(self, taken: Taken) -> None:
        taken.pop()


def steps(size: int, matches: TokenMatches, are_compatible: AreCompatible) -> Iterator[Take | Reject | Back]:
    """Yield the tokens tried, taken and taken back in a piece of `size` bytes.

    Take the longest token that is compatible with the previous one.  If there is no such token, the offset
    cannot be a boundary between tokens: it is marked as a dead end, and the previous token is replaced by
    its next shorter prefix.  Each offset is abandoned at most once.
    """
    taken: Taken = []
    at, first, dead_ends = 0, 0, set[int]()
    candidate = matches.longest(0)
    while at < size:
        if candidate is None and at not in dead_ends:  # a character that no token begins with
            at, tokens = matches.fallback(at)
            taken += tokens
            yield from (Take(*token) for token in tokens)
            first, candidate = len(taken), matches.longest(at)
            continue
        step: Take | Reject | Back
        if candidate is None:
            step = Back(*taken[-1])
            candidate, at = matches.shorter(step.token_id), step.start
        else:
            end = at + matches.length(candidate)
            is_compatible = len(taken) == first or are_compatible(taken[-1][0], candidate)
            if is_compatible and end not in dead_ends:
                step = Take(candidate, at, end)
                candidate, at = matches.longest(end), end
            else:
                step = Reject(candidate, at, end, end in dead_ends)
                candidate = matches.shorter(candidate)
        if candidate is None and not isinstance(step, Take):
            dead_ends.add(at)
        step.apply(taken)
        yield step


@dataclass
class State:
    """The start and id of the last token of each prefix; then the tokens, last one first."""

    last: dict[int, tuple[int, int]] = field(default_factory=dict)
    tokens: Taken = field(default_factory=list)


@dataclass(frozen=True)
class Reach:
    """A token is the last one of the prefix up to its end if it `is_compatible` with the previous one."""

    token_id: int
    start: int
    end: int
    is_compatible: bool

    def apply(self, state: State) -> None:
        if self.is_compatible:
            state.last[self.end] = self.start, self.token_id


def table_steps(size: int, matches: TokenMatches, are_compatible: AreCompatible) -> Iterator[Reach | Choose]:
    """Yield every token tried in a piece of `size` bytes, then the tokens of the piece from its end.

    From left to right, try all tokens that begin at the end of a prefix.  A token that is compatible with the
    last one of that prefix is the last token of the longer prefix; each prefix has exactly one.
    """
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
