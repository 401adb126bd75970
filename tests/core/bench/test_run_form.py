"""Runs from other versions, other people and editors are shown, or refused with the reason."""

import copy

import pytest
from bench_runs import RUN, record

from guiapp.core.bench.run_form import problem_with

WHOLE = {
    **RUN,
    "environment": {},
    "vocabulary": {},
    "plan": {"scenarios": ["throughput"]},
    "corpora": [{"name": "english", "sha256": "a"}],
    "contenders": [{"contender": "fast"}],
}


def changed(**changes):
    run = copy.deepcopy(WHOLE)
    run["results"][0].update(changes)
    return run


def test_a_run_may_hold_little_or_much():
    assert problem_with({"results": []}) == ""
    assert problem_with(WHOLE) == ""
    memory = record(
        "memory", "fast", 10, 1.0, exact=None, operation="memory", built_bytes=1, encoding_bytes=2
    )
    memory |= dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s"))
    assert problem_with({"results": [memory]}) == ""


@pytest.mark.parametrize("run", [None, [], {}, {"results": {}}, {"results": None}])
def test_what_has_no_results_is_no_run(run):
    assert problem_with(run) == "it has no list of results"


@pytest.mark.parametrize("name", sorted(WHOLE["results"][0]))
def test_a_result_without_a_part_is_told(name):
    run = copy.deepcopy(WHOLE)
    del run["results"][0][name]
    assert problem_with(run) == f"result 1 has no “{name}”"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"scenario": "future"}, "result 1 has the scenario 'future'"),
        ({"scenario": ["x"]}, "result 1 has the scenario ['x']"),
        ({"median_s": 0}, "result 1 has the median_s 0"),
        ({"median_s": True}, "result 1 has the median_s True"),
        ({"median_s": float("nan")}, "result 1 has the median_s nan"),
        ({"median_s": 10**400}, f"result 1 has the median_s 1{'0' * 39}"),
        ({"size_bytes": 10**400}, f"result 1 has the size_bytes 1{'0' * 39}"),
        ({"ci_s": [1.0]}, "result 1 has the ci_s [1.0]"),
        ({"contender": None}, "result 1 has the contender None"),
        ({"size_bytes": 1.5}, "result 1 has the size_bytes 1.5"),
        ({"samples_s": [1.0, "x"]}, "result 1 has samples that are no times"),
        ({"processor_share": "x"}, "result 1 has a share of a processor that is no number"),
        ({"agreement": None}, "result 1 has no agreement"),
        ({"exact": False}, "result 1 does not say where its ids differ"),
    ],
)
def test_a_figure_that_is_none_is_told(changes, told):
    assert problem_with(changed(**changes)) == told


@pytest.mark.parametrize("name", sorted({*WHOLE, "name"} - {"results"}))
def test_parts_of_another_kind_are_told(name):
    assert problem_with({**WHOLE, name: None}) == f"its “{name}” is not what it should be"


def test_who_was_left_out_must_be_told_with_the_reason_and_the_place():
    left_out = {"contender": "heap", "scenario": "worst", "operation": "encode", "reason": "slow"}
    assert problem_with({**WHOLE, "left_out": [left_out]}) == "its “left_out” is not what it should be"
    placed = {**left_out, "corpus": "english", "size_bytes": 10}
    assert problem_with({**WHOLE, "left_out": [placed]}) == ""
