"""Lessons: what they show, where they are resumed, and that all is as before when they are left."""

import json

import pytest

from guiapp.core.lessons.lesson import LessonError
from guiapp.viewmodels.steps.lesson_player import LessonPlayer

TEXT = b"my own text"


@pytest.fixture
def player(make_steps_model, settings):
    model = make_steps_model("bpe", TEXT, "heap")
    made = LessonPlayer(model._workspace, model, settings)
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


def scene(player):
    workspace = player._workspace
    return (
        workspace.document.text(),
        workspace.options,
        workspace.loader.model.name,
        player._steps.race.encoder,
    )


def test_a_lesson_shows_its_steps_and_ends_behind_the_last(player, lesson, qtbot):
    player._steps.race.choose("scan")
    before = scene(player)
    player.begin(lesson.name)
    assert player._steps.race.encoder == ""
    for number, step in enumerate(lesson.steps):
        assert (player.lesson, player.number, player.step) == (lesson, number, step)
        qtbot.waitUntil(lambda: player.is_ready)
        text, options, model, _ = scene(player)
        assert (text, model) == (step.text.encode(), step.model)
        assert options.parse_special == step.parse_special
        assert not step.encoder or options.encoder == step.encoder
        with qtbot.waitSignal(player.changed):
            player.go_on()
    assert (player.lesson, player.step, player.is_ready) == (None, None, True)
    qtbot.waitUntil(lambda: scene(player) == before)
    player.go_on()
    player.go_back()
    player.leave()
    assert player.lesson is None


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


def test_leaving_while_the_model_of_a_lesson_is_loaded_keeps_the_own_one(player, qtbot):
    lesson = next(each for each in player.lessons if each.steps[0].model not in ("", "demo:bpe"))
    before = scene(player)
    player.begin(lesson.name)
    assert player._workspace.loader.loading_name == lesson.steps[0].model
    player.leave()
    assert player._workspace.loader.loading_name is None
    assert scene(player) == before


def test_a_lesson_goes_to_its_place_and_a_training_to_its_merges(player, qtbot):
    for lesson in player.lessons:
        for number, step in enumerate(lesson.steps):
            if step.train:
                player.begin(lesson.name, number)
                qtbot.waitUntil(lambda: player.is_ready)
                assert player.training.position == step.merges
                return
    pytest.fail("no lesson trains")
