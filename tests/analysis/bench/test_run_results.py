"""Records of a run: made of samples and events, written and read again, and whatever else a file holds."""

import json
from copy import copy
from random import Random

import pytest
from bench_runs import EVERYTHING, RUN, record
from fake_engine import EVENTS

from guiapp.analysis.bench.findings import finding, verdict_of
from guiapp.analysis.bench.history import compare_runs, different_conditions
from guiapp.analysis.bench.plan import SCENARIOS, BenchCell, Plan
from guiapp.analysis.bench.report import change_lines, report_text
from guiapp.analysis.bench.run_results import BenchRun, Series, results_of, run_of
from guiapp.analysis.libraries.contender import Agreement, FirstIdDifference

TEXTS = (b"x" * 3_000_000, b"x" * 1_000_000)


def series_of(scenario="throughput", n_tokens=500, clock="wall", **changes) -> Series:
    cell = BenchCell(scenario, ("encode",), "english", TEXTS, **changes)
    return Series.of(cell, "fast", "encode", n_tokens, clock)


def test_samples_become_a_result_and_its_json():
    series = series_of(threads=1)
    series.compare(Agreement(False, 0.75, FirstIdDifference(4, 17, 5, None)))
    for seconds in (2.0, 2.0, 4.0, 2.0, 90.0):
        series.add(seconds, 0.5)
    row = series.result(is_busy=False).record()
    assert row.items() >= {
        "contender": "fast", "size_bytes": 4_000_000, "threads": 1, "n": 5, "median_s": 2.0,
        "ci_level": 1 - 2 / 2**5, "mb_per_s": 2.0, "tokens_per_s": 250.0, "exact": False, "agreement": 0.75,
        "outliers": 1, "processor_share": 0.5, "crowded": False, "clock": "wall", "ci_s": [2.0, 90.0],
        "samples_s": [2.0, 2.0, 4.0, 2.0, 90.0],
        "first_difference": {"index": 4, "byte_offset": 17, "expected_id": 5, "found_id": None},
    }.items()  # fmt: skip
    busy = series.result(is_busy=True)
    assert busy.was_busy
    assert busy.ci_s[0] < 2.0, "what no clock counts"


@pytest.mark.parametrize(
    ("asked", "share", "clock", "median_s"),
    [("auto", 0.5, "cpu", 1.0), ("auto", None, "wall", 2.0), ("wall", 0.5, "wall", 2.0)],
)
def test_cpu_time_counts_on_a_busy_machine_if_all_report_it(asked, share, clock, median_s):
    pair = [series_of(threads=1, clock=asked) for _ in range(2)]
    for each, its_share in zip(pair, (share, 0.5), strict=True):
        each.add(2.0, its_share)
    assert [(row.clock, row.median_s) for row in results_of(pair, 0.0, 2)] == [(clock, median_s)] * 2


def test_a_result_has_the_quantiles_of_single_calls():
    series = series_of("latency")
    for tens in range(4):
        series.add(2e-5, 1.0, [(10 * tens + ones) / 1e6 for ones in range(1, 11)])
    row = series.result(is_busy=False).record()
    assert row["n_calls"] == 40
    assert [row[key] for key in ("p50_s", "p95_s", "p99_s")] == pytest.approx([20.5e-6, 38.05e-6, 39.61e-6])


# A run as it comes in


def run_after(*events) -> BenchRun:
    run = BenchRun()
    for event in events:
        run.add(event)
    return run


def test_a_run_is_whole_at_any_moment_and_comes_back_from_its_json():
    row = record("throughput", "fast", 1_000, 1e-3)
    run = run_after(
        {**EVENTS[0], "environment": {"cores": 2}, "vocabulary": {"tokens": 9}, "plan": {"seed": 1}},
        {"event": "loaded", "contender": "fast", "version": "1"},
        {"event": "left out", "contender": "heap", "reason": "slow"},
        *({**EVENTS[1], "load": load} for load in (1.5, 2.5, None)),
        {"event": "result", **row},
        {"event": "finished", "complete": True, "environment": {"held_s": 1.0}},
    )
    run.name = "before"
    saved = json.loads(json.dumps(run.record()))
    assert saved["environment"] == {"cores": 2, "load_highest": 2.5, "held_s": 1.0}
    assert saved["results"][0].items() >= row.items()
    assert (saved["complete"], saved["left_out"][0]["reason"]) == (True, "slow")
    assert json.loads(json.dumps(run_of(saved).record())) == saved


# Runs from elsewhere: each part with values that just are, and just are not, what they should be

TIMED = record("throughput", "fast", 10, 1.0, processor_share=1.0, samples_s=[1.0])
MEMORY = {
    **record("memory", "fast", 10, 1.0, exact=None, operation="memory"),
    **dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s")),
    "built_bytes": 1,
    "encoding_bytes": 2,
}
DIFFERENCE = {"byte_offset": 0, "index": 0}
LEFT_OUT = {"contender": "a", "reason": "b", "scenario": None, "operation": None}
PLACED = {**LEFT_OUT, "scenario": "worst", "operation": "encode", "corpus": "c", "size_bytes": 0}
ONE = {"contender": "a", "version": ""}
SINGLE = record("latency", "fast", 128, 1e-5, p50_s=1e-6, p95_s=2e-6, p99_s=3e-6)
NO_TIMES = [0, 0.0, -1, "1", True, None, float("inf"), float("nan"), 1.1e18, 10**400]
NO_COUNTS = [0, -1, 1.5, 2.0, "1", True, None, 10**19, 10**400]


