"""Trainings behind the Steps page: the process, moving through the steps, the result."""

import sys
from itertools import pairwise

import pytest
from full_disk import full_disk

from guiapp.analysis.train.models import TrainingError
from guiapp.pages.steps.walk_model import TrainingModel, TrainingWish

TEXT = b"This is insane! This is impossible"
THREE_STEPS = """
import json, sys, time
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.analysis.train.runs import _send

asked = json.loads(sys.stdin.readline())
run = begin(asked["algorithm"], asked["text"], asked["n_tokens"], asked["has_end_marks"])
_send(run.start.line())
for told, _ in zip(run.steps(), range(3)):
    _send(to_json(told).encode())
time.sleep(600)
"""


@pytest.fixture
def make_model():
    made = []

    def make(*command):
        made.append(TrainingModel(command) if command else TrainingModel())
        return made[-1]

    yield make
    for model in made:
        model.stop()


def trained(model, qtbot, wish, position=1):
    model.train(wish, position)
    qtbot.waitUntil(lambda: not model.is_busy)
    return model


def test_playing_goes_to_the_end_and_stops(make_model, qtbot):
    model = trained(make_model(), qtbot, TrainingWish("bpe", TEXT, 400, True))
    model.clock.set_speed(30)
    model.to_end()
    model.toggle_play()
    assert model.position == 0
    qtbot.waitUntil(lambda: not model.clock.is_playing)
    assert model.position == model.n_steps


def test_the_same_training_is_not_made_again(make_model, qtbot):
    model, wish = make_model(), TrainingWish("bpe", TEXT, 400, True)
    trained(model, qtbot, wish, 2)
    assert model.position == 2
    model.show(wish, 4)
    assert not model.is_busy
    assert model.position == 4
    model.show(TrainingWish("bpe", TEXT + b" too", 400, True), 1)
    assert model.is_busy


def test_a_training_can_be_cancelled(make_model, qtbot):
    model = make_model(sys.executable, "-c", "import time; time.sleep(60)")
    model.train(TrainingWish("bpe", TEXT, 300))
    model.cancel()
    assert not model.is_busy
    assert "cancelled" in model.failure


def test_a_process_that_dies_is_reported(make_model, qtbot):
    model = make_model(sys.executable, "-c", "import sys; sys.exit('no room')")
    trained(model, qtbot, TrainingWish("bpe", TEXT, 300))
    assert "no room" in model.failure


def test_many_steps_leave_the_window_its_turns(make_model, qtbot):
    text = " ".join(f"word{number * 7919 % 1000}" for number in range(3000)).encode()
    model = make_model()
    grown = []
    model.changed.connect(lambda: grown.append(model.n_steps))
    trained(model, qtbot, TrainingWish("bpe", text, 1200))
    assert model.n_steps > 400
    assert max(after - before for before, after in pairwise(grown)) <= 100


def test_another_training_does_not_change_earlier_models(make_model, qtbot):
    model = trained(make_model(), qtbot, TrainingWish("bpe", TEXT, 262))
    first, content = model.model_file, model.model_file.read_bytes()
    trained(model, qtbot, TrainingWish("wordpiece", TEXT, 40))
    assert model.model_file != first
    assert first.read_bytes() == content


def test_runs_stop_at_breakpoints_forwards_and_backwards(make_model, qtbot):
    model = make_model()
    model.breakpoints.add('token "Th"')
    model.breakpoints.add("count >= 4 log seen")
    trained(model, qtbot, TrainingWish("bpe", TEXT, 400, True), 0)
    assert [step_array.tolist() for step_array in model.hits] == [[3], [1, 2]]
    model.run()
    assert model.position == 3
    assert model.stopped_at.title == 'token "Th"'
    model.run()
    assert (model.position, model.stopped_at) == (4, None)
    model.reverse()
    assert model.position == 3
    model.reverse()
    assert model.position == 0


def test_a_run_waits_for_steps_that_are_still_to_come(make_model, qtbot):
    model = make_model()
    model.breakpoints.add("rank 1 once")
    model.train(TrainingWish("bpe", TEXT, 400, True), 0)
    assert model.n_steps == 0
    model.run()
    qtbot.waitUntil(lambda: not model.is_busy)
    assert model.position == 2
    assert not model.breakpoints.rows[0].is_enabled


def test_playing_stops_at_breakpoints_and_f9_sets_them(make_model, qtbot):
    model = trained(make_model(), qtbot, TrainingWish("bpe", TEXT, 400, True), 2)
    model.toggle_breakpoint()
    assert [row.title for row in model.breakpoints.rows] == ['token "is</w>"']
    model.restart()
    model.clock.set_speed(30)
    model.toggle_play()
    qtbot.waitUntil(lambda: not model.clock.is_playing)
    assert model.position == 2
    model.toggle_breakpoint()
    assert model.breakpoints.rows == ()


@pytest.mark.parametrize("position", [0, 2])
def test_playing_waits_where_it_has_caught_up_with_the_training(make_model, qtbot, position):
    model = make_model(sys.executable, "-u", "-c", THREE_STEPS)
    model.clock.set_speed(30)
    model.train(TrainingWish("bpe", TEXT, 400, True), position)
    model.play()
    assert model.clock.is_playing
    qtbot.waitUntil(lambda: model.n_steps == model.position == 3)
    with qtbot.waitSignals([model.clock.timeout] * 2):
        pass
    assert (model.clock.is_playing, model.is_busy) == (True, True)
    model.cancel()
    qtbot.waitUntil(lambda: not model.clock.is_playing)
    assert model.position == 3


WISH = TrainingWish("bpe", TEXT, 400, True)
LISTENS = (sys.executable, "-c", "import sys; sys.stdin.read()")


def test_a_model_file_that_cannot_be_saved_leaves_what_was_there(make_model, qtbot, tmp_path):
    model = trained(make_model(), qtbot, TrainingWish("bpe", TEXT, 262))
    saved, nowhere = tmp_path / "saved.gguf", tmp_path / "no folder" / "saved.gguf"
    model.save(saved)
    content = saved.read_bytes()
    with pytest.raises(TrainingError, match=f"{nowhere} cannot be written: No such file"):
        model.save(nowhere)
    with full_disk(7), pytest.raises(TrainingError, match=f"{saved} cannot be written: File too large"):
        model.save(saved)
    assert saved.read_bytes() == content
    assert list(tmp_path.iterdir()) == [saved]
    folder = model.model_file.parent
    model.stop()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("end", "reason"), [(lambda model: None, "at least 257"), (TrainingModel.cancel, "cancelled")]
)
def test_a_training_that_does_not_begin_leaves_the_last_one(make_model, qtbot, end, reason):
    model = trained(make_model(), qtbot, WISH, 3)
    expected = (WISH, model.record, model.model_file, model.shortfall, 3)
    model.train(TrainingWish("bpe", TEXT, 5))
    end(model)
    qtbot.waitUntil(lambda: not model.is_busy)
    assert (model.wish, model.record, model.model_file, model.shortfall, model.position) == expected
    assert reason in model.failure

    model.train(WISH)
    assert (model.failure, model.is_busy) == ("", True)


def test_a_full_disk_is_reported_when_writing_the_model(make_model, qtbot):
    model = make_model()
    model.train(WISH)
    with full_disk(1000):
        trained(model, qtbot, WISH)
    assert model.failure.endswith("cannot be written: File too large.")
    assert model.model_file is None
