"""What becomes of samples and events: the records of a run."""

import copy
from dataclasses import replace

import pytest
from bench_runs import record

from guiapp.core.bench.agreement import Agreement, FirstDifference
from guiapp.core.bench.measurement import (
    Report,
    Series,
    agreement_record,
    key_of,
    memory_record,
)
from guiapp.core.bench.statistics import HIDDEN
from guiapp.core.bench.tasks import Cell
from guiapp.core.bench.timing import Sample

SAMPLES = [Sample(wall_s, wall_s / 2) for wall_s in (2.0, 2.0, 4.0, 2.0, 90.0)]
CELL = Cell("throughput", ("encode",), "english", (b"x" * 3_000_000, b"x" * 1_000_000), threads=3)
DIFFERENCE = FirstDifference(4, 17, 5, None)


def test_samples_become_a_record():
    series = Series(CELL, "fast", "encode", 500, Agreement(False, 0.75, DIFFERENCE), SAMPLES)
    assert series.record("wall") == {
        "scenario": "throughput",
        "operation": "encode",
        "contender": "fast",
        "corpus": "english",
        "size_bytes": 4_000_000,
        "own_bytes": None,
        "threads": 3,
        "n": 5,
        "median_s": 2.0,
        "ci_s": [2.0, 90.0],
        "ci_level": 1 - 2 / 2**5,
        "mb_per_s": 2.0,
        "tokens_per_s": 250.0,
        "n_tokens": 500,
        "exact": False,
        "agreement": 0.75,
        "first_difference": {"index": 4, "byte_offset": 17, "expected_id": 5, "found_id": None},
        "outliers": 1,
        "processor_share": 0.5,
        "crowded": False,
        "clock": "wall",
        "first_turn": 0,
        "samples_s": [2.0, 2.0, 4.0, 2.0, 90.0],
    }
    by_processor = series.record("cpu")
    assert (by_processor["median_s"], by_processor["mb_per_s"]) == (1.0, 4.0)
    assert by_processor["samples_s"] == [1.0, 1.0, 2.0, 1.0, 45.0]


@pytest.mark.parametrize(
    ("waited", "clock", "speed", "share"), [(False, "cpu", 4.0, 0.5), (True, "wall", 2.0, None)]
)
def test_beside_other_programs_results_are_processor_time_unless_that_is_not_what_it_takes(
    waited, clock, speed, share
):
    samples = [sample._replace(waited=waited) for sample in SAMPLES]
    told = Series(replace(CELL, threads=1), "fast", "encode", 500, None, samples).record("auto", True)
    assert (told["clock"], told["mb_per_s"], told["processor_share"]) == (clock, speed, share)
    assert Series(CELL, "fast", "encode", 500, None, samples).record("auto", True)["clock"] == "wall"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    ("scenario", "asked"), [("threads", "auto"), ("threads", "wall"), ("threads", "cpu"), ("batch", "wall")]
)
def test_results_by_the_wall_clock_are_so_beside_other_programs_too(scenario, asked, threads):
    cell = replace(CELL, scenario=scenario, threads=threads)
    told = Series(cell, "fast", "encode batch", 500, None, SAMPLES).record(asked, True)
    assert (told["clock"], told["samples_s"]) == ("wall", [sample.wall_s for sample in SAMPLES])
    assert told["ci_s"][0] == pytest.approx((1.0 if threads == 1 else 2.0) / (1 + HIDDEN))


def test_what_took_no_time_has_no_speed():
    told = Series(CELL, "fast", "encode", 500, None, [Sample(0.0, 0.0)]).record("wall")
    assert [told[name] for name in ("mb_per_s", "tokens_per_s", "processor_share", "exact")] == [None] * 4


def test_times_refer_to_the_tokens_of_one_unit():
    def n_tokens(**units: int) -> float:
        cell = Cell("short", ("encode each",), "english", (b"ab", b"cd", b"ef", b"gh"), **units)
        return Series(cell, "fast", "encode each", 10, None).n_unit_tokens

    assert (n_tokens(), n_tokens(unit_bytes=2), n_tokens(unit_bytes=2, unit_tokens=7)) == (10, 2.5, 7)


