"""What a training makes of the lines of its process, told to it without one."""

import json
import sys
from pathlib import Path

import pytest
from full_disk import full_disk
from told import told_by

from guiapp.analysis.train.models import TrainingError
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.pages.steps.walk_model import TrainingModel, TrainingWish

TEXT = b"This is insane! This is impossible"
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


def test_it_begins_with_nothing(model, description):
    assert (model.wish, model.record, model.model_file, model.walk) == (None,) * 4
    assert (model.failure, model.shortfall, model.is_busy, model.awaits_steps) == ("", "", False, False)
    model.cancel()
    model.toggle_breakpoint()
    assert (model.failure, description) == ("", [])


def test_a_wish_forgets_what_was_trained_before_and_is_told(model, description, lines):
    model.train(WISH, 3)
    assert description == ["changed", "position_changed"]
    (asked,) = model.said
    assert Path(asked["text_file"]).read_bytes() == TEXT
    assert (asked["algorithm"], asked["n_tokens"], asked["has_end_marks"]) == ("bpe", 400, True)
    assert asked["output"].endswith(".gguf")
    assert (model.wish, model.is_busy, model.awaits_steps, model.n_steps) == (WISH, True, True, 0)
    model._take(lines[:5])
    assert (model.n_steps, model.position) == (4, 3)
    model._take(finished(error="no room"))
    assert (model.failure, model.model_file, model.is_busy) == ("no room", None, False)
    model.play()
    description.clear()
    model.train(TrainingWish("wordpiece", b"a", 9))
    assert (model.record, model.walk, model.failure, model.clock.is_playing) == (None, None, "", False)
    assert description == ["changed", "position_changed"]
    assert model._goal == 1


def test_steps_come_and_the_goal_is_gone_to_once(model, description, lines):
    model.train(WISH, 2)
    description.clear()
    model._take(lines[:2])
    assert (description, model.position) == (["changed", "position_changed"], 1)
    description.clear()
    model._take(lines[2:3])
    assert (description, model.position) == (["changed", "position_changed"], 2)
    description.clear()
    model._take(lines[3:4])
    assert (description, model.position, model.n_steps) == (["changed"], 2, 3)
    model.show(WISH, 3)
    assert (model.position, model._goal, len(model.said)) == (3, 3, 1)
    model.show(WISH, 99)
    assert model.position == 3
    model._take(lines[4:5])
    assert model.position == 4
    model.show(TrainingWish("bpe", TEXT, 401, True), 1)
    assert (len(model.said), model.n_steps) == (2, 0)


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


def test_an_error_before_the_start_is_told(model):
    model.train(WISH)
    model._take(finished(error="The text is empty."))
    assert (model.failure, model.record, model.is_busy, model.shortfall) == (
        "The text is empty.",
        None,
        False,
        "",
    )


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


def test_hits_are_looked_for_again_with_each_step(model, description, lines):
    model.breakpoints.add("rank >= 0 log {rank}")
    description.clear()
    model.train(WISH, 0)
    assert description == ["breakpoints_changed", "changed", "position_changed"]
    assert [hits.tolist() for hits in model.hits] == [[]]
    description.clear()
    model._take(lines[:3])
    assert [hits.tolist() for hits in model.hits] == [[1, 2]]
    assert description == ["breakpoints_changed", "changed"]
    model.breakpoints.remove(0)
    description.clear()
    model._take(lines[3:4])
    assert description == ["changed"]


def test_a_run_goes_on_with_each_step_until_somebody_moves(model, lines):
    model.train(WISH, 0)
    model._take(lines[:2])
    model.run()
    assert (model.position, model._runs_on) == (1, True)
    model._take(lines[2:4])
    assert (model.position, model._runs_on) == (3, True)
    model.back()
    assert not model._runs_on
    model._take(lines[4:5])
    assert (model.position, model.n_steps) == (2, 4)
    model.breakpoints.add("rank 3")
    model.run()
    assert (model.stopped_at is not None, model._runs_on) == (True, False)


def test_a_breakpoint_is_set_on_what_the_step_learned(model, lines):
    model.train(WISH, 0)
    model._take(lines)
    model.toggle_breakpoint()
    assert model.breakpoints.rows == ()
    model.go_to(1)
    model.toggle_breakpoint()
    first = model.record.step(1)
    assert [row.title for row in model.breakpoints.rows] == [f'token "{first.left + first.right}"']
    model.toggle_breakpoint()
    assert model.breakpoints.rows == ()


def test_other_steps_than_merges_are_named_by_their_operation(model):
    run = begin("unigram", "a rose is a rose is a rose " * 4, 12, False)
    model.train(TrainingWish("unigram", b"", 12), 0)
    model._take([run.start.line(), *(to_json(description).encode() for description in run.steps())])
    model.go_to(1)
    model.toggle_breakpoint()
    (row,) = model.breakpoints.rows
    assert row.title == f"operation {model.record.values.description('operation', 0)}"


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
