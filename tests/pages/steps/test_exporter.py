"""Whole runs are written by a process of its own."""

from __future__ import annotations

import json
from functools import partial

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox

from guiapp.analysis.export.runs import TraceRun
from guiapp.pages.steps import page as step_export

pytestmark = pytest.mark.slow


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
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
        written = path if ending else tmp_path / "run.html"
        assert written.read_bytes().startswith(start)
    assert not page.export.saving.failure
    assert page.export.saving.saved == written
    qtbot.mouseClick(page.export.button, LEFT)
    assert not page.export.isVisible()


def test_a_run_without_steps_is_copied_and_saved_too(make_steps_page, qtbot, tmp_path):
    page = make_steps_page("toy", b"")
    page.actions_["debug_copy"].trigger()
    assert json.loads(QApplication.clipboard().text())["steps"] == []
    for ending in (".html", ".json", ".svg"):
        assert page.shown_run().choices(ending) == {}
        page.export.save(tmp_path / f"run{ending}")
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
        assert (tmp_path / f"run{ending}").exists()


def test_a_file_that_cannot_be_written_is_reported(make_steps_page, qtbot, tmp_path):
    page = make_steps_page()
    page.export.save(tmp_path / "no" / "run.html")
    qtbot.waitUntil(lambda: not page.export.saving.is_busy)
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
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
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

        def ask(parent, title, suggested, filters, *_, path=folder / name, filter_start=filter_start):
            chosen = next(each for each in filters.split(";;") if each.startswith(filter_start))
            return str(path), chosen if filter_start else ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
        page.export.ask_and_save()
        qtbot.waitUntil(lambda: not page.export.saving.is_busy)
        assert [path.name for path in folder.iterdir() if path.is_file()] == [written]
        assert (folder / written).read_bytes().startswith(starts[written[written.rindex(".") :].lower()])
