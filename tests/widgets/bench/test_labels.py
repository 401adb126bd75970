"""The words and numbers on the charts of the Bench page."""

from itertools import pairwise

import pytest
from bench_runs import record
from hypothesis import given
from hypothesis import strategies as st

from guiapp.widgets.bench.labels import (
    decades_of,
    mark,
    share_steps,
    short_number,
    spread,
    three_digits,
    tip_of,
)


def test_the_mouse_tells_value_interval_runs_and_difference():
    tip = tip_of(record("throughput", "greedy", 10_000, 5e-5, 0.95))
    for word in ("50 µs", "45 µs to 60 µs", "n = 9", "200 MB/s", "95.00 %", "byte 17"):
        assert word in tip


def test_a_figure_of_one_run_says_so():
    assert mark(record("decode", "fast", 10_000, 1e-3, n=1)) == "  once"
    assert mark(record("decode", "greedy", 10_000, 1e-3, 0.9, n=1)) == "  once  ≈ 90.0 %"
    assert mark(record("decode", "fast", 10_000, 1e-3)) == ""


@given(st.lists(st.floats(0, 500), min_size=1, max_size=8), st.floats(1, 30))
def test_labels_are_spread_within_bounds_in_their_order_and_stay_where_there_is_room(places, distance):
    places = sorted(places)
    placed = spread(places, distance, 20.0, 480.0)
    assert all(high - low >= distance - 1e-9 for low, high in pairwise(placed))
    assert 20 - 1e-9 <= placed[0] <= placed[-1] <= 480 + 1e-9
    if all(high - low >= distance for low, high in pairwise([20 - distance, *places, 480 + distance])):
        assert placed == pytest.approx(places)


def test_labels_that_collide_move_by_the_least_squares():
    assert spread([0.0, 100.0, 101.0, 200.0], 11.0, -50.0, 300.0) == [0.0, 95.0, 106.0, 200.0]
    assert spread([290.0, 291.0], 20.0, 0.0, 300.0) == [280.0, 300.0]


@pytest.mark.parametrize(("value", "text"), [(0.5, "0.5"), (1234, "1.23 k"), (5e7, "50 M"), (2e9, "2 G")])
def test_numbers_are_short(value, text):
    assert short_number(value) == text


@pytest.mark.parametrize(("lowest", "steps"), [(0.95, 6), (0.99, 2), (0.5, 6), (0.0, 6)])
def test_shares_are_round_and_reach_the_lowest(lowest, steps):
    shares = share_steps(lowest)
    assert len(shares) == steps
    assert shares[0] <= lowest + 1e-9
    assert shares[-1] == 1
    assert all(abs(share * 100 - round(share * 100)) < 1e-6 for share in shares)


def test_the_mouse_tells_the_memory_of_a_contender():
    memory = record("memory", "fast", 1000, 1.0, built_bytes=5_000_000, encoding_bytes=1_000_000)
    tip = tip_of({**memory, **dict.fromkeys(("median_s", "ci_s", "mb_per_s", "tokens_per_s"))})
    assert "5.0 MB when it is ready, up to 1.0 MB more" in tip


@pytest.mark.parametrize(
    ("lowest", "highest", "low", "high", "decades"),
    [
        (2.3e-6, 0.4, -5.75, -0.25, [-5, -4, -3, -2, -1]),
        (2e-6, 3e-6, -6, -5, [-6, -5]),
        (1e-3, 1e-3, -3, -2, [-3, -2]),
    ],
)
def test_axes_reach_as_far_as_values_do_and_have_two_decades(lowest, highest, low, high, decades):
    assert decades_of(lowest, highest) == (low, high, decades)


def test_figures_beside_each_other_have_three_digits_each():
    assert list(map(three_digits, (8.0, 304.0, 17.04, 0.03592, 2e6))) == [
        "8.00",
        "304",
        "17.0",
        "0.0359",
        "2.00 M",
    ]