def test_memory_is_a_record_without_times():
    told = memory_record(CELL, "fast", 7, 8)
    untimed = ("median_s", "ci_s", "mb_per_s", "tokens_per_s", "exact", "agreement", "first_difference")
    assert told == {
        "scenario": "throughput",
        "operation": "memory",
        "contender": "fast",
        "corpus": "english",
        "size_bytes": 4_000_000,
        "own_bytes": None,
        "threads": 3,
        "n": 1,
        **dict.fromkeys(untimed),
        "built_bytes": 7,
        "encoding_bytes": 8,
    }
    assert key_of(told) == ("throughput", "memory", "fast", "english", 4_000_000, 3)


def test_equal_ids_have_no_difference():
    assert agreement_record(Agreement(True, 1.0, None)) == {
        "exact": True,
        "agreement": 1.0,
        "first_difference": None,
    }


def test_what_grows_is_fitted_for_each_contender_and_text():
    results = [
        record(scenario, name, size, size * 1e-8, corpus=corpus)
        for scenario in ("throughput", "scaling", "worst")
        for name in ("heap", "scan")
        for corpus in ("english", "code")
        for size in (100, 1_000, 10_000, 100_000)
    ]
    told = Report.of({"results": [*results, record("scaling", "few", 100, 1e-4)]}).growth
    places = [(each["scenario"], each["contender"], each["corpus"]) for each in told]
    names, texts = ("heap", "scan"), ("english", "code")
    assert places == [
        (scenario, n, text) for scenario in ("scaling", "worst") for n in names for text in texts
    ]
    assert [sorted(each) for each in told] == [
        ["contender", "corpus", "error", "exponent", "overhead_s", "scenario", "slope"]
    ] * 8
    for each in told:
        assert each["exponent"] == pytest.approx(1.0)
        assert each["slope"] == pytest.approx(1e-8)
        assert each["overhead_s"] == pytest.approx(0.0, abs=1e-9)
        assert each["error"] == pytest.approx(0.0, abs=1e-6)


STARTED = {
    "environment": {"cores": 2},
    "vocabulary": {"tokens": 9},
    "corpora": [{"name": "english"}],
    "plan": {"seed": 1},
}
NOTHING = {
    "environment": {},
    "vocabulary": {},
    "plan": {},
    "corpora": [],
    "complete": False,
    "contenders": [],
    "results": [],
    "growth": [],
    "left_out": [],
}


def test_a_run_is_told_by_its_events():
    report = Report()
    assert report.record() == NOTHING
    result = record("throughput", "fast", 1_000, 1e-3)
    events = [
        {"event": "started", **STARTED, "n_cells": 1},
        {"event": "loading", "contender": "fast"},
        {"event": "loaded", "contender": "fast", "version": "1"},
        {"event": "left out", "contender": "heap", "reason": "slow"},
        {"event": "cell", "number": 1, "load": 1.5, "mhz": 3000.0},
        {"event": "sample", "contender": "fast"},
        {"event": "result", **result},
        {"event": "cell", "number": 2, "load": 0.5, "mhz": 3500.0},
        {"event": "cell", "number": 3, "load": 2.5, "mhz": 2000.0},
        {"event": "cell", "number": 4, "load": None, "mhz": None},
        {"event": "finished", "complete": True, "environment": {"held_s": 1.0}},
    ]
    given = copy.deepcopy(events)
    for event in events:
        report.add(event)
    noise = {"load_highest": 2.5, "mhz_lowest": 2000.0, "mhz_highest": 3500.0}
    assert report.record() == {
        **NOTHING,
        **STARTED,
        "environment": {"cores": 2, **noise, "held_s": 1.0},
        "complete": True,
        "contenders": [{"contender": "fast", "version": "1"}],
        "results": [result],
        "left_out": [{"contender": "heap", "reason": "slow"}],
    }
    assert Report.of(report.record()).record() == report.record()
    assert [event for event in events[1:] if event["event"] != "finished"] == given[1:-1]


def test_a_name_comes_first():
    report = Report.of({"results": [], "name": "before"})
    assert next(iter(report.record().items())) == ("name", "before")
    assert Report.of({"results": [], "complete": 1}).is_complete is True
