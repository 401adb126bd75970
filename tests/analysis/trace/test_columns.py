"""Columns and their tests of texts, for all steps of traces of several algorithms, or one after the other."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.breakpoints import column_help
from guiapp.analysis.trace.conditions import (
    COLUMNS,
    Condition,
    ConditionError,
    StepExpression,
    TraceValues,
    check_pattern,
    is_hexadecimal,
    unquoted,
)
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import NUMBERS, OPERATIONS, STAGE_NAMES

CASES = {
    "heap": ("spm", "a<s>b the lions ☃"),
    "scan": ("bpe", "How do lions sleep"),
    "viterbi": ("unigram", "a lion ☃☂"),
    "fewest": ("toy", "abacb"),
    "wordpiece": ("wordpiece", "Lions xyz☃"),
}


@pytest.fixture(params=CASES)
def values(request):
    model, text = CASES[request.param]
    tokenizer = guiapp.open_model(f"demo:{model}")
    return TraceValues(record(tokenizer, text, request.param), tokenizer.vocabulary)


def row(values, step):
    """What a step has, by column; None for nothing."""
    trace = values.trace
    here = {name: column[step].item() for name, column in trace.columns._asdict().items()}
    operation, worth = OPERATIONS[here["operation"]], here["rank"]
    merges, weighs = trace.reference_name in ("heap", "scan"), trace.reference_name in ("viterbi", "fewest")
    for name in ("left", "right", "result", "piece"):
        here[name] = None if here[name] < 0 else here[name]
    if not merges:
        here["left"] = here["right"] = None
    return here | {
        "step": step,
        "operation": operation.name,
        "stage": STAGE_NAMES[operation.stage],
        "forms": int(operation.forms),
        "length": here["end"] - here["position"],
        "rank": worth if merges and not math.isnan(worth) else None,
        "score": worth if weighs and not math.isnan(worth) else None,
        "candidates": here["candidates"]
        if trace.reference_name == "heap" and here["candidates"] >= 0
        else None,
    }


def test_a_column_is_what_its_steps_have(values):
    rows = [row(values, step) for step in range(values.n_steps)]
    assert values.n_steps == len(values.trace)
    for name in COLUMNS:
        found = [each[name] for each in rows]
        if name in ("operation", "stage"):
            numbers = NUMBERS if name == "operation" else {stage: at for at, stage in enumerate(STAGE_NAMES)}
            expected = [float(numbers[each]) for each in found]
        else:
            expected = [math.nan if each is None else float(each) for each in found]
        np.testing.assert_array_equal(values.column(name, slice(0, values.n_steps)), expected, name)
        np.testing.assert_array_equal(values.column(name, np.array([2, 0])), [expected[2], expected[0]], name)
        description = [values.description(name, step) for step in range(values.n_steps)]
        if name in ("operation", "stage"):
            assert description == found
        elif name in ("left", "right", "result"):
            n_tokens = len(values.vocabulary)
            assert description == [
                "–" if each is None or each >= n_tokens else Spelling.SIGNS.token(values.vocabulary, each)
                for each in found
            ]
        else:
            assert description == [None] * len(rows)
    assert values.formed.tolist() == [each["forms"] == 1 for each in rows]
    for name in NUMBERS:
        assert values.is_operation(name).tolist() == [each["operation"] == name for each in rows]


TESTS = {
    "contains(result, 'o')": lambda raw, plain: "o" in raw or "o" in plain,
    "starts(result, ' ')": lambda raw, plain: plain.startswith(" "),
    "starts(result, '▁')": lambda raw, plain: raw.startswith("▁"),
    "ends(result, 's')": lambda raw, plain: raw.endswith("s"),
    "matches(result, '^.[ln]')": lambda raw, plain: bool(
        re.search("^.[ln]", raw) or re.search("^.[ln]", plain)
    ),
    "result == 'o'": lambda raw, plain: "o" in (raw, plain),
    "result == '·l'": lambda raw, plain: plain == " l" or raw == "·l",
    "result in ('a', 'ab', 'n')": lambda raw, plain: bool({raw, plain} & {"a", "ab", "n"}),
}


@pytest.mark.parametrize("condition", TESTS)
def test_texts_of_tokens_are_looked_at_as_stored_and_as_read(values, condition):
    vocabulary = values.vocabulary

    def holds(step):
        token = values.trace.columns.result[step]
        if not 0 <= token < len(vocabulary):
            return False
        raw, plain = vocabulary.raw_text(token), vocabulary.token_bytes(token)
        return TESTS[condition](raw.decode(errors="replace"), plain.decode(errors="replace"))

    expected = [step for step in range(values.n_steps) if holds(step)]
    assert Condition(condition).everywhere(values).tolist() == expected
    others = [step for step in range(values.n_steps) if step not in expected]
    assert Condition(f"not {condition}").everywhere(values).tolist() == others
    if " == " in condition:
        assert Condition(condition.replace("==", "!=")).everywhere(values).tolist() == others
    everything = np.arange(values.n_steps)
    assert np.flatnonzero(Condition(condition).holds(values, everything)).tolist() == expected


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("operation in ('merge', 'done')", lambda row: row["operation"] in ("merge", "done")),
        ("operation not in ('merge', 'done')", lambda row: row["operation"] not in ("merge", "done")),
        ("stage != 'encode'", lambda row: row["stage"] != "encode"),
        ("stage == 'split' or forms", lambda row: row["stage"] == "split" or row["forms"] == 1),
        ("forms and not stage == 'encode'", lambda row: row["forms"] == 1 and row["stage"] != "encode"),
        ("step in (1, 3, depth)", lambda row: row["step"] in (1, 3, row["depth"])),
        ("abs(2 - step) < 2", lambda row: abs(2 - row["step"]) < 2),
        ("abs(-depth) == depth", lambda row: True),
        ("step % 3 == 1 and step / 2 > 1", lambda row: row["step"] % 3 == 1 and row["step"] > 2),
        ("- step + 5", lambda row: row["step"] != 5),
        ("piece", lambda row: row["piece"] not in (None, 0)),
        ("not piece", lambda row: row["piece"] in (None, 0)),
        ("piece != 0", lambda row: row["piece"] != 0),
        ("step == 2 or 10 / (step - 2) > 1", lambda row: row["step"] == 2 or 2 < row["step"] < 12),
        ("step != 2 and 10 / (step - 2) > 1", lambda row: 2 < row["step"] < 12),
        ("step > 3 and step < 9 and step != 5", lambda row: row["step"] in (4, 6, 7, 8)),
    ],
)
def test_conditions_hold_where_a_look_at_each_step_says(values, condition, holds):
    steps = np.arange(values.n_steps)[::-1]
    expected = [step for step in steps.tolist() if holds(row(values, step))]
    found = steps[Condition(condition).holds(values, steps)]
    assert found.tolist() == expected
    assert Condition(condition).everywhere(values).tolist() == expected[::-1]


@pytest.mark.parametrize("sign", ["/", "%"])
def test_the_step_that_divides_by_zero_is_named(values, sign):
    for condition in (Condition(f"1 {sign} (step - 3)"), Condition(f"step > 1 and 1 {sign} (step - 3)")):
        with pytest.raises(ConditionError) as caught:
            condition.everywhere(values)
        assert str(caught.value) == "This divides by zero at step 3."
        assert (caught.value.position, caught.value.condition) == (
            condition.text.rindex("step"),
            condition.text,
        )
        with pytest.raises(ConditionError, match="at step 3"):
            condition.holds(values, np.array([4, 3, 2]))
    assert Condition(f"1 {sign} (step - 3) == 1").holds(values, np.array([4])).tolist() == [sign == "/"]


CHECKED = {
    "colour > 1": (0, f"There is no column “colour”. There are: {', '.join(COLUMNS)}."),
    "abs(colour)": (4, f"There is no column “colour”. There are: {', '.join(COLUMNS)}."),
    "result in (1, colour)": (14, f"There is no column “colour”. There are: {', '.join(COLUMNS)}."),
    "not colour": (4, f"There is no column “colour”. There are: {', '.join(COLUMNS)}."),
    "'x'": (0, "A text can only be compared with a column by ==, != or in."),
    "'x' == result": (0, "A text can only be compared with a column by ==, != or in."),
    "rank == 'x'": (8, "A text can only be compared with a column by ==, != or in."),
    "result < 'x'": (9, "A text can only be compared with a column by ==, != or in."),
    "stage in ('split', 'x')": (
        19,
        "“x” is no stage. There are: partition, normalise, split, encode, assemble.",
    ),
    "f(1)": (0, "There is no function “f”. There are: abs, contains, starts, ends, matches."),
    "abs(1, 2)": (0, "There is no function “abs”. There are: abs, contains, starts, ends, matches."),
    "starts(result)": (0, 'Write starts(result, "…"), with left, right or result.'),
    "starts(result, 1)": (0, 'Write starts(result, "…"), with left, right or result.'),
    "starts(result, left)": (0, 'Write starts(result, "…"), with left, right or result.'),
    "ends(operation, 'e')": (0, 'Write ends(result, "…"), with left, right or result.'),
    "ends('e', 'e')": (0, 'Write ends(result, "…"), with left, right or result.'),
    "starts(left, 'a', 'b')": (0, 'Write starts(result, "…"), with left, right or result.'),
    "1 + matches(left, '(')": (18, "The pattern is not valid: missing ): (."),
}


@pytest.mark.parametrize("text", CHECKED)
def test_what_means_nothing_is_told_with_its_place(text):
    with pytest.raises(ConditionError) as caught:
        Condition(text)
    position, description = CHECKED[text]
    assert (caught.value.position, str(caught.value), caught.value.condition) == (position, description, text)


def test_a_pattern_is_checked_by_itself():
    check_pattern("a{2}")
    with pytest.raises(ConditionError, match="The pattern is not valid: missing ]") as caught:
        check_pattern("[a")
    assert caught.value.position == 0


def test_a_condition_knows_the_columns_that_it_looks_at():
    names = Condition("abs(rank) > 1 and not starts(left, 'a') or step in (depth, -piece)").names
    assert names == {"rank", "left", "step", "depth", "piece"}
    assert Condition("1 < 2").names == frozenset()


def test_an_expression_is_worked_out_for_one_step(values):
    for step in (0, values.n_steps - 1):
        assert StepExpression("step * 2 - 1").value(values, step) == 2 * step - 1
        assert StepExpression("7").value(values, step) == 7
        assert StepExpression("step == 0").value(values, step) == (step == 0)
    with pytest.raises(ConditionError):
        StepExpression("1 / step").value(values, 0)


def test_tokens_are_found_by_id_bytes_and_text():
    tokenizer = guiapp.open_model("demo:spm")
    values = TraceValues(record(tokenizer, "a<s>b the ☃", "heap"), tokenizer.vocabulary)
    n_tokens = len(tokenizer.vocabulary)
    columns = values.trace.columns
    used = {each for column in (columns.left, columns.right, columns.result) for each in column.tolist()}
    assert values.used_ids.tolist() == sorted(each for each in used if 0 <= each < n_tokens)
    assert values.ids_of("263").tolist() == [263]
    assert values.ids_of(str(n_tokens - 1)).tolist() == [n_tokens - 1]
    assert values.ids_of(str(n_tokens)).tolist() == []
    assert values.ids_of("0x20 0x61").tolist() == values.ids_of('"▁a"').tolist() == [263]
    assert values.ids_of("▁a").tolist() == values.ids_of('"·a"').tolist() == [263]
    assert values.ids_of("0xE2").tolist() == [231]
    for wanted in ("263", "▁a", "▁", "nothing", '"<s>"'):
        found = set(values.ids_of(wanted).tolist())
        for column in ("left", "right", "result"):
            expected = [each in found for each in getattr(columns, column).tolist()]
            assert values.made_of(column, wanted).tolist() == expected


@pytest.mark.parametrize(
    ("text", "plain"),
    [('"a"', "a"), ('""', ""), ('"', '"'), ("a", "a"), ('a"', 'a"'), ('"a', '"a'), (r'"a\"\\"', 'a"\\')],
)
def test_quotes_are_taken_off(text, plain):
    assert unquoted(text) == plain


def test_bytes_are_told_from_texts():
    assert all(map(is_hexadecimal, ("0x20", "0xe2 0xFF", "0x200x21", "0x20 ")))
    assert not any(map(is_hexadecimal, ("", "20", "0x2", "0x2G", " 0x20", "0x20 a", '"0x20"')))


def test_the_columns_are_explained_one_a_line():
    lines = column_help().split("\n")
    assert lines[0] == "step         number of the step, from 0"
    assert [line[:13].strip() for line in lines] == list(COLUMNS)
    assert [line[13:] for line in lines] == list(COLUMNS.values())
