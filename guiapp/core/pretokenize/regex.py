r"""Compile a pattern to an automaton (DFA) that finds the same matches as a backtracking search.

Patterns may contain sequences, `|`, groups, greedy `* + ? {n} {n,m}`, classes, `\r \n \t \s \S \Z`, `\p{…}`,
and look-ahead for one character.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import reduce
from operator import or_
from typing import Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.core.pretokenize.pre_tokenizers import Pattern, View
from guiapp.core.pretokenize.unicode_patterns import PatternError, expanded, expanded_oniguruma
from guiapp.core.text.unicode_tables import (
    HAN_RANGES,
    LETTER,
    MARK,
    NUMBER,
    PUNCTUATION,
    SYMBOL,
    WHITESPACE_RANGES,
    Range,
    are_in,
    category_runs,
)
from guiapp.native.checkpoint import stoppable

# Views of a text.  llama.cpp runs most patterns over a copy of the text with one byte per character: ASCII
# unchanged, all else as a stand-in for its category.  `\p{…}` means that stand-in and some of ASCII.

VERTICAL_TAB = 0x0B
OTHER, HAN_LETTER, HAN_OTHER = 0xD0, 0xD6, 0xD7
STAND_INS = np.full(8, OTHER)
STAND_INS[[NUMBER, LETTER, PUNCTUATION, MARK, SYMBOL]] = 0xD1, 0xD2, 0xD3, 0xD4, 0xD5

LETTERS = "\xd2\xd6A-Za-z"
MEMBERS = {
    **dict.fromkeys(("L", "Lu", "Ll", "Lt", "Lm", "Lo"), LETTERS),
    "N": "\xd10-9",
    "P": "\xd3!-#%-*,-/:;?@\\[\\\\\\]_{}",
    "M": "\xd4",
    "S": "\xd5$+<=>\\^`|~",
    "Han": "\xd6\xd7",
}


def seen(view: View, codes: NDArray[np.integer]) -> NDArray[np.integer]:
    """The code points, or stand-ins, that a view shows for some code points."""
    if view in ("unicode", "oniguruma"):
        return codes
    is_space = (codes >= 0x80) & are_in(codes, WHITESPACE_RANGES)
    if view == "codes":
        return np.where(is_space, VERTICAL_TAB, codes)
    categories = category_runs().of(codes)
    classes = np.where(is_space, VERTICAL_TAB, np.where(codes < 0x80, codes, STAND_INS[categories]))
    if view != "han":
        return classes
    return np.where(are_in(codes, HAN_RANGES), np.where(categories == LETTER, HAN_LETTER, HAN_OTHER), classes)


def translated(pattern: Pattern) -> str:
    r"""The pattern for its view, in the syntax of `re` with re.ASCII: no `\p`, and `\Z` for `$`."""
    if pattern.view == "unicode":
        return expanded(pattern.source)
    if pattern.view == "oniguruma":
        return expanded_oniguruma(pattern.source)
    source, at, in_class, parts = pattern.source, 0, False, list[str]()
    while at < len(source):
        part = source[at]
        if source.startswith("\\p{", at):
            end = source.index("}", at)
            members = MEMBERS[source[at + 3 : end]]
            parts.append(members if in_class else f"[{members}]")
            at = end + 1
            continue
        if part == "\\":
            part = source[at : at + 2]
        elif part == "[":
            part, in_class = ("\\[" if in_class else "["), True
        elif part == "]":
            in_class = False
        elif part == "$" and not in_class:
            part = "\\Z"
        parts.append(part)
        at += 2 if part[0] == "\\" and source[at] == "\\" else 1
    return "".join(parts)


# The parts of a regular expression

SPACE: tuple[Range, ...] = ((0x09, 0x0D), (0x20, 0x20))
CONTROLS = {"r": "\r", "n": "\n", "t": "\t"}
COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class CharacterSet(NamedTuple):
    """One character in `ranges` or, if negated, in none of them."""

    ranges: tuple[Range, ...]
    is_negated: bool = False


class Lookahead(NamedTuple):
    """Empty, if the next character is in the set; negated: if it is not, or there is none."""

    characters: CharacterSet
    is_negated: bool


class Concatenation(NamedTuple):
    parts: tuple[Node, ...]


class Alternation(NamedTuple):
    """The first option that fits; the next ones only if the rest of the pattern then fails."""

    options: tuple[Node, ...]


class Repetition(NamedTuple):
    """As often as possible, `least` to `most` times; None: no limit."""

    part: Node
    least: int
    most: int | None


Node = CharacterSet | Lookahead | Concatenation | Alternation | Repetition

AT_END = Lookahead(CharacterSet((), is_negated=True), is_negated=True)


def parse(pattern: Pattern) -> Node:
    """Parse a pattern; raises PatternError for unsupported syntax, see the top."""
    parser = _Parser(translated(pattern))
    node = parser.alternation()
    if parser.at != len(parser.source):
        raise PatternError("a group is closed but was not opened")
    return node


def character_sets(node: Node) -> Iterator[CharacterSet]:
    """All sets in a pattern, some of them more than once."""
    match node:
        case CharacterSet():
            yield node
        case Lookahead():
            yield node.characters
        case Repetition():
            yield from character_sets(node.part)
        case Concatenation(parts) | Alternation(parts):
            for part in parts:
                yield from character_sets(part)


class _Parser:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def alternation(self) -> Node:
        options = [self._concatenation()]
        while self._skips("|"):
            options.append(self._concatenation())
        return options[0] if len(options) == 1 else Alternation(tuple(options))

    def _concatenation(self) -> Node:
        parts = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            parts.append(self._repeated(self._single()))
        return parts[0] if len(parts) == 1 else Concatenation(tuple(parts))

    def _repeated(self, part: Node) -> Node:
        following = self.source[self.at : self.at + 1]
        if following in COUNTS:
            self.at += 1
            return Repetition(part, *COUNTS[following])
        if self._skips("{"):
            least, comma, most = self._until("}").partition(",")
            return Repetition(part, int(least), int(most or least) if most or not comma else None)
        return part

    def _single(self) -> Node:
        if self._skips("(?="):
            return self._lookahead(is_negated=False)
        if self._skips("(?!"):
            return self._lookahead(is_negated=True)
        if self._skips("(?:") or self._skips("("):
            return self._group()
        if self._skips("["):
            return self._class()
        if self._skips("\\Z"):
            return AT_END
        return self._character()

    def _group(self) -> Node:
        node = self.alternation()
        if not self._skips(")"):
            raise PatternError("a group is not closed")
        return node

    def _lookahead(self, is_negated: bool) -> Node:
        characters = self._group()
        if not isinstance(characters, CharacterSet):
            raise PatternError("it looks ahead by more than one character")
        return Lookahead(characters, is_negated)

    def _class(self) -> CharacterSet:
        is_negated = self._skips("^")
        ranges: list[Range] = []
        while not self._skips("]"):
            first = self._character()
            is_range = self.source[self.at] == "-" and self.source[self.at + 1] != "]"
            if is_range:
                self.at += 1
                ranges.append((first.ranges[0][0], self._character().ranges[0][1]))
            else:
                ranges += first.ranges
        return CharacterSet(tuple(ranges), is_negated)

    def _character(self) -> CharacterSet:
        character = self._next()
        if character == "\\":
            character = self._next()
            if character in "sS":
                return CharacterSet(SPACE, is_negated=character == "S")
            character = CONTROLS.get(character, character)
        return CharacterSet(((ord(character), ord(character)),))

    def _next(self) -> str:
        self.at += 1
        return self.source[self.at - 1]

    def _until(self, mark: str) -> str:
        end = self.source.index(mark, self.at)
        text = self.source[self.at : end]
        self.at = end + 1
        return text

    def _skips(self, expected: str) -> bool:
        if not self.source.startswith(expected, self.at):
            return False
        self.at += len(expected)
        return True


# The automaton.  A backtracking search tries alternatives in order; the automaton follows all of them at
# once: a state is the list of positions in the pattern where the search may be, preferred ones first (Cox,
# "Regular Expression Matching: the Virtual Machine Approach", https://swtch.com/~rsc/regexp/regexp2.html).
# Once a position on the list completes the pattern, those after it are dropped.  The next character decides
# whether a look-ahead holds, and so whether a match ends before it: both belong to the transition.

DEAD, START = 0, 1
MOST_STATES, MOST_POSITIONS = 1 << 11, 1 << 13  # at least twice the most of any pattern in use
MOST_WORK = 1 << 22  # to compile one, in steps of some 10 ns; eight times the most of any pattern in use


class Automaton(NamedTuple):
    """States by classes of characters; the last column is for the end of the text.

    following  int32[s, c + 1]  the state after a character; DEAD: no longer match is possible
    accepts    bool[s, c + 1]   whether a match ends before the character; a later one is preferred
    """

    following: NDArray[np.int32]
    accepts: NDArray[np.bool_]

    @property
    def can_match(self) -> NDArray[np.bool_]:
        """For each state, whether a match can still end, at once or later."""
        everywhere = np.ones(self.following.shape, np.bool_)
        return _leading_to(np.asarray(self.accepts.any(axis=1)), self.following, everywhere)

    @property
    def must_match(self) -> NDArray[np.bool_]:
        """For each state, whether a match certainly ends, at once or later, whatever text follows."""
        is_dead = np.arange(len(self.following)) == DEAD
        return ~_leading_to(is_dead, self.following, ~self.accepts)


def _leading_to(
    goals: NDArray[np.bool_], following: NDArray[np.int32], is_way: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Which states reach some goals by zero or more of the edges `is_way`; each is visited once."""
    targets, sources = following[is_way], is_way.nonzero()[0]
    order = np.argsort(targets, kind="stable")
    sources, starts = sources[order], np.searchsorted(targets[order], np.arange(len(following) + 1))
    reached, pending = goals.copy(), goals.nonzero()[0].tolist()
    while pending:
        state = pending.pop()
        before = sources[starts[state] : starts[state + 1]]
        new = set(before[~reached[before]].tolist())
        reached[[*new]] = True
        pending += new
    return reached


