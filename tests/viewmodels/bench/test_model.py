"""The Bench page's model: the plan, and what it makes of the engine's events."""

from __future__ import annotations

import errno
import io
import json
import sys
import threading
from collections.abc import Iterable
from pathlib import Path

import pytest

from guiapp.core.bench.corpus import Corpus, corpus_named
from guiapp.core.bench.history import load_run
from guiapp.core.bench.measurement import key_of
from guiapp.core.bench.plan import Plan
from guiapp.viewmodels.bench.history import Kept, RunHistory, SavedRun
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.presets import PRESETS, YOUR_TEXT
from guiapp.viewmodels.bench.runner import BenchRunner
from guiapp.viewmodels.workspace import Workspace

PATIENCE_MS = 60_000
CELL = {
    "scenario": "throughput",
    "operation": "encode",
    "corpus": "tutorial",
    "size_bytes": 1000,
    "threads": 1,
}
EQUAL = {"exact": True, "agreement": 1.0, "first_difference": None}
EVENTS = [
    {"event": "started", "environment": {}, "vocabulary": {}, "corpora": [], "plan": {}, "n_cells": 1},
    {"event": "cell", "number": 1, "of": 1, "seconds_left": 5.0, **CELL},
    {"event": "compared", "contender": "fast", "operation": "encode", "n_tokens": 500, **EQUAL},
    {"event": "sample", "contender": "fast", "operation": "encode", "seconds": 0.001, "n": 1},
    {"event": "sample", "contender": "fast", "operation": "encode", "seconds": 0.003, "n": 2},
]
REPEAT = """
import json, sys
plan = json.loads(sys.stdin.readline())
for event in json.loads({events!r}):
    print(json.dumps(event), flush=True)
{ending}
"""


def fake_engine(events: list[dict], ending: str = "") -> BenchRunner:
    """A process that tells these events and then does what `ending` says."""
    return BenchRunner((sys.executable, "-c", REPEAT.format(events=json.dumps(events), ending=ending)))


@pytest.fixture
def workspace(qtbot):
    workspace = Workspace(b"some text")
    with qtbot.waitSignal(workspace.vocabulary_changed, timeout=PATIENCE_MS):
        workspace.loader.open("demo:bpe")
    yield workspace
    workspace.close()


@pytest.fixture
def make_model(workspace):
    models: list[BenchModel] = []

    def make(runner: BenchRunner | None = None, history: RunHistory | None = None) -> BenchModel:
        models.append(BenchModel(workspace, runner, history))
        return models[-1]

    yield make
    for model in models:
        model.close()


def run_to_its_end(qtbot, model: BenchModel) -> None:
    """Until it is kept, and in the list, if there is anything to keep."""
    kept: list[Kept] = []
    model.kept.kept.connect(kept.append)
    model.run()
    qtbot.waitUntil(lambda: not model.is_running, timeout=PATIENCE_MS)
    if model._history is not None and model.results:
        qtbot.waitUntil(lambda: bool(kept), timeout=PATIENCE_MS)
    if kept and not kept[0].problem:
        qtbot.waitUntil(lambda: model.record["results"] in map(results_of, model.kept.runs))


def results_of(run: SavedRun) -> list[dict]:
    return load_run(run.path)["results"]


def cut_off_runs(qtbot, history: RunHistory) -> list[SavedRun]:
    """As soon as there are some."""
    runs: list[SavedRun] = []
    qtbot.waitUntil(lambda: bool(runs.extend(history.take_cut_off_runs()) or runs))
    return runs


def opened(qtbot, model: BenchModel, path) -> None:
    with qtbot.waitSignal(model.results_changed):
        model.open_run(path)


