"""The first start, from an empty home directory, with real clicks; and the second one."""

import pytest
from main_window_driver import Answers
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from guiapp.app import FIRST_SAMPLE, build
from guiapp.core.demo import sample_text
from guiapp.viewmodels.settings import Settings
from guiapp.widgets.start.rows import StartRow


class Hand:
    """Clicks on what can be seen, and counts."""

    def __init__(self, qtbot):
        self._qtbot = qtbot
        self.n_clicks = 0

    def click(self, widget: QWidget) -> None:
        self._qtbot.waitUntil(lambda: widget.isVisible() and widget.isEnabled())
        seen = widget.visibleRegion().boundingRect()
        assert seen.contains(widget.rect().center())
        self.n_clicks += 1
        self._qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)


@pytest.fixture
def start_program(qapp, qtbot, tmp_path, monkeypatch):
    """The window as `run_window` shows it, for a home directory that is kept from start to start."""
    monkeypatch.setattr("guiapp.viewmodels.models.installed.installed_models", lambda folders: [])
    shells = []

    def start():
        settings = Settings(tmp_path / "home" / "settings.json")
        shell = build(qapp, settings, sample_text(FIRST_SAMPLE), questions=Answers())
        shells.append(shell)
        qtbot.addWidget(shell.window)
        shell.greet()
        shell.window.show()
        qtbot.waitExposed(shell.window)
        shell.window.activateWindow()
        with qtbot.waitSignal(shell.session.round_trip.changed):
            shell.start(None, None)
        return shell

    yield start
    for shell in shells:
        shell.stop()


def test_from_the_start_page_to_the_first_lesson_finished_in_under_15_clicks(start_program, qtbot):
    shell, hand = start_program(), Hand(qtbot)
    window, start = shell.window, shell.window.pages.current
    assert (window.pages.current_name, window.width(), window.height()) == ("start", 1280, 800)
    hand.click(start.learning.example)
    steps = window.pages.current
    while (player := steps.player).lesson is not None:
        qtbot.waitUntil(lambda: steps.is_ready)
        for name in ("lesson_reveal", "lesson_next"):
            if (button := steps.lesson_bar.buttons[name]).isVisible():
                hand.click(button)
    assert player.failure == ""
    assert hand.n_clicks < 15
    window.actions_table["start"].trigger()
    qtbot.waitUntil(lambda: len([row for row in start.findChildren(StartRow) if row.isVisible()]) > 9)
    told = {row.accessibleName() for row in start.findChildren(StartRow) if row.isVisible()}
    assert {"What a token is, finished", "Unicode and bytes, 3 steps"} <= told
    assert start.learning.example.accessibleName() == "Begin lesson 2"


def test_the_second_start_begins_with_what_was_open(start_program, qtbot):
    shell = start_program()
    assert shell.window.pages.current_name == "start"
    shell.window.close()
    shell.stop()
    again = start_program()
    assert again.window.pages.current_name == "inspect"
    assert again.session.loader.model.name == "demo:bpe"
