"""Lessons from the list to their end with real keys, and no mouse."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from guiapp.widgets.steps.page import LESSONS

CONTROL = Qt.KeyboardModifier.ControlModifier


def press(qtbot, key, modifiers=Qt.KeyboardModifier.NoModifier):
    """A key where the focus is, as a keyboard sends it."""
    qtbot.keyClick(QApplication.focusWidget(), key, modifiers)


def test_return_begins_a_lesson_and_keys_lead_to_its_end_and_to_the_next_one(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    first, second = page.player.lessons[:2]
    assert QApplication.focusWidget() is page.lessons.buttons[first.name]
    press(qtbot, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is page.lessons.buttons[second.name]
    press(qtbot, Qt.Key.Key_Up)
    press(qtbot, Qt.Key.Key_Return)
    for number, step in enumerate(first.steps):
        assert page.player.number == number
        qtbot.waitUntil(lambda: page.player.is_ready)
        assert QApplication.focusWidget() in page.panels
        if step.ask:
            press(qtbot, Qt.Key.Key_Return, CONTROL)
            assert page.player.is_revealed
        press(qtbot, Qt.Key.Key_PageDown, CONTROL)
    assert page.player.lesson is None
    assert QApplication.focusWidget() is page.lessons.buttons[second.name]
    press(qtbot, Qt.Key.Key_Return)
    assert page.player.lesson is second


def test_a_lesson_left_early_is_the_one_that_return_resumes(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    lessons = page.player.lessons
    for lesson in (lessons[4], lessons[2], lessons[4]):
        page.player.begin(lesson.name, 1)
        page.player.leave()
    button = page.lessons.buttons[lessons[4].name]
    assert QApplication.focusWidget() is button
    assert button.text().startswith("Resume at 2")


def test_a_mode_chosen_by_keys_keeps_the_focus(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.setFocus()
    page.modes.focusNextChild()
    press(qtbot, Qt.Key.Key_Right)
    press(qtbot, Qt.Key.Key_Right)
    press(qtbot, Qt.Key.Key_Space)
    assert page.lessons.isVisible()
    assert page.modes.isAncestorOf(QApplication.focusWidget())


def test_a_race_waits_until_the_lesson_is_over(make_steps_page, qtbot):
    page = make_steps_page()
    page.model.race.choose("greedy")
    page.player.begin("1-what-a-token-is", 0)
    assert not page.trace.race_card.isVisible()
    page.player.leave()
    assert page.model.race.encoder == "greedy"


def test_a_lesson_begun_while_the_last_one_is_being_left_has_its_own_model(make_steps_page, qtbot):
    page = make_steps_page("bpe")
    player, loader = page.player, page.kept_workspace.loader
    player.begin("5-why-greedy-is-not-exact", 0)
    qtbot.waitUntil(lambda: player.is_ready)
    player.leave()
    assert loader.loading_name == "demo:bpe"
    player.begin("6-exact-in-linear-time", 0)
    qtbot.waitUntil(lambda: player.is_ready and loader.loading_name is None)
    assert loader.model.name == "demo:toy"
    player.leave()
    qtbot.waitUntil(lambda: loader.loading_name is None)
    assert loader.model.name == "demo:bpe"


def test_a_lesson_that_is_left_at_once_leaves_the_model_as_it_was(make_steps_page, qtbot):
    page = make_steps_page("bpe")
    player, loader = page.player, page.kept_workspace.loader
    player.begin("5-why-greedy-is-not-exact", 0)
    assert loader.loading_name == "demo:toy"
    player.leave()
    assert loader.loading_name is None
    assert loader.model.name == "demo:bpe"