def problem_with(run) -> str:
    try:
        run_of(run)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("run", "problem"),
    [
        (None, "it is not an object"),
        ([], "it is not an object"),
        ({}, "its “results” is None"),
        ({"results": {}}, "its “results” is {}"),
        ({"results": [RUN["results"][0], None]}, "its “results[1]” is None"),
        ({"results": [{**TIMED, "ci_s": [1.0, "x"]}]}, "its “results[0].ci_s[1]” is 'x'"),
        ({"results": [{**TIMED, "ci_s": [1.0, float("nan")]}]}, "it has an invalid number"),
    ],
)
def test_what_is_no_run_is_described_with_the_place(run, problem):
    assert problem_with(run) == problem
    assert problem_with({"results": []}) == problem_with(RUN) == ""


def test_no_more_contenders_take_part_than_charts_have_room_for():
    rows = [{**TIMED, "contender": f"c{number}"} for number in range(201)]
    assert problem_with({"results": rows[:200] * 2}) == ""
    assert problem_with({"results": rows}) == "it has more than 200 encoders"


@pytest.mark.parametrize(
    ("result", "name", "wrong"),
    [
        (TIMED, "contender", [None, 1, [], True]),
        (TIMED, "size_bytes", NO_COUNTS),
        (TIMED, "threads", NO_COUNTS),
        (TIMED, "median_s", NO_TIMES),
        (TIMED, "ci_s", [[], [1], [1, 2, 3], [0, 1], [1, None], 1.0]),
        (TIMED, "exact", [0, 1, "yes"]),
        (SINGLE, "p99_s", [-1, "1", True]),
        (MEMORY, "built_bytes", [-1, -0.1, "1", False, [1]]),
        ({**TIMED, "exact": False}, "first_difference", [None, {"index": 0}, {**DIFFERENCE, "index": 0.5}]),
    ],
)
def test_each_field_of_a_result_is_validated(result, name, wrong):
    right = {**result, "first_difference": DIFFERENCE}
    assert problem_with({"results": [right]}) == ""
    for value in wrong:
        problem = problem_with({"results": [TIMED, {**right, name: value}]})
        assert problem.startswith(f"its “results[1].{name}") or "invalid number" in problem, value


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("name", [None, 1, []]),
        ("vocabulary", [None, [], "x", {"tokens": None}, {"tokens": "5"}]),
        ("plan", [None, [], {"scenarios": "x"}, {"scenarios": [1]}, {"scenarios": None}]),
        ("environment", [None, [], {"cores": "2"}, {"load_highest": -1}]),
        ("corpora", [None, {}, [{}], [{"name": "a"}], [{"name": 1, "sha256": "b"}], ["a"]]),
        ("contenders", [None, {}, ["a"], [ONE, None], [{}], [{**ONE, "version": 1}]]),
        ("left_out", [None, [None], [{**LEFT_OUT, "reason": 1}], [LEFT_OUT, {**PLACED, "size_bytes": 1.5}]]),
    ],
)
def test_each_part_of_a_run_is_validated(name, wrong):
    assert problem_with({"results": [], name: WHOLE.get(name, "")}) == ""
    for value in wrong:
        assert f"“{name}" in problem_with({"results": [], name: value}), value


PLAN = json.loads(json.dumps(Plan("m.gguf", ("english",), ("fast",), largest_bytes=9, pre="gpt-2").record()))
WHOLE = {
    "environment": {"load_before": [1.0], "load_highest": 2.0, "cores": 2},
    "vocabulary": {"path": "m.gguf", "sha256": "a", "type": "BPE", "tokens": 5, "chosen_pre": ""},
    "plan": PLAN,
    "corpora": [{"name": "english", "sha256": "a"}],
    "contenders": [{**ONE, "loading_s": 0.5}],
    "complete": True,
    "results": [
        {**each, "first_turn": 0, "own_bytes": 10, "samples_s": [1.0, 2.0], **each}
        for each in {row["scenario"]: row for row in EVERYTHING["results"]}.values()
    ],
    "left_out": [LEFT_OUT, PLACED],
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
    random, n_shown, whole = Random(30), 0, run_of(WHOLE)
    for place in places(WHOLE):
        record_of_run = spoiled(WHOLE, place, random.choice(ODD))
        if problem_with(record_of_run):
            continue
        n_shown, run = n_shown + 1, run_of(record_of_run)
        for suffix in (".md", ".csv", ".html"):
            report_text(suffix, run, "Tokenloupe", {})
        for old, new in ((whole, run), (run, whole)):
            different_conditions(old, new)
            list(change_lines(compare_runs(old, new)))
        for corpus in {row.corpus for row in run.results}:
            str(verdict_of(run.results, corpus, "Tokenloupe"))
        for name in SCENARIOS:
            finding(name, [row for row in run.results if row.scenario == name], run.left_out, "Tokenloupe")
    assert n_shown > 50
