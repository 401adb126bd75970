"""Conditions say the same of many steps at once as of each by itself, and complain about nonsense."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.conditions import (
    TEXT_TESTS,
    Condition,
    ConditionError,
    TraceValues,
)
from guiapp.analysis.trace.recorder import record

TOKENIZER = guiapp.open_model("demo:bpe")
TRACE = record(TOKENIZER, "How do lions sleep in New York?", "heap")
VALUES = TraceValues(TRACE, TOKENIZER.vocabulary)
NAMES = (
    "step", "piece", "position", "end", "length", "left", "right", "result", "rank", "candidates",
    "depth",
)  # fmt: skip


def everywhere(condition, values):
    """All steps that meet a condition."""
    return np.flatnonzero(condition.holds(values, np.arange(values.n_steps)))


def python_value(name: str, step: int) -> float:
    """What Python itself sees in a column."""
    columns = TRACE.columns
    if name == "step":
        return step
    if name == "length":
        return int(columns.end[step] - columns.position[step])
    value = getattr(columns, name)[step].item()
    return math.nan if name in ("left", "right", "result", "piece", "candidates") and value < 0 else value


def numbers(depth: int) -> st.SearchStrategy[str]:
    leaf = st.one_of(st.sampled_from(NAMES), st.integers(0, 600).map(str))
    if depth == 0:
        return leaf
    inner = numbers(depth - 1)
    sums = st.tuples(inner, st.sampled_from("+-*/%"), inner).map(lambda parts: f"({' '.join(parts)})")
    return st.one_of(leaf, sums, inner.map(lambda text: f"-{text}"))


def truths(depth: int) -> st.SearchStrategy[str]:
    comparators = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    leaf = st.tuples(numbers(2), comparators, numbers(1)).map(" ".join)
    if depth == 0:
        return leaf
    inner = truths(depth - 1)
    both = st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda parts: f"({' '.join(parts)})")
    return st.one_of(leaf, both, inner.map(lambda text: f"not ({text})"))


@given(truths(2))
def test_a_condition_holds_where_it_does_in_python(text):
    expected, error = [], False
    for step in range(len(TRACE)):
        names = {name: python_value(name, step) for name in NAMES}
        try:
            expected.append(bool(eval(text, {"__builtins__": {}}, names)))
        except ZeroDivisionError:
            error = True
            break
    if error:
        with pytest.raises(ConditionError, match="Division by zero"):
            everywhere(Condition(text), VALUES)
        return
    assert everywhere(Condition(text), VALUES).tolist() == np.flatnonzero(expected).tolist()
    one_by_one = [
        bool(Condition(text).holds(VALUES, np.array([step]))[0]) for step in range(0, len(TRACE), 9)
    ]
    assert one_by_one == expected[::9]


def steps_where(text: str) -> list[int]:
    return everywhere(Condition(text), VALUES).tolist()


def test_tokens_are_compared_by_their_text():
    merges = steps_where('operation == "merge"')
    assert merges
    assert all(TRACE.operation(step) == "merge" for step in merges)
    assert steps_where('result == "Ġli"') == steps_where('result == " li"') != []
    assert set(steps_where('result in ("Ġli", "ions")')) == set(
        steps_where('result == "Ġli"') + steps_where('result == "ions"')
    )
    assert steps_where('contains(result, "ee")') == steps_where('matches(result, "e{2}")') != []
    assert steps_where('operation != "merge"') == [s for s in range(len(TRACE)) if s not in merges]


@pytest.mark.parametrize("pattern", [" ?" * 26 + "b", "(a|a)" * 26 + "b", "(a+)+b", "a*a*a*a*a*a*b"])
def test_no_pattern_takes_forever(pattern):
    letters = "a" * 100_000 + " " * 100
    assert TEXT_TESTS["matches"](letters + "a" * 26 + "b", pattern)
    assert not TEXT_TESTS["matches"](letters, pattern)


def test_the_left_side_guards_the_right_one():
    assert steps_where("depth > 0 and 1 / depth > 0")
    assert steps_where("depth == 0 or 1 / depth > 0")
    with pytest.raises(ConditionError, match="Division by zero at step 0"):
        steps_where("1 / depth > 0")


@pytest.mark.parametrize(
    ("text", "position", "message"),
    [
        ("", 0, "is incomplete"),
        ("rank <", None, "Expected a comparison|is incomplete"),
        ("rank < 5 5", 9, "near “5”"),
        ("rank = 5", None, "Expected a comparison"),
        ('  result == "é🙂" and = 5', None, "Expected a comparison"),
        ('  result == "é🙂" or colour', 20, "no column “colour”"),
        ('result == "é🙂" or 5 5', 20, "near “5”"),
        ("(rank < 5", None, "Expected a comparison"),
        ("rank < 5)", 8, "near"),
        ("rank == 'b", 8, "Expected a comparison"),
        ("rank < \0", None, "invalid character|Expected a comparison"),
        ("rank < \ud800", None, "invalid character"),
        ("rank in ()", 8, "not allowed"),
        ("(rank, 5)", 0, "not allowed"),
        ("+rank", 0, "not allowed"),
        ("abs(*rank)", 4, "not allowed"),
        ("9 ** 9 ** 9 ** 9", 0, "not allowed"),
        ("rank is 5", None, "not allowed"),
        ("5 if rank else 6", 0, "not allowed"),
        ("lambda: 5", 0, "not allowed"),
        ("rank.real", 0, "not allowed"),
        ("rank[0]", 0, "not allowed"),
        ("[rank for rank in left]", 0, "not allowed"),
        ("(rank := 5)", 1, "not allowed"),
        ('f"{rank}" == left', 0, "not allowed"),
        ("True", 0, "not allowed"),
        ("5j", 0, "not allowed"),
        ("colour == 3", 0, "no column “colour”"),
        ("1 + colour", 4, "no column “colour”"),
        ('rank == "x"', 8, "text with a column only"),
        ('operation == "jump"', 13, "no operation “jump”"),
        ("open(1)", 0, "no function “open”"),
        ('matches(rank, "x")', 0, "Write matches"),
        ('matches(result, "(")', 16, "not valid"),
        ('matches(result, "(?=a)")', 16, "not valid"),
        ("__import__", 0, "no column"),
        ("(" * 1000, None, "Expected a comparison|too deeply"),
        ("(" * 300 + "1" + ")" * 300, None, "Expected a comparison|too deeply"),
        ("not " * 200 + "1", 0, "too deeply"),
        ("-" * 300 + "1", 0, "too deeply"),
        ("1" + "+1" * 499, 0, "too deeply"),
        ("9" * 5000, 1000, "at most 1,000"),
    ],
)
def test_an_invalid_condition_is_reported_with_its_position(text, position, message):
    with pytest.raises(ConditionError, match=message) as caught:
        Condition(text)
    if position is not None:
        assert caught.value.position == position
    assert caught.value.condition == text


FRAGMENTS = [
    *"()-+*/%,<>\0\n#\\",
    "not ",
    " in ",
    " if ",
    "rank",
    "1",
    "'é'",
    '"\\x"',
    "abs(",
    "**",
    "==",
    " and ",
]


@given(st.one_of(st.text(max_size=60), st.lists(st.sampled_from(FRAGMENTS), max_size=300).map("".join)))
def test_any_text_is_a_condition_or_an_error(text):
    try:
        steps = everywhere(Condition(text), VALUES)
    except ConditionError as error:
        steps = np.arange(0 <= error.position <= len(text))
    assert len(steps) <= len(TRACE)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1 < rank <= 5 != step", "1 < rank and rank <= 5 and 5 != step"),
        ("0 < depth < 9 / depth", "0 < depth and depth < 9 / depth"),
        ("rank in (5)", "rank == 5"),
        ("rank\n<\t7and step>5", "rank < 7 and step > 5"),
        ("  rank in [5, 7]", "rank in (5, 7)"),
        (r'matches(result, "\\w")', 'matches(result, "[a-zA-Z0-9_]")'),
        (r'matches(result, "\w")', 'matches(result, "[a-zA-Z0-9_]")'),
        ("(" * 40 + "rank" + ")" * 40 + "< 9", "rank < 9"),
        ("-" * 40 + "rank < 9", "rank < 9"),
        (" and ".join(["(rank<9)"] * 60), "rank < 9"),
    ],
)
def test_two_spellings_of_a_condition(text, same):
    assert steps_where(text) == steps_where(same)


def test_huge_numbers_do_no_harm():
    assert steps_where("9" * 900 + " > 0") == list(range(len(TRACE)))
    assert steps_where("1e308 * 1e308 > 0") == list(range(len(TRACE)))
    assert steps_where("(rank < 5) - (rank < 5) > 1e999") == []


@pytest.mark.parametrize("text", ["Ġli", " li", "l", "ions", "?", "zz", "·li"])
@pytest.mark.parametrize("column", ["left", "right", "result"])
def test_a_text_is_sought_in_tokens_as_the_file_and_as_people_spell_them(column, text):
    ids, vocabulary = getattr(TRACE.columns, column), TOKENIZER.vocabulary
    tests = {"==": str.__eq__, "contains": str.__contains__, "starts": str.startswith, "ends": str.endswith}
    for name, test in tests.items():
        expected = []
        for step in np.flatnonzero(ids >= 0).tolist():
            raw, plain = vocabulary.raw_text(ids[step]).decode(), vocabulary.token_bytes(ids[step]).decode()
            shown = [Spelling.SIGNS.token(vocabulary, int(ids[step]))] if name == "==" else []
            expected += [step] * any(test(each, text) for each in (raw, plain, *shown))
        asked = f'{column} == "{text}"' if name == "==" else f'{name}({column}, "{text}")'
        assert steps_where(asked) == expected
        if name == "==":
            assert steps_where(f'{column} != "{text}"') == sorted({*range(len(TRACE))} - {*expected})
            assert np.flatnonzero(VALUES.made_of(column, f'"{text}"')).tolist() == expected
