"""Walking and playing: where each way leads, what is told, when playing stops."""

import pytest
from signals import record_signals

import guiapp
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record
from guiapp.pages.steps.walk_model import StepClock, WalkModel

MOVED = ["position_changed"]
N_STEPS = 21  # of “How lions”; merges at 3, 9, 11, 13 and 18


class Waiting(WalkModel):
    awaits_steps = True


@pytest.fixture(params=[WalkModel], ids=["all steps are there"])
def model(qapp, request):
    tokenizer = guiapp.open_model("demo:bpe")
    made = request.param()
    made.walk = debugger_for(tokenizer, record(tokenizer, "How lions", "heap"))
    yield made
    made.clock.pause()


@pytest.fixture
def signals(model):
    return record_signals(model)


def test_a_breakpoint_for_once_is_switched_off_when_it_was_met(model):
    model.breakpoints.add("operation merge once")
    model.breakpoints.add("operation done")
    changes = []
    model.breakpoints.changed.connect(
        lambda: changes.append([row.is_enabled for row in model.breakpoints.rows])
    )
    model.run()
    assert (model.position, changes) == (3, [[False, True]])
    model.run()
    assert (model.position, changes) == (4, [[False, True]])


def test_playing_takes_steps_to_the_next_stop(model, signals):
    model.breakpoints.add("token 318")
    model.toggle_play()
    assert model.clock.is_playing
    visited = []
    while model.clock.is_playing:
        model.clock.timeout.emit()
        visited.append(model.position)
    assert visited == [1, 2, 3]
    model.play()
    model.toggle_play()
    assert not model.clock.is_playing
    model.go_to(N_STEPS - 1)
    model.play()
    model.clock.timeout.emit()
    assert (model.position, model.clock.is_playing) == (N_STEPS, False)
    model.play()
    assert (model.position, model.clock.is_playing) == (0, True)


@pytest.mark.parametrize("model", [Waiting], indirect=True)
def test_playing_waits_where_steps_are_on_their_way(model, signals):
    model.go_to(N_STEPS - 1)
    model.play()
    signals.clear()
    for _ in range(2):
        model.clock.timeout.emit()
        assert (model.position, model.clock.is_playing) == (N_STEPS, True)
    assert signals == MOVED
    model.clock.pause()
    model.walk = None
    model.play()
    assert model.clock.is_playing


@pytest.fixture
def clock(qapp):
    made = StepClock()
    yield made
    made.pause()


def test_it_ticks_again_and_again(clock, qtbot):
    clock.set_speed(1000)
    clock.play()
    with qtbot.waitSignals([clock.timeout] * 3):
        pass