Found = TypeVar("Found", bound=Hashable)


class Numbers(Generic[Found]):
    """Numbers items in the order of first use; may be iterated while it grows."""

    def __init__(self, *first: Found) -> None:
        self._numbers = {each: number for number, each in enumerate(first)}
        self._items = list(first)

    def __iter__(self) -> Iterator[Found]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def of(self, item: Found) -> int:
        number = self._numbers.setdefault(item, len(self._items))
        if number == len(self._items):
            self._items.append(item)
        return number


WORK_OF_POSITION, WORK_OF_GROUP = 50, 15

ClassSet = int  # bit c: class c is in it; the bit after the last class stands for the end of the text


def union(sets: Iterable[int]) -> int:
    """All numbers that are in at least one of some sets."""
    return reduce(or_, sets, 0)


def bits(numbers: Iterable[int]) -> int:
    """The set of some numbers, as an integer."""
    return union(1 << number for number in numbers)


def elements(members: int) -> Iterator[int]:
    """The numbers in such a set, ascending."""
    while members:
        yield (members & -members).bit_length() - 1
        members &= members - 1


class _Consume(NamedTuple):
    """Consume a character of `classes`; then continue."""

    classes: ClassSet
    following: int


class _Require(NamedTuple):
    """Continue, provided that a character of `classes` is next."""

    classes: ClassSet
    following: int


