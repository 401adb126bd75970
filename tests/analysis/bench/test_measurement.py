"""What becomes of samples and events: the records of a run, and of the machine that it ran on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from datetime import datetime

import pytest
from bench_runs import record

import guiapp
from guiapp.analysis.bench import measurement as environment
from guiapp.analysis.bench.corpus import BenchText
from guiapp.analysis.bench.measurement import (
    Report,
    Series,
)
from guiapp.analysis.bench.operations import TimingSample
from guiapp.analysis.bench.scenarios import BenchCell
from guiapp.analysis.libraries.contender import Agreement, FirstIdDifference

SAMPLES = [TimingSample(wall_s, wall_s / 2) for wall_s in (2.0, 2.0, 4.0, 2.0, 90.0)]
DIFFERENCE = FirstIdDifference(4, 17, 5, None)
CELL = BenchCell("throughput", ("encode",), "english", (b"x" * 3_000_000, b"x" * 1_000_000), threads=3)


def test_samples_become_a_record():
    told = Series(CELL, "fast", "encode", 500, Agreement(False, 0.75, DIFFERENCE), SAMPLES).record("wall")
    assert told.items() >= {
        "contender": "fast", "size_bytes": 4_000_000, "threads": 3, "n": 5, "median_s": 2.0,
        "ci_level": 1 - 2 / 2**5, "mb_per_s": 2.0, "tokens_per_s": 250.0, "exact": False, "agreement": 0.75,
        "outliers": 1, "processor_share": 0.5, "crowded": False, "clock": "wall",
    }.items()  # fmt: skip
    assert (told["ci_s"], told["samples_s"]) == ([2.0, 90.0], [2.0, 2.0, 4.0, 2.0, 90.0])
    assert told["first_difference"] == {"index": 4, "byte_offset": 17, "expected_id": 5, "found_id": None}
    assert Series(CELL, "fast", "encode", 500, None, SAMPLES).record("cpu")["median_s"] == 1.0


def test_a_record_tells_how_long_most_single_calls_took():
    calls = [
        TimingSample(2e-5, 2e-5, tuple((10 * tens + ones) / 1e6 for ones in range(1, 11)))
        for tens in range(4)
    ]
    told = Series(replace(CELL, scenario="latency"), "fast", "encode singly", 1, None, calls).record("wall")
    assert told["n_calls"] == 40
    assert [told[key] for key in ("p50_s", "p95_s", "p99_s")] == pytest.approx([20.5e-6, 38.05e-6, 39.61e-6])


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


def test_what_took_no_time_has_no_speed():
    told = Series(CELL, "fast", "encode", 500, None, [TimingSample(0.0, 0.0)]).record("wall")
    assert [told[name] for name in ("mb_per_s", "tokens_per_s", "processor_share", "exact")] == [None] * 4


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
        {"event": "cell", "number": 1, "load": 1.5},
        {"event": "sample", "contender": "fast"},
        {"event": "result", **result},
        {"event": "cell", "number": 2, "load": 0.5},
        {"event": "cell", "number": 3, "load": 2.5},
        {"event": "cell", "number": 4, "load": None},
        {"event": "finished", "complete": True, "environment": {"held_s": 1.0}},
    ]
    for event in events:
        report.add(event)
    assert report.record() == {
        **NOTHING,
        **STARTED,
        "environment": {"cores": 2, "load_highest": 2.5, "held_s": 1.0},
        "complete": True,
        "contenders": [{"contender": "fast", "version": "1"}],
        "results": [result],
        "left_out": [{"contender": "heap", "reason": "slow"}],
    }
    assert Report.of(report.record()).record() == report.record()


def test_the_processor_is_named_as_linux_names_it_or_as_python_does(tmp_path, monkeypatch):
    processors = tmp_path / "cpuinfo"
    monkeypatch.setattr(environment, "PROCESSORS", processors)
    assert environment.environment("wall")["processor"]
    processors.write_text("processor\t: 0\nmodel name\t: Some Processor: 3000\n")
    told = environment.environment("wall")
    assert (told["processor"], told["clock"]) == ("Some Processor: 3000", "wall")
    assert abs(datetime.fromisoformat(told["started"]).timestamp() - datetime.now().timestamp()) < 60


def test_texts_and_vocabularies_are_told_by_their_sums():
    text = b"some text"
    assert environment.corpus_record(BenchText("name", text)) == {
        "name": "name", "size_bytes": 9, "sha256": hashlib.sha256(text).hexdigest(),
    }  # fmt: skip
    vocabulary = guiapp.open_model("demo:bpe").vocabulary
    told = environment.vocabulary_record(vocabulary)
    assert told["sha256"] == hashlib.sha256(vocabulary.path.read_bytes()).hexdigest()
    assert (told["path"], told["tokens"], told["type"]) == (str(vocabulary.path), len(vocabulary), "BPE")
    json.dumps(told)
