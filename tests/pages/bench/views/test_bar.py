"""The top row of the Bench page and the list of kept runs, with real clicks and keys."""

from __future__ import annotations

import errno
import json
import threading

import pytest
from bench_runs import RUN
from PySide6.QtCore import QEvent, QPoint, Qt, QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QMenu

from guiapp.analysis.bench.history import load_run, rename_run
from guiapp.pages.bench import history as saved_runs
from guiapp.pages.bench.bar import (
    HOW,
    MOST_CHIPS,
    NO_RUNS,
    SHOWN,
    BenchBar,
    ContenderChip,
    RunButton,
    RunsDialog,
)
from guiapp.pages.bench.choice import CODE, ENGLISH, TEXTS, BenchCandidate
from guiapp.pages.bench.history import RunHistory, SavedRuns

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def bar(qtbot, model, theme_source):
    model.choice.libraries = [BenchCandidate("tiktoken", "0.14")]
    bar = BenchBar(model, theme_source)
    qtbot.addWidget(bar)
    bar.resize(1200, 60)
    bar.show()
    return bar


def chip(bar: BenchBar, name: str) -> ContenderChip:
    return next(chip for chip in bar.chips if chip.text() == name)


def offered(menu: QMenu) -> dict[str, QAction]:
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if not action.isSeparator()}


def names(bar: BenchBar) -> list[str]:
    return [chip.text() for chip in bar.chips]


