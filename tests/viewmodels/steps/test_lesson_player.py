"""Lessons: what they show, how they begin and end, and where they are resumed."""

import json

import pytest
from instant_recorder import InstantRecorder

from guiapp.core.lessons.lesson import LessonError
from guiapp.viewmodels.steps.lesson_player import LessonPlayer


@pytest.fixture
def player(qtbot, settings):
    made = LessonPlayer(settings, InstantRecorder())
    made.steps.watch(True)
    yield made
    made.stop()


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


def test_a_lesson_shows_its_steps_and_ends_behind_the_last(player, lesson, qtbot):
    workspace = player.workspace
    player.begin(lesson.name)
    for number, step in enumerate(lesson.steps):
        assert (player.lesson, player.number, player.step) == (lesson, number, step)
        qtbot.waitUntil(lambda: player.is_ready)
        assert (workspace.document.text(), workspace.loader.model.name) == (step.text.encode(), step.model)
        assert workspace.options.parse_special == step.parse_special
        assert workspace.options.encoder == (step.encoder or None)
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


def test_a_lesson_is_resumed_where_it_was_left_and_anew_when_it_was_finished(player, lesson, settings):
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


@pytest.mark.parametrize("kept", ["", "nonsense", "[1]", '{"no such lesson": 1}'])
def test_progress_that_makes_no_sense_begins_at_the_first(player, settings, kept):
    settings.lessons = kept
    assert player.suggested is player.lessons[0]


def test_a_lesson_that_is_not_there_is_told(player):
    with pytest.raises(LessonError, match="There is no lesson “none”"):
        player.begin("none")
    assert player.lesson is None


def test_a_model_that_does_not_open_is_told_until_the_next_step(player, lesson, qtbot):
    player.begin(lesson.name)
    with qtbot.waitSignal(player.changed):
        player.workspace.loader.failed.emit("demo:bpe", "It is gone.")
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
