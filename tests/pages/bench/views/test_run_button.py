"""The button that runs and stops: it means what it meant when the finger moved."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer

from guiapp.pages.bench.bar import RunButton


@pytest.fixture
def button(qtbot, model):
    button = RunButton(model)
    qtbot.addWidget(button)
    button.show()
    return button


def click(qtbot, button: RunButton, times: int = 1) -> None:
    for _ in range(times):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)


def settle(button: RunButton) -> None:
    """The time passes without waiting for it."""
    timer = button.findChild(QTimer)
    assert timer.isActive()
    timer.stop()
    timer.timeout.emit()


def test_a_double_click_runs_and_does_not_stop(qtbot, button, runner):
    assert button.property("role") == "primary"
    click(qtbot, button, times=2)
    assert (runner.asked, button.text(), button.property("role")) == (["start"], "Starting …", "raised")
    settle(button)
    assert button.text() == "Stop"
    click(qtbot, button)
    assert (runner.asked, button.text()) == (["start", "stop"], "Stopping …")


def test_stop_pressed_as_a_run_ends_starts_no_other(qtbot, button, runner):
    click(qtbot, button)
    settle(button)
    qtbot.mousePress(button, Qt.MouseButton.LeftButton)
    runner.end()
    assert button.text() == "Done"
    qtbot.mouseRelease(button, Qt.MouseButton.LeftButton)
    click(qtbot, button)
    assert runner.asked == ["start"]
    settle(button)
    assert button.text() == "Run"
    click(qtbot, button)
    assert runner.asked == ["start", "start"]


def test_there_is_nothing_to_press_where_nobody_takes_part(button, model):
    assert button.isEnabled()
    for name in model.choice.contenders:
        model.choice.set_contender(name, False)
    assert not button.isEnabled()
