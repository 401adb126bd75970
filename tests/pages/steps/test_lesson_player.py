"""Lessons: what they show, how they begin and end, and where they are resumed."""

import json
from dataclasses import replace

import pytest
from told import told_by

from guiapp.analysis.lessons.lesson import load_each
from guiapp.errors import TokenloupeError
from guiapp.pages.steps.walk_model import TrainingWish


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
    with pytest.raises(TokenloupeError, match="There is no lesson “none”"):
        player.begin("none")
    assert player.lesson is None


def test_a_model_that_does_not_open_is_told_until_the_next_step(player, lesson, qtbot):
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


def test_lessons_and_what_is_wrong_with_others_are_read_once(player, monkeypatch):
    lessons, failures = load_each()
    assert (player.lessons, player.failures) == (lessons, failures)
    assert player.lessons is player.lessons
    assert (player.lesson, player.number, player.is_revealed, player.failure) == (None, 0, False, "")
    player.reveal()
    player.leave()
    assert not player.is_revealed


def test_without_lessons_none_is_suggested(player):
    player._loaded = ([], ["odd.toml is odd"])
    assert (player.suggested, player.failures) == (None, ["odd.toml is odd"])


@pytest.mark.parametrize(("number", "reached"), [(-1, 0), (0, 0), (1, 1), (-2, 0), (99, 0)])
def test_numbers_that_no_step_has_begin_anew(player, lesson, settings, number, reached):
    settings.lessons = json.dumps({lesson.name: number})
    assert player.reached(lesson) == reached


def test_the_last_step_is_reached_but_not_resumed_at(player, lesson, settings):
    last = len(lesson.steps) - 1
    for number, reached in ((last - 1, last - 1), (last, 0)):
        settings.lessons = json.dumps({lesson.name: number})
        assert player.reached(lesson) == reached
    assert player.suggested is not lesson
    settings.lessons = json.dumps({lesson.name: last - 1})
    assert player.suggested is lesson
    settings.lessons = json.dumps({player.lessons[-1].name: 999})
    assert player.suggested is player.lessons[0]


def test_each_step_is_told_once_and_kept(player, lesson, settings):
    told = told_by(player)
    player.begin(lesson.name, 1)
    assert (told, json.loads(settings.lessons)) == (["changed"], {lesson.name: 1})
    player.go_on()
    assert (told, json.loads(settings.lessons)) == (["changed"] * 2, {lesson.name: 2})
    player.go_back()
    player.leave()
    assert told == ["changed"] * 4
    assert (player.lesson, player.step) == (None, None)
    assert json.loads(settings.lessons) == {lesson.name: 1}


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


def test_the_scene_is_set_without_opening_what_is_open(player, lesson, qtbot, monkeypatch):
    player.begin(lesson.name, 0)
    assert not player.is_ready
    qtbot.waitUntil(lambda: player.is_ready)
    opened, told = [], []
    monkeypatch.setattr(player.session.loader, "open", lambda name, pre: opened.append(name))
    player.session.document.edited.connect(told.append)
    player.begin(lesson.name, 0)
    assert (opened, told) == ([], [])
    player.session.loader.loading_name = "demo:other"
    player.begin(lesson.name, 0)
    assert opened == [lesson.steps[0].model]
    player.session.loader.loading_name = None


def test_a_place_is_gone_to_and_told_once_it_is_recorded(player, qtbot):
    lesson, number = next(
        (lesson, number)
        for lesson in player.lessons
        for number, step in enumerate(lesson.steps)
        if step.place not in ("start", "end") and not step.train
    )
    player.begin(lesson.name, number)
    qtbot.waitUntil(lambda: player.is_ready)
    place = player.steps.position
    assert 0 < place < player.steps.n_steps
    player.steps.to_end()
    with qtbot.waitSignal(player.steps.position_changed):
        player._go_to_place()
    assert player.steps.position == place
    player.steps.to_end()
    player.leave()
    player._go_to_place()
    assert player.steps.position == player.steps.n_steps


def test_a_trace_of_another_text_model_or_encoder_is_not_the_one(player, lesson, qtbot):
    player.begin(lesson.name, 0)
    qtbot.waitUntil(lambda: player.is_ready)
    step, encoder = player.step, player.steps.debugger.trace.encoder
    assert player._is_recorded(step)
    assert player._is_recorded(replace(step, encoder=encoder))
    assert player._is_recorded(replace(step, encoder=""))
    for changes in ({"text": step.text + "x"}, {"model": "demo:other"}, {"encoder": "other"}):
        assert not player._is_recorded(replace(step, **changes))
    player.steps.show(None)
    assert not player._is_recorded(step)
    assert not player.is_ready


def test_a_training_is_wished_for_as_the_step_says(player):
    lesson, number = next(
        (lesson, number)
        for lesson in player.lessons
        for number, step in enumerate(lesson.steps)
        if step.train
    )
    wishes = []
    player.training.show = lambda *wish: wishes.append(wish)
    player.begin(lesson.name, number)
    step = player.step
    assert wishes == [(TrainingWish(step.train, step.text.encode(), 100_000, True), step.merges)]
    assert player.is_ready
    player._go_to_place()


def test_to_stop_ends_all_work(player, lesson):
    player.begin(lesson.name)
    player.training.train(TrainingWish("bpe", b"abc" * 1000, 300))
    player.stop()
    assert not player.training.is_busy
    assert not player.steps.recording._settle.isActive()
    assert not player.session.loader.job.is_busy


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