def test_samples_show_before_the_result_does(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.stdin.readline()"))
    model.run()
    qtbot.waitUntil(lambda: any(row["n"] == 2 for row in model.results), timeout=PATIENCE_MS)
    (row,) = model.results
    assert key_of(row) == ("throughput", "encode", "fast", "tutorial", 1000, 1)
    assert (row["median_s"], row["ci_s"]) == (0.002, [0.001, 0.003])
    assert row["mb_per_s"] == pytest.approx(0.5)
    assert row["tokens_per_s"] == pytest.approx(250_000)


def test_a_process_that_dies_loses_nothing_and_says_so(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.exit('out of luck')"))
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        run_to_its_end(qtbot, model)
    assert "out of luck" in failed.args[0]
    assert [row["n"] for row in model.results] == [2]


def test_a_plan_at_fault_is_told_as_it_stands(qtbot, make_model):
    model = make_model(fake_engine([{"event": "failed", "message": "No such text."}]))
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        run_to_its_end(qtbot, model)
    assert failed.args == ["No such text."]
    assert model.progress == "Nothing was measured"


def test_a_program_that_is_not_there_is_told(qtbot, make_model):
    model = make_model(BenchRunner(("no-such-program",)))
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        model.run()
    assert "could not be started" in failed.args[0]
    assert not model.is_running


def test_the_plan_follows_what_is_ticked(qtbot, make_model):
    model = make_model()
    everybody = model.contenders
    assert {"fast", "heap"} <= set(everybody)
    model.set_takes_part("heap", False)
    assert set(everybody) - set(model.contenders) == {"heap"}
    model.choose_preset(preset_named("My text"))
    assert model.has_text(YOUR_TEXT)
    for text in model.preset.texts:
        model.set_text(text, False)
    assert not model.can_run


def whole_run(ms: float) -> list[dict]:
    """The events of a run in which `fast` took so many milliseconds."""
    started = {
        **EVENTS[0],
        "environment": {"started": f"2026-01-01T00:00:0{ms:.0f}+0000"},
        "vocabulary": {"path": "model.gguf", "sha256": "abc"},
    }
    samples = [ms / 1e3 * (1 + share / 100) for share in range(10)]
    result = {**CELL, **EQUAL, "contender": "fast", "n": 10, "median_s": samples[5], "samples_s": samples}
    return [
        started,
        {"event": "result", **result},
        {"event": "finished", "complete": True, "environment": {}},
    ]


def test_runs_are_kept_and_compared_with_the_last(qtbot, make_model, tmp_path):
    history = RunHistory(tmp_path / "runs")
    run_to_its_end(qtbot, make_model(fake_engine(whole_run(1)), history))
    model = make_model(fake_engine(whole_run(2)), history)
    run_to_its_end(qtbot, model)
    assert [change.verdict for change in model.comparison.changes] == ["slower"]
    assert [run.title for run in model.kept.runs] == ["2026-01-01 00:00, model"] * 2
    opened(qtbot, model, model.kept.runs[-1].path)
    assert model.results[0]["samples_s"][0] == 1e-3


def test_a_run_whose_process_was_killed_is_kept_with_the_samples_of_its_last_cell(
    qtbot, make_model, tmp_path
):
    started = {**whole_run(1)[0], "event": "started"}
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    model = make_model(fake_engine([started, *EVENTS[1:]], kill), RunHistory(tmp_path / "runs"))
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        run_to_its_end(qtbot, model)
    assert "ended early" in failed.args[0]
    (kept,) = model.kept.runs
    opened(qtbot, model, kept.path)
    assert [row["samples_s"] for row in model.results] == [[0.001, 0.003]]
    assert not model.record["complete"]


def test_no_run_is_opened_while_another_goes_on(qtbot, make_model, tmp_path):
    model = make_model(fake_engine(EVENTS, "sys.stdin.read()"))
    model.run()
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        model.open_run(tmp_path / "other.json")
    assert "Stop the run" in failed.args[0]


def test_the_noise_of_the_cell_that_goes_on_is_told(qtbot, make_model):
    noisy = [EVENTS[0], {**EVENTS[1], "load": 1.25, "mhz": 2500.0}, *EVENTS[2:]]
    model = make_model(fake_engine(noisy, "sys.stdin.read()"))
    model.run()
    qtbot.waitUntil(lambda: any(row["n"] == 2 for row in model.results), timeout=PATIENCE_MS)
    assert model.noise == "spread ± 50% · load 1.25 · 2500 MHz"


def test_a_run_that_cannot_be_kept_is_put_elsewhere_and_that_is_told(
    qtbot, make_model, tmp_path, monkeypatch
):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "elsewhere"))
    (tmp_path / "runs").touch()
    model = make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs"))
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        run_to_its_end(qtbot, model)
    (kept,) = (tmp_path / "elsewhere").glob("*.json")
    assert f"File exists. The run is in {kept} instead." in failed.args[0]
    assert load_run(kept)["results"] == model.results


