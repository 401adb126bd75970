"""Turn a pattern into an automaton that finds the same match with one look at each character.

A backtracking search tries alternatives in order.  The automaton follows all of them at once: a state is
the list of places in the pattern where the search may be, the preferred ones first (Cox, "Regular Expression
Matching: the Virtual Machine Approach", https://swtch.com/~rsc/regexp/regexp2.html).  Once a place on the
list completes the pattern, those after it are dropped.  Whether a look-ahead holds, and so whether a match
ends here, is known when the next character is: it belongs to the transition.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.pattern_syntax import CharacterSet, Choice, LookAhead, Node, Repeat
from guiapp.core.text.pattern_syntax import Sequence as SequenceNode

DEAD, START = 0, 1


class Automaton(NamedTuple):
    """States by classes of characters; the last column is for the end of the text.

    following  int32[s, c + 1]  the state after a character; DEAD: no longer match is possible
    accepts    bool[s, c + 1]   whether a match ends before the character; a later one is preferred
    """

    following: NDArray[np.int32]
    accepts: NDArray[np.bool_]


class _Consume(NamedTuple):
    characters: CharacterSet
    following: int


class _Require(NamedTuple):
    look_ahead: LookAhead
    following: int


class _Try(NamedTuple):
    """Places to go on from, the preferred first."""

    options: tuple[int, ...]


class _Accept(NamedTuple):
    pass


Place = _Consume | _Require | _Try | _Accept


def compile_pattern(node: Node, members: dict[CharacterSet, Sequence[bool]], n_classes: int) -> Automaton:
    """The automaton of a parsed pattern.  `members` says which classes of characters a set holds."""
    places = _Places(node)
    numbers: dict[tuple[int, ...], int] = {(): DEAD, (places.first,): START}
    waiting: list[tuple[int, ...]] = [(places.first,)]
    following, accepts = [[DEAD] * (n_classes + 1)], [[False] * (n_classes + 1)]
    for state in waiting:
        row, ends = [], []
        for seen in range(n_classes + 1):
            new, is_end = places.step(state, None if seen == n_classes else seen, members)
            if new not in numbers:
                numbers[new] = len(numbers)
                waiting.append(new)
            row.append(numbers[new])
            ends.append(is_end)
        following.append(row)
        accepts.append(ends)
    return Automaton(np.array(following, np.int32), np.array(accepts, np.bool_))


def character_sets(node: Node) -> set[CharacterSet]:
    """All sets that a pattern mentions."""
    match node:
        case CharacterSet():
            return {node}
        case LookAhead():
            return {node.characters}
        case Repeat():
            return character_sets(node.part)
        case SequenceNode(parts) | Choice(parts):
            return set().union(*map(character_sets, parts))


class _Places:
    """The places of a pattern, numbered; `first` is where a match begins."""

    def __init__(self, node: Node) -> None:
        self._places: list[Place] = []
        self.first = self._build(node, self._add(_Accept()))

    def step(
        self, state: tuple[int, ...], seen: int | None, members: dict[CharacterSet, Sequence[bool]]
    ) -> tuple[tuple[int, ...], bool]:
        """The state after a character of class `seen` (None: the end), and whether a match ends before it."""
        new: dict[int, None] = {}
        visited = set()
        stack = list(reversed(state))
        while stack:
            number = stack.pop()
            if number in visited:
                continue
            visited.add(number)
            match self._places[number]:
                case _Consume(characters, following):
                    if seen is not None and members[characters][seen]:
                        new[following] = None
                case _Require(look_ahead, following):
                    is_member = seen is not None and members[look_ahead.characters][seen]
                    if is_member != look_ahead.is_negated:
                        stack.append(following)
                case _Try(options):
                    stack += reversed(options)
                case _Accept():
                    return tuple(new), True
        return tuple(new), False

    def _add(self, place: Place) -> int:
        self._places.append(place)
        return len(self._places) - 1

    def _build(self, node: Node, following: int) -> int:
        """Add the places of a part that goes on at `following`; returns its own first one."""
        match node:
            case CharacterSet():
                return self._add(_Consume(node, following))
            case LookAhead():
                return self._add(_Require(node, following))
            case SequenceNode(parts):
                for part in reversed(parts):
                    following = self._build(part, following)
                return following
            case Choice(options):
                return self._add(_Try(tuple(self._build(option, following) for option in options)))
            case Repeat():
                return self._build_repeat(node, following)

    def _build_repeat(self, node: Repeat, following: int) -> int:
        if node.most is None:
            loop = self._add(_Try(()))
            self._places[loop] = _Try((self._build(node.part, loop), following))
            entry = loop
        else:
            entry = following
            for _ in range(node.most - node.least):
                entry = self._add(_Try((self._build(node.part, entry), following)))
        for _ in range(node.least):
            entry = self._build(node.part, entry)
        return entry