class _Try(NamedTuple):
    """Continue from one of some positions, the first ones preferred; from none if the pattern is complete."""

    options: tuple[int, ...]


Position = _Consume | _Require | _Try
State = tuple[int, ...]  # of positions
COMPLETE = 0


def compile_node(node: Node, classes_of: Mapping[CharacterSet, ClassSet], n_classes: int) -> Automaton:
    """The automaton of a parsed pattern; `classes_of` maps its sets to classes of characters."""
    if count_positions(node) > MOST_POSITIONS:
        raise PatternError("it needs too large an automaton")
    positions = _Positions(classes_of, (2 << n_classes) - 1)
    states = Numbers[State]((), (positions.build(node, COMPLETE),))
    shape = n_classes + 1
    following, accepts = [], []
    for state in stoppable(states):
        if len(states) > MOST_STATES:
            raise PatternError("it needs too large an automaton")
        row, ends, (groups, before_end) = [DEAD] * shape, [False] * shape, positions.step(state)
        for classes, new in groups:
            number = states.of(new)
            for each in elements(classes):
                row[each] = number
        for each in elements(before_end):
            ends[each] = True
        following.append(row)
        accepts.append(ends)
    if any(accepts[START]):
        raise PatternError("it also matches the empty text")
    return Automaton(np.array(following, np.int32), np.array(accepts, np.bool_))


