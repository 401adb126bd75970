"""Presentations with real keys and clicks."""

import pytest
from hands import point_at, turn_wheel
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication

from guiapp.viewmodels.presentation.deck import Words
from guiapp.widgets.presentation import screen
from guiapp.widgets.presentation.words import lay_out_words
from guiapp.widgets.shared.theme import DARK
from guiapp.widgets.steps.page import LESSONS, TRAIN

Key = Qt.Key
LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
SHIFT = Qt.KeyboardModifier.ShiftModifier


def on_screen(presented, place):
    """A place of the layout as a pixel."""
    return (QPointF(place) * presented.scale).toPoint()


def told(presented):
    return " ".join(paragraph.document.toPlainText() for paragraph in presented.column.paragraphs)


def letters(presented):
    return ["".join(each.letter.text for each in picture.strip.letters) for picture in presented.pictures]


def test_keys_lead_on_back_to_the_ends_and_out_with_the_step_that_was_reached(
    make_steps_page, present, qtbot
):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.restart()
    before = QApplication.focusWidget()
    presented = present(page)
    for key in (Key.Key_Space, Key.Key_Right, Key.Key_PageDown):
        position = page.model.position
        qtbot.keyClick(presented, key)
        assert page.model.position == position + 1
        assert told(presented) == page.trace.sentence.text()
    for key in (Key.Key_Backspace, Key.Key_Left):
        position = page.model.position
        qtbot.keyClick(presented, key)
        assert page.model.position == position - 1
    qtbot.keyClick(presented, Key.Key_Home)
    assert page.model.position == 0
    qtbot.keyClick(presented, Key.Key_End)
    assert page.model.position == page.model.n_steps
    assert letters(presented) == ["abacb"]
    qtbot.keyClick(presented, Key.Key_Backspace)
    reached = page.model.position
    qtbot.keyClick(presented, Key.Key_Escape)
    assert page.presentation is None
    assert page.model.position == reached
    qtbot.waitUntil(lambda: page.window().isActiveWindow())
    assert QApplication.focusWidget() is before
    assert page.trace.isVisible()


def test_the_key_the_button_and_the_menu_open_it(make_steps_page, qtbot):
    page = make_steps_page("toy", b"abacb")
    qtbot.keyClick(page.window(), Key.Key_Return, Qt.KeyboardModifier.AltModifier)
    assert page.presentation.isFullScreen()
    page.present()
    assert len(page.findChildren(screen.Presentation)) == 1
    qtbot.keyClick(page.presentation, Key.Key_Escape)
    qtbot.mouseClick(page.present_button, LEFT)
    page.presentation.close()
    assert page.presentation is None
    page.actions_["present"].trigger()
    assert page.presentation is not None


def test_the_pointer_leads_on_and_back_and_hides_when_still(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "scan")
    presented = present(page, (1280, 720))
    page.model.restart()
    qtbot.mouseClick(presented, LEFT, pos=QPoint(900, 300))
    assert page.model.position == 1
    qtbot.mouseClick(presented, LEFT, pos=QPoint(200, 300))
    assert page.model.position == 0
    for turned, position in ((-120, 1), (-60, 1), (-60, 2), (120, 1)):
        turn_wheel(presented, QPoint(640, 300), turned)
        assert page.model.position == position
    qtbot.mouseClick(presented, RIGHT, pos=QPoint(900, 300))
    assert page.model.position == 0
    point_at(presented, QPoint(640, 300))
    assert presented.cursor().shape() is not Qt.CursorShape.BlankCursor
    assert {"back", "on", "play", "leave"} <= set(presented.targets)
    presented._still.timeout.emit()
    assert presented.cursor().shape() is Qt.CursorShape.BlankCursor
    assert not presented.targets


