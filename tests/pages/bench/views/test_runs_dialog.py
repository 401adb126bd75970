"""The list of kept runs, by keyboard and mouse."""

from __future__ import annotations

import errno
import json
import threading

import pytest
from bench_runs import RUN
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from guiapp.analysis.bench.history import load_run, rename_run
from guiapp.pages.bench import history as saved_runs
from guiapp.pages.bench.bar import HOW, NO_RUNS, SHOWN, RunsDialog
from guiapp.pages.bench.history import RunHistory, SavedRuns


@pytest.fixture
def folder(tmp_path):
    for hour in (1, 2):
        (tmp_path / f"2026-01-01T0{hour}0000-0000 gpt-2.json").write_text(json.dumps(RUN))
    return tmp_path


@pytest.fixture
def kept(qapp, folder):
    kept = SavedRuns(RunHistory(folder))
    yield kept
    kept.close()


@pytest.fixture
def dialog(qtbot, kept):
    dialog = RunsDialog(kept, True)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    qtbot.waitUntil(lambda: len(kept.runs) == 2)
    dialog.list.setFocus()
    return dialog


def titles(dialog: RunsDialog) -> list[str]:
    rows = dialog.list.model()
    return [rows.index(row).data() for row in range(rows.rowCount())]


def rename(qtbot, dialog: RunsDialog, name: str) -> None:
    """The present row, by keys."""
    qtbot.keyClick(dialog.list, Qt.Key.Key_F2)
    editor = dialog.list.viewport().focusWidget() or QApplication.focusWidget()
    qtbot.keyClicks(editor, name)
    qtbot.keyClick(editor, Qt.Key.Key_Return)


def test_a_run_is_renamed_by_keyboard_and_the_name_is_in_its_file(dialog, qtbot, folder):
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    rename(qtbot, dialog, "before")
    qtbot.waitUntil(lambda: titles(dialog)[1] == "before · 2026-01-01 01:00, gpt-2")
    assert dialog.isVisible()
    assert load_run(folder / "2026-01-01T010000-0000 gpt-2.json") == {"name": "before", **RUN}
    qtbot.mouseClick(dialog.rename_button, Qt.MouseButton.LeftButton)
    assert (dialog.list.viewport().focusWidget() or QApplication.focusWidget()).text() == "before"


@pytest.mark.parametrize("how", ["enter", "open", "compare"])
def test_the_chosen_run_is_opened_or_compared(dialog, qtbot, folder, how):
    with qtbot.waitSignal(dialog.compare_requested if how == "compare" else dialog.open_requested) as opened:
        if how == "enter":
            qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
        else:
            qtbot.mouseClick(getattr(dialog, f"{how}_button"), Qt.MouseButton.LeftButton)
    assert opened.args == [folder / "2026-01-01T020000-0000 gpt-2.json"]
    assert not dialog.isVisible()


def test_the_run_that_is_shown_is_not_compared_with_itself(dialog, kept, qtbot, folder):
    kept.shown = folder / "2026-01-01T010000-0000 gpt-2.json"
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert (dialog.compare_button.isEnabled(), dialog.note.text()) == (False, SHOWN)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Up)
    assert (dialog.compare_button.isEnabled(), dialog.note.text()) == (True, HOW)
    without = RunsDialog(kept, False)
    qtbot.addWidget(without)
    for row in (0, 1):
        without.list.setCurrentIndex(without.list.model().index(row))
        assert (without.compare_button.isEnabled(), without.note.text()) == (False, HOW)


def test_a_run_that_cannot_be_written_keeps_its_name_and_that_is_told(dialog, qtbot, monkeypatch):
    def refuse(*arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("guiapp.analysis.bench.history.replace_file", refuse)
    rename(qtbot, dialog, "other")
    qtbot.waitUntil(lambda: "No space left on device" in dialog.note.text())
    assert titles(dialog)[0] == "2026-01-01 02:00, gpt-2"


def test_runs_that_are_renamed_one_after_the_other_all_have_their_new_names(dialog, qtbot, monkeypatch):
    is_there = threading.Event()
    monkeypatch.setattr(saved_runs, "rename_run", lambda *run: (is_there.wait(), rename_run(*run)))
    for row in range(2):
        dialog.list.setCurrentRow(row)
        rename(qtbot, dialog, f"name {row}")
    is_there.set()
    qtbot.waitUntil(lambda: [title[:6] for title in titles(dialog)] == ["name 0", "name 1"])


def test_an_empty_list_says_so(qtbot, tmp_path):
    kept = SavedRuns(RunHistory(tmp_path))
    dialog = RunsDialog(kept, True)
    qtbot.addWidget(dialog)
    assert dialog.note.text() == NO_RUNS
    buttons = dialog.open_button, dialog.rename_button, dialog.compare_button
    assert not any(button.isEnabled() or button.autoDefault() for button in buttons)
    dialog.show()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    assert dialog.isVisible()
    kept.close()