def test_a_click_on_the_cross_takes_a_contender_out_and_elsewhere_points_at_it(qtbot, bar, model):
    assert names(bar) == ["Tokenloupe", "tiktoken"]
    qtbot.mouseClick(chip(bar, "tiktoken"), LEFT, pos=QPoint(20, 15))
    assert (model.isolated, chip(bar, "tiktoken").isChecked()) == ("tiktoken", True)
    model.isolate("Tokenloupe")
    assert [chip.isChecked() for chip in bar.chips] == [True, False]
    qtbot.mouseClick(chip(bar, "tiktoken"), LEFT, pos=chip(bar, "tiktoken").cross.center())
    assert model.choice.contenders == ("Tokenloupe",)
    assert names(bar) == ["Tokenloupe"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_so_does_a_key(qtbot, bar, model, key):
    qtbot.keyClick(chip(bar, "tiktoken"), Qt.Key.Key_Space)
    assert model.isolated == "tiktoken"
    qtbot.keyClick(chip(bar, "tiktoken"), key)
    assert names(bar) == ["Tokenloupe"]
    model.choice.set_contender("tiktoken", True)
    assert chip(bar, "tiktoken").isChecked(), "it is still pointed at"


def test_add_lists_the_others_with_what_there_is_to_know(bar, model):
    rows = offered(bar.add_button.menu())
    assert "heap\tO(n log n)" in rows
    assert not any(text.startswith(("Tokenloupe\t", "tiktoken")) for text in rows)
    stored = chip(bar, "Tokenloupe")
    rows["heap\tO(n log n)"].trigger()
    assert names(bar) == ["Tokenloupe", "heap", "tiktoken"]
    assert chip(bar, "Tokenloupe") is stored, "it may have the focus"


def test_many_libraries_are_summarized_by_their_number(qtbot, bar, model):
    requests = []
    bar.more.triggered.connect(lambda: requests.append(True))
    for each in model.choice.candidates:
        model.choice.set_contender(each.name, True)
    n_others = len(model.choice.contenders) - MOST_CHIPS + 1
    assert (len(bar.chips), bar.rest_button.text()) == (MOST_CHIPS - 1, f"and {n_others} others")
    qtbot.mouseClick(bar.rest_button, LEFT)
    offered(bar.add_button.menu())["More…"].trigger()
    assert requests == [True, True]
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert len(bar.findChildren(ContenderChip)) == len(bar.chips)


def test_the_text_is_chosen_from_a_menu_with_sizes(bar, model, tmp_path, monkeypatch, qtbot):
    choice = model.choice
    qtbot.waitUntil(lambda: choice.size_of(CODE) is not None)
    rows = offered(bar.text_button.menu())
    assert [text.partition("\t")[0] for text in rows] == [*TEXTS.values(), "Files…", "Folder…"]
    assert "Your text\t9 B" in rows
    assert [text for text, row in rows.items() if row.isChecked()] == [
        next(t for t in rows if "English" in t)
    ]
    next(row for text, row in rows.items() if text.startswith("Code")).trigger()
    assert choice.texts == (CODE,)
    assert bar.text_button.text().startswith("Code  ")
    (tmp_path / "a file of mine with a long, long name.txt").write_bytes(b"abc")
    answers = [str(tmp_path / "a file of mine with a long, long name.txt")]
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *asked: (answers, ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *asked: str(tmp_path))
    rows["Files…"].trigger()
    assert choice.texts == tuple(answers)
    qtbot.waitUntil(lambda: bar.text_button.text().endswith("…  3 B"))
    rows["Folder…"].trigger()
    assert choice.texts == (str(tmp_path),)
    choice.set_texts([ENGLISH, CODE])
    assert bar.text_button.text() == "2 texts"


def test_while_a_run_goes_on_nothing_of_it_changes(qtbot, bar, model, runner):
    for is_running in (False, True, False):
        assert bar.text_button.isEnabled() == bar.add_button.isEnabled() == (not is_running)
        if is_running:
            qtbot.mouseClick(chip(bar, "Tokenloupe"), LEFT, pos=chip(bar, "Tokenloupe").cross.center())
            qtbot.keyClick(chip(bar, "Tokenloupe"), Qt.Key.Key_Delete)
            assert names(bar) == ["Tokenloupe", "tiktoken"]
            runner.end()
        else:
            model.run()


@pytest.fixture
def button(qtbot, model):
    button = RunButton(model)
    qtbot.addWidget(button)
    button.show()
    return button


def click(qtbot, button: RunButton, times: int = 1) -> None:
    for _ in range(times):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def fire_timer(button: RunButton) -> None:
    """The time passes without waiting for it."""
    timer = button.findChild(QTimer)
    assert timer.isActive()
    timer.stop()
    timer.timeout.emit()


def test_a_double_click_runs_and_does_not_stop(qtbot, button, runner):
    assert button.property("role") == "primary"
    click(qtbot, button, times=2)
    assert (runner.asked, button.text(), button.property("role")) == (["start"], "Starting …", "raised")
    fire_timer(button)
    assert button.text() == "Stop"
    click(qtbot, button)
    assert (runner.asked, button.text()) == (["start", "stop"], "Stopping …")


def test_stop_pressed_as_a_run_ends_starts_no_other(qtbot, button, runner):
    click(qtbot, button)
    fire_timer(button)
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    runner.end()
    assert button.text() == "Done"
    qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    click(qtbot, button)
    assert runner.asked == ["start"]
    fire_timer(button)
    assert button.text() == "Run"
    click(qtbot, button)
    assert runner.asked == ["start", "start"]


@pytest.fixture
def folder(tmp_path):
    for hour in (1, 2):
        (tmp_path / f"2026-01-01T0{hour}0000-0000 gpt-2.json").write_text(json.dumps(RUN))
    return tmp_path


@pytest.fixture
def stored(qapp, folder):
    stored = SavedRuns(RunHistory(folder))
    yield stored
    stored.close()


@pytest.fixture
def dialog(qtbot, stored):
    dialog = RunsDialog(stored, True)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    qtbot.waitUntil(lambda: len(stored.runs) == 2)
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
    qtbot.waitUntil(lambda: not dialog.list.findChildren(QLineEdit))


def test_a_run_is_renamed_by_keyboard_and_the_name_is_in_its_file(dialog, qtbot, folder):
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    rename(qtbot, dialog, "before")
    qtbot.waitUntil(lambda: titles(dialog)[1] == "before · 2026-01-01 01:00, gpt-2")
    assert dialog.isVisible()
    assert load_run(folder / "2026-01-01T010000-0000 gpt-2.json").name == "before"
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


def test_the_run_that_is_shown_is_not_compared_with_itself(dialog, stored, qtbot, folder):
    stored.shown = folder / "2026-01-01T010000-0000 gpt-2.json"
    qtbot.keyClick(dialog.list, Qt.Key.Key_Down)
    assert (dialog.compare_button.isEnabled(), dialog.note.text()) == (False, SHOWN)
    qtbot.keyClick(dialog.list, Qt.Key.Key_Up)
    assert (dialog.compare_button.isEnabled(), dialog.note.text()) == (True, HOW)
    without = RunsDialog(stored, False)
    qtbot.addWidget(without)
    for row in (0, 1):
        without.list.setCurrentIndex(without.list.model().index(row))
        assert (without.compare_button.isEnabled(), without.note.text()) == (False, HOW)


def test_a_failed_rename_keeps_the_name_and_is_reported(dialog, qtbot, monkeypatch):
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


def test_an_empty_list_shows_a_message(qtbot, tmp_path):
    stored = SavedRuns(RunHistory(tmp_path))
    dialog = RunsDialog(stored, True)
    qtbot.addWidget(dialog)
    assert dialog.note.text() == NO_RUNS
    buttons = dialog.open_button, dialog.rename_button, dialog.compare_button
    assert not any(button.isEnabled() or button.autoDefault() for button in buttons)
    dialog.show()
    qtbot.keyClick(dialog.list, Qt.Key.Key_Return)
    assert dialog.isVisible()
    stored.close()
