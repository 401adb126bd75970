"""Runs from elsewhere: each part with values that just are, and just are not, what they should be."""

import json
from copy import copy
from random import Random

import pytest
from bench_runs import EVERYTHING, RUN, record

from guiapp.analysis.bench.history import compare_runs, different_conditions, problem_with
from guiapp.analysis.bench.notes import verdict_of
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.report import change_lines, report_text
from guiapp.analysis.bench.scenarios import SCENARIOS

TIMED = record("throughput", "fast", 10, 1.0, processor_share=1.0, samples_s=[1.0])
MEMORY = {
    **record("memory", "fast", 10, 1.0, exact=None, operation="memory"),
    **dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s")),
    "built_bytes": 1,
    "encoding_bytes": 2,
}
DIFFERENCE = {"byte_offset": 0, "index": 0}
TOLD = {"contender": "a", "reason": "b", "scenario": None, "operation": None}
PLACED = {**TOLD, "scenario": "worst", "operation": "encode", "corpus": "c", "size_bytes": 0}
ONE = {"contender": "a", "version": ""}
SINGLE = record("latency", "fast", 128, 1e-5, p50_s=1e-6, p95_s=2e-6, p99_s=3e-6)
NO_TIMES = [0, 0.0, -1, "1", True, None, float("inf"), float("nan"), 1.1e18, 10**400]
NO_COUNTS = [0, -1, 1.5, 2.0, "1", True, None, 10**19, 10**400]
NO_NUMBERS = [-1, -0.1, "1", False, None, float("inf"), [1]]


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (None, "it is no object"),
        ([], "it is no object"),
        ({}, "its “results” is missing"),
        ({"results": {}}, "its “results” is {}"),
        ({"results": [RUN["results"][0], None]}, "its “results[1]” is None"),
        ({"results": [{**TIMED, "ci_s": [1.0, "x" * 99]}]}, f"its “results[0].ci_s[1]” is '{'x' * 39}"),
    ],
)
def test_what_is_no_run_is_told_with_the_place(run, told):
    assert problem_with(run) == told
    assert problem_with({"results": []}) == problem_with(RUN) == ""


def test_no_more_contenders_take_part_than_charts_have_room_for():
    rows = [{**TIMED, "contender": f"c{number}"} for number in range(201)]
    assert problem_with({"results": rows[:200] * 2}) == ""
    assert problem_with({"results": rows}) == "more than 200 contenders take part"


@pytest.mark.parametrize(
    ("result", "name", "wrong"),
    [
        (TIMED, "scenario", ["", "other", None, 1]),
        (TIMED, "contender", [None, 1, [], True]),
        (TIMED, "size_bytes", NO_COUNTS),
        (TIMED, "threads", NO_COUNTS),
        (TIMED, "median_s", NO_TIMES),
        (TIMED, "ci_s", [[], [1], [1, 2, 3], [0, 1], [1, None], (1, 2), None, 1.0]),
        (TIMED, "mb_per_s", NO_NUMBERS),
        (TIMED, "exact", [0, 1, "yes"]),
        (TIMED, "agreement", [None, True]),
        (SINGLE, "p99_s", NO_TIMES),
        (MEMORY, "built_bytes", NO_NUMBERS),
        (MEMORY, "median_s", [0, 1.0, False, []]),
        ({**TIMED, "exact": False}, "first_difference", [None, {"index": 0}, {**DIFFERENCE, "index": 0.5}]),
    ],
)
def test_each_figure_of_a_result_is_looked_at(result, name, wrong):
    right = {**result, "first_difference": DIFFERENCE}
    assert problem_with({"results": [right]}) == ""
    for value in wrong:
        told = problem_with({"results": [TIMED, {**right, name: value}]})
        assert told.startswith(f"its “results[1].{name}")
    without = {key: right[key] for key in right if key != name}
    assert problem_with({"results": [without]}) == f"its “results[0].{name}” is missing"


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("name", [None, 1, []]),
        ("vocabulary", [None, [], "x", {"tokens": None}, {"tokens": "5"}]),
        ("plan", [None, [], {"scenarios": "x"}, {"scenarios": [1]}, {"scenarios": None}]),
        ("environment", [None, [], {"cores": "2"}, {"load_highest": -1}]),
        ("corpora", [None, {}, [{}], [{"name": "a"}], [{"name": 1, "sha256": "b"}], ["a"]]),
        ("contenders", [None, {}, ["a"], [ONE, None], [{}], [{**ONE, "version": 1}]]),
        ("left_out", [None, [None], [{**TOLD, "reason": 1}], [TOLD, {**PLACED, "size_bytes": 1.5}]]),
    ],
)
def test_each_part_of_a_run_is_looked_at(name, wrong):
    assert problem_with({"results": [], name: WHOLE.get(name, "")}) == ""
    for value in wrong:
        assert f"“{name}" in problem_with({"results": [], name: value}), value


PLAN = json.loads(json.dumps(Plan("m.gguf", ("english",), ("fast",), largest_bytes=9, pre="gpt-2").record()))
LOADED = {**ONE, "loading_s": 0.5}
WHOLE = {
    "environment": {"load_before": [1.0], "load_highest": 2.0, "cores": 2},
    "vocabulary": {"path": "m.gguf", "sha256": "a", "type": "BPE", "tokens": 5, "chosen_pre": ""},
    "plan": PLAN,
    "corpora": [{"name": "english", "sha256": "a"}],
    "contenders": [LOADED],
    "complete": True,
    "results": [
        {**each, "first_turn": 0, "own_bytes": 10, "samples_s": [1.0, 2.0], **each}
        for each in {row["scenario"]: row for row in EVERYTHING["results"]}.values()
    ],
    "left_out": [TOLD, PLACED],
}
ODD = (None, True, -1, 0, 0.5, 1e308, 10**400, "", "<b>", [], [1], ["a"], {}, {"a": 1}, KeyError)


def places(value, place=()):
    """Where there is anything in a JSON value."""
    if place:
        yield place
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places(value[key], (*place, key))


def spoiled(value, place, odd):
    """The same with something odd at one place, or without it."""
    key, *rest = place
    changed = copy(value)
    if rest:
        changed[key] = spoiled(value[key], rest, odd)
    elif odd is KeyError:
        del changed[key]
    else:
        changed[key] = odd
    return changed


def test_what_is_no_problem_can_be_shown_compared_and_given_away():
    random, n_shown = Random(30), 0
    for place in places(WHOLE):
        run = spoiled(WHOLE, place, random.choice(ODD))
        if problem_with(run):
            continue
        n_shown += 1
        for suffix in (".md", ".csv", ".html"):
            report_text(suffix, run, "fast", {})
        for old, new in ((WHOLE, run), (run, WHOLE)):
            different_conditions(old, new)
            list(change_lines(compare_runs(old, new)))
        for corpus in {row["corpus"] for row in run["results"]}:
            str(verdict_of(run["results"], corpus, "fast"))
        for scenario in SCENARIOS.values():
            if rows := [row for row in run["results"] if row["scenario"] == scenario.name]:
                scenario.find(rows, run.get("left_out", []), "fast")
    assert n_shown > 50
