"""Runs with workers that make times up: order, fairness, failures, stopping; and one real small run."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from fake_workers import FakeStarter, FakeWorker, report_of

from guiapp import open_model
from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.engine import cells_of, contenders_of, run
from guiapp.analysis.bench.plan import SCENARIOS, BenchError, Plan
from guiapp.analysis.bench.run_results import KEY
from guiapp.analysis.bench.worker import ContenderFailed, WorkerLost
from guiapp.analysis.libraries import peer
from guiapp.core.demo import sample_text

CONTRACT = {
    "scenario", "contender", "corpus", "size_bytes", "threads", "n", "median_s", "ci_s",
    "mb_per_s", "tokens_per_s", "exact", "agreement", "first_difference",
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a batch holds is encoded for real, and how much that is does not matter here."""
    for name in ("threads", "memory"):
        monkeypatch.setitem(SCENARIOS, name, replace(SCENARIOS[name], sizes=(1 << 16,)))


def plan(*scenarios: str, **changes) -> Plan:
    values = {
        "corpora": ("sample:welcome",),
        "contenders": ("fast", "heap"),
        "time_budget_s": 0.2,
        "repeat": "same",
    }
    return Plan("demo:bpe", scenarios=scenarios or ("throughput",), **(values | changes))


def in_proportion(name: str, size_bytes: int) -> float:
    return size_bytes * {"fast": 1e-9, "heap": 1e-8, "scan": 1e-8}[name]


def test_a_run_emits_events_from_start_to_finish():
    events = list(run(plan(), Control(), FakeStarter(in_proportion)))
    assert [event["event"] for event in events if event["event"] != "sample"] == [
        "started", *["loading"] * 2, *["loaded"] * 2, "cell", *["compared"] * 2, *["result"] * 2, "finished",
    ]  # fmt: skip
    started, *_, finished = events
    text = sample_text("welcome")
    sha256 = hashlib.sha256(text).hexdigest()
    assert started["corpora"] == [{"name": "sample:welcome", "size_bytes": len(text), "sha256": sha256}]
    assert (started["n_cells"], started["plan"]) == (1, plan().record())
    assert (finished["complete"], finished["environment"]["held_s"]) == (True, 0.0)
    cell = next(event for event in events if event["event"] == "cell")
    del cell["load"]
    assert cell == {
        "event": "cell", "number": 1, "of": 1, "seconds_left": 0.2, "scenario": "throughput",
        "operations": ("encode",), "corpus": "sample:welcome", "size_bytes": len(text), "threads": 1,
    }  # fmt: skip
    json.dumps(events)


def test_a_run_that_is_stopped_before_it_loads_is_not_complete():
    control, starter = Control(), FakeStarter(in_proportion)
    control.stop()
    events = list(run(plan(), control, starter))
    assert ([event["event"] for event in events], events[-1]["complete"]) == (["started", "finished"], False)
    assert starter.workers == []


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_gives_records_with_the_stable_keys(scenario):
    record = report_of(plan(scenario), FakeStarter(in_proportion))
    assert {"environment", "vocabulary", "results"} <= record.keys()
    assert {"path", "sha256", "type", "pre", "tokens"} <= record["vocabulary"].keys()
    assert {result["contender"] for result in record["results"]} == {"fast", "heap"}
    assert all(CONTRACT | set(KEY) <= result.keys() for result in record["results"])
    assert record["complete"]


def test_what_is_a_ratio_is_measured_within_the_same_rounds():
    starter = FakeStarter(in_proportion)
    record = report_of(plan("append"), starter)
    turns = [(entry[0], entry[2]) for entry in starter.log if entry[1] == "sample"]
    all_four = {(name, operation) for name in ("fast", "heap") for operation in ("append", "encode")}
    assert {frozenset(turns[at : at + 4]) for at in range(0, 20, 4)} == {frozenset(all_four)}
    done = {(row["contender"], row["operation"]) for row in record["results"]}
    assert done == all_four


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scenarios": ("throughput", "dream")}, "There is no scenario “dream”. Choose from: throughput, "),
        ({"scenarios": ("scaling",), "largest_bytes": 1}, "There is nothing to measure. "),
        ({"corpora": ()}, "A benchmark needs a text. Choose a corpus."),
    ],
)
def test_an_impossible_plan_is_refused(changes, message):
    impossible = replace(plan(), **changes)
    with pytest.raises(BenchError) as caught:
        cells_of(impossible, open_model("demo:bpe"))
    assert str(caught.value).startswith(message)


def test_a_missing_library_names_its_install_command(monkeypatch):
    monkeypatch.setattr(peer, "find_spec", lambda module: None)
    tokenizer = open_model("demo:bpe")
    with pytest.raises(BenchError, match="pip install tiktoken"):
        contenders_of(plan(contenders=("tiktoken",)), tokenizer)
    assert "tiktoken" in contenders_of(plan(with_peers=True), tokenizer)


@pytest.mark.parametrize("error", [WorkerLost, ContenderFailed])
def test_a_contender_that_does_not_load_is_left_out_of_everything(error):
    class Refusing(FakeWorker):
        def ask(self, limit_s: float, command: str, *arguments: object) -> object:
            raise error("It has no such vocabulary.")

    starter = FakeStarter(in_proportion)

    def start(name: str, threads: int) -> FakeWorker:
        return Refusing("demo:bpe", name, in_proportion, []) if name == "heap" else starter(name, threads)

    events = list(run(plan("throughput"), Control(), start))
    (left_out,) = [event for event in events if event["event"] == "left out"]
    assert (left_out["contender"], left_out["scenario"]) == ("heap", None)
    assert left_out["reason"] == "It has no such vocabulary."
    assert {event["contender"] for event in events if event["event"] in ("loaded", "result")} == {"fast"}
    assert events[-1]["complete"]


def test_whoever_stops_reading_events_leaves_no_worker():
    made = FakeStarter(in_proportion)
    events = run(plan(), Control(), made)
    for event in events:
        if event["event"] == "sample":
            break
    events.close()
    assert [worker.is_ended for worker in made.workers] == [True, True]