def test_your_text_stays_where_a_run_can_be_repeated_with_it(qtbot, make_model, workspace, tmp_path):
    runner = fake_engine([], "sys.stdin.read()")
    plans: list[Plan] = []
    runner.start = plans.append
    model = make_model(runner, RunHistory(tmp_path / "runs"))
    model.choose_preset(preset_named("My text"))
    model.run()
    assert model.is_running
    qtbot.waitUntil(lambda: bool(plans), timeout=PATIENCE_MS)
    model.close()
    (text,) = plans[0].corpora
    assert corpus_named(text, workspace.vocabulary) == Corpus(YOUR_TEXT, b"some text")
    assert model.kept.runs == []


def test_a_text_that_a_full_disk_does_not_take_is_told_and_nothing_runs(qtbot, make_model, tmp_path):
    (tmp_path / "runs").touch()
    model = make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs"))
    model.choose_preset(preset_named("My text"))
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        model.run()
    assert "Your text cannot be put into" in failed.args[0]
    assert not model.is_running


def test_how_far_ids_deviate_is_told_of_a_whole_text_not_of_a_short_one(make_model):
    model = make_model()
    deviating = {**CELL, "contender": "greedy", "n": 1, "first_difference": {"byte_offset": 0}}
    rows = [{**deviating, "scenario": "scaling", "size_bytes": size} for size in (128, 9_000, 512)]
    model.show_run({"results": rows})
    assert model.deviations["greedy"]["size_bytes"] == 9_000
    model.show_run({"results": [*rows, deviating]})
    assert model.deviations["greedy"]["scenario"] == "throughput"


def test_a_run_is_compared_with_the_last_one_that_measured_some_of_the_same(qtbot, make_model, tmp_path):
    history = RunHistory(tmp_path / "runs")
    run_to_its_end(qtbot, make_model(fake_engine(whole_run(1)), history))
    other = whole_run(2)
    other[1]["scenario"] = "decode"
    run_to_its_end(qtbot, make_model(fake_engine(other), history))
    model = make_model(fake_engine(whole_run(3)), history)
    run_to_its_end(qtbot, model)
    assert model.comparison.title == "2026-01-01 00:00, model"
    assert [change.ratio.ratio for change in model.comparison.changes] == [pytest.approx(3)]


