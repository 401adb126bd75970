"""The clock that plays steps."""

import pytest
from told import told_by

from guiapp.pages.steps.walk_model import SPEEDS, StepClock


@pytest.fixture
def clock(qapp):
    made = StepClock()
    yield made
    made.pause()


def test_it_rests_until_it_is_played_and_tells_each_change_once(clock):
    told = told_by(clock)
    assert (clock.is_playing, clock.speed) == (False, 5)
    clock.pause()
    assert told == []
    clock.play()
    assert (told, clock.is_playing, clock._ticks.interval()) == (["changed"], True, 200)
    clock.set_speed(10)
    assert (told, clock.speed, clock._ticks.interval()) == (["changed"] * 2, 10, 100)
    clock.pause()
    clock.pause()
    assert (told, clock.is_playing) == (["changed"] * 3, False)


def test_a_speed_chosen_before_is_the_one_it_plays_at(clock):
    for speed in SPEEDS:
        clock.set_speed(speed)
        assert not clock.is_playing
        clock.play()
        assert clock._ticks.interval() == 1000 // speed
        clock.pause()


def test_it_ticks_again_and_again(clock, qtbot):
    clock.set_speed(1000)
    clock.play()
    with qtbot.waitSignals([clock.ticked] * 3):
        pass
