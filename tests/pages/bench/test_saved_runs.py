"""Runs that are kept: opened again, compared, and told of where the disk refuses them."""

from __future__ import annotations

import errno
import io
import os
import threading
from functools import partial
from pathlib import Path

import pytest
from fake_engine import EVENTS, fake_engine, opened, run_to_its_end, whole_run

from guiapp.analysis.bench.history import load_run, rename_run
from guiapp.pages.bench import history as saved_runs
from guiapp.pages.bench.choice import ENGLISH
from guiapp.pages.bench.history import RunHistory


def test_a_killed_run_is_saved_with_the_samples_of_its_last_cell(qtbot, make_model, tmp_path):
    started = {**whole_run(1)[0], "event": "started"}
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    model = make_model(fake_engine([started, *EVENTS[1:]], kill), RunHistory(tmp_path / "runs"))
    with qtbot.waitSignal(model.failed) as failed:
        run_to_its_end(qtbot, model)
    assert "ended early" in failed.args[0]
    (saved,) = model.saved.runs
    opened(qtbot, model, saved.path)
    assert [row.samples_s for row in model.results] == [(0.001, 0.003)]
    assert not model.measured.is_complete


def test_what_finished_cells_measured_is_on_the_disk_while_a_run_goes_on(qtbot, make_model, tmp_path):
    history, events = RunHistory(tmp_path / "runs"), [*whole_run(1)[:2], EVENTS[1]]
    model = make_model(fake_engine(events, "sys.stdin.read()"), history)
    model.run()
    qtbot.waitUntil(lambda: history.newest() is not None)
    assert model.is_running
    assert history.newest().run.finished == model.results


def test_no_run_is_opened_while_another_goes_on(qtbot, make_model, tmp_path):
    model = make_model(fake_engine(EVENTS, "sys.stdin.read()"))
    model.run()
    with qtbot.waitSignal(model.failed) as failed:
        model.open_run(tmp_path / "other.json")
    assert "Stop the current run" in failed.args[0]


def test_a_full_disk_is_reported_and_leaves_the_results(qtbot, make_model, tmp_path, monkeypatch):
    def refuse(*paths: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("guiapp.analysis.bench.history.os.replace", refuse)
    model = make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs"))
    model.choice.set_texts([ENGLISH])
    with qtbot.waitSignal(model.failed) as failed:
        run_to_its_end(qtbot, model)
    assert "No space left on device" in failed.args[0]
    assert len(model.results) == 1
    assert list((tmp_path / "runs").glob("*.json*")) == []


def test_the_last_run_is_there_again_after_a_restart(qtbot, make_model, tmp_path):
    history = RunHistory(tmp_path / "runs")
    for ms in (1, 2):
        run_to_its_end(qtbot, make_model(fake_engine(whole_run(ms)), history))
    (tmp_path / "runs" / "9999 somebody else's.json").write_text("{}")
    model = make_model(history=history)
    qtbot.waitUntil(lambda: bool(model.results))
    assert model.results[0].samples_s[0] == 2e-3
    assert model.progress == "2026-01-01 00:00, model"
    assert load_run(model.saved.shown).results == model.results


def test_a_run_is_compared_with_any_saved_run(qtbot, make_model, tmp_path):
    history = RunHistory(tmp_path / "runs")
    for ms in (1, 2, 3):
        run_to_its_end(qtbot, make_model(fake_engine(whole_run(ms)), history))
    model = make_model(history=history)
    qtbot.waitUntil(lambda: len(model.saved.runs) == 3)
    newest, _, oldest = model.saved.runs
    opened(qtbot, model, newest.path)
    shown = []
    model.results_changed.connect(lambda: shown.append(model.comparison))
    with qtbot.waitSignal(model.compared):
        model.compare_with(oldest.path)
    assert shown == [model.comparison]
    assert [change.verdict for change in model.comparison.changes] == ["slower"]
    assert model.comparison.changes[0].ratio.ratio == pytest.approx(3)
    copy = tmp_path / "copy.json"
    copy.write_bytes(newest.path.read_bytes())
    with qtbot.waitSignal(model.compared):
        model.compare_with(copy)
    assert model.comparison.changes == ()
    assert "none clearly different" in model.progress


def test_no_run_is_compared_with_itself(qtbot, make_model, tmp_path):
    history = RunHistory(tmp_path / "runs")
    run_to_its_end(qtbot, make_model(fake_engine(whole_run(1)), history))
    model = make_model(fake_engine(whole_run(2)), history)
    run_to_its_end(qtbot, model)
    newest, oldest = model.saved.runs
    assert model.saved.shown == newest.path
    opened(qtbot, model, oldest.path)
    assert model.saved.shown == oldest.path
    with qtbot.waitSignal(model.failed) as failed:
        model.compare_with(oldest.path)
    assert "is already shown" in failed.args[0]
    model.run()
    assert model.saved.shown is None, "of a run that goes on nothing is kept yet"
    qtbot.waitUntil(lambda: not model.is_running)


def test_the_main_thread_never_opens_saved_runs(qtbot, make_model, tmp_path, monkeypatch):
    def open_elsewhere(really_open, path, *arguments, **more):
        if isinstance(path, int) or Path(path).is_relative_to(tmp_path):
            assert threading.current_thread() is not threading.main_thread()
            opened_files.append(str(path))
        return really_open(path, *arguments, **more)

    opened_files: list[str] = []
    run_to_its_end(qtbot, make_model(fake_engine(whole_run(1)), RunHistory(tmp_path / "runs")))
    for owner in (io, os):
        monkeypatch.setattr(owner, "open", partial(open_elsewhere, owner.open))
    model = make_model(fake_engine(whole_run(2)), RunHistory(tmp_path / "runs"))
    model.run()
    qtbot.waitUntil(lambda: len(model.saved.runs) == 2 and not model.is_running)
    newest, oldest = model.saved.runs
    opened(qtbot, model, oldest.path)
    with qtbot.waitSignal(model.compared):
        model.compare_with(newest.path)
    with qtbot.waitSignal(model.saved.changed):
        model.saved.rename(newest, "after")
    assert model.saved.runs[0].title == "after · 2026-01-01 00:00, model"
    assert len(opened_files) > 8


def test_a_run_and_what_another_is_called_are_on_the_disk_once_all_is_closed(
    qtbot, make_model, tmp_path, monkeypatch
):
    def late(act):
        return lambda *given: (threading.Event().wait(0.05), act(*given))[1]  # on a disk that is slow

    history, title = RunHistory(tmp_path / "runs"), "2026-01-01 00:00, model"
    one, other = make_model(fake_engine(whole_run(1)), history), make_model(fake_engine(whole_run(2)))
    for model in (one, other):
        run_to_its_end(qtbot, model)
    monkeypatch.setattr(saved_runs, "rename_run", late(rename_run))
    monkeypatch.setattr(RunHistory, "finish", late(RunHistory.finish))
    saved = saved_runs.SavedRuns(history)
    for act, titles in (
        (lambda: saved.rename(*history.runs(), "after"), {f"after · {title}"}),
        (lambda: saved.finish(other.measured), {title, f"after · {title}"}),
    ):
        act()
        saved.close()
        assert {run.title for run in history.runs()} == titles
