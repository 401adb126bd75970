"""The line of all steps and the buttons over it, and the lists of steps beside it."""

import pytest
from hands import point_at
from pictures import paintings_of
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.analysis.trace.debugger import Granularity
from guiapp.kit.widgets.theme import TEXT_FONT_PX
from guiapp.pages.steps.timeline import WalkButton
from guiapp.pages.steps.training_view import STEPS_OF_MERGING, STEPS_OF_UNIGRAM, UNDOES

LEFT = Qt.MouseButton.LeftButton


def test_keys_and_drags_walk(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    line, model = page.trace.timeline, page.model
    line.setFocus()
    moves = {Qt.Key.Key_End: 17, Qt.Key.Key_Left: 16, Qt.Key.Key_Home: 0, Qt.Key.Key_Right: 1}
    for key, position in moves.items():
        qtbot.keyClick(line, key)
        assert model.position == position
    qtbot.keyClick(line, Qt.Key.Key_A)
    assert model.position == 1
    QTest.mousePress(line, LEFT, pos=QPoint(round(line.x_of(5)), 15))
    assert model.position == 5
    line.setMouseTracking(True)
    for x, position in ((line.x_of(9), 9), (-50, 0), (line.width() + 50, 17)):
        point_at(line, QPoint(round(x), 15))
        assert model.position == position
    QTest.mouseRelease(line, LEFT)


@pytest.mark.parametrize("zoom", [1, 2])
def test_a_click_on_what_was_made_goes_to_its_step(make_steps_page, qtbot, zoom):
    page = make_steps_page("toy", b"abacb abacb", "heap")
    page.set_text_size(zoom * TEXT_FONT_PX)
    QApplication.processEvents()
    rows, model = page.trace.side.history, page.model
    model.to_end()
    assert len(rows.entries) == 4
    written = sorted(paintings_of(rows).written, key=lambda m: (round(m.place.center().y()), m.place.left()))
    for number, entry in enumerate(rows.entries):
        marks = written[3 * number : 3 * number + 3]
        assert [mark.text for mark in marks] == [f"{entry.step:,}", entry.text, entry.worth]
        model.to_end()
        qtbot.mouseClick(rows, LEFT, pos=QPoint(30, round(marks[0].place.center().y())))
        assert model.position == entry.step
    model.to_end()
    qtbot.mouseClick(rows, LEFT, pos=QPoint(30, rows.height() - 3))
    assert model.position == model.n_steps


def tip_of(widget):
    """What a widget tells those who rest the pointer on it."""
    place = widget.rect().center()
    event = QHelpEvent(QEvent.Type.ToolTip, place, widget.mapToGlobal(place))
    QApplication.sendEvent(widget, event)
    told = QTextDocumentFragment.fromHtml(QToolTip.text()).toPlainText()
    QToolTip.hideText()
    return told


def test_back_and_on_say_what_they_do_at_this_step(make_steps_page):
    page = make_steps_page("toy", b"abacb", "heap")
    buttons = {button.text(): button for button in page.trace.findChildren(WalkButton)}
    model = page.model
    model.restart()
    assert "nothing is done yet" in tip_of(buttons["◁ back"])
    model.go_to(5)
    assert "One step on (F10)" in tip_of(buttons["step on ▷"])
    assert "Next: c + b → cb, rank 1" in tip_of(buttons["step on ▷"])
    assert "Undoes the last step, which was: a + b → ab" in tip_of(buttons["◁ back"])
    told = tip_of(page.trace.picture)
    assert "the lowest rank is on top" in told
    assert "Step on: Does what is next" in told
    assert "Step back: Undoes" in told
    model.set_granularity(Granularity.PIECE)
    assert "the next piece" in tip_of(buttons["step on ▷"])
    model.to_end()
    assert "no more steps" in tip_of(buttons["step on ▷"])


def test_back_and_on_say_what_they_do_in_a_training(make_steps_page, qtbot):
    page = make_steps_page(text=b"This is insane! This is impossible. " * 3)
    for wish, told in (("bpe:280", STEPS_OF_MERGING), ("unigram:30", STEPS_OF_UNIGRAM)):
        page.begin_training(wish)
        qtbot.waitUntil(lambda: page.is_ready and page.training.model.record is not None)
        buttons = {button.text(): button for button in page.training.stage.findChildren(WalkButton)}
        model = page.training.model
        model.go_to(0)
        assert "nothing is learned yet" in tip_of(buttons["◁ back"])
        assert told in tip_of(buttons["step on ▷"])
        model.to_end()
        assert UNDOES in tip_of(buttons["◁ back"])
        assert "last step" in tip_of(buttons["step on ▷"])