def count_positions(node: Node) -> int:
    """The approximate number of positions of a part."""
    match node:
        case Repetition():
            return count_positions(node.part) * (node.most or node.least + 1) + 1
        case Concatenation(parts) | Alternation(parts):
            return 1 + sum(map(count_positions, parts))
    return 1


class _Positions:
    """The numbered positions of a pattern."""

    def __init__(self, classes_of: Mapping[CharacterSet, ClassSet], all_classes: ClassSet) -> None:
        self._positions: list[Position] = [_Try(())]
        self._classes_of, self._all = classes_of, all_classes
        self._work = 0

    def step(self, state: State) -> tuple[list[tuple[ClassSet, State]], ClassSet]:
        """The next states, by classes of one more character, and the classes before which a match ends."""
        left, visited = self._all, dict[int, ClassSet]()
        groups: list[tuple[ClassSet, State]] = [(self._all, ())]
        stack = [(number, self._all) for number in reversed(state)]
        while stack and left:
            number, classes = stack.pop()
            self._count(WORK_OF_POSITION)
            known = visited.get(number, 0)
            classes &= left & ~known
            visited[number] = known | classes
            position = self._positions[number]
            if not classes:
                continue
            if number == COMPLETE:
                left &= ~classes
            elif isinstance(position, _Try):
                stack += [(option, classes) for option in reversed(position.options)]
            elif isinstance(position, _Require):
                stack.append((position.following, classes & position.classes))
            elif classes & position.classes:
                groups = list(_with_position(groups, classes & position.classes, position.following))
                self._count(sum(WORK_OF_GROUP + len(new) for _, new in groups))
        groups.sort(key=lambda group: group[0] & -group[0])
        return groups, self._all & ~left

    def build(self, node: Node, following: int) -> int:
        """Add the positions of a part that continues at `following`; return its first one."""
        match node:
            case CharacterSet():
                return self._add(_Consume(self._classes_of[node], following))
            case Lookahead():
                classes = self._classes_of[node.characters]
                return self._add(_Require(self._all & ~classes if node.is_negated else classes, following))
            case Concatenation(parts):
                for part in reversed(parts):
                    following = self.build(part, following)
                return following
            case Alternation(options):
                return self._add(_Try(tuple(self.build(option, following) for option in options)))
            case Repetition():
                return self._build_repetition(node, following)

    def _build_repetition(self, node: Repetition, following: int) -> int:
        if node.most is None:
            loop = self._add(_Try(()))
            self._positions[loop] = _Try((self.build(node.part, loop), following))
            entry = loop
        else:
            entry = following
            for _ in range(node.most - node.least):
                entry = self._add(_Try((self.build(node.part, entry), following)))
        for _ in range(node.least):
            entry = self.build(node.part, entry)
        return entry

    def _count(self, work: int) -> None:
        self._work += work
        if self._work > MOST_WORK:
            raise PatternError("it needs too large an automaton")

    def _add(self, position: Position) -> int:
        self._positions.append(position)
        return len(self._positions) - 1


def _with_position(
    groups: list[tuple[ClassSet, State]], classes: ClassSet, position: int
) -> Iterator[tuple[ClassSet, State]]:
    """The groups after adding a position to the states of these classes."""
    for group, state in groups:
        if group & ~classes:
            yield group & ~classes, state
        if group & classes:
            yield group & classes, state if position in state else (*state, position)


Values = TypeVar("Values", NDArray[np.bool_], int)


def fixed_point(step: Callable[[Values], Values], values: Values) -> Values:
    """Apply `step` to some values, and to the result, until nothing changes."""
    while not np.array_equal(new := step(values), values):
        values = new
    return values
