"""A run as it comes in: its records at any moment, and what disturbs it."""

import pytest
from fake_engine import CELL, EQUAL, EVENTS

from guiapp.pages.bench.live import LiveRun, deviations_of

FAST = {"contender": "fast", "operation": "encode"}


def run_of(*events):
    run = LiveRun()
    for event in events:
        run.add(event)
    return run


def compared(name, n_tokens=500):
    return {"event": "compared", "contender": name, "operation": "encode", "n_tokens": n_tokens, **EQUAL}


def sample(name, seconds):
    return {"event": "sample", "contender": name, "operation": "encode", "seconds": seconds}


def test_a_record_of_the_cell_that_goes_on_has_what_its_result_will_have():
    run = run_of(*EVENTS[:4])
    (row,) = run.results
    assert (
        row.items()
        >= {**CELL, **FAST, **EQUAL, "n_tokens": 500, "n": 1, "median_s": 0.001, "mb_per_s": 1.0}.items()
    )
    run.add(EVENTS[4])
    assert (run.results[0]["n"], run.results[0]["samples_s"]) == (2, [0.001, 0.003])


@pytest.mark.parametrize(
    ("rows", "text", "chosen"),
    [
        ([("scaling", "a", 9), ("short", "a", 10)], "", 0),  # of several lengths
        ([("throughput", "b", 1), ("scaling", "a", 99)], "a", 0),  # of a whole text
        ([("throughput", "b", 9), ("throughput", "a", 1)], "a", 1),  # of the one that is asked for
    ],
)
def test_how_far_ids_deviate_is_told_of_the_result_that_says_most(rows, text, chosen):
    results = [
        {
            "scenario": name,
            "corpus": corpus,
            "size_bytes": n,
            "contender": "greedy",
            "first_difference": {"index": 1},
        }
        for name, corpus, n in rows
    ]
    same = {**results[0], "contender": "fast", "first_difference": None}
    assert deviations_of([same, *results], text) == {"greedy": results[chosen]}


def test_a_result_takes_the_place_of_its_samples():
    result = {"event": "result", **CELL, **FAST, "n": 9, "samples_s": [0.002] * 9, "median_s": 0.002}
    run = run_of(*EVENTS, compared("heap"), sample("heap", 0.004), result)
    assert [(row["contender"], row["n"]) for row in run.results] == [("fast", 9), ("heap", 1)]
    run.end()
    assert [(row["contender"], row["n"]) for row in run.report.results] == [("fast", 9), ("heap", 1)]
    assert len(run.results) == 2


@pytest.mark.parametrize(
    ("asked", "scenario", "clock", "seconds"),
    [
        ("auto", "throughput", "cpu", 0.001),
        ("wall", "throughput", "wall", 0.002),
        ("cpu", "throughput", "cpu", 0.002),
        ("auto", "threads", "wall", 0.002),
    ],
)
def test_samples_beside_other_programs_are_told_by_the_clock_of_their_result(asked, scenario, clock, seconds):
    started = {**EVENTS[0], "plan": {"clock": asked}}
    cell = {**EVENTS[1], "scenario": scenario}
    run = run_of(started, cell, compared("fast"), {**sample("fast", 0.002), "share": 0.5})
    (row,) = run.results
    assert (row["crowded"], row["clock"], row["samples_s"]) == (True, clock, [seconds])


def test_contenders_that_are_being_opened_are_told_until_they_are():
    run = run_of(EVENTS[0], {"event": "loading", "contender": "fast", "number": 1, "of": 2})
    told = {"event": "loading", "contender": "heap", "number": 2, "of": 2, "stage": "reads", "share": 0.5}
    run.add(told)
    assert run.loading == {"fast": ("", 0.0), "heap": ("reads", 0.5)}
    run.add({"event": "loaded", "contender": "fast", "version": ""})
    run.add({"event": "left out", "contender": "heap", "scenario": None, "reason": "No."})
    assert run.loading == {}
    run.add(told)
    run.end()
    assert run.loading == {}


def test_first_impressions_are_forgotten_when_a_series_begins_anew():
    began = {"first_turn": 0, "samples_s": [0.009]}
    run = run_of(*EVENTS, {**sample("fast", 0.009), "n": 1, "turn": 0})
    assert began.items() <= run.results[0].items()
    run.add({**sample("fast", 0.008), "n": 2, "turn": 1})
    assert run.results[0]["samples_s"] == [0.009, 0.008]
