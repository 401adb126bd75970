"""Lessons from the list to their end with real keys, and no mouse."""

import html
import re

from instant_recorder import load_once
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from guiapp.pages.steps.page import LESSONS

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


def test_a_lesson_shows_its_model_and_why_it_does_not_open(make_steps_page, qtbot):
    page = make_steps_page("bpe")
    page.player.begin("5-why-greedy-is-not-exact", 1)
    assert page.lesson_bar.title.text().endswith("· 2 OF 4 · WITH demo:toy · greedy")
    page.player.session.loader.open("/nowhere/<b>.gguf")
    qtbot.waitUntil(lambda: "&lt;b&gt;.gguf" in page.lesson_bar.question.text())
    assert page.lesson_bar.question.isVisible()
    page.player.go_on()
    qtbot.waitUntil(lambda: page.player.is_ready)
    assert "nowhere" not in page.lesson_bar.question.text()
    page.player.begin("3-training-by-hand", 0)
    assert page.lesson_bar.title.text().endswith("· TRAINS bpe")


def test_each_step_of_a_lesson_shows_its_text_and_question(make_steps_page, qtbot):
    page = make_steps_page()
    bar, player = page.lesson_bar, page.player
    previous, reveal, on, leave = bar.buttons.values()
    for lesson in player.lessons[:6]:
        player.begin(lesson.name, 0)
        for number, step in enumerate(lesson.steps):
            assert player.number == number
            assert f" · {number + 1} OF {len(lesson.steps)} · " in bar.title.text()
            assert bar.title.text().endswith(step.train or step.encoder or step.model)
            assert plain(bar.narration.text()) == bare(step.say)
            assert bar.question.isVisible() is reveal.isVisible() is bool(step.ask)
            assert previous.isEnabled() is (number > 0)
            if step.ask:
                assert bare(step.ask) in plain(bar.question.text())
                qtbot.waitUntil(lambda: player.is_ready)
                answer = bare(player.answer)
                assert len(answer) > 5
                assert answer not in plain(bar.question.text())
                assert player.is_covered is bool(step.answer_is)
                reveal.click()
                assert answer in plain(bar.question.text())
                assert not player.is_covered
                assert not reveal.isVisible()
            if number:
                previous.click()
                assert player.number == number - 1
                on.click()
            on.click()
        assert player.lesson is None
        assert not bar.isVisible()
    player.begin(lesson.name, 1)
    page.modes.choose(0)
    for name in ("lesson_previous", "lesson_next", "lesson_leave"):
        page.actions_[name].trigger()
    assert player.number == 1
    page.modes.choose(LESSONS)
    leave.click()
    assert player.lesson is None
    assert page.lessons.isVisible()


def plain(rich):
    return bare(html.unescape(re.sub(r"<[^<>]*>", "", rich)))


def bare(text):
    """Without what marks code and emphasis."""
    return re.sub(r"[`*\s]", "", text)


def test_the_window_names_the_model_of_a_lesson_as_long_as_it_plays(make_shell, qtbot):
    shell = make_shell(b"lions", "demo:bpe", load_once)
    shell.window.actions_table["steps"].trigger()
    page, bar = shell.window.pages.current, shell.window.top_bar
    own = bar.model_button.accessibleName()
    page.player.begin("5-why-greedy-is-not-exact")
    assert "demo:toy" in bar.model_button.accessibleName()
    assert not bar.encoder_button.isEnabled()
    shell.window.actions_table["tree"].trigger()
    assert bar.model_button.accessibleName() == own
    shell.window.actions_table["steps"].trigger()
    assert "demo:toy" in bar.model_button.accessibleName()
    page.player.leave()
    assert bar.model_button.accessibleName() == own
    assert bar.encoder_button.isEnabled()


def test_at_a_question_the_right_arrow_shows_the_answer_and_then_steps(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    lesson = next(each for each in page.player.lessons if each.steps[0].answer_is and not each.steps[0].train)
    page.player.begin(lesson.name, 0)
    qtbot.waitUntil(lambda: page.player.is_ready)
    press(qtbot, Qt.Key.Key_Left)
    assert not page.player.is_revealed
    press(qtbot, Qt.Key.Key_Right)
    assert page.player.is_revealed
    position = page.player.steps.position
    press(qtbot, Qt.Key.Key_Right)
    assert page.player.steps.position == position + 1