def test_what_shows_with_the_pointer_can_be_clicked(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.restart()
    presented = present(page)

    def click(name):
        point_at(presented, QPoint(640, 300))
        qtbot.mouseClick(presented, LEFT, pos=on_screen(presented, presented.targets[name].center()))

    click("on")
    assert page.model.position == 1
    click("back")
    assert page.model.position == 0
    click("play")
    assert page.model.clock.is_playing
    click("play")
    assert not page.model.clock.is_playing
    last = presented._dashes()[-1]
    qtbot.mouseClick(presented, LEFT, pos=on_screen(presented, last.center()))
    assert page.model.position == page.model.n_steps
    click("leave")
    assert page.presentation is None


def test_it_plays_and_stops_when_it_is_left(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.restart()
    presented = present(page)
    qtbot.keyClick(presented, Key.Key_P)
    page.model.clock.ticked.emit()
    assert page.model.position == 1
    qtbot.keyClick(presented, Key.Key_Escape)
    assert not page.model.clock.is_playing


def test_keys_that_are_held_down_do_not_run_through_everything(make_steps_page, present):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.restart()
    presented = present(page)
    for key, moves in ((Key.Key_Space, 0), (Key.Key_Right, 1)):
        before = page.model.position
        held = QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier, "", True)
        QApplication.sendEvent(presented, held)
        assert page.model.position - before == moves


def test_it_ends_with_its_lesson(make_steps_page, present):
    page = make_steps_page()
    page.player.begin("4-encoding-by-merges", 0)
    present(page)
    page.player.leave()
    assert page.presentation is None


def test_letters_move_unless_that_is_switched_off(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "scan")
    page.model.restart()
    for is_animated in (True, False):
        page.actions_["present_motion"].setChecked(is_animated)
        presented = present(page)
        qtbot.keyClick(presented, Key.Key_Space)
        assert (presented._motion.state() is presented._motion.State.Running) is is_animated
        assert 120 <= presented._motion.duration() <= 200
        qtbot.keyClick(presented, Key.Key_Escape)


def test_a_lesson_is_walked_to_its_end_and_no_answer_stands_beside_its_question(
    make_steps_page, present, qtbot
):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    player = page.player
    for lesson in player.lessons[2::3]:  # one of them about training
        player.begin(lesson.name, 0)
        presented = present(page)
        for number, step in enumerate(lesson.steps):
            qtbot.waitUntil(lambda: player.is_ready)
            assert player.number == number
            if step.ask:
                answer = player.answer.replace("`", "")
                assert answer not in told(presented)
                picture = presented.pictures[0]
                assert not player.is_covered or picture.scene.mark is None
                assert "reveal" in presented.targets
                places = [each.cell for each in picture.strip.letters][:1]
                qtbot.keyClick(presented, Key.Key_Space)
                assert player.is_revealed
                assert answer in told(presented).replace("\u2068", "").replace("\u2069", "")
                assert "reveal" not in presented.targets
                tops = [each.cell.top() for each in presented.pictures[0].strip.letters][:1]
                assert not picture.scene.is_one_row or tops == [cell.top() for cell in places]
            qtbot.keyClick(presented, Key.Key_Space)
        assert player.number == len(lesson.steps) - 1, "the last slide stays"
        assert player.is_finished(lesson)
        qtbot.keyClick(presented, Key.Key_Escape)
        assert player.lesson is lesson
        assert page.lesson_bar.isVisible()


def test_a_question_is_answered_by_a_click_and_steps_can_be_taken_in_between(make_steps_page, present, qtbot):
    page = make_steps_page()
    player = page.player
    player.begin("4-encoding-by-merges", 0)
    presented = present(page)
    qtbot.waitUntil(lambda: player.is_ready)
    qtbot.keyClick(presented, Key.Key_F10)
    assert player.is_at_place, "a question comes first"
    target = presented.targets["reveal"].center()
    qtbot.mouseClick(presented, LEFT, pos=on_screen(presented, target))
    assert player.is_revealed
    asked = told(presented)
    qtbot.keyClick(presented, Key.Key_F10)
    assert not player.is_at_place
    assert told(presented) == page.lesson_trace.sentence.text()
    qtbot.keyClick(presented, Key.Key_F10, SHIFT)
    assert told(presented) == asked


def test_lessons_are_presented_from_their_bar_their_list_and_the_menu(make_steps_page, qtbot):
    page = make_steps_page()
    page.modes.choose(LESSONS)
    assert not page.present_button.isVisible()
    page.actions_["lesson_present"].trigger()
    assert page.player.lesson is page.player.lessons[0]
    qtbot.keyClick(page.presentation, Key.Key_Escape)
    qtbot.mouseClick(page.lesson_bar.present_button, LEFT)
    assert page.presentation is not None
    qtbot.keyClick(page.presentation, Key.Key_Escape)
    page.player.leave()
    second = page.player.lessons[1]
    qtbot.mouseClick(page.lessons.present_buttons[second.name], LEFT)
    assert page.player.lesson is second
    assert page.presentation is not None


def test_a_race_has_both_and_tells_where_they_part(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb", "heap")
    page.model.race.choose("greedy")
    qtbot.waitUntil(lambda: page.model.race.is_ready)
    page.model.to_difference()
    presented = present(page)
    assert [picture.name for picture in presented.pictures] == ["heap", "greedy"]
    assert letters(presented) == ["abacb", "abacb"]
    upper, lower = presented.pictures
    assert upper.area.bottom() <= lower.area.top()
    assert "From byte 2 on they differ." in told(presented)
    qtbot.keyClick(presented, Key.Key_End)
    assert "heap 8 steps, greedy 5: other tokens at byte 2" in told(presented)


def test_a_question_whose_answer_is_still_computed_keeps_room_for_it_below():
    column = lay_out_words(Words("", "Why?", ""), DARK, 960, 1400, 900)
    (question,) = column.paragraphs
    assert column.target.top() > question.place.bottom()
    assert column.height == column.target.bottom()


def test_a_training_is_presented_step_by_step(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"This is insane! This is impossible")
    page.modes.choose(TRAIN)
    presented = present(page)
    assert told(presented).startswith("Nothing is trained yet")
    qtbot.keyClick(presented, Key.Key_Escape)
    page.begin_training("bpe:400:1")
    qtbot.waitUntil(lambda: not page.training.model.is_busy)
    presented = present(page)
    training = page.training.model
    position = training.position
    qtbot.keyClick(presented, Key.Key_Space)
    assert training.position == position + 1
    assert told(presented) == page.training.stage.sentence.text()
    qtbot.keyClick(presented, Key.Key_Escape)
    assert training.position == position + 1


def test_a_text_that_is_not_recorded_says_why(make_steps_page, present, qtbot):
    page = make_steps_page("toy", b"abacb")
    presented = present(page)
    page.model.show(None)
    assert letters(presented) == [""]
    assert not presented.grab().isNull()
    assert pytest.approx(presented.scale) == 1.0


def test_neither_side_of_a_race_answers_a_question(make_steps_page, present, qtbot):
    page = make_steps_page()
    player = page.player
    player.begin("4-encoding-by-merges", 0)
    qtbot.waitUntil(lambda: player.is_ready)
    player.steps.race.choose("greedy")
    qtbot.waitUntil(lambda: player.steps.race.rival is not None)
    presented = present(page)
    assert player.is_covered
    assert not any(block.is_marked for picture in presented.pictures for block in picture.scene.blocks)
    assert not any(picture.scene.ranks or picture.scene.mark for picture in presented.pictures)
    player.reveal()
    assert all(any(block.is_marked for block in picture.scene.blocks) for picture in presented.pictures)


def test_a_run_that_plays_stops_before_the_next_slide(make_steps_page, present, qtbot):
    page = make_steps_page()
    player = page.player
    player.begin("4-encoding-by-merges", 0)
    qtbot.waitUntil(lambda: player.is_ready)
    player.reveal()
    presented = present(page)
    qtbot.keyClick(presented, Key.Key_P)
    assert player.steps.clock.is_playing
    qtbot.keyClick(presented, Key.Key_PageDown)
    assert player.number == 1
    assert not player.steps.clock.is_playing
