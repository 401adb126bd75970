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
TEXTS = (["", "x"], [None, 1, [], True])
COUNTS = ([1, 10**18], [0, -1, 1.5, 2.0, "1", True, None, 10**19, 10**400])
TIMES = ([1, 0.5, 1e18], [0, 0.0, -1, "1", True, None, float("inf"), float("nan"), 1.1e18, 10**400])
NUMBERS = ([0, 0.0, 1.5, 1e18], [-1, -0.1, "1", False, None, float("inf"), [1]])
RESULT_VALUES = {
    "scenario": (["throughput", "worst", "threads"], ["", "other", None, 1]),
    "operation": (["", "x"], [None, 1]),
    "contender": TEXTS,
    "corpus": TEXTS,
    "size_bytes": COUNTS,
    "threads": COUNTS,
    "n": COUNTS,
    "exact": ([None, True], [0, 1, "yes"]),
    "median_s": TIMES,
    "ci_s": ([[1, 2.0]], [[], [1], [1, 2, 3], [0, 1], [1, None], (1, 2), None, 1.0]),
    "mb_per_s": NUMBERS,
    "tokens_per_s": NUMBERS,
}


@pytest.mark.parametrize(
    ("run", "told"),
    [
        (None, "it is no object"),
        ([], "it is no object"),
        ({}, "its “results” is missing"),
        ({"results": {}}, "its “results” is {}"),
        ({"results": None}, "its “results” is None"),
        ({"results": [RUN["results"][0], None]}, "its “results[1]” is None"),
    ],
)
def test_what_has_no_results_is_no_run(run, told):
    assert problem_with(run) == told
    assert problem_with({"results": []}) == problem_with(RUN) == ""


def test_no_more_contenders_take_part_than_charts_have_room_for():
    rows = [{**TIMED, "contender": f"c{number}"} for number in range(201)]
    assert problem_with({"results": rows[:200] * 2}) == ""
    assert problem_with({"results": rows}) == "more than 200 contenders take part"


@pytest.mark.parametrize("name", RESULT_VALUES)
def test_each_figure_of_a_result_is_looked_at(name):
    right, wrong = RESULT_VALUES[name]
    for value in right:
        assert problem_with({"results": [TIMED, {**TIMED, name: value}]}) == ""
    for value in wrong:
        told = problem_with({"results": [TIMED, {**TIMED, name: value}]})
        assert told.startswith(f"its “results[1].{name}")
    without = {key: TIMED[key] for key in TIMED if key != name}
    assert problem_with({"results": [without]}) == f"its “results[0].{name}” is missing"


def test_the_place_and_the_value_are_told():
    told = {value: problem_with({"results": [{**TIMED, "ci_s": [1.0, value]}]}) for value in (0, "x" * 99)}
    assert told == {
        0: "its “results[0].ci_s[1]” is 0",
        "x" * 99: f"its “results[0].ci_s[1]” is '{'x' * 39}",
    }


SINGLE = record("latency", "fast", 128, 1e-5, p50_s=1e-6, p95_s=2e-6, p99_s=3e-6)


@pytest.mark.parametrize("name", ["p50_s", "p95_s", "p99_s"])
def test_what_only_some_scenarios_have_is_looked_at_too(name):
    assert problem_with({"results": [SINGLE]}) == ""
    assert problem_with({"results": [{**SINGLE, name: "x"}]}) == f"its “results[0].{name}” is 'x'"
    del (without := dict(SINGLE))[name]
    assert problem_with({"results": [without]}) == f"its “results[0].{name}” is missing"


@pytest.mark.parametrize(
    "name", ["built_bytes", "encoding_bytes", "median_s", "ci_s", "mb_per_s", "tokens_per_s"]
)
def test_memory_has_bytes_and_no_times(name):
    right, wrong = NUMBERS if "bytes" in name else ([None], [0, 1.0, False, []])
    assert [problem_with({"results": [{**MEMORY, name: value}]}) for value in right] == [""] * len(right)
    for value in wrong:
        told = problem_with({"results": [{**MEMORY, name: value}]})
        assert told == f"its “results[0].{name}” is {value!r:.40}"
    without = {key: MEMORY[key] for key in MEMORY if key != name}
    assert problem_with({"results": [without]}) == f"its “results[0].{name}” is missing"


