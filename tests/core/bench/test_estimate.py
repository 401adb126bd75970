"""How long runs take, before and while they go."""

from __future__ import annotations

import pytest

from guiapp import open_model
from guiapp.core.bench.engine import cells_of
from guiapp.core.bench.estimate import Duration, Pace, expected, n_cells
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import SCENARIOS


def test_cells_are_counted_without_making_them():
    tokenizer = open_model("demo:bpe")
    for name in SCENARIOS:
        plan = Plan("demo:bpe", ("sample:welcome", "tutorial"), scenarios=(name,), threads=(1, 2, 3))
        counted, made = n_cells((name,), 2, 3), len(cells_of(plan, tokenizer))
        assert made <= counted if name == "stages" else made == counted


def test_the_range_before_a_run_holds_what_runs_took():
    """14 contenders, 55 cells and a budget of 60 s took 595 s on a busy machine with two cores."""
    assert expected(14, 55, 60.0).low_s < 595 < expected(14, 55, 60.0).high_s
    assert expected(1, 1, 1.0).high_s < 25


def test_while_it_runs_the_pace_of_all_and_of_the_last_cells_bound_what_is_left():
    pace = Pace()
    assert pace.left(9) is None
    for start_s in (100.0, 101.0, 102.0, 103.0, 106.0, 109.0, 112.0):
        pace.begin_cell(start_s)
    assert pace.left(10) == Duration(20.0, 30.0)


@pytest.mark.parametrize(
    ("low_s", "high_s", "text"),
    [(12, 38, "10 to 40 s"), (1, 4, "about 5 s"), (45, 600, "1 to 10 min"), (121, 180, "2 to 3 min")],
)
def test_ranges_are_told_in_round_numbers(low_s, high_s, text):
    assert str(Duration(low_s, high_s)) == text
