"""Trainings behind the Steps page: the process, moving through the steps, the result."""

import json
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from full_disk import full_disk
from told import told_by

from guiapp.analysis.train.models import TrainingError
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.pages.steps.walk_model import TrainingModel, TrainingWish

TEXT = b"This is insane! This is impossible"
THREE_STEPS = """
import json, sys, time
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.analysis.train.runs import _send

asked = json.loads(sys.stdin.readline())
run = begin(asked["algorithm"], open(asked["text_file"]).read(), asked["n_tokens"], asked["has_end_marks"])
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


def test_a_process_that_dies_is_told(make_model, qtbot):
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


def test_what_was_trained_before_stays_what_it_is(make_model, qtbot):
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
    assert [found.tolist() for found in model.hits] == [[3], [1, 2]]
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
    with qtbot.waitSignals([model.clock.ticked] * 2):
        pass
    assert (model.clock.is_playing, model.is_busy) == (True, True)
    model.cancel()
    qtbot.waitUntil(lambda: not model.clock.is_playing)
    assert model.position == 3


WISH = TrainingWish("bpe", TEXT, 400, True)
LISTENS = (sys.executable, "-c", "import sys; sys.stdin.read()")


@pytest.fixture(scope="module")
def lines():
    run = begin("bpe", TEXT.decode(), 400, True)
    return [run.start.line(), *(to_json(description).encode() for description in run.steps())]


@pytest.fixture
def model(qapp):
    made = TrainingModel(LISTENS)
    made.said = []
    made._process.send = lambda line: made.said.append(json.loads(line))
    yield made
    made.stop()


@pytest.fixture
def description(model):
    return told_by(model)


def finished(output="", n_tokens=0, error=""):
    return [json.dumps({"finished": {"output": output, "n_tokens": n_tokens, "error": error}}).encode()]


@pytest.mark.parametrize(("n_tokens", "shortfall"), [(400, False), (399, True)])
def test_the_model_file_is_told_with_what_it_lacks(model, description, lines, tmp_path, n_tokens, shortfall):
    model.train(WISH)
    output = Path(model.said[0]["output"])
    output.write_bytes(b"a model")
    description.clear()
    model._take([*lines, *finished(str(output), n_tokens)])
    assert description == ["changed", "position_changed"]
    assert (model.failure, model.model_file, bool(model.shortfall)) == ("", output, shortfall)
    assert not model.is_busy
    saved, nowhere = tmp_path / "saved.gguf", tmp_path / "no folder" / "saved.gguf"
    model.save(saved)
    with pytest.raises(TrainingError, match=f"{nowhere} cannot be written: No such file"):
        model.save(nowhere)
    output.write_bytes(b"another model")
    with full_disk(7), pytest.raises(TrainingError, match=f"{saved} cannot be written: File too large"):
        model.save(saved)
    assert saved.read_bytes() == b"a model"
    assert list(tmp_path.iterdir()) == [saved]
    folder = Path(model._folder.name)
    model.stop()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("end", "says"),
    [
        (lambda model: model._take(finished(error="This text needs more.")), "needs more"),
        (lambda model: model._note_sudden_end("it is gone"), "it is gone"),
        (lambda model: model.cancel(), "cancelled"),
    ],
)
def test_a_training_that_does_not_begin_leaves_the_last_one(model, description, lines, tmp_path, end, says):
    model.train(WISH, 3)
    model._take([*lines, *finished(str(tmp_path / "a.gguf"), 300)])
    kept = (WISH, model.record, model.model_file, model.shortfall, 3)
    for wish in (TrainingWish("bpe", TEXT, 5), TrainingWish("bpe", b"", 5)):
        model.train(wish)
    description.clear()
    end(model)
    assert (model.wish, model.record, model.model_file, model.shortfall, model.position) == kept
    assert says in model.failure
    assert "position_changed" in description


def test_a_sudden_end_and_a_cancel_leave_the_steps(model, description, lines):
    model.train(WISH)
    model._take(lines[:4])
    description.clear()
    model._note_sudden_end("it is gone")
    assert model.failure == "Training ended unexpectedly: it is gone. Try again with a shorter text."
    assert (description, model.n_steps) == (["changed"], 3)
    description.clear()
    model.cancel()
    assert model.failure == "Training was cancelled."
    assert (description, model.n_steps, model.is_busy) == (["changed"], 3, False)


def test_a_full_disk_is_told_and_nothing_is_trained(model, description):
    with full_disk():
        model.train(WISH)
    assert model.failure == f"{Path(model._folder.name) / 'text'} cannot be written: File too large."
    assert (model.is_busy, model.said, description) == (False, [], ["changed", "position_changed"])
    model.train(WISH)
    assert (model.failure, model.is_busy) == ("", True)


def test_a_model_file_that_a_full_disk_does_not_take_is_told(qtbot):
    model = TrainingModel()
    model.train(WISH)
    with full_disk(1000):
        model.train(WISH)
        qtbot.waitUntil(lambda: not model.is_busy)
    output = Path(model._folder.name) / "trained-2.gguf"
    assert (model.failure, model.model_file) == (f"{output} cannot be written: File too large.", None)
    model.stop()