def test_a_full_disk_is_told_and_leaves_the_results_on_the_page(qtbot, make_model, tmp_path, monkeypatch):
    def refuse(*paths: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("guiapp.core.bench.history.os.replace", refuse)
    model = make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs"))
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        run_to_its_end(qtbot, model)
    assert "No space left on device" in failed.args[0]
    assert len(model.results) == 1
    assert list((tmp_path / "runs").glob("*.json*")) == []
    monkeypatch.undo()  # there is room again at the next start
    (kept,) = cut_off_runs(qtbot, RunHistory(tmp_path / "runs"))
    assert load_run(kept.path)["results"] == model.results


def test_closing_ends_the_process(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.stdin.read()"))
    model.run()
    qtbot.waitUntil(lambda: bool(model.results), timeout=PATIENCE_MS)
    model.close()
    assert not model.is_running


def test_a_real_run_gives_the_records_of_the_command_line(qtbot, make_model):
    from guiapp.core.bench.control import Control
    from guiapp.core.bench.engine import run

    model = make_model()
    for name in model.contenders:
        model.set_takes_part(name, name == "fast")
    plan = Plan(
        "demo:bpe", tuple(model.preset.texts), ("fast",), scenarios=("throughput",), time_budget_s=0.1
    )
    runner = BenchRunner()
    told: list[dict] = []
    runner.told.connect(told.append)
    with qtbot.waitSignal(runner.ended, timeout=PATIENCE_MS):
        runner.start(plan)

    def untimed(events: Iterable[dict]) -> dict:
        """What two runs of one plan have in common: everything but times."""
        facts = ("exact", "agreement", "first_difference", "n_tokens")
        results = [event for event in events if event["event"] == "result"]
        return {key_of(row): (sorted(row), [row[name] for name in facts]) for row in results}

    here = untimed(run(plan, Control()))
    assert untimed(told) == here
    assert len(here) == 3


def test_a_saved_run_shows_without_its_model(qtbot):
    workspace = Workspace(b"")
    model = BenchModel(workspace)
    model.show_run({"results": [{**CELL, "contender": "fast", "n": 1, "samples_s": [1.0]}]})
    assert [row["contender"] for row in model.results] == ["fast"]
    model.close()
    workspace.close()


def test_the_first_difference_is_shown_in_its_text_and_undo_brings_the_old_one_back(
    qtbot, make_model, workspace
):
    model = make_model()
    result = {
        **CELL,
        "contender": "greedy",
        "size_bytes": len(corpus_named("tutorial", workspace.vocabulary).text),
        "n": 1,
        "exact": False,
        "agreement": 0.9,
        "first_difference": {"byte_offset": 9, "expected_id": None},
    }
    model.show_run({"plan": Plan("demo:bpe", ("tutorial",)).record(), "results": [result]})
    with qtbot.waitSignal(workspace.pointed_out, timeout=PATIENCE_MS) as pointed_out:
        model.open_difference("greedy")
    assert pointed_out.args == [9, 12]  # the whole character
    assert workspace.document.text().startswith("汉武帝".encode())
    workspace.document.undo()
    assert workspace.document.text() == b"some text"


def test_a_model_with_a_chosen_pre_tokenizer_is_measured_with_it(qtbot, workspace, make_model, monkeypatch):
    plans: list[Plan] = []
    monkeypatch.setattr(BenchRunner, "start", lambda self, plan: plans.append(plan))
    model = make_model()
    with qtbot.waitSignal(workspace.vocabulary_changed, timeout=PATIENCE_MS):
        workspace.loader.open("demo:bpe", "qwen2")
    model.run()
    assert (plans[0].model, plans[0].pre) == ("demo:bpe", "qwen2")
    assert "not as “qwen2”" in next(peer.reason for peer in model.peers if peer.name == "llama.cpp")
    deviating = {**CELL, "contender": "greedy", "n": 1, "first_difference": {"byte_offset": 0}}
    model.show_run({"plan": {"model": "demo:bpe"}, "results": [deviating]})
    with qtbot.waitSignal(model.failed) as failed:
        model.open_difference("greedy")
    assert "as the file asks" in failed.args[0]


def test_a_difference_of_another_model_asks_for_that_model(qtbot, make_model):
    model = make_model()
    result = {**CELL, "contender": "greedy", "n": 1, "first_difference": {"byte_offset": 0}}
    model.show_run({"plan": Plan("other.gguf").record(), "results": [result]})
    with qtbot.waitSignal(model.failed, timeout=PATIENCE_MS) as failed:
        model.open_difference("greedy")
    assert "Open that model" in failed.args[0]


def preset_named(title: str):
    return next(preset for preset in PRESETS if preset.title == title)


def test_scenarios_limits_and_files_are_part_of_the_plan(make_model, tmp_path):
    model = make_model()
    file = tmp_path / "mine.txt"
    file.write_text("some words")
    model.add_text(file)
    assert model.has_text(str(file))
    assert model.texts[-1] == str(file)
    model.set_scenario("decode", True)
    model.set_scenario("scaling", False)
    assert model.preset.scenarios == ("throughput", "decode")
    before = model.estimate
    model.adjust(time_budget_s=600.0, threads=(1, 4), largest_bytes=1_000)
    assert model.estimate.high_s > before.high_s  # by little: 40 rounds of short texts are soon over
    few = model.estimate
    for name in model.contenders[1:]:
        model.set_takes_part(name, False)
    assert model.estimate.high_s < few.high_s / 3
    model.set_scenario("decode", False)
    model.set_scenario("throughput", False)
    assert not model.can_run


def test_the_estimate_goes_by_kept_runs_of_the_same_model(qtbot, make_model, workspace, tmp_path):
    history = RunHistory(tmp_path / "runs")
    started, result, finished = whole_run(2)
    started["vocabulary"] = {"path": str(workspace.vocabulary.path), "sha256": "abc"}
    loaded = {"event": "loaded", "contender": "fast", "version": "", "loading_s": 100.0}
    model = make_model(fake_engine([started, loaded, result, finished]), history)
    before = model.estimate
    with qtbot.waitSignal(model.forecast.changed, timeout=PATIENCE_MS):
        model.run()
    qtbot.waitUntil(lambda: model.estimate.low_s > before.low_s + 60, timeout=PATIENCE_MS)


def test_the_papers_tables_have_contenders_that_do_not_split(qtbot, make_model):
    model = make_model()
    assert not any("unsplit" in name for name in model.contenders)
    model.choose_preset(preset_named("The papers' tables"))
    assert {"backtrack (unsplit)", "heap (unsplit)"} <= set(model.contenders)
    model.set_takes_part("heap", False)
    assert "heap (unsplit)" not in model.contenders


def test_a_run_is_compared_with_any_that_was_kept(qtbot, make_model, tmp_path):
    history = RunHistory(tmp_path / "runs")
    for ms in (1, 2, 3):
        run_to_its_end(qtbot, make_model(fake_engine(whole_run(ms)), history))
    model = make_model(history=history)
    qtbot.waitUntil(lambda: len(model.kept.runs) == 3)
    newest, _, oldest = model.kept.runs
    opened(qtbot, model, newest.path)
    with qtbot.waitSignal(model.compared):
        model.compare_with(oldest.path)
    assert [change.verdict for change in model.comparison.changes] == ["slower"]
    assert model.comparison.changes[0].ratio.ratio == pytest.approx(3)
    with qtbot.waitSignal(model.compared):
        model.compare_with(newest.path)
    assert model.comparison.changes == ()
    assert "0 surely differ" in model.progress


def test_what_is_left_follows_the_pace_and_not_the_pauses(qtbot, workspace):
    now_s = [0.0]
    model = BenchModel(workspace, fake_engine([], "sys.stdin.read()"), clock_s=lambda: now_s[0])
    model.run()

    def begin_cell(number: int, at_s: float) -> None:
        now_s[0] = at_s
        model._runner.told.emit({**EVENTS[1], "number": number, "of": 11})

    begin_cell(1, 0.0)
    assert model.progress == "throughput 1 of 11"
    begin_cell(2, 10.0)
    assert model.progress == "throughput 2 of 11 · 1 to 2 min left"
    model.toggle_pause()
    now_s[0] = 1_000.0
    model.toggle_pause()
    begin_cell(3, 1_010.0)
    assert model.progress == "throughput 3 of 11 · about 90 s left"
    model.close()


def test_a_run_that_ends_while_it_is_paused_is_no_longer_paused(qtbot, make_model):
    model = make_model(fake_engine(EVENTS, "sys.stdin.readline(); sys.stdin.readline()"))
    model.run()
    qtbot.waitUntil(lambda: bool(model.results), timeout=PATIENCE_MS)
    model.toggle_pause()
    assert model.is_paused
    model.stop()
    qtbot.waitUntil(lambda: not model.is_running, timeout=PATIENCE_MS)
    assert not model.is_paused


def test_loading_a_contender_again_is_told_until_it_is_ready(qtbot, workspace):
    runner = fake_engine([])
    model = BenchModel(workspace, runner)
    runner.told.emit({"event": "loading", "contender": "fast", "number": 1, "of": 2})
    assert model.progress == "Loading fast, 1 of 2 …"
    runner.told.emit(EVENTS[1])
    runner.told.emit({"event": "loading", "contender": "heap", "number": 2, "of": 2})
    assert model.progress == "Loading heap, 2 of 2 …"
    runner.told.emit(EVENTS[2])
    assert model.progress == "throughput 1 of 1"
    model.close()


def test_a_noisy_machine_is_told(qtbot, make_model):
    model = make_model()
    result = {**CELL, "contender": "fast", "n": 5, "median_s": 1.0, "ci_s": [0.5, 1.5]}
    model.show_run({"environment": {"cores": 2, "load_before": [3.0, 0, 0]}, "results": [result]})
    busy, wide = model.warnings[:2]
    assert "load 3 on 2 cores" in busy
    assert "± 10 %" in wide


def test_the_window_never_waits_for_the_disk_of_kept_runs(qtbot, make_model, tmp_path, monkeypatch):
    def open_elsewhere(path, *arguments, **more):
        if isinstance(path, int) or Path(path).is_relative_to(tmp_path):
            assert threading.current_thread() is not threading.main_thread()
            opened_files.append(str(path))
        return really_open(path, *arguments, **more)

    opened_files: list[str] = []
    really_open = io.open
    run_to_its_end(qtbot, make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs")))
    monkeypatch.setattr("io.open", open_elsewhere)
    model = make_model(fake_engine(whole_run(2)), RunHistory(tmp_path / "runs"))
    model.run()
    qtbot.waitUntil(lambda: len(model.kept.runs) == 2 and not model.is_running)
    newest, oldest = model.kept.runs
    opened(qtbot, model, oldest.path)
    with qtbot.waitSignal(model.compared):
        model.compare_with(newest.path)
    with qtbot.waitSignal(model.kept.changed):
        model.kept.rename(newest, "after")
    assert model.kept.runs[0].title == "after · 2026-01-01 00:00, model"
    assert len(opened_files) > 8
