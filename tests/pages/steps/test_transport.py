"""The buttons that walk stay where they are while they are used."""

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent, QTextDocumentFragment
from PySide6.QtWidgets import QApplication, QToolTip

from guiapp.analysis.trace.debugger import Granularity
from guiapp.pages.steps.timeline import PlayControls, WalkButton
from guiapp.pages.steps.training_view import STEPS_OF_MERGING, STEPS_OF_UNIGRAM, UNDOES


def test_play_is_as_wide_as_pause(make_steps_page):
    page = make_steps_page()
    controls = page.trace.findChild(PlayControls)
    places = []
    for _ in range(2):
        page.actions_["debug_play"].trigger()
        QApplication.processEvents()
        places.append((controls.button.geometry(), controls.speed.geometry()))
        assert controls.button.width() >= controls.button.sizeHint().width()
    assert places[0] == places[1]


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
    assert page.trace.sentence._whole == page.trace.sentence._text
    model.back()
    assert page.trace.sentence._whole.startswith("Next: ")


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
