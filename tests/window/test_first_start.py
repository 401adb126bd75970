"""The first start, from an empty home directory, with real clicks; and the second one.

TOKENLOUPE_PICTURES=FOLDER keeps a picture of the window after each click.
"""

import os
from pathlib import Path

import pytest
from main_window_driver import Answers
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QToolButton, QWidget

from guiapp.core.demo import sample_text
from guiapp.core.encode.counting.cost import costly_texts
from guiapp.kit.state.settings import Settings
from guiapp.window.app import FIRST_SAMPLE, build
from guiapp.window.start_page import StartRow

pytestmark = pytest.mark.slow


KEY = "4f9c1e7a-2b60-4d8e-9a3f-c07d15e2b884"
PROMPT = "You are kind.\n" + "\n" * 80 + f"The key is {KEY}, never tell it.\nThanks.\n"


class Hand:
    """Clicks on what can be seen, counts, and keeps what is seen after each click."""

    def __init__(self, qtbot, window, name):
        self._qtbot = qtbot
        self._window = window
        self._name = name
        self.n_clicks = 0
        self.picture = window.grab().toImage()

    def click(self, widget: QWidget) -> None:
        self._qtbot.waitUntil(lambda: widget.isVisible() and widget.isEnabled())
        seen = widget.visibleRegion().boundingRect()
        assert seen.contains(widget.rect().center())
        self.n_clicks += 1
        self._qtbot.mouseClick(widget, Qt.MouseButton.LeftButton)
        before, self.picture = self.picture, self._window.grab().toImage()
        assert before != self.picture  # a click that changes nothing is one too many
        if folder := os.environ.get("TOKENLOUPE_PICTURES"):
            assert self.picture.save(str(Path(folder) / f"{self._name}-{self.n_clicks:02}.png"))

    def click_on(self, word: str, within: QWidget) -> None:
        buttons = [each for each in within.findChildren(QToolButton) if each.text() == word]
        (button,) = filter(QWidget.isVisible, buttons)
        self.click(button)


@pytest.fixture
def start_program(qapp, qtbot, tmp_path, monkeypatch):
    """The window as `run_window` shows it, for a home directory that is kept from start to start."""
    monkeypatch.setattr("guiapp.kit.state.recent.installed_models", lambda folders: [])
    shells = []

    def start():
        settings = Settings(tmp_path / "home" / "settings.ini")
        shell = build(qapp, settings, sample_text(FIRST_SAMPLE), questions=Answers())
        shells.append(shell)
        qtbot.addWidget(shell.window)
        shell.greet()
        shell.window.show()
        qtbot.waitExposed(shell.window)
        shell.window.activateWindow()
        shell.start(None, None)
        qtbot.waitUntil(lambda: shell.session.round_trip.is_current)
        return shell

    yield start
    for shell in shells:
        shell.stop()


def test_from_the_start_page_to_the_first_lesson_finished_in_under_15_clicks(start_program, qtbot):
    shell = start_program()
    window, start = shell.window, shell.window.pages.current
    hand = Hand(qtbot, window, "lesson")
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
    accessible_text = {row.accessibleName() for row in start.findChildren(StartRow) if row.isVisible()}
    assert {"What a token is, finished", "Unicode and bytes, 3 steps"} <= accessible_text
    assert start.learning.example.accessibleName() == "Begin lesson 2"


def test_the_most_expensive_line_is_reached_in_under_6_clicks(start_program, qtbot):
    shell = start_program()
    hand, start = Hand(qtbot, shell.window, "dearest"), shell.window.pages.current
    page, document = shell.window.inspect_page, shell.session.document
    QGuiApplication.clipboard().setText(PROMPT)
    hand.click(start.looking.title)
    hand.click(page.editor.viewport())
    for key in "av":  # in place of the sample
        qtbot.keyClick(page.editor, key, Qt.KeyboardModifier.ControlModifier)
    hand.click_on("Most expensive", page)
    panel = page.expensive_panel
    qtbot.waitUntil(lambda: panel.rows[0].isVisible() and panel.rows[0].text() == f"{KEY},")
    hand.click_on("Lines", page)
    assert KEY in panel.rows[0].text()
    hand.click(panel.rows[0])
    assert hand.n_clicks < 6
    place = PROMPT.index("The key")
    assert document.selection == (place, place + PROMPT[place:].index("\n") + 1)
    qtbot.waitUntil(lambda: 0 <= page.editor.rows.position_of(place).y < page.editor.viewport().height())
    words = f"{costly_texts(shell.session.tokenizer.encode(PROMPT), 1).lines[0].n_tokens} tokens"
    assert words in panel.rows[0].accessibleName()
    assert words in panel.rows[0].toolTip()


def test_the_second_start_begins_with_what_was_open(start_program, qtbot):
    shell = start_program()
    assert shell.window.pages.current_name == "start"
    shell.window.close()
    shell.stop()
    again = start_program()
    assert again.window.pages.current_name == "inspect"
    assert again.session.loader.model.name == "demo:bpe"


def test_bench_gives_a_verdict_in_three_clicks_and_has_it_again_after_a_restart(start_program, qtbot):
    shell = start_program()
    window = shell.window
    hand = Hand(qtbot, window, "bench")
    hand.click(window.pages.current.looking.title)
    hand.click(window.rail.entries["Bench"])
    page = window.pages.current
    for name in page.model.choice.contenders:
        page.model.choice.set_contender(name, name in ("Tokenloupe", "heap"))
    page.model.choice.set_contender("heap", True)
    page.model.choice.adjust(time_budget_s=1.0)
    hand.click(page.bar.run_button)
    assert hand.n_clicks == 3
    qtbot.waitUntil(lambda: not page.model.is_running and page.model.saved.shown is not None)
    qtbot.waitUntil(lambda: page.is_ready)
    accessible_text = page.headline.verdict.accessibleName()
    assert "Tokenloupe" in accessible_text
    assert "all ids are equal" in accessible_text
    window.close()
    shell.stop()
    again = start_program()
    again.window.actions_table["bench"].trigger()
    page = again.window.pages.current
    qtbot.waitUntil(lambda: page.headline.verdict.accessibleName() == accessible_text)
