"""Lessons: what they show, how they begin and end, and where they are resumed."""

import json

import pytest

from guiapp.analysis.lessons.lesson import load_each
from guiapp.core.demo import LESSONS
from guiapp.errors import TokenloupeError
from guiapp.kit.state.settings import Settings
from guiapp.pages.steps.lesson_progress import LessonProgress


@pytest.fixture
def lesson(player):
    """One that asks something and trains nothing."""
    return next(
        lesson
        for lesson in player.lessons
        if len(lesson.steps) > 2
        and not any(step.train for step in lesson.steps)
        and any(step.ask for step in lesson.steps)
    )


def test_a_lesson_shows_its_steps_and_ends_after_the_last(player, lesson, qtbot):
    session = player.session
    player.begin(lesson.name)
    for number, step in enumerate(lesson.steps):
        assert (player.lesson, player.number, player.step) == (lesson, number, step)
        qtbot.waitUntil(lambda: player.is_ready)
        assert (session.document.text(), session.loader.model.name) == (step.text.encode(), step.model)
        assert session.options.parse_special == step.parse_special
        assert session.options.encoder == (step.encoder or None)
        with qtbot.waitSignal(player.changed):
            player.go_on()
    assert (player.lesson, player.step, player.is_ready) == (None, None, True)
    with qtbot.assertNotEmitted(player.changed):
        player.go_on()
        player.go_back()
        player.leave()


def test_going_back_stops_at_the_first_step(player, lesson):
    player.begin(lesson.name, 1)
    seen = []
    for _ in range(2):
        player.go_back()
        seen.append(player.number)
    assert seen == [0, 0]
    player.begin(lesson.name, 999)
    assert player.number == len(lesson.steps) - 1


def test_answers_are_revealed_once_and_hidden_again_in_the_next_step(player, lesson, qtbot):
    asking = next(at for at, step in enumerate(lesson.steps) if step.ask)
    player.begin(lesson.name, asking)
    assert not player.is_revealed
    with qtbot.waitSignal(player.changed):
        player.reveal()
    with qtbot.assertNotEmitted(player.changed):
        player.reveal()
    assert player.is_revealed
    player.begin(lesson.name, asking)
    assert not player.is_revealed
    silent = next((at for at, step in enumerate(lesson.steps) if not step.ask), None)
    if silent is not None:
        player.begin(lesson.name, silent)
        player.reveal()
        assert not player.is_revealed


def test_a_lesson_is_resumed_or_restarted_once_it_was_finished(player, lesson, settings):
    last, names = len(lesson.steps) - 1, [each.name for each in player.lessons]
    assert (player.suggested, player.reached(lesson)) == (player.lessons[0], 0)
    player.begin(lesson.name, 1)
    assert (player.reached(lesson), player.suggested) == (1, lesson)
    player.leave()
    player.begin(lesson.name)
    assert player.number == 1
    player.begin(lesson.name, last)
    assert player.reached(lesson) == 0
    assert player.suggested.name == names[(names.index(lesson.name) + 1) % len(names)]
    other = player.lessons[0 if lesson is not player.lessons[0] else 1]
    player.begin(other.name, 1)
    assert list(json.loads(settings.lessons)) == [lesson.name, other.name]
    player.begin(lesson.name, 1)
    assert list(json.loads(settings.lessons)) == [other.name, lesson.name]


def test_a_missing_lesson_raises_an_error(player):
    with pytest.raises(TokenloupeError, match="There is no lesson “none”"):
        player.begin("none")
    assert player.lesson is None


def test_a_model_error_is_shown_until_the_next_step(player, lesson, qtbot):
    player.begin(lesson.name)
    with qtbot.waitSignal(player.changed):
        player.session.loader.failed.emit("demo:bpe", "It is gone.")
    assert player.failure == "It is gone."
    player.go_on()
    assert player.failure == ""


def test_a_lesson_goes_to_its_place_and_a_training_to_its_merges(player, qtbot):
    for lesson in player.lessons:
        for number, step in enumerate(lesson.steps):
            if step.train:
                player.begin(lesson.name, number)
                qtbot.waitUntil(lambda: player.is_ready)
                assert player.training.position == step.merges
                return
    pytest.fail("no lesson trains")


def test_a_lesson_begins_without_breakpoints_watches_and_races(player, lesson):
    player.steps.breakpoints.add("token 1")
    player.steps.add_watch("rank")
    player.training.breakpoints.add("rank 1")
    player.begin(lesson.name)
    assert (player.steps.breakpoints.rows, player.steps.watches, player.training.breakpoints.rows) == (
        (),
        (),
        (),
    )


def test_a_step_with_a_position_goes_there_once_recorded(player, qtbot):
    lesson, number = next(
        (lesson, number)
        for lesson in player.lessons
        for number, step in enumerate(lesson.steps)
        if step.stop_at not in ("start", "end") and not step.train
    )
    player.begin(lesson.name, number)
    qtbot.waitUntil(lambda: player.is_ready)
    assert 0 < player.steps.position < player.steps.n_steps


def test_answers_are_computed_where_the_lesson_is_whatever_moves_meanwhile(player, qtbot):
    assert (player.answer, player.is_covered) == ("", False)
    player.begin("4-encoding-by-merges", 0)
    assert player.is_covered
    qtbot.waitUntil(lambda: player.is_ready)
    answer = player.answer
    assert answer.startswith("`·` + `l` → `·l`, rank 24: the lowest of 4 candidates. ")
    player.steps.to_end()
    assert player.answer == answer
    player.reveal()
    assert not player.is_covered
    player.begin("3-training-by-hand", 0)
    assert player.answer.startswith("`i` + `s` → `is`, 4 times: ")
    player.begin("7-wordpiece", 1)
    assert (player.answer, player.is_covered) == (player.step.answer, False)


@pytest.fixture
def settings(tmp_path):
    return Settings(tmp_path / "settings.ini")


def test_menus_know_the_lessons_that_are_in_the_files():
    lessons, _ = load_each()
    heads = [(lesson.name, lesson.title, len(lesson.steps)) for lesson in lessons]
    assert heads == [(head.name, head.title, head.n_steps) for head in LESSONS]


def test_a_finished_lesson_is_still_finished_after_a_restart(settings):
    progress = LessonProgress(settings)
    assert not progress.is_finished("one", 3)
    for number in range(3):
        progress.keep("one", number, 3)
        assert (progress.reached("one", 3), progress.is_finished("one", 3)) == (number % 2, number == 2)
    progress.keep("one", 1, 3)
    assert (progress.reached("one", 3), progress.is_finished("one", 3)) == (1, True)


def test_progress_saved_in_the_old_format_counts_as_finished(settings):
    settings.lessons = '{"one": 2}'
    progress = LessonProgress(settings)
    progress.keep("one", 0, 3)
    assert progress.is_finished("one", 3)


@pytest.mark.parametrize("spoiled", ["", "nonsense", "[1]", "7", '{"one": "two"}', '{"one": null}', "[[]]"])
def test_progress_that_makes_no_sense_is_none(settings, spoiled):
    settings.lessons = settings.finished_lessons = spoiled
    progress = LessonProgress(settings)
    assert (progress.reached("one", 3), progress.is_finished("one", 3)) == (0, False)
    progress.keep("one", 2, 3)
    assert progress.is_finished("one", 3)
