"""The button that runs and stops: it means what it meant when the finger moved."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QCheckBox, QFileDialog, QLabel, QPushButton

from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.presets import PRESETS
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession
from guiapp.widgets.bench.contender_look import look_of
from guiapp.widgets.bench.plan import PlanPanel
from guiapp.widgets.shared.theme import DARK, ThemeSource


class FakeRunner(QObject):
    """Notes what it is asked for, and ends when it is told to."""

    told, ended = Signal(dict), Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.is_running = False
        self.asked: list[str] = []

    def start(self, plan: object) -> None:
        self.is_running = True
        self.asked.append("start")

    def stop(self) -> None:
        self.asked.append("stop")

    def pause(self) -> None:
        self.asked.append("pause")

    def resume(self) -> None:
        self.asked.append("resume")

    def end(self) -> None:
        self.is_running = False
        self.ended.emit("")

    def close(self) -> None:
        self.is_running = False


@pytest.fixture
def runner():
    return FakeRunner()


@pytest.fixture
def panel(qtbot, runner):
    session = ModelSession(TextSession(b"some text"))
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:bpe")
    model = BenchModel(session, runner)
    panel = PlanPanel(model, ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(panel)
    panel.show()
    yield panel
    model.close()
    session.close()


def click(qtbot, panel: PlanPanel, times: int = 1) -> None:
    for _ in range(times):
        qtbot.mouseClick(panel.run_button, Qt.MouseButton.LeftButton)


def settle(panel: PlanPanel) -> None:
    """The time passes without waiting for it."""
    timer = panel.findChild(QTimer)
    assert timer.isActive()
    timer.stop()
    timer.timeout.emit()


def test_a_double_click_runs_and_does_not_stop(qtbot, panel, runner):
    click(qtbot, panel, times=2)
    assert (runner.asked, panel.run_button.text()) == (["start"], "Starting …")
    settle(panel)
    assert panel.run_button.text() == "Stop"
    click(qtbot, panel)
    assert (runner.asked, panel.run_button.text()) == (["start", "stop"], "Stopping …")


def test_stop_pressed_as_a_run_ends_starts_no_other(qtbot, panel, runner):
    click(qtbot, panel)
    settle(panel)
    qtbot.mousePress(panel.run_button, Qt.MouseButton.LeftButton)
    runner.end()
    assert panel.run_button.text() == "Done"
    qtbot.mouseRelease(panel.run_button, Qt.MouseButton.LeftButton)
    click(qtbot, panel)
    assert runner.asked == ["start"]
    settle(panel)
    assert panel.run_button.text() == "Run"
    click(qtbot, panel)
    assert runner.asked == ["start", "start"]


def box_of(panel: PlanPanel, name: str) -> QCheckBox:
    return next(box for box in panel.boxes if box.accessibleName() == name)


def test_a_tick_changes_the_plan_and_makes_no_new_boxes(panel):
    boxes = list(panel.boxes)
    box_of(panel, "heap").click()
    box_of(panel, "Scenario worst").click()
    box_of(panel, "tutorial").click()
    assert panel.boxes == boxes
    model = panel._model
    assert not model.takes_part("heap")
    assert "worst" in model.preset.scenarios
    assert model.has_text("tutorial")


def test_boxes_follow_the_plan(panel, tmp_path):
    model = panel._model
    model.set_scenario("worst", True)
    assert box_of(panel, "Scenario worst").isChecked()
    model.choose_preset(PRESETS[0])
    assert not box_of(panel, "Scenario worst").isChecked()
    model.add_text(tmp_path)
    assert box_of(panel, str(tmp_path)).isChecked()


def test_preset_and_limits_are_chosen_by_keys(qtbot, panel):
    model = panel._model
    qtbot.keyClick(panel.presets, Qt.Key.Key_Down)
    assert model.preset is PRESETS[1]
    shown = {name: box.currentData() for name, box in panel.limits.items()}
    assert shown == {name: getattr(PRESETS[1], name) for name in shown}
    for name, box in panel.limits.items():
        for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
            qtbot.keyClick(box, key)
            assert getattr(model.preset, name) == box.currentData()
    threads = panel.limits["threads"]
    assert {threads.itemData(index)[0] for index in range(threads.count())} == {1}
    model.adjust(time_budget_s=33.0)
    assert panel.limits["time_budget_s"].currentText() == "33 s"
    assert panel.presets.currentText() == PRESETS[1].title


def test_while_a_run_goes_on_it_can_be_paused_and_nothing_else_changed(qtbot, panel, runner):
    def buttons() -> list[QPushButton]:
        return [each for each in panel.findChildren(QPushButton) if each.text() in ("Files…", "Folder…")]

    for is_running in (False, True, False):
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        plan = [*buttons(), *panel.limits.values(), box_of(panel, "heap"), box_of(panel, "tutorial")]
        assert len(plan) == 7
        assert {each.isEnabled() for each in plan} == {not is_running}
        assert panel.pause_button.isEnabled() == is_running
        if is_running:
            qtbot.mouseClick(panel.pause_button, Qt.MouseButton.LeftButton)
            assert panel.pause_button.text() == "Resume"
            qtbot.mouseClick(panel.pause_button, Qt.MouseButton.LeftButton)
            assert runner.asked == ["start", "pause", "resume"]
            runner.end()
        else:
            assert panel.pause_button.text() == "Pause"
            click(qtbot, panel)
        settle(panel)


def test_files_and_folders_are_added_and_ticked(qtbot, panel, tmp_path, monkeypatch):
    files = [str(tmp_path / name) for name in ("one.txt", "<b>two")]
    answers = {"getOpenFileNames": ([], ""), "getExistingDirectory": ""}
    for name in answers:
        monkeypatch.setattr(QFileDialog, name, lambda parent, title, name=name: answers[name])
    before = [box.accessibleName() for box in panel.boxes]
    for given in ({}, {"getOpenFileNames": (files, ""), "getExistingDirectory": str(tmp_path)}):
        answers |= given
        for title in ("Files…", "Folder…"):
            button = next(each for each in panel.findChildren(QPushButton) if each.text() == title)
            button.click()
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    added = [box for box in panel.boxes if box.accessibleName() not in before]
    assert [box.accessibleName() for box in added] == [*files, str(tmp_path)]
    assert [box.text() for box in added] == ["one.txt", "<b>two", tmp_path.name]
    assert all(box.isChecked() for box in added)
    assert (added[0].toolTip(), "&lt;b&gt;" in added[1].toolTip()) == (files[0], True)


def test_boxes_that_are_made_anew_keep_the_focus(qtbot, panel, tmp_path):
    panel.activateWindow()
    old = box_of(panel, "heap")
    old.setFocus()
    qtbot.waitUntil(old.hasFocus)
    panel._model.add_text(tmp_path)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert box_of(panel, "heap") is not old
    assert box_of(panel, "heap").hasFocus()


def test_boxes_show_the_markers_of_charts_and_those_that_cannot_take_part_stand_below(panel):
    model, shown = panel._model, [box.accessibleName() for box in panel.boxes]
    for entrant in (*model.ours, *model.peers):
        box, color = box_of(panel, entrant.name), look_of(entrant.name, DARK).color
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Disabled):
            image = box.icon().pixmap(12, 12, mode).toImage()
            assert image.pixelColor(6, 6) == color
            assert image.pixelColor(0, 0).alpha() < 100
        assert box.toolTip() == (entrant.reason or entrant.note)
        assert (box.text() == entrant.name) == (not entrant.note or bool(entrant.reason))
    peers = sorted(model.peers, key=lambda peer: shown.index(peer.name))
    assert [bool(peer.reason) for peer in peers] == sorted(bool(peer.reason) for peer in peers)
    assert [label.text() for label in panel.reasons] == [peer.reason for peer in peers if peer.reason]
    titles = [label.accessibleName() for label in panel.findChildren(QLabel)]
    assert [title for title in titles if title] == ["Encoders", "Libraries", "Texts", "Scenarios"]
    assert box_of(panel, "Scenario worst").toolTip() == SCENARIOS["worst"].title


def test_nothing_runs_without_texts_and_the_estimate_follows_what_is_known(panel):
    model = panel._model
    assert panel.run_button.isEnabled()
    for name in model.texts:
        model.set_text(name, False)
    assert not panel.run_button.isEnabled()
    for show in (panel._model.forecast.changed.emit, lambda: (panel.hide(), panel.show())):
        panel.estimate.setText("old")
        show()
        assert "contenders, " in panel.estimate.text()


def test_what_is_missing_is_told_where_an_estimate_would_be(panel, qtbot):
    model = panel._model
    for entrant in (*model.ours, *model.peers):
        model.set_takes_part(entrant.name, entrant.name == "heap")
    assert panel.estimate.text().startswith("1 contender, ")
    model.set_takes_part("heap", False)
    assert panel.estimate.text() == "Tick a contender to begin."
    session = ModelSession(TextSession(b"some text"))
    empty_model = BenchModel(session, FakeRunner())
    empty = PlanPanel(empty_model, ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(empty)
    assert empty.estimate.text() == "Open a model to begin."
    assert "Encoders" not in [label.accessibleName() for label in empty.findChildren(QLabel)]
    empty_model.close()
    session.close()
