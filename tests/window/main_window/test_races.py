"""Where two models part, step by step, in the real window."""

import pytest
from instant_recorder import load_once
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from guiapp.pages.steps.race_view import OTHER_MODEL, RaceBox
from guiapp.pages.steps.recording import TraceRecorder

pytestmark = pytest.mark.slow


LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key
TEXT = b"How do lions sleep in New York? Unbelievable."


@pytest.fixture
def shell(make_shell):
    """With a second model beside the window's own."""
    return make_shell(TEXT, "demo:bpe", load_once)


def begin_race(shell, qtbot, offset=0, model="demo:spm"):
    competitor = shell.compared.add(model)
    qtbot.waitUntil(lambda: competitor.tokenizer is not None)
    shell.window.requests.race_wanted.emit(competitor, offset)
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.model.race.competitor is not None)
    return page, page.model.race, competitor


def test_it_begins_where_the_two_part_and_another_model_is_on_the_list_until_it_is_removed(shell, qtbot):
    page, race, competitor = begin_race(shell, qtbot)
    assert (shell.window.pages.current_name, page.model.position) == ("steps", race.difference_step)
    card, box = page.trace.race_card, page.findChild(RaceBox)
    assert card.isVisible()
    ours, theirs = (
        each.vocabulary.name.removeprefix("Tokenloupe demo: ") for each in (shell.session, competitor)
    )
    assert all(name in card.verdict.text() for name in (ours, theirs))
    title = card.title.whole_text
    assert title.startswith(f"RACE · {theirs} · ")
    assert race.is_at_difference
    assert (box.currentText()[:12], box.currentData()) == (f"race {theirs}"[:12], OTHER_MODEL)
    assert all(element.element.text for element in card.flow.boxes)
    page.model.to_end()
    assert race.competitor.position == race.competitor.n_steps
    qtbot.mouseClick(card.go, LEFT)
    assert page.model.position == race.difference_step
    page.model.restart()
    qtbot.keyClick(shell.window, Key.Key_F8)
    assert page.model.position == race.difference_step
    assert "tokens differ at " in card.outcome.text()
    while box.currentData() != "":
        qtbot.keyClick(box, Key.Key_Up)
        qtbot.wait(1)
    assert (race.is_on, card.isVisible(), box.findData(OTHER_MODEL)) == (False, False, -1)


def test_it_begins_at_the_byte_that_was_asked_for_also_from_another_mode(shell, qtbot):
    shell.window.actions_table["steps"].trigger()
    shell.window.pages.current.modes.choose(2)
    page, race, competitor = begin_race(shell, qtbot, TEXT.index(b"York"), "demo:wordpiece")
    assert page.trace.isVisible()
    assert race.difference.byte == TEXT.index(b" York")
    assert page.model.position == race.difference_step
    shell.window.requests.race_wanted.emit(competitor, 0)
    qtbot.waitUntil(lambda: race.competitor is not None)
    assert race.difference.byte == 0


def test_in_a_long_text_the_context_of_the_offset_is_recorded(shell, qtbot):
    shell.session.text.document.insert(b"Some lions sleep.\n" * 8000)
    page, race, _ = begin_race(shell, qtbot, 90_000)
    recording = page.model.recording
    assert 0 < recording.text_start < 90_000 < recording.text_end
    assert race.difference.byte + recording.text_start >= 90_000 - 20
    assert recording.is_part


def test_a_race_is_updated_with_edits_and_both_models(shell, qtbot):
    page, race, competitor = begin_race(shell, qtbot)
    shell.session.text.document.insert(b"So ")
    assert (page.model.debugger, race.competitor) == (None, None)
    qtbot.waitUntil(lambda: race.competitor is not None and race.competitor.trace.text == b"So " + TEXT)
    with qtbot.waitSignal(competitor.vocabulary_changed):
        competitor.loader.open("demo:wordpiece")
    qtbot.waitUntil(
        lambda: race.competitor is not None and race.competitor.vocabulary is competitor.vocabulary
    )
    with qtbot.waitSignal(shell.session.vocabulary_changed):
        shell.session.loader.open("demo:rwkv")
    assert race.competitor is None
    qtbot.waitUntil(lambda: race.competitor is not None)
    assert page.model.debugger.vocabulary is shell.session.vocabulary
    shell.compared.remove(competitor)
    QApplication.processEvents()
    assert (race.is_on, page.trace.race_card.isVisible(), page.is_ready) == (False, False, True)
    page.model.step()


def test_a_model_removed_while_being_recorded_ends_the_race(shell, qtbot, monkeypatch):
    asked = []
    monkeypatch.setattr(TraceRecorder, "record", lambda recorder, *given: asked.append(given))
    competitor = shell.compared.add("demo:spm")
    qtbot.waitUntil(lambda: competitor.tokenizer is not None)
    shell.window.requests.race_wanted.emit(competitor, 0)
    page = shell.window.pages.current
    shell.compared.remove(competitor)
    QApplication.processEvents()
    assert (page.model.race.is_on, page.model.race.verdict) == (False, "Recording …")
