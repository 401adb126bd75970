"""Races on the Steps page with real clicks and keys."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton

from guiapp.pages.steps.race_view import DESCRIPTION_ROLE, RaceBox
from guiapp.pages.steps.walk_model import SPEEDS

LEFT = Qt.MouseButton.LeftButton


def test_a_race_goes_to_the_first_difference(show_steps_page, qtbot):
    page = show_steps_page("toy", b"abacb", "heap")
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.model.race.competitor is not None)
    assert page.trace.race_card.isVisible()
    assert "greedy takes ac" in page.trace.race_card.verdict.text()
    qtbot.mouseClick(page.trace.race_card.go, LEFT)
    assert page.model.position == page.model.race.difference.steps[0]
    page.model.to_end()
    assert page.model.race.competitor.position == page.model.race.competitor.n_steps
    page.model.race.choose("backtrack")
    qtbot.waitUntil(lambda: page.model.race.competitor is not None)
    assert "same 3 tokens" in page.trace.race_card.outcome.text()
    page.model.race.choose("")
    assert not page.trace.race_card.isVisible()


def test_a_run_stops_where_a_race_parts(show_steps_page, qtbot):
    page = show_steps_page("toy", b"abacb abacb", "heap")
    model, race = page.model, page.model.race
    buttons = {button.text(): button for button in page.trace.findChildren(QToolButton)}
    box = page.findChild(RaceBox)
    while box.currentData() != "greedy":
        qtbot.keyClick(box, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: race.competitor is not None)
    qtbot.mouseClick(buttons["⇤"], LEFT)
    qtbot.mouseClick(buttons["run ▶"], LEFT)
    difference_step, second = race.stops
    assert model.position == difference_step > 0
    assert page.trace.race_card.title.whole_text.endswith("DIFFERENCE 1 OF 2")
    qtbot.mouseClick(buttons["run ▶"], LEFT)
    assert model.position == second
    qtbot.mouseClick(buttons["run ▶"], LEFT)
    assert model.position == model.n_steps
    assert "DIFFERENCE" not in page.trace.race_card.title.whole_text
    for step in (second, difference_step):
        qtbot.mouseClick(buttons["◀ run"], LEFT)
        assert model.position == step
    model.breakpoints.add(f"step == {difference_step - 1}")
    qtbot.mouseClick(buttons["⇤"], LEFT)
    qtbot.mouseClick(buttons["run ▶"], LEFT)
    assert model.position == difference_step - 1
    model.clock.set_speed(SPEEDS[-1])
    qtbot.mouseClick(buttons["play"], LEFT)
    qtbot.waitUntil(lambda: not model.clock.is_playing)
    assert model.position == difference_step


def test_a_race_goes_where_both_part_by_a_key_and_a_button_and_ends_with_a_line(show_steps_page, qtbot):
    page = show_steps_page("toy", b"abacb abacb", "heap")
    model, race, card = page.model, page.model.race, page.trace.race_card
    race.choose("greedy")
    qtbot.waitUntil(lambda: race.competitor is not None)
    for go in (lambda: qtbot.mouseClick(card.go, LEFT), page.actions_["race_parting"].trigger):
        model.restart()
        go()
        assert model.position == race.difference_step
        assert card.title.whole_text.endswith("DIFFERENCE 1 OF 2")
    assert card.go.text() == "next  F8"
    assert "tokens differ at 2 positions, such as byte 2: a cb against ac b." in card.outcome.text()
    for step in (race.stops[1], race.stops[0]):  # the next one, and behind the last the first again
        page.actions_["race_parting"].trigger()
        assert (model.position, race.competitor.position) == (step, race.difference.steps[1])
        assert race.verdict.startswith(f"From byte {race.difference.byte} ")
    race.choose("scan")
    qtbot.waitUntil(lambda: race.competitor is not None)
    model.restart()
    page.actions_["race_parting"].trigger()
    assert model.position == race.difference_step > 0
    assert "same 6 tokens" in card.outcome.text()
    model.restart()
    model.run()
    assert model.position == model.n_steps  # who only goes other ways stops nobody
    race.choose("")
    page.actions_["race_parting"].trigger()
    assert model.position == model.n_steps


def test_the_list_describes_each_proposal_when_it_is_opened(show_steps_page, qtbot):
    page = show_steps_page("toy", b"a", "heap")
    box = page.findChild(RaceBox)
    assert (box.currentText(), box.minimumWidth()) == ("Race against …", box.width())
    box.showPopup()
    qtbot.waitUntil(lambda: all("·" in box.itemData(row, DESCRIPTION_ROLE) for row in range(1, box.count())))
    for row, proposal in enumerate(page.model.race.proposals, 1):
        assert box.itemText(row) == f"race {proposal.encoder}"
        assert box.itemData(row, DESCRIPTION_ROLE) == proposal.description
        assert box.model().item(row).isEnabled() is proposal.differs
    assert not box.model().item(box.findData("scan")).isEnabled()
    list_, screen = box.view().window().geometry(), box.screen().availableGeometry()
    assert screen.contains(list_.topLeft())
    assert list_.right() <= screen.right()
    row = box.findData("greedy")
    qtbot.keyClick(box.view(), Qt.Key.Key_Home)
    box.hidePopup()
    box.setCurrentIndex(row)
    qtbot.waitUntil(lambda: page.model.race.competitor is not None)
    assert box.itemText(0) == "no race"


def test_the_own_algorithm_is_not_offered_as_competitor(show_steps_page, qtbot):
    page = show_steps_page("toy", b"abacb")
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
