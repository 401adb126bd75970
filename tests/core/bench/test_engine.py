"""Runs with workers that make times up: order, fairness, failures, stopping; and one real small run."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from fake_workers import FakeStarter, FakeWorker, report_of

from guiapp import open_model
from guiapp.core.bench.contenders import peer
from guiapp.core.bench.control import Control
from guiapp.core.bench.engine import cells_of, contenders_of, run
from guiapp.core.bench.measurement import KEY, Report
from guiapp.core.bench.plan import BenchError, Plan, plan_from
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.bench.worker_process import ContenderFailed, WorkerLost
from guiapp.core.demo import sample_text

CONTRACT = {
    "scenario", "contender", "corpus", "size_bytes", "threads", "n", "median_s", "ci_s",
    "mb_per_s", "tokens_per_s", "exact", "agreement", "first_difference",
}  # fmt: skip


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a batch holds is encoded for real, and how much that is does not matter here."""
    monkeypatch.setattr("guiapp.core.bench.scenarios.BATCH_BYTES", 1 << 16)


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


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_scenario_gives_records_with_the_stable_keys(scenario):
    record = report_of(plan(scenario), FakeStarter(in_proportion))
    assert {"environment", "vocabulary", "results"} <= record.keys()
    assert {"path", "sha256", "type", "pre", "tokens"} <= record["vocabulary"].keys()
    assert {result["contender"] for result in record["results"]} == {"fast", "heap"}
    assert all(CONTRACT | set(KEY) <= result.keys() for result in record["results"])
    assert record["complete"]


def test_a_run_can_be_told_at_any_moment_and_is_complete_only_at_its_end():
    report = Report()
    assert not report.record()["complete"]
    for event in run(plan("scaling"), Control(), FakeStarter(in_proportion)):
        assert not report.record()["complete"]
        report.add(event)
        assert report.record()["results"] == report.results
    assert report.record()["complete"]
    assert {line["contender"] for line in report.growth} == {"fast", "heap"}


def test_what_is_a_ratio_is_measured_within_the_same_rounds():
    starter = FakeStarter(in_proportion)
    record = report_of(plan("append"), starter)
    turns = [(entry[0], entry[2]) for entry in starter.log if entry[1] == "sample"]
    all_four = {(name, operation) for name in ("fast", "heap") for operation in ("append", "encode")}
    assert {frozenset(turns[at : at + 4]) for at in range(0, 20, 4)} == {frozenset(all_four)}
    done = {(row["contender"], row["operation"]) for row in record["results"]}
    assert done == all_four


def test_growth_is_fitted_over_the_sizes():
    def seconds(name: str, size_bytes: int) -> float:
        return 1e-4 + 1e-9 * size_bytes if name == "fast" else 1e-13 * size_bytes**2

    growth = {line["contender"]: line for line in report_of(plan("scaling"), FakeStarter(seconds))["growth"]}
    assert growth["fast"]["overhead_s"] == pytest.approx(1e-4, rel=0.1)
    assert growth["fast"]["exponent"] == pytest.approx(1.0, abs=0.1)
    assert growth["heap"]["exponent"] == pytest.approx(2.0, abs=0.1)


def test_a_step_where_a_cache_ends_leaves_nobody_out():
    def with_cache(name: str, size_bytes: int) -> float:
        return size_bytes * (1e-9 if size_bytes < 10_000 else 1e-6)

    record = report_of(plan("worst", contenders=("fast",)), FakeStarter(with_cache))
    assert record["left_out"] == []


def test_loading_is_told_also_when_it_is_on_other_threads_or_after_a_loss():
    def loaded(a_plan: Plan, starter: FakeStarter) -> list[str]:
        events = run(a_plan, Control(), starter)
        return [event["contender"] for event in events if event["event"] == "loading"]

    assert loaded(plan("threads", threads=(1, 2)), FakeStarter(in_proportion)) == ["fast", "heap"] * 2
    lost = FailingStarter(WorkerLost, at_sample=4)
    assert loaded(plan("throughput", "decode"), lost) == ["fast", "heap", "heap"]


def test_workers_of_one_number_of_threads_are_there_at_a_time():
    running: list[set[bool]] = []

    class CountingStarter(FakeStarter):
        def __call__(self, name: str, threads: int) -> FakeWorker:
            running.append({worker.is_ended for worker in self.workers[: (threads - 1) * 2]})
            return super().__call__(name, threads)

    starter = CountingStarter(in_proportion)
    record = report_of(plan("threads", "decode", threads=(1, 2)), starter)
    assert len(starter.workers) == 4
    assert running == [set(), set(), {True}, {True}]
    assert [result["threads"] for result in record["results"]] == [1, 1, 1, 1, 2, 2]


class FailingStarter(FakeStarter):
    """Whose `heap` fails in the nth sample, by crashing or by an error."""

    def __init__(self, error: type[Exception], at_sample: int) -> None:
        super().__init__(self._fail_or_not)
        self._error, self._left = error, at_sample

    def _fail_or_not(self, name: str, size_bytes: int) -> float:
        if name == "heap":
            self._left -= 1
            if self._left <= 0:
                raise self._error("It crashed: SIGSEGV.")
        return in_proportion(name, size_bytes)


@pytest.mark.parametrize("error", [WorkerLost, ContenderFailed])
def test_a_contender_that_fails_loses_nothing_and_stops_nobody(error):
    starter = FailingStarter(error, at_sample=4)
    record = report_of(plan("throughput", "decode"), starter)
    counts = {(result["contender"], result["scenario"]): result["n"] for result in record["results"]}
    assert counts["heap", "throughput"] == 3
    assert counts["fast", "throughput"] >= 5
    assert counts["fast", "decode"] >= 5
    assert {each["contender"] for each in record["left_out"]} == {"heap"}
    assert record["complete"]


