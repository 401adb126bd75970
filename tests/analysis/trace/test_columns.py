"""Columns and their tests of texts, for all steps of traces of several algorithms, or one after the other."""

from __future__ import annotations

import math

import numpy as np
import pytest

import guiapp
from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.trace.conditions import (
    COLUMNS,
    Condition,
    ConditionError,
    TraceValues,
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


def everywhere(condition, values):
    """All steps that meet a condition."""
    return np.flatnonzero(condition.holds(values, np.arange(values.n_steps)))


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
        actual = [each[name] for each in rows]
        if name in ("operation", "stage"):
            numbers = NUMBERS if name == "operation" else {stage: at for at, stage in enumerate(STAGE_NAMES)}
            expected = [float(numbers[each]) for each in actual]
        else:
            expected = [math.nan if each is None else float(each) for each in actual]
        np.testing.assert_array_equal(values.column(name, slice(0, values.n_steps)), expected, name)
        np.testing.assert_array_equal(values.column(name, np.array([2, 0])), [expected[2], expected[0]], name)
        description = [values.description(name, step) for step in range(values.n_steps)]
        if name in ("operation", "stage"):
            assert description == actual
        elif name in ("left", "right", "result"):
            n_tokens = len(values.vocabulary)
            assert description == [
                "–" if each is None or each >= n_tokens else Spelling.SIGNS.token(values.vocabulary, each)
                for each in actual
            ]
        else:
            assert description == [None] * len(rows)
    assert values.formed.tolist() == [each["forms"] == 1 for each in rows]
    for name in NUMBERS:
        assert values.is_operation(name).tolist() == [each["operation"] == name for each in rows]


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
def test_conditions_match_a_step_by_step_check(values, condition, holds):
    steps = np.arange(values.n_steps)[::-1]
    expected = [step for step in steps.tolist() if holds(row(values, step))]
    actual = steps[Condition(condition).holds(values, steps)]
    assert actual.tolist() == expected
    assert everywhere(Condition(condition), values).tolist() == expected[::-1]


@pytest.mark.parametrize("symbol", ["/", "%"])
def test_the_step_that_divides_by_zero_is_named(values, symbol):
    for condition in (Condition(f"1 {symbol} (step - 3)"), Condition(f"step > 1 and 1 {symbol} (step - 3)")):
        with pytest.raises(ConditionError) as caught:
            everywhere(condition, values)
        assert str(caught.value) == "Division by zero at step 3."
        assert (caught.value.position, caught.value.condition) == (
            condition.text.rindex("step"),
            condition.text,
        )
        with pytest.raises(ConditionError, match="at step 3"):
            condition.holds(values, np.array([4, 3, 2]))
    assert Condition(f"1 {symbol} (step - 3) == 1").holds(values, np.array([4])).tolist() == [symbol == "/"]
