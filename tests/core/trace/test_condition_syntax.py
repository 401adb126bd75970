"""Conditions are read as Python reads them, and what cannot be read is told with its place."""

from __future__ import annotations

import ast
import random

import pytest

from guiapp.core.trace.condition_syntax import Call, ConditionError, Name, Operator, Value, parse

SIGNS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.USub: "negative",
    ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def as_python_reads(node):
    """Nested tuples of a tree of Python's own parser."""
    match node:
        case ast.Expression(body):
            return as_python_reads(body)
        case ast.Constant(value):
            return float(value) if isinstance(value, int) else value
        case ast.Name(name):
            return (name,)
        case ast.Call(ast.Name(name), arguments):
            return ("call", name, *map(as_python_reads, arguments))
        case ast.BinOp(left, sign, right):
            return (SIGNS[type(sign)], as_python_reads(left), as_python_reads(right))
        case ast.UnaryOp(sign, part):
            return (SIGNS[type(sign)], as_python_reads(part))
        case ast.BoolOp(sign, [*parts, last]):
            rest = as_python_reads(parts[0] if len(parts) == 1 else ast.BoolOp(sign, parts))
            return (SIGNS[type(sign)], rest, as_python_reads(last))
        case ast.Compare(left, [ast.In() | ast.NotIn() as sign], [choices]):
            parts = choices.elts if isinstance(choices, ast.Tuple) else [choices]
            found = ("in", as_python_reads(left), *map(as_python_reads, parts))
            return found if isinstance(sign, ast.In) else ("not", found)
        case ast.Compare(left, [sign], [right]):
            return (SIGNS[type(sign)], as_python_reads(left), as_python_reads(right))
    raise AssertionError(node)


def as_we_read(node):
    match node:
        case Value(value, _):
            return value
        case Name(name, _):
            return (name,)
        case Call(name, arguments, _):
            return ("call", name, *map(as_we_read, arguments))
        case Operator(sign, parts, _):
            return (sign, *map(as_we_read, parts))


LEAVES = ("0", "7", "12.5", "1e3", "2E-2", "3.5e+1", '"a b"', "'x'", r'"\n\t\r\\"', r'"a\"b"', r"'a\'b'")
LEAVES += ("'and ('", '""', "rank", "left_2", "_x", "anding", "E1")
COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")


class Writer:
    """Writes conditions as the grammar allows them."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.level = 0

    def chain(self, part, *signs):
        text = part()
        while self.dice.random() < 0.25:
            text += f"{self.space()}{self.dice.choice(signs)}{self.space()}{part()}"
        return text

    def space(self):
        return self.dice.choice(["", " ", "  "])

    def condition(self):
        return self.chain(lambda: self.chain(self.negated, " and "), " or ")

    def negated(self):
        return self.dice.choice(["", "", "not ", "not not "]) + self.compared()

    def compared(self):
        text = self.sum()
        kind = self.dice.choice(["in", "not in", "", *COMPARISONS])
        if kind in COMPARISONS:
            return text + self.space() + kind + self.sum()
        return f"{text} {kind}{self.space()}({self.chain(self.sum, ',')})" if kind else text

    def sum(self):
        return self.chain(lambda: self.chain(self.signed, "*", "/", "%"), "+", "-")

    def signed(self):
        return self.dice.choice(["", "", "-", "- -"]) + self.value()

    def value(self):
        form = self.dice.choice(["({})", "f({})", *["leaf"] * 4])
        if form == "leaf" or self.level == 2:
            return self.dice.choice(LEAVES)
        self.level += 1
        inside = self.condition() if form == "({})" else self.chain(self.condition, ",")
        self.level -= 1
        return form.format(inside)


def test_a_condition_is_read_as_python_reads_it():
    texts = [Writer(seed).condition() for seed in range(400)]
    assert sum(len(text) > 60 for text in texts) > 50
    for text in texts:
        if len(text) <= 1000:
            assert as_we_read(parse(text)) == as_python_reads(ast.parse(text, mode="eval")), text


def test_each_part_knows_where_it_stands():
    assert parse(" f(a, 'b') not in (1, -c) or not d") == Operator(
        "or",
        (
            Operator(
                "not",
                (
                    Operator(
                        "in",
                        (
                            Call("f", (Name("a", 3), Value("b", 6)), 1),
                            Value(1.0, 19),
                            Operator("negative", (Name("c", 23),), 22),
                        ),
                        15,
                    ),
                ),
                11,
            ),
            Operator("not", (Name("d", 33),), 29),
        ),
        26,
    )


@pytest.mark.parametrize(
    ("text", "position", "told"),
    [
        ("  ", 2, "Expected a number, a text or a column, but the condition ends here."),
        ("a < 5 5", 6, "Expected the end, “and” or “or”, but “5” stands here."),
        ("a  = 5", 3, "“=” is not understood here."),
        ("a \n@", 3, "“@” is not understood here."),
        ('a == "b', 5, '“"” is not understood here.'),
        ("a not b", 6, "Expected “in”, but “b” stands here."),
        ("a in 5", 5, "Expected “(”, but “5” stands here."),
        ("a in (5, 6", 10, "Expected “)”, but the condition ends here."),
        ("(a or b", 7, "Expected “)”, but the condition ends here."),
        ("f(a b)", 4, "Expected “)”, but “b” stands here."),
        ("a and or", 6, "Expected a number, a text or a column, but “or” stands here."),
        ("in", 0, "Expected a number, a text or a column, but “in” stands here."),
        ("a < b < c", 6, "Expected the end, “and” or “or”, but “<” stands here."),
        ("'and' a", 6, "Expected the end, “and” or “or”, but “a” stands here."),
        ("1 'or' 2", 2, "Expected the end, “and” or “or”, but “'or'” stands here."),
        ("(" * 40 + "1" + ")" * 40, 40, "More than 40 levels of brackets."),
        ("-" * 41 + "1", 41, "More than 40 signs in a row."),
        ("not " * 41 + "a", 164, "More than 40 signs in a row."),
        ("a" * 1001, 1000, "A condition has at most 1,000 characters."),
    ],
)
def test_what_cannot_be_read_is_told_with_its_place(text, position, told):
    with pytest.raises(ConditionError) as caught:
        parse(text)
    assert (str(caught.value), caught.value.position, caught.value.condition) == (told, position, "")


@pytest.mark.parametrize(
    "text",
    [
        "(" * 39 + "1" + ")" * 39,
        " and ".join(["(1)"] * 60),
        "-" * 40 + "1",
        "not " * 40 + "a",
        "a" * 1000,
    ],
)
def test_up_to_a_limit_it_is_read(text):
    assert parse(text)
