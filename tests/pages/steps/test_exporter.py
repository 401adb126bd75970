"""Whole runs are written by a process of its own."""

import sys
from pathlib import Path

import pytest
from full_disk import full_disk

import guiapp
from guiapp.analysis.export.exported_run import PARTIAL
from guiapp.analysis.export.runs import TraceRun
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.pages.steps.exporter import StepExporter

WAITS = "import sys, time; open(sys.argv[1], 'w'); time.sleep(60)"


def run_of(text):
    tokenizer = guiapp.open_model("demo:bpe")
    return TraceRun(debugger_for(tokenizer, record(tokenizer, text, "heap")))


@pytest.fixture
def run():
    return run_of("How do lions sleep?")


@pytest.fixture
def make_exporter():
    made = []

    def make(*command):
        made.append(StepExporter(command) if command else StepExporter())
        return made[-1]

    yield make
    for exporter in made:
        exporter.stop()


def test_a_cancelled_run_leaves_nothing_behind(make_exporter, run, qtbot, tmp_path):
    part = tmp_path / f"run.json{PARTIAL}"
    exporter = make_exporter(sys.executable, "-c", WAITS, str(part))
    exporter.save(run, tmp_path / "run.json")
    qtbot.waitUntil(part.exists)
    exporter.cancel()
    assert not exporter.is_busy
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_dies_is_told(make_exporter, run, qtbot, tmp_path):
    exporter = make_exporter(sys.executable, "-c", "import sys; sys.exit('no room')")
    exporter.save(run, tmp_path / "run.json")
    qtbot.waitUntil(lambda: not exporter.is_busy)
    assert "no room" in exporter.failure


def states(exporter):
    seen = []
    exporter.changed.connect(
        lambda: seen.append((exporter.is_busy, exporter.progress, exporter.saved, exporter.failure))
    )
    return seen


def test_a_whole_run_is_told_from_beginning_to_end(make_exporter, run, qtbot, tmp_path):
    exporter, path = make_exporter(), tmp_path / "run.json"
    assert (exporter.is_busy, exporter.progress, exporter.saved, exporter.failure) == (False, 0.0, None, "")
    seen = states(exporter)
    exporter.save(run, path)
    assert seen == [(True, 0.0, None, "")]
    qtbot.waitUntil(lambda: not exporter.is_busy)
    assert seen[-1][0] is False
    assert (exporter.saved, exporter.failure) == (path, "")
    assert seen[-1][2:] == (path, "")
    assert all(state[::2] == (True, None) for state in seen[:-1])
    assert "lions" in path.read_text()
    assert not exporter._process.is_running
    exporter.dismiss()
    assert seen[-1][2:] == (None, "")
    assert path.exists()


def test_some_steps_or_all_are_asked_for(make_exporter, run, tmp_path, monkeypatch):
    exporter = make_exporter(sys.executable, "-c", "import sys; sys.stdin.read()")
    for steps, span in ((None, (run.steps.start, run.steps.stop)), (range(3, 5), (3, 5))):
        exporter.save(run, tmp_path / "run.json", steps)
        request = exporter._request
        assert (request.first, request.end) == span
        assert request.output == str(tmp_path / "run.json")
        exporter.cancel()


def test_answers_of_the_process(make_exporter, run, tmp_path):
    exporter, path = (
        make_exporter(sys.executable, "-c", "import sys; sys.stdin.read()"),
        tmp_path / "run.json",
    )
    exporter.save(run, path)
    seen = states(exporter)
    exporter._take([b'{"progress": 0.25}', b'{"progress": 0.5}'])
    assert seen == [(True, 0.25, None, ""), (True, 0.5, None, "")]
    exporter._take([b'{"error": "no room"}'])
    assert seen[-1] == (False, 0.5, None, "no room")
    exporter.save(run, path)
    assert seen[-1] == (True, 0.0, None, "")
    exporter._note_end("it is gone")
    assert seen[-1] == (False, 0.0, None, "Saving ended unexpectedly: it is gone. Try again.")
    exporter.save(run, path)
    exporter._take([b'{"error": ""}'])
    assert seen[-1] == (False, 0.0, path, "")


def test_a_full_disk_is_told_and_leaves_what_was_there(make_exporter, qtbot, tmp_path):
    exporter, path, run = make_exporter(), tmp_path / "run.json", run_of("How do lions sleep?" * 30)
    path.write_text("old")
    with full_disk():
        exporter.save(run, path)
        qtbot.waitUntil(lambda: not exporter.is_busy)
    assert exporter.failure == f"{Path(exporter._folder.name) / 'run'} cannot be written: File too large."
    run_file = tmp_path / "saved"
    run.save(run_file)
    whole = tmp_path / "whole.json"
    run.write(whole)
    assert whole.stat().st_size > run_file.stat().st_size  # so that there is room for one of them
    with full_disk(run_file.stat().st_size):
        exporter.save(run, path)
        qtbot.waitUntil(lambda: not exporter.is_busy)
    assert exporter.failure == f"{path} cannot be written: File too large. Choose another place."
    assert exporter.saved is None
    assert path.read_text() == "old"
    assert set(tmp_path.iterdir()) == {path, run_file, whole}


def test_to_cancel_is_told_and_stops_the_process(make_exporter, run, qtbot, tmp_path):
    part = tmp_path / f"run.json{PARTIAL}"
    exporter = make_exporter(sys.executable, "-c", WAITS, str(part))
    exporter.save(run, tmp_path / "run.json")
    qtbot.waitUntil(part.exists)
    seen = states(exporter)
    exporter.cancel()
    assert (seen, exporter._process.is_running) == ([(False, 0.0, None, "")], False)
    exporter.save(run, tmp_path / "run.json")
    exporter.cancel()
    exporter._storing.finish(60)
    qtbot.wait(20)
    assert not exporter._process.is_running


def test_to_stop_removes_the_folder_and_the_unfinished_file(make_exporter, run, qtbot, tmp_path):
    part = tmp_path / f"run.json{PARTIAL}"
    exporter = make_exporter(sys.executable, "-c", WAITS, str(part))
    exporter.save(run, tmp_path / "run.json")
    qtbot.waitUntil(part.exists)
    folder = Path(exporter._folder.name)
    exporter.stop()
    assert (folder.exists(), part.exists(), exporter._process.is_running) == (False, False, False)
