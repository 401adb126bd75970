"""The button that runs and stops: it means what it meant when the finger moved."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel

from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.bench.presets import PRESETS
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.bench.plan import PlanPanel
from guiapp.widgets.shared.theme import ThemeSource


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
    workspace = Workspace(b"some text")
    with qtbot.waitSignal(workspace.vocabulary_changed):
        workspace.loader.open("demo:bpe")
    model = BenchModel(workspace, runner)
    panel = PlanPanel(model, ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(panel)
    panel.show()
    yield panel
    model.close()
    workspace.close()


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


def test_nothing_can_be_ticked_while_a_run_goes_on(qtbot, panel, runner):
    click(qtbot, panel)
    assert not box_of(panel, "heap").isEnabled()
    runner.end()
    panel._follow()
    assert box_of(panel, "heap").isEnabled()


def test_what_is_missing_is_told_where_an_estimate_would_be(panel, qtbot):
    model = panel._model
    for entrant in (*model.ours, *model.peers):
        model.set_takes_part(entrant.name, entrant.name == "heap")
    assert panel.estimate.text().startswith("1 contender, ")
    model.set_takes_part("heap", False)
    assert panel.estimate.text() == "Tick a contender to begin."
    workspace = Workspace(b"some text")
    empty_model = BenchModel(workspace, FakeRunner())
    empty = PlanPanel(empty_model, ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(empty)
    assert empty.estimate.text() == "Open a model to begin."
    assert "Encoders" not in [label.accessibleName() for label in empty.findChildren(QLabel)]
    empty_model.close()
    workspace.close()
