"""Breakpoints change, and every change can be taken back."""

import pytest

from guiapp.analysis.trace.breakpoints import BreakpointError, parse_breakpoint
from guiapp.errors import TokenloupeError
from guiapp.pages.steps.walk_model import StepBreakpoints, at_bytes, at_operations


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


def test_a_span_is_toggled_at_its_first_byte_and_cleared_as_a_whole(place):
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


def test_others_taken_instead_are_one_change(place):
    breakpoints = StepBreakpoints(place)
    breakpoints.add("token 1")
    place.refused = ("token 3",)
    breakpoints.exchange((parse_breakpoint("token 2"), parse_breakpoint("token 3")))
    assert [(row.title, row.is_enabled) for row in breakpoints.rows] == [
        ("token 2", True),
        ("token 3", False),
    ]
    breakpoints.undo()
    assert titles(breakpoints) == ["token 1"]
    breakpoints.redo()
    assert titles(breakpoints) == ["token 2", "token 3"]


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


@pytest.fixture
def observed(place):
    """Breakpoints at tokens 1, 2, 3 and 4, and what is told of them."""
    breakpoints = StepBreakpoints(place)
    for number in range(1, 5):
        breakpoints.add(f"token {number}")
    breakpoints.told = []
    breakpoints.changed.connect(
        lambda: breakpoints.told.append(
            (titles(breakpoints), breakpoints.removed and breakpoints.removed.title)
        )
    )
    return breakpoints


def tokens(*numbers):
    return [f"token {number}" for number in numbers]


def test_to_forget_leaves_nothing_to_take_back(observed, place):
    observed.undo()
    observed.told.clear()
    observed.forget()
    assert (observed.rows, place.rows, observed.removed, observed.told) == ((), (), None, [([], None)])
    observed.undo()
    observed.redo()
    assert observed.rows == ()


def test_what_the_debugger_gave_up_is_noted_and_no_step(observed, place):
    placed, rows = place.rows, observed.rows[:1]
    observed.told.clear()
    observed.keep(rows)
    assert (observed.rows, observed.told, place.rows) == (rows, [(tokens(1), None)], placed)
    observed.undo()
    assert titles(observed) == tokens(1, 2, 3)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [(4, 9, [4, 8]), (4, 8, [4]), (5, 5, []), (4, 4, [4]), (3, 4, []), (9, 10, [9]), (4, 0, [4])],
)
def test_breakpoints_in_a_span(start, end, expected):
    rows = [parse_breakpoint(text) for text in ("byte 9", "byte 4", "token 5", "byte 8", "operation merge")]
    assert sorted(int(row.value) for row in at_bytes(rows, start, end)) == expected
    assert [row.title for row in at_operations(rows, ["merge", "push"])] == ["operation merge"]
    assert at_operations(rows, ["push"]) == []
