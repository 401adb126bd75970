"""Races on the Steps page with real clicks and keys."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from guiapp.viewmodels.steps.clock import SPEEDS
from guiapp.widgets.steps.race import RaceBox

LEFT = Qt.MouseButton.LeftButton


def test_a_race_runs_beside_and_goes_where_the_two_part(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb", "heap")
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.model.race.rival is not None)
    assert page.trace.race_card.isVisible()
    assert "greedy took ac" in page.trace.race_card.verdict.text()
    qtbot.mouseClick(page.trace.race_card.go, LEFT)
    assert page.model.position == page.model.race.difference.steps[0]
    page.model.to_end()
    assert page.model.race.rival.position == page.model.race.rival.n_steps
    page.model.race.choose("backtrack")
    qtbot.waitUntil(lambda: page.model.race.rival is not None)
    assert "same 3 tokens" in page.trace.race_card.verdict.text()
    page.model.race.choose("")
    assert not page.trace.race_card.isVisible()


def test_a_run_stops_where_a_race_parts(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    model, race = page.model, page.model.race
    buttons = {button.text(): button for button in page.trace.findChildren(QToolButton)}
    box = page.findChild(RaceBox)
    while box.currentData() != "greedy":
        qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: race.rival is not None)
    qtbot.mouseClick(buttons["⏮"], LEFT)
    qtbot.mouseClick(buttons["run ▶"], LEFT)
    parting = race.difference.steps[0]
    assert model.position == parting > 0
    assert page.trace.race_card.title.text().endswith("HERE THEY PART")
    qtbot.mouseClick(buttons["run ▶"], LEFT)
    assert model.position == model.n_steps
    assert not page.trace.race_card.title.text().endswith("HERE THEY PART")
    qtbot.mouseClick(buttons["◀ run"], LEFT)
    assert model.position == parting
    model.breakpoints.add(f"step == {parting - 1}")
    qtbot.mouseClick(buttons["⏮"], LEFT)
    qtbot.mouseClick(buttons["run ▶"], LEFT)
    assert model.position == parting - 1
    model.clock.set_speed(SPEEDS[-1])
    qtbot.mouseClick(buttons["play"], LEFT)
    qtbot.waitUntil(lambda: not model.clock.is_playing)
    assert model.position == parting


def test_what_the_encoder_itself_runs_is_not_offered_as_its_rival(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb")
    box, race, session = page.findChild(RaceBox), page.model.race, page.kept_session

    def offered():
        return {box.itemData(index) for index in range(box.count())} - {""}

    others = {"scan", "backtrack", "table", "greedy", "fewest", "words"}
    assert offered() == others
    session.set_encoder("heap")
    assert offered() == others
    box.setCurrentIndex(box.findData("greedy"))
    session.set_encoder("greedy")
    assert offered() == (others | {"heap"}) - {"greedy"}
    qtbot.waitUntil(lambda: page.model.debugger is not None and page.model.debugger.trace.encoder == "greedy")
    assert box.currentData() == race.encoder == ""
    assert not page.trace.race_card.isVisible()
