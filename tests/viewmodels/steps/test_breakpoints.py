"""Breakpoints change, and every change can be taken back."""

import pytest

from guiapp.core.errors import TokenloupeError
from guiapp.core.trace.breakpoints import BreakpointError
from guiapp.viewmodels.steps.breakpoints import StepBreakpoints


class Place:
    """Stands for the debugger; refuses what it is told to refuse."""

    def __init__(self):
        self.rows, self.refused = (), ()

    def __call__(self, rows):
        if any(row.is_enabled and row.title in self.refused for row in rows):
            raise BreakpointError("no")
        self.rows = tuple(rows)


@pytest.fixture
def place():
    return Place()


def titles(breakpoints):
    return [row.title for row in breakpoints.rows]


def test_each_change_is_undone_and_made_again(place):
    breakpoints = StepBreakpoints(place)
    breakpoints.add("token 1")
    breakpoints.add("token 2")
    breakpoints.change(0, "token 3")
    breakpoints.enable(1, False)
    breakpoints.remove(0)
    assert breakpoints.removed.title == "token 3"
    seen = [breakpoints.rows]
    for _ in range(6):
        breakpoints.undo()
        seen.append(breakpoints.rows)
    assert [[row.title for row in rows] for rows in seen] == [
        ["token 2"],
        ["token 3", "token 2"],
        ["token 3", "token 2"],
        ["token 1", "token 2"],
        ["token 1"],
        [],
        [],
    ]
    for _ in range(6):
        breakpoints.redo()
    assert titles(breakpoints) == ["token 2"]
    assert place.rows == breakpoints.rows
    assert not breakpoints.rows[0].is_enabled


def test_a_stretch_is_broken_at_its_first_byte_and_freed_of_all_its_breakpoints(place):
    breakpoints = StepBreakpoints(place)
    for text in ("byte 9", "byte 4 hit 2", "byte 7 once", "token 5"):
        breakpoints.add(text)
    breakpoints.toggle_bytes(4, 9)
    assert [row.title for row in breakpoints.rows] == ["byte 9", "token 5"]
    breakpoints.undo()
    assert len(breakpoints.rows) == 4
    breakpoints.toggle_bytes(12, 12)
    breakpoints.toggle_bytes(12, 12)
    assert len(breakpoints.rows) == 4


def test_operations_are_broken_at_and_freed_together(place):
    breakpoints = StepBreakpoints(place)
    breakpoints.toggle_operations(["fallback", "dead end"])
    assert [row.title for row in breakpoints.rows] == ["operation fallback", "operation dead end"]
    breakpoints.toggle_operations(["dead end"])
    assert [row.title for row in breakpoints.rows] == ["operation fallback"]


def test_a_new_change_ends_what_could_be_made_again(place):
    breakpoints = StepBreakpoints(place)
    breakpoints.add("token 1")
    breakpoints.undo()
    breakpoints.add("token 2")
    breakpoints.redo()
    assert titles(breakpoints) == ["token 2"]


def test_what_the_debugger_refuses_changes_nothing(place):
    breakpoints = StepBreakpoints(place)
    breakpoints.add("token 1")
    place.refused = ("token 2",)
    with pytest.raises(TokenloupeError):
        breakpoints.add("token 2")
    with pytest.raises(TokenloupeError):
        breakpoints.add("rank <")
    assert titles(breakpoints) == ["token 1"]
    breakpoints.undo()
    assert titles(breakpoints) == []


def test_what_makes_no_sense_any_more_comes_back_switched_off(place):
    breakpoints = StepBreakpoints(place)
    breakpoints.add("token 1")
    breakpoints.remove(0)
    place.refused = ("token 1",)
    breakpoints.undo()
    assert titles(breakpoints) == ["token 1"]
    assert not breakpoints.rows[0].is_enabled
