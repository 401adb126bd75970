"""Whole runs are written by a process of its own."""

from __future__ import annotations

import json
import sys
from functools import partial

import pytest
from full_disk import full_disk
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

import guiapp
from guiapp.analysis.export.exported_run import PARTIAL
from guiapp.analysis.export.runs import TraceRun
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.pages.steps import exporter as step_export
from guiapp.pages.steps.exporter import StepExporter

pytestmark = pytest.mark.slow


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
    exporter.dismiss()
    assert seen[-1][2:] == (None, "")
    assert path.exists()


def test_a_full_disk_is_told_and_leaves_what_was_there(make_exporter, qtbot, tmp_path):
    exporter, path, run = make_exporter(), tmp_path / "run.json", run_of("How do lions sleep?" * 30)
    path.write_text("old")
    with full_disk():
        exporter.save(run, path)
        qtbot.waitUntil(lambda: not exporter.is_busy)
    assert exporter.failure.endswith("cannot be written: File too large.")
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


LEFT = Qt.MouseButton.LeftButton


def test_steps_are_copied_and_runs_saved(make_steps_page, qtbot, tmp_path):
    page = make_steps_page()
    page.actions_["debug_copy"].trigger()
    assert json.loads(QApplication.clipboard().text())["index"] == page.model.position
    for ending, start in (
        (".html", b"<!doctype html>"),
        (".json", b"{"),
        (".svg", b"<svg"),
        ("", b"<!doctype html>"),
    ):
        path = tmp_path / f"run{ending}"
        page.export.save(path)
        qtbot.waitUntil(lambda: not page.export.exporter.is_busy)
        written = path if ending else tmp_path / "run.html"
        assert written.read_bytes().startswith(start)
    assert "Saved" in page.export.message.text()
    qtbot.mouseClick(page.export.button, LEFT)
    assert not page.export.isVisible()


def test_a_run_without_steps_is_copied_and_saved_too(make_steps_page, qtbot, tmp_path):
    page = make_steps_page("toy", b"")
    page.actions_["debug_copy"].trigger()
    assert json.loads(QApplication.clipboard().text())["steps"] == []
    for ending in (".html", ".json", ".svg"):
        assert page.shown_run().choices(ending) == {}
        page.export.save(tmp_path / f"run{ending}")
        qtbot.waitUntil(lambda: not page.export.exporter.is_busy)
        assert (tmp_path / f"run{ending}").exists()


def test_a_file_that_cannot_be_written_is_told(make_steps_page, qtbot, tmp_path):
    page = make_steps_page()
    page.export.save(tmp_path / "no" / "run.html")
    qtbot.waitUntil(lambda: not page.export.exporter.is_busy)
    assert "cannot be written" in page.export.message.text()


@pytest.mark.parametrize("ending", [".svg", ".json"])
def test_a_run_a_piece_or_a_step_is_saved(make_steps_page, qtbot, tmp_path, monkeypatch, ending):
    page = make_steps_page()
    path = tmp_path / f"run{ending}"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *arguments: (str(path), ""))

    def press(title):
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        next(button for button in box.buttons() if title in button.text()).click()

    def saved() -> int:
        if not path.exists():
            return 0
        text = path.read_text()
        return text.count("stroke-width") if ending == ".svg" else len(json.loads(text)["steps"])

    debugger, steps = page.model.debugger, page.shown_run().piece_steps
    assert page.model.position in steps
    sizes = []
    for title in ("Cancel", "This step", "This piece", "All"):
        QTimer.singleShot(0, partial(press, title))
        page.export.ask_and_save()
        qtbot.waitUntil(lambda: not page.export.exporter.is_busy)
        sizes.append(saved())
    parts = [steps, range(page.model.n_steps)]
    expected = [len(TraceRun(debugger).forming(part)) if ending == ".svg" else len(part) for part in parts]
    assert sizes == [0, 1, *expected]


def test_a_name_keeps_its_dots(make_steps_page, qtbot, tmp_path, monkeypatch):
    page = make_steps_page()
    monkeypatch.setattr(step_export, "choose_steps", lambda parent, choices: "All")
    starts = {".svg": b"<svg", ".json": b"{", ".html": b"<!doctype"}
    for name, filter_start, written in (
        ("run.v2", "Drawing", "run.v2.svg"),
        ("run.v2", "JSON", "run.v2.json"),
        ("run.v2", "", "run.v2.html"),
        ("run.v2.SVG", "JSON", "run.v2.SVG"),
        (".svg", "Drawing", ".svg.svg"),
    ):
        folder = tmp_path / filter_start / name
        folder.mkdir(parents=True)

        def ask(parent, title, suggested, filters, path=folder / name, filter_start=filter_start):
            chosen = next(each for each in filters.split(";;") if each.startswith(filter_start))
            return str(path), chosen if filter_start else ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
        page.export.ask_and_save()
        qtbot.waitUntil(lambda: not page.export.exporter.is_busy)
        assert [path.name for path in folder.iterdir() if path.is_file()] == [written]
        assert (folder / written).read_bytes().startswith(starts[written[written.rindex(".") :].lower()])


def test_a_large_file_is_saved_only_if_wanted(make_steps_page, qtbot, tmp_path, monkeypatch):
    page = make_steps_page()
    path, asked = tmp_path / "run.html", []
    monkeypatch.setattr(step_export, "LARGE_BYTES", 1000)
    monkeypatch.setattr(step_export, "choose_steps", lambda parent, choices: "All")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(path), ""))
    for answer in (QMessageBox.StandardButton.No, QMessageBox.StandardButton.Yes):
        monkeypatch.setattr(
            QMessageBox, "question", lambda *told, answer=answer: asked.append(told) or answer
        )
        page.export.ask_and_save()
        qtbot.waitUntil(lambda: not page.export.exporter.is_busy)
        assert path.exists() is (answer is QMessageBox.StandardButton.Yes)
    assert len(asked) == 2
    path.unlink()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: ("", ""))
    page.export.ask_and_save()
    page.modes.choose(2)  # with nothing to save
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *asked: (str(path), ""))
    QApplication.clipboard().setText("kept")
    for act in (page.export.ask_and_save, page.export.copy_json):
        act()
    page.export.save(path)
    assert QApplication.clipboard().text() == "kept"
    assert not path.exists()
    assert page.export.size_warning(path) == ""
