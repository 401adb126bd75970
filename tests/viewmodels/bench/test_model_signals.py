"""What the Bench page is told, in which order, by a runner that only notes what it is asked."""

from pathlib import Path

import pytest
from fake_engine import CELL, EVENTS, whole_run
from PySide6.QtCore import QObject, Signal
from told import told_by

from guiapp.viewmodels.bench.choice import ENGLISH, THROUGHPUT
from guiapp.viewmodels.bench.history import YOUR_TEXT, Comparison, Kept, OpenedRun, RunHistory, SavedRun
from guiapp.viewmodels.bench.model import BenchModel

BEGUN = ["progress_changed", "running_changed", "results_changed"]


class Runner(QObject):
    told = Signal(dict)
    ended = Signal(str)
    is_running = False

    def __init__(self):
        super().__init__()
        self.log = []

    def start(self, plan):
        self.is_running = True
        self.log.append(plan)

    def end(self, why=""):
        self.is_running = False
        self.ended.emit(why)

    def __getattr__(self, name):
        if name not in ("pause", "resume", "hold", "stop", "close"):
            raise AttributeError(name)
        return lambda: self.log.append(name)


@pytest.fixture
def runner(qapp):
    return Runner()


@pytest.fixture
def model(session, runner):
    made = BenchModel(session, runner, None, clock_s=lambda: 100.0)
    made.choice.set_texts([ENGLISH])
    yield made
    made.close()


@pytest.fixture
def told(model):
    return told_by(model)


def test_it_begins_with_no_run(model):
    assert (model.is_running, model.is_paused, model.isolated, model.progress) == (False, False, "", "")
    assert (model.results, model.left_out, model.growth, model.remarks) == ([], [], [], [])
    assert (model.comparison, model.can_report, model.noise, model.can_run) == (None, False, "", True)


def test_a_run_from_beginning_to_end(model, runner, told):
    model.show_run({"results": []}, path=Path("/shown"))
    told.clear()
    model.run()
    assert (told, model.progress, model.kept.shown) == (BEGUN, "Starting …", None)
    (plan,) = runner.log
    assert (plan.model, plan.pre, plan.corpora) == ("demo:bpe", None, (ENGLISH,))
    assert (plan.contenders, plan.scenarios) == (model.choice.contenders, (THROUGHPUT,))
    assert (model.is_running, model.can_run) == (True, False)
    model.run()
    assert len(runner.log) == 1
    for event, progress, signals in (
        (EVENTS[0], "", ["progress_changed"]),
        ({"event": "loading", "contender": "fast", "number": 1, "of": 2}, "", ["results_changed"]),
        (EVENTS[2] | {"event": "left out", "reason": "x", "scenario": None}, "", ["results_changed"]),
        (EVENTS[1], "", ["progress_changed"]),
        (EVENTS[1] | {"of": 2}, "Throughput, 1 of 2", ["progress_changed"]),
        (EVENTS[2], "Throughput, 1 of 2", []),
        (EVENTS[3], "Throughput, 1 of 2", ["results_changed"]),
        ({"event": "finished", "complete": True, "environment": {}}, "Done", ["progress_changed"]),
    ):
        told.clear()
        runner.told.emit(event)
        assert (told, model.progress.removesuffix(", 1 s left")) == (signals, progress)
    assert (model.can_report, len(model.results)) == (False, 1)
    told.clear()
    runner.end()
    assert told == ["running_changed", "results_changed"]
    assert (model.is_running, model.can_report, model.progress) == (False, True, "Done")


def test_an_early_end_is_told_and_so_is_a_stop(model, runner, told):
    model.run()
    runner.told.emit({"event": "finished", "complete": False, "environment": {}})
    assert model.progress == "Stopped"
    told.clear()
    runner.end("It is gone.")
    assert told == ["progress_changed", "failed", "running_changed", "results_changed"]
    assert model.progress == "Ended early"
    told.clear()
    runner.told.emit({"event": "failed", "message": "No."})
    assert (told, model.progress) == (["progress_changed", "failed"], "Nothing was measured")


def test_what_somebody_asks_of_a_run_reaches_it(model, runner, told):
    model.hold()
    assert runner.log == []
    model.run()
    told.clear()
    for act in (model.hold, model.toggle_pause, model.toggle_pause, model.stop):
        act()
    assert runner.log[1:] == ["hold", "pause", "resume", "stop"]
    assert (told, model.is_paused) == (["running_changed"] * 2, False)
    model.toggle_pause()
    assert model.is_paused
    runner.end()
    assert not model.is_paused
    model.toggle_pause()
    model.run()
    assert not model.is_paused