DIFFERENCE = {"byte_offset": 0, "index": 0}


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"processor_share": None}, ""),
        ({"processor_share": 0}, ""),
        ({"processor_share": 2.5}, ""),
        ({"processor_share": -1}, "processor_share"),
        ({"processor_share": True}, "processor_share"),
        ({"samples_s": []}, ""),
        ({"samples_s": [1, 2.5]}, ""),
        ({"samples_s": [1, 0]}, "samples_s[1]"),
        ({"samples_s": None}, "samples_s"),
        ({"exact": None, "agreement": None}, ""),
        ({"exact": None, "agreement": "x", "first_difference": "y"}, ""),
        ({"exact": True, "agreement": None}, "agreement"),
        ({"exact": True, "agreement": 0}, ""),
        ({"exact": True, "first_difference": "x"}, ""),
        ({"exact": False, "agreement": True, "first_difference": DIFFERENCE}, "agreement"),
        ({"exact": False, "first_difference": DIFFERENCE}, ""),
        ({"exact": False, "first_difference": None}, "first_difference"),
        ({"exact": False, "first_difference": {"byte_offset": 0}}, "first_difference.index"),
        ({"exact": False, "first_difference": {"index": 0}}, "first_difference.byte_offset"),
        ({"exact": False, "first_difference": {**DIFFERENCE, "index": 0.5}}, "first_difference.index"),
        (
            {"exact": False, "first_difference": {**DIFFERENCE, "byte_offset": -1}},
            "first_difference.byte_offset",
        ),
    ],
)
def test_what_belongs_together_is_looked_at_together(changes, place):
    told = problem_with({"results": [{**TIMED, **changes}]})
    assert f"“results[0].{place}”" in told if place else told == ""


def test_a_result_without_what_is_optional_is_one():
    optional = ("processor_share", "samples_s")
    assert problem_with({"results": [{key: TIMED[key] for key in TIMED if key not in optional}]}) == ""


TOLD = {"contender": "a", "reason": "b", "scenario": None, "operation": None}
PLACED = {**TOLD, "scenario": "worst", "operation": "encode", "corpus": "c", "size_bytes": 0}
ONE = {"contender": "a", "version": ""}
PARTS = {
    "name": (["", "x"], [None, 1, []]),
    "vocabulary": ([{}, {"x": 1, "tokens": 0}], [None, [], "x", {"tokens": None}, {"tokens": "5"}]),
    "plan": (
        [{}, {"scenarios": []}, {"scenarios": ["x"]}],
        [None, [], {"scenarios": "x"}, {"scenarios": [1]}, {"scenarios": None}],
    ),
    "environment": (
        [
            {},
            {"cores": 2, "load_highest": 1.5, "more": "x"},
            dict.fromkeys(("cores", "load_highest")),
        ],
        [
            None,
            [],
            {"cores": "2"},
            {"load_highest": -1},
        ],
    ),
    "corpora": (
        [[], [{"name": "a", "sha256": "b", "more": 1}]],
        [None, {}, [{}], [{"name": "a"}], [{"sha256": "a"}], [{"name": 1, "sha256": "b"}], ["a"]],
    ),
    "contenders": (
        [[], [ONE], [{**ONE, "loading_s": 0.5}]],
        [None, {}, ["a"], [ONE, None], [{}], [{**ONE, "version": 1}]],
    ),
    "left_out": (
        [[], [TOLD], [PLACED], [TOLD, PLACED], [{**TOLD, "operation": "x"}]],
        [
            None,
            [{**TOLD, "operation": 1}],
            [None],
            *([{key: TOLD[key] for key in TOLD if key != name}] for name in TOLD),
            *([{key: PLACED[key] for key in PLACED if key != name}] for name in PLACED),
            [{**TOLD, "contender": None}],
            [{**TOLD, "reason": 1}],
            [{**PLACED, "scenario": 1}],
            [{**PLACED, "corpus": None}],
            [{**PLACED, "size_bytes": -1}],
            [TOLD, {**PLACED, "size_bytes": 1.5}],
        ],
    ),
}


@pytest.mark.parametrize("name", PARTS)
def test_each_part_of_a_run_is_looked_at(name):
    right, wrong = PARTS[name]
    assert [problem_with({"results": [], name: value}) for value in right] == [""] * len(right)
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