def test_a_contender_that_crashes_again_and_again_is_not_started_again():
    starter = FailingStarter(WorkerLost, at_sample=0)
    report_of(plan("throughput", "decode", "batch", "cold", "short"), starter)
    assert sum(worker._name == "heap" for worker in starter.workers) == 3


class DyingWorker(FakeWorker):
    def ask(self, limit_s: float, command: str, *arguments: object) -> object:
        raise WorkerLost("It crashed: SIGKILL.")


def test_a_worker_that_dies_while_it_loads_again_stops_nobody():
    starter = FailingStarter(WorkerLost, at_sample=1)

    def start(name: str, threads: int) -> FakeWorker:
        is_again = any(worker._name == name == "heap" for worker in starter.workers)
        return DyingWorker("demo:bpe", name, in_proportion, []) if is_again else starter(name, threads)

    events = list(run(plan("throughput", "decode"), Control(), start))
    assert events[-1]["complete"]


class ResumingControl(Control):
    """Goes on as soon as a run waits for it; knows behind which events it waited."""

    def __init__(self) -> None:
        super().__init__()
        self.paused_at = ""
        self.waited_behind: list[str] = []

    def wait_while_paused(self) -> None:
        if self.paused_at:
            self.waited_behind.append(self.paused_at)
            self.paused_at = ""
            self.resume()
        super().wait_while_paused()


def test_a_run_that_is_paused_waits_before_it_loads_and_before_it_measures():
    control = ResumingControl()
    for event in run(plan(), control, FakeStarter(in_proportion)):
        if event["event"] in ("started", "cell"):
            control.pause()
            control.paused_at = event["event"]
    assert event["event"] == "finished"
    assert control.waited_behind == ["started", "cell"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"scenarios": ("throughput", "dream")}, "There is no scenario “dream”. Choose from: throughput, "),
        ({"scenarios": ("scaling",), "largest_bytes": 1}, "There is nothing to measure. "),
        ({"corpora": ()}, "A benchmark needs a text. Name a corpus."),
    ],
)
def test_what_cannot_be_measured_is_said(changes, message):
    impossible = replace(plan(), **changes)
    with pytest.raises(BenchError) as caught:
        cells_of(impossible, open_model("demo:bpe"))
    assert str(caught.value).startswith(message)


def test_a_peer_that_is_missing_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(peer, "find_spec", lambda module: None)
    tokenizer = open_model("demo:bpe")
    with pytest.raises(BenchError, match="pip install tiktoken"):
        contenders_of(plan(contenders=("tiktoken",)), tokenizer)
    assert "tiktoken" in contenders_of(plan(with_peers=True), tokenizer)


def test_a_run_that_was_saved_comes_back_whole():
    record = report_of(plan("scaling"), FakeStarter(in_proportion))
    record = {"name": "before", **record, "left_out": [{"contender": "scan", "reason": "slow"}]}
    assert Report.of(record).record() == record
    assert Report.of({"results": []}).record() == Report().record()


def test_a_plan_travels_as_json():
    import json

    original = plan("short", threads=(1, 2))
    assert plan_from(json.loads(json.dumps(original.record()))) == original
    with pytest.raises(BenchError, match="not a plan"):
        plan_from({"model": "demo:bpe", "colour": "blue"})


def test_sizes_end_at_the_largest_that_is_wanted():
    tokenizer = open_model("demo:bpe")
    cells = cells_of(plan("scaling", "worst", "throughput", largest_bytes=1_000), tokenizer)
    assert {cell.size_bytes for cell in cells if cell.scenario == "scaling"} == {128, 512}
    assert {cell.size_bytes for cell in cells if cell.scenario == "worst"} == {1_000}
    assert any(cell.scenario == "throughput" for cell in cells)


def test_every_scenario_has_cells_of_the_sizes_that_it_names():
    tokenizer = open_model("demo:bpe")
    cells = cells_of(plan(*SCENARIOS), tokenizer)
    assert {cell.scenario for cell in cells} == set(SCENARIOS)
    scaling = [cell.size_bytes for cell in cells if cell.scenario == "scaling"]
    assert (scaling[0], scaling[-1]) == (128, 1 << 22)
    for cell in cells:
        if cell.scenario == "interval":
            counts = [
                len(tokenizer.encode(cell.texts[0][slice(*part)], add_special=False)) for part in cell.parts
            ]
            assert sorted(counts)[len(counts) // 2] == pytest.approx(cell.unit_tokens, rel=0.1)


def test_a_plan_is_kept_so_that_it_can_be_repeated_from_any_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_text("some words")
    (tmp_path / "tutorial").mkdir()
    monkeypatch.chdir(tmp_path)
    record = report_of(plan(corpora=("mine.txt", "tutorial", "sample:welcome")), FakeStarter(in_proportion))
    assert record["plan"]["model"] == "demo:bpe"
    assert record["plan"]["corpora"] == (str(tmp_path / "mine.txt"), "tutorial", "sample:welcome")


def test_a_run_knows_its_texts_and_what_may_have_disturbed_it():
    record = report_of(plan(), FakeStarter(in_proportion))
    (text,) = record["corpora"]
    assert text["name"] == "sample:welcome"
    assert text["sha256"] == hashlib.sha256(sample_text("welcome")).hexdigest()
    assert record["environment"]["load_highest"] >= 0
    assert "stolen_share" in record["environment"]


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
