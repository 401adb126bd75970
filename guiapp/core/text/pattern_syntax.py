r"""Parse the regular expressions of the pattern table, after `pattern_views.translated`.

They need little: sequences, `|`, groups, greedy `* + ? {n} {n,m}`, classes, `\r \n \t \s \S \Z`, and
look-ahead for one character.
"""

from __future__ import annotations

from dataclasses import dataclass

Range = tuple[int, int]

SPACE: tuple[Range, ...] = ((0x09, 0x0D), (0x20, 0x20))
CONTROLS = {"r": "\r", "n": "\n", "t": "\t"}
COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@dataclass(frozen=True)
class CharacterSet:
    """One character out of `ranges`, or, negated, one that is in none of them."""

    ranges: tuple[Range, ...]
    is_negated: bool = False


@dataclass(frozen=True)
class LookAhead:
    """Nothing, provided that the next character is in the set; negated: that it is not, or there is none."""

    characters: CharacterSet
    is_negated: bool


@dataclass(frozen=True)
class Sequence:
    parts: tuple[Node, ...]


@dataclass(frozen=True)
class Choice:
    """The first option that fits, and the next ones only if the rest then fails."""

    options: tuple[Node, ...]


@dataclass(frozen=True)
class Repeat:
    """As often as possible, `least` to `most` times; None means without limit."""

    part: Node
    least: int
    most: int | None


Node = CharacterSet | LookAhead | Sequence | Choice | Repeat

ANYTHING = CharacterSet((), is_negated=True)
AT_END = LookAhead(ANYTHING, is_negated=True)


def parse(source: str) -> Node:
    parser = _Parser(source)
    node = parser.choice()
    assert parser.at == len(source), f"cannot parse {source[parser.at :]!r}"
    return node


class _Parser:
    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0

    def choice(self) -> Node:
        options = [self._sequence()]
        while self._skips("|"):
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        parts = []
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            parts.append(self._repeated(self._single()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self, part: Node) -> Node:
        following = self.source[self.at : self.at + 1]
        if following in COUNTS:
            self.at += 1
            return Repeat(part, *COUNTS[following])
        if self._skips("{"):
            least, _, most = self._until("}").partition(",")
            return Repeat(part, int(least), int(most or least))
        return part

    def _single(self) -> Node:
        if self._skips("(?:"):
            return self._group()
        if self._skips("(?="):
            return self._look_ahead(is_negated=False)
        if self._skips("(?!"):
            return self._look_ahead(is_negated=True)
        if self._skips("("):
            return self._group()
        if self._skips("["):
            return self._class()
        if self._skips("\\Z"):
            return AT_END
        return self._character()

    def _group(self) -> Node:
        node = self.choice()
        assert self._skips(")")
        return node

    def _look_ahead(self, is_negated: bool) -> Node:
        characters = self._group()
        assert isinstance(characters, CharacterSet)
        return LookAhead(characters, is_negated)

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
