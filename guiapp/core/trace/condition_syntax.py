"""Conditions on steps, as text: `rank < 500 and length > 3`, parsed by hand into a small tree.

    condition   either ("or" either)*           either  not ("and" not)*
    not         "not" not | comparison          comparison  sum [("==" | "!=" | "<" | "<=" | ">" | ">=") sum
                                                                | ["not"] "in" "(" sum ("," sum)* ")"]
    sum         product (("+" | "-") product)*  product  sign (("*" | "/" | "%") sign)*
    sign        "-" sign | value                value  number | text | name | name "(" … ")" | "(" … ")"

Nothing is executed but what this grammar can say, and no more than `DEEPEST` levels of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from guiapp.core.errors import TokenloupeError

DEEPEST = 40
LONGEST = 1000  # characters

TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<text>\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')|(?P<sign>==|!=|<=|>=|[-+*/%<>(),])|(?P<end>$))"
)
ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
WORDS = ("and", "or", "not", "in")


class ConditionError(TokenloupeError):
    """A condition that makes no sense; `position` says where in `condition`, in characters."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(message)
        self.position = position
        self.condition = ""


@dataclass(frozen=True)
class Value:
    """A number or a text as it stands."""

    value: float | str
    at: int


@dataclass(frozen=True)
class Name:
    """A column."""

    name: str
    at: int


@dataclass(frozen=True)
class Call:
    """A function of columns and values."""

    name: str
    arguments: tuple[Node, ...]
    at: int


@dataclass(frozen=True)
class Operator:
    """Two (for `not` and the sign: one) parts joined by a sign or a word."""

    sign: str
    parts: tuple[Node, ...]
    at: int


Node: TypeAlias = Value | Name | Call | Operator


class _Token(NamedTuple):
    kind: str
    text: str
    at: int


def parse(text: str) -> Node:
    """The tree of a condition; raises ConditionError."""
    if len(text) > LONGEST:
        raise ConditionError(f"A condition has at most {LONGEST:,} characters.", LONGEST)
    parser = _Parser(_tokens(text))
    node = parser.either()
    parser.expect_end()
    return node


def _tokens(text: str) -> list[_Token]:
    tokens, at = [], 0
    while True:
        match = TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip())
            raise ConditionError(f"“{text[at]}” is not understood here.", at)
        kind = str(match.lastgroup)
        tokens.append(_Token(kind, match[kind], match.start(kind)))
        if kind == "end":
            return tokens
        at = match.end()


class _Parser:
    """Recursive descent; each method takes what its name says from the front of the tokens."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0
        self._depth = 0

    def either(self) -> Node:
        self._depth += 1
        if self._depth > DEEPEST:
            raise ConditionError(f"More than {DEEPEST} levels of brackets.", self._next.at)
        node = self._chain(self._both, "or")
        self._depth -= 1
        return node

    def expect_end(self) -> None:
        if self._next.kind != "end":
            raise self._surprise("the end, “and” or “or”")

    @property
    def _next(self) -> _Token:
        return self._tokens[self._at]

    def _accept(self, *texts: str) -> _Token | None:
        token = self._next
        if token.kind not in ("name", "sign") or token.text not in texts:
            return None
        self._at += 1
        return token

    def _expect(self, text: str) -> None:
        if self._accept(text) is None:
            raise self._surprise(f"“{text}”")

    def _surprise(self, expected: str) -> ConditionError:
        found = "the condition ends" if self._next.kind == "end" else f"“{self._next.text}” stands"
        return ConditionError(f"Expected {expected}, but {found} here.", self._next.at)

    def _chain(self, part: Callable[[], Node], *signs: str) -> Node:
        """Parts with signs between them, joined from the left."""
        node = part()
        while (token := self._accept(*signs)) is not None:
            node = Operator(token.text, (node, part()), token.at)
        return node

    def _prefixed(self, sign: str, operator: str, part: Callable[[], Node]) -> Node:
        """A part with any number of signs before it."""
        signs = []
        while (token := self._accept(sign)) is not None:
            signs.append(token)
        if len(signs) > DEEPEST:
            raise ConditionError(f"More than {DEEPEST} signs in a row.", self._next.at)
        node = part()
        for token in reversed(signs):
            node = Operator(operator, (node,), token.at)
        return node

    def _both(self) -> Node:
        return self._chain(self._negated, "and")

    def _negated(self) -> Node:
        return self._prefixed("not", "not", self._comparison)

    def _comparison(self) -> Node:
        left = self._sum()
        if (token := self._accept(*COMPARISONS)) is not None:
            return Operator(token.text, (left, self._sum()), token.at)
        negation = self._accept("not")
        if (token := self._accept("in")) is not None:
            self._expect("(")
            choices = self._list()
            node: Node = Operator("in", (left, *choices), token.at)
            return node if negation is None else Operator("not", (node,), negation.at)
        if negation is not None:
            raise self._surprise("“in”")
        return left

    def _list(self) -> tuple[Node, ...]:
        """What stands between brackets, the closing one included."""
        found = [self.either()]
        while self._accept(",") is not None:
            found.append(self.either())
        self._expect(")")
        return tuple(found)

    def _sum(self) -> Node:
        return self._chain(self._product, "+", "-")

    def _product(self) -> Node:
        return self._chain(self._signed, "*", "/", "%")

    def _signed(self) -> Node:
        return self._prefixed("-", "negative", self._value)

    def _value(self) -> Node:
        token = self._next
        if token.kind == "number":
            self._at += 1
            return Value(float(token.text), token.at)
        if token.kind == "text":
            self._at += 1
            text = re.sub(r"\\(.)", lambda match: ESCAPES.get(match[1], match[1]), token.text[1:-1])
            return Value(text, token.at)
        if token.kind == "name" and token.text not in WORDS:
            self._at += 1
            if self._accept("(") is not None:
                return Call(token.text, self._list(), token.at)
            return Name(token.text, token.at)
        if self._accept("(") is not None:
            node = self.either()
            self._expect(")")
            return node
        raise self._surprise("a number, a text or a column")
