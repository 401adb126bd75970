"""What a presentation walks through, and what is written below its pictures."""

import pytest

from guiapp.viewmodels.presentation.deck import LessonDeck, StepsDeck, Words, told_before
from guiapp.viewmodels.steps.training import TrainingModel, TrainingWish

QUESTION, PLAIN = ("5-why-greedy-is-not-exact", 0), ("5-why-greedy-is-not-exact", 1)
TRAINING = ("3-training-by-hand", 1)


@pytest.fixture
def training(qapp):
    model = TrainingModel()
    yield model
    model.stop()


@pytest.fixture
def lesson_deck(player):
    return LessonDeck(player)


def begin(player, place, qtbot):
    player.begin(*place)
    qtbot.waitUntil(lambda: player.is_ready)


def test_each_step_of_a_run_is_a_slide(make_steps_model, qtbot):
    model = make_steps_model("toy", b"abacb", "scan")
    deck = StepsDeck(model)
    assert (deck.number, deck.n_slides, deck.is_covered, deck.is_ready) == (1, model.n_steps + 1, False, True)
    numbers = []
    deck.changed.connect(lambda: numbers.append(deck.number))
    deck.go_on()
    deck.go_back()
    deck.go_to(0)
    deck.step(3)
    deck.step(-1)
    assert numbers == [2, 1, 0, 3, 2]
    assert deck.words == Words(model.debugger.sentence())
    assert not deck.words.awaits_answer
    with qtbot.waitSignal(deck.changed):
        deck.toggle_play()
    assert model.clock.is_playing
    for signal in (model.trace_changed, model.race.changed):
        with qtbot.waitSignal(deck.changed):
            signal.emit()


def test_what_cannot_be_recorded_is_told_in_place_of_steps(make_steps_model, monkeypatch):
    model = make_steps_model("toy", b"abacb", "scan")
    monkeypatch.setattr(model, "walk", None)
    monkeypatch.setattr(model.recording, "failure", "It is too long.")
    assert StepsDeck(model).words == Words("It is too long.")


def test_a_race_is_told_where_it_parts_and_at_its_end(make_steps_model, qtbot):
    model = make_steps_model("toy", b"abacb", "scan")
    deck, race = StepsDeck(model), model.race
    race.choose("greedy")
    qtbot.waitUntil(lambda: race.is_ready)
    told = {}
    for number in range(deck.n_slides):
        deck.go_to(number)
        told[number] = deck.words.more
    assert told == dict.fromkeys(told, "") | {race.parting: race.verdict, model.n_steps: race.outcome}
    assert 0 < race.parting < model.n_steps


def test_a_training_tells_that_there_is_none_its_start_and_its_steps(training, qtbot):
    deck = StepsDeck(training)
    assert deck.words.say == "Nothing is trained yet: Escape leaves, and “Train” begins."
    training.train(TrainingWish("bpe", b"is this is", 300, False), 0)
    qtbot.waitUntil(lambda: not training.is_busy)
    assert deck.words == Words(told_before("bpe"))
    deck.go_on()
    assert deck.words == Words(training.record.sentence(1))
    with qtbot.waitSignal(deck.changed):
        training.changed.emit()
    assert {told_before(name).split()[3] for name in ("bpe", "wordpiece", "unigram")} == {"each", "every"}
    assert "substring" in told_before("unigram")


def test_a_question_is_a_slide_whose_answer_comes_before_the_next(player, lesson_deck, qtbot):
    assert (lesson_deck.n_slides, lesson_deck.words, lesson_deck.walk) == (0, Words(""), player.steps)
    begin(player, QUESTION, qtbot)
    step = player.step
    assert (lesson_deck.number, lesson_deck.n_slides, lesson_deck.is_ready) == (0, 4, True)
    assert lesson_deck.words == Words(step.say, step.ask, player.answer)
    assert (lesson_deck.is_covered, lesson_deck.words.awaits_answer) == (True, True)
    before = player.steps.position
    lesson_deck.step(1)
    lesson_deck.toggle_play()
    assert (player.steps.position, player.steps.clock.is_playing) == (before, False)
    with qtbot.waitSignal(lesson_deck.changed):
        lesson_deck.go_on()
    assert (lesson_deck.number, lesson_deck.is_covered, lesson_deck.words.is_revealed) == (0, False, True)
    assert not lesson_deck.words.awaits_answer
    lesson_deck.go_on()
    assert lesson_deck.number == 1
    lesson_deck.go_back()
    assert lesson_deck.number == 0
    lesson_deck.go_to(3)
    lesson_deck.go_on()
    assert lesson_deck.number == 3


def test_between_slides_the_run_tells_its_own_sentences(player, lesson_deck, qtbot):
    begin(player, PLAIN, qtbot)
    step, before = player.step, player.steps.position
    assert lesson_deck.words == Words(step.say)
    by = -1 if before else 1
    with qtbot.waitSignal(lesson_deck.changed):
        lesson_deck.step(by)
    assert player.steps.position == before + by
    assert lesson_deck.words == Words(player.steps.debugger.sentence())
    lesson_deck.step(-by)
    assert lesson_deck.words == Words(step.say)
    player.remark = "Another file."
    assert lesson_deck.words.more == "Another file."
    lesson_deck.toggle_play()
    assert player.steps.clock.is_playing
    player.failure = "There is no such model."
    assert lesson_deck.words == Words("There is no such model.")


def test_slides_of_a_training_walk_through_it(player, lesson_deck, qtbot):
    begin(player, TRAINING, qtbot)
    assert lesson_deck.walk is player.training
    assert lesson_deck.words.say == player.step.say
    with qtbot.waitSignal(lesson_deck.changed):
        lesson_deck.step(1)
    assert lesson_deck.words == Words(player.training.record.sentence(player.training.position))
