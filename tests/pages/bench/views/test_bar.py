"""The top row of the Bench page, with real clicks and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QFileDialog, QMenu

from guiapp.pages.bench.bar import MOST_CHIPS, BenchBar, ContenderChip
from guiapp.pages.bench.choice import CODE, ENGLISH, TEXTS, BenchCandidate

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
    assert names(bar) == ["fast", "tiktoken"]
    qtbot.mouseClick(chip(bar, "tiktoken"), LEFT, pos=QPoint(20, 15))
    assert (model.isolated, chip(bar, "tiktoken").isChecked()) == ("tiktoken", True)
    model.isolate("fast")
    assert [chip.isChecked() for chip in bar.chips] == [True, False]
    qtbot.mouseClick(chip(bar, "tiktoken"), LEFT, pos=chip(bar, "tiktoken").cross.center())
    assert model.choice.contenders == ("fast",)
    assert names(bar) == ["fast"]


@pytest.mark.parametrize("key", [Qt.Key.Key_Delete, Qt.Key.Key_Backspace])
def test_so_does_a_key(qtbot, bar, model, key):
    qtbot.keyClick(chip(bar, "tiktoken"), Qt.Key.Key_Space)
    assert model.isolated == "tiktoken"
    qtbot.keyClick(chip(bar, "tiktoken"), key)
    assert names(bar) == ["fast"]
    model.choice.set_contender("tiktoken", True)
    assert chip(bar, "tiktoken").isChecked(), "it is still pointed at"


def test_add_lists_the_others_with_what_there_is_to_know(bar, model):
    rows = offered(bar.add_button.menu())
    assert "heap\tO(n log n)" in rows
    assert not any(text.startswith(("fast\t", "tiktoken")) for text in rows)
    kept = chip(bar, "fast")
    rows["heap\tO(n log n)"].trigger()
    assert names(bar) == ["fast", "heap", "tiktoken"]
    assert chip(bar, "fast") is kept, "it may have the focus"


def test_many_contenders_are_told_by_their_number(qtbot, bar, model):
    wanted = []
    bar.more_wanted.connect(lambda: wanted.append(True))
    for each in model.choice.candidates:
        model.choice.set_contender(each.name, True)
    n_others = len(model.choice.contenders) - MOST_CHIPS + 1
    assert (len(bar.chips), bar.rest_button.text()) == (MOST_CHIPS - 1, f"and {n_others} others")
    qtbot.mouseClick(bar.rest_button, LEFT)
    offered(bar.add_button.menu())["More…"].trigger()
    assert wanted == [True, True]
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
            qtbot.mouseClick(chip(bar, "fast"), LEFT, pos=chip(bar, "fast").cross.center())
            qtbot.keyClick(chip(bar, "fast"), Qt.Key.Key_Delete)
            assert names(bar) == ["fast", "tiktoken"]
            runner.end()
        else:
            model.run()
