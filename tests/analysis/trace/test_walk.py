"""Walks go from stop to stop, and note what they pass; here over ten steps whose rank is their number."""

from __future__ import annotations

import numpy as np
import pytest

from guiapp.analysis.trace.breakpoints import Breakpoint, Stops, Walk
from guiapp.analysis.trace.conditions import TRACE_SCHEMA


class TenSteps:
    schema = TRACE_SCHEMA
    n_steps = 10

    def column(self, name, steps):
        return np.arange(10.0)[steps]

    def description(self, column, step):
        return f"<{step}>" if column == "result" else None


class Lagging(Walk):
    lag = 1


def at(*steps, **more):
    return Breakpoint("if", condition=" or ".join(f"step == {step}" for step in steps), **more)


ROWS = (at(3, 6), at(6), at(1, 4, 8, log="{result} is {rank}"), at(0, 3, is_enabled=False), at(8, 4, log="x"))


def test_stops_are_found_both_ways_the_first_breakpoint_before_others():
    stops = Stops(ROWS, TenSteps(), {})
    assert [stops.after(step) for step in (-1, 2, 3, 5, 6)] == [(3, 0), (3, 0), (6, 0), (6, 0), None]
    assert [stops.before(step) for step in (10, 7, 6, 4, 3)] == [(6, 1), (6, 1), (3, 0), (3, 0), None]
    assert [found.tolist() for found in Stops(ROWS, TenSteps(), {}, lag=2).hits] == [
        [5, 8], [8], [3, 6, 10], [], [6, 10],
    ]  # fmt: skip


@pytest.mark.parametrize("lag", [0, 2])
def test_messages_come_in_the_order_of_steps_and_breakpoints(lag):
    stops = Stops(ROWS, TenSteps(), {}, lag=lag)
    description = [(1, "<1> is 1"), (4, "<4> is 4"), (4, "x"), (8, "<8> is 8"), (8, "x")]
    description = [(step + lag, message) for step, message in description]
    assert list(stops.logged(0, 11)) == description
    assert list(stops.logged(1 + lag, 8 + lag)) == description[:3]
    assert list(stops.logged(2 + lag, 9 + lag, 2)) == description[3:]
    assert list(stops.logged(0, 11, 9)) == description


def test_a_run_stops_and_notes_what_it_passed_forwards():
    walk = Walk(TenSteps())
    walk.set_breakpoints(ROWS)
    assert walk.breakpoints == ROWS

    def after(move, *arguments):
        position = move(*arguments)
        assert position == walk.position
        stopped = None if walk.stopped_at is None else ROWS.index(walk.stopped_at)
        return position, stopped, [step for step, _ in walk.log]

    assert after(walk.run) == (3, 0, [1])
    assert after(walk.run) == (6, 0, [4, 4])
    assert after(walk.run) == (10, None, [8, 8])
    assert after(walk.reverse) == (6, 1, [])
    assert after(walk.back_until, 3) == (3, 0, [])
    assert after(walk.reverse) == (0, None, [])
    assert after(walk.until, 1) == (1, None, [1])
    assert after(walk.until, 2) == (2, None, [])
    assert after(walk.until, 3) == (3, 0, [])
    assert after(walk.until, 5) == (5, None, [4, 4])
    assert after(walk.back_until, 4) == (4, None, [])
    assert after(walk.back_until, 3) == (3, 0, [])
    assert after(walk.until, 99) == (6, 0, [4, 4])
    assert after(walk.go_to, 99) == (10, None, [])
    assert after(walk.go_to, -1) == (0, None, [])
    walk.log_limit = 1
    assert after(walk.run) == (3, 0, [1])
    assert after(walk.run) == (6, 0, [4])


def test_what_stops_once_is_off_afterwards_and_others_stay():
    walk = Walk(TenSteps())
    walk.set_breakpoints([at(1), at(3, 6, once=True), at(7)])
    assert [walk.run() for _ in range(4)] == [1, 3, 7, 10]
    assert [row.is_enabled for row in walk.breakpoints] == [True, False, True]
    assert [walk.reverse() for _ in range(3)] == [7, 1, 0]


def test_a_walk_may_stop_behind_its_steps():
    walk = Lagging(TenSteps())
    walk.set_breakpoints([at(3), at(2, log="{step} at {result}")])
    assert (walk.run(), walk.log) == (4, [(3, "2 at <2>")])