def test_a_start_that_waits_for_the_disk_can_be_stopped(session, runner, tmp_path, qtbot):
    model = BenchModel(session, runner, RunHistory(tmp_path))
    model.choice.set_texts([YOUR_TEXT])
    model.run()
    assert model.is_running
    told = told_by(model)
    model.toggle_pause()
    assert told == []
    model.stop()
    assert (told, model.progress, model.is_running) == (
        ["progress_changed", "running_changed"],
        "Stopped",
        False,
    )
    assert runner.log == []
    model.close()
    assert runner.log == ["close"]


def test_without_a_folder_a_typed_text_is_not_measured(model, runner, told, qtbot):
    model.choice.set_texts([YOUR_TEXT])
    told.clear()
    with qtbot.waitSignal(model.failed) as failed:
        model.run()
    assert failed.args == ["There is no folder for your text. Choose another one."]
    assert told == [*BEGUN, "progress_changed", "failed", "running_changed"]
    assert (model.progress, model.is_running, runner.log) == ("Nothing was measured", False, [])


def test_a_saved_run_is_shown_and_one_contender_pointed_at(model, told):
    record = {"results": [dict(whole_run(1)[1])]}
    model.isolate("fast")
    assert (told, model.isolated) == (["isolated_changed"], "fast")
    model.isolate("fast")
    assert model.isolated == ""
    model.isolate("heap")
    told.clear()
    model.show_run(record, path=Path("/a/run"))
    assert told == ["isolated_changed", "progress_changed", "results_changed"]
    assert (model.isolated, model.progress, model.kept.shown) == ("", "A saved run", Path("/a/run"))
    assert (len(model.results), model.can_report) == (1, True)


def test_nothing_is_opened_or_compared_into_a_run_that_goes_on(model, runner, told):
    opened = OpenedRun(SavedRun(Path("/a/run.json"), "A title"), {"results": []})
    comparison = Comparison("before", (), 0, ())
    model._show_opened(opened)
    assert (model.progress, model.kept.shown) == ("A saved run: A title", Path("/a/run.json"))
    told.clear()
    model._take_comparison(comparison)
    assert told == ["progress_changed", "results_changed", "compared"]
    assert (model.comparison, model.progress) == (comparison, str(comparison))
    told.clear()
    model.compare_with(Path("/a/run.json"))
    assert told == ["failed"]
    model.run()
    told.clear()
    model._show_opened(opened)
    model._take_comparison(comparison)
    assert (told, model.comparison) == ([], None)
    model.open_run(Path("/a/run.json"))
    assert told == ["failed"]


def test_the_last_run_takes_no_place_of_one_that_began_meanwhile_or_was_opened(model, runner):
    found = OpenedRun(SavedRun(Path("/a/run.json"), "A title"), {"results": [dict(whole_run(1)[1])]})
    model.run()
    model.kept.found.emit(found)
    assert (model.progress, model.kept.shown) == ("Starting …", None)
    runner.end()
    model.kept.found.emit(found)
    assert (model.progress, model.kept.shown) == ("A title", Path("/a/run.json"))
    model.kept.found.emit(OpenedRun(SavedRun(Path("/b"), "Another"), {"results": []}))
    assert model.progress == "A title"


def test_what_became_of_a_run_is_told_only_where_it_is_still_shown(model, runner, told):
    comparison = Comparison("before", (), 0, ())
    record = {"results": [dict(whole_run(1)[1])]}
    model.show_run(record)
    told.clear()
    model._take_kept(Kept({"results": []}, comparison, Path("/other")))
    assert (told, model.comparison, model.kept.shown) == ([], None, None)
    model._take_kept(Kept({"results": model.results}, comparison, Path("/this")))
    assert (told, model.comparison, model.kept.shown) == (["results_changed"], comparison, Path("/this"))
    told.clear()
    problems = []
    model.failed.connect(problems.append)
    model._ended_because = "It died."
    model._take_kept(Kept({"results": []}, None, None, "It is full."))
    assert (told, problems) == (["failed"], ["It died. It is full."])


def test_a_place_that_differs_is_looked_for_only_where_there_is_one(model, monkeypatch):
    asked = []
    monkeypatch.setattr(model._differences, "open", lambda *given: asked.append(given))
    model.show_run({"results": [{**CELL, "contender": "greedy", "n": 1, "first_difference": {}}], "plan": {}})
    model.open_difference("fast")
    assert asked == []


def test_noise_is_told_while_a_run_goes_on(model, runner, monkeypatch):
    model.run()
    for event in (EVENTS[0], EVENTS[1] | {"load": 2.0}):
        runner.told.emit(event)
    assert model.noise == "load 2"
    monkeypatch.setattr(type(model.kept), "problem", "not on the disk")
    assert model.noise == "load 2 · not on the disk"
    runner.end()
    assert model.noise == ""
