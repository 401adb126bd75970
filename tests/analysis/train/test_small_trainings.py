"""Trainings on a few words, whole: each step as it is told, its columns, and what is there afterwards."""

from __future__ import annotations

import math

import numpy as np
import pytest

from guiapp.analysis.train.record import SCHEMA, SYMBOLS, TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import PruningStep, to_json

UNIGRAM_TEXT = "abab abab abcabc abc cab bca aaa bbb"


def recorded(*request):
    run = begin(*request)
    record = TrainingRecord(run.start)
    for description in run.steps():
        record.append(to_json(description).encode() + b"\n")
    return run, record


NO = math.nan
COLUMNS = {
    ("bpe", "aab aab b aab", 300, True): {
        "step": [1, 2, 3],
        "operation": [0, 0, 0],
        "length": [1, 2, 3],
        "rank": [0, 1, 2],
        "count": [4, 3, 3],
        "ties": [0, 1, 0],
        "size": [264, 265, 266],
        "left": ["b", "a", "aa"],
        "right": ["</w>", "a", "b</w>"],
        "result": ["b</w>", "aa", "aab</w>"],
    },
    ("wordpiece", "Aab aab b ab cab", 30): {
        "step": [1, 2],
        "operation": [0, 0],
        "length": [2, 4],
        "rank": [0, 1],
        "score": [0.25, 2 / 9],
        "ties": [0, 0],
        "size": [11, 12],
        "left": ["a", "·a"],
        "right": ["b", "ab"],
        "result": ["ab", "·aab"],
    },
    ("unigram", "ab abc abab ab abc", 12): {
        "step": [1, 2],
        "operation": [1, 1],
        "likelihood": [-12.614900527224467, -7.964570316756282],
        "size": [11, 10],
        "left": ["–", "–"],
        "right": ["–", "–"],
        "result": ["–", "–"],
    },
}


@pytest.mark.parametrize("request_", COLUMNS, ids=lambda request: request[0])
def test_steps_are_columns(request_):
    _, record = recorded(*request_)
    values, every = record.values, slice(0, record.n_steps)
    assert values.n_steps == record.n_steps
    missing = [NO] * record.n_steps
    for name in SCHEMA.columns:
        expected = COLUMNS[request_].get(name, missing)
        description = [values.description(name, step) for step in range(record.n_steps)]
        if name in SYMBOLS:
            assert description == expected
            expected = missing
        elif name == "operation":
            assert description == [("merge", "estimate", "prune")[number] for number in expected]
        else:
            assert description == [None] * record.n_steps
        np.testing.assert_allclose(values.column(name, every), expected, err_msg=name)
        np.testing.assert_allclose(values.column(name, np.array([1, 0])), expected[1::-1], err_msg=name)
    assert values.formed.tolist() == [True] * record.n_steps
    is_merge = request_[0] != "unigram"
    assert values.is_operation("merge").tolist() == [is_merge] * record.n_steps
    assert values.is_operation("prune").tolist() == [False] * record.n_steps


def test_prunings_are_columns_and_symbols_match_by_bytes():
    _, record = recorded("unigram", UNIGRAM_TEXT, 9)
    steps = [record.step(number) for number in range(1, record.n_steps + 1)]
    dropped = [float(step.n_dropped) if isinstance(step, PruningStep) else NO for step in steps]
    np.testing.assert_array_equal(record.values.column("dropped", slice(0, None)), dropped)
    assert sum(value > 0 for value in dropped) > 0
    _, record = recorded("bpe", "aab aab é é", 300)
    matches = [
        record.values.made_of("result", symbol).tolist() for symbol in ("0xC3 0xA9", "é", '"aab"', "x")
    ]
    none = [False] * 4
    assert matches == [
        [False, False, True, False],
        [False, False, True, False],
        [False, True, False, False],
        none,
    ]
    assert record.values.is_token("left", "starts", " ", slice(0, 4)).tolist() == [False, False, False, True]
    _, record = recorded("wordpiece", "Aab aab b ab cab", 30)
    assert record.values.made_of("result", "0x20 0x61 0x61 0x62").tolist() == [False, True]
