"""Where ticks are, how ranges move in steps, and where names go that would collide."""

from itertools import pairwise
from math import log10

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guiapp.kit.charts.scales import Scale, log_range, range_from_zero, spread

powers = st.floats(-9, 12)


def decimals(value: float) -> str:
    return f"{value:.12g}"


@given(st.floats(-1e6, 1e6), powers, st.integers(3, 12))
def test_ticks_are_round_values_within_the_range_and_not_too_near_to_each_other(low, power, n_most):
    high = low + max(10**power, abs(low) * 1e-6)
    places = [place for place, _ in Scale("s", decimals).ticks(low, high, n_most)]
    least = (high - low) / n_most
    assert low - least / 99 <= places[0] <= places[-1] <= high + least / 99
    steps = [after - before for before, after in pairwise(places)]
    assert all(least * 0.99 < step < least * 2.6 for step in steps)
    assert {f"{step:.2e}"[:4] for step in steps} <= {"1.00", "2.00", "5.00"}


@given(st.floats(-9, 9), st.floats(0.05, 12), st.integers(2, 12))
def test_ticks_of_logarithms_are_round_values_at_their_places(low, width, n_most):
    ticks = Scale("s", decimals, is_log=True).ticks(low, low + width, n_most)
    assert all(low - 1e-6 <= place <= low + width + 1e-6 for place, _ in ticks)
    assert len(ticks) <= n_most + 1
    assert [10**place for place, _ in ticks] == pytest.approx([float(text) for _, text in ticks], rel=1e-6)


@given(powers, st.floats(1, 1.4), st.floats(0, 9))
def test_ranges_hold_all_and_move_in_few_steps(power, growth, width):
    highest = 10**power
    assert highest * (1 - 1e-6) <= range_from_zero(highest)[1] <= highest * 1.2
    assert len({range_from_zero(highest * growth ** (each / 50)) for each in range(51)}) <= 5
    low, high = log_range(highest, 10 ** (power + width))
    assert low - 1e-9 <= log10(highest) <= log10(10 ** (power + width)) <= high + 1e-9
    assert 1 <= high - low <= max(width + 0.5, 2) + 1e-9, "a decade at least"
    assert (4 * low, 4 * high) == (round(4 * low), round(4 * high)), "in quarters of a decade"


@given(st.lists(st.floats(0, 500), min_size=1, max_size=8), st.floats(1, 30))
def test_labels_are_spread_in_order_and_moved_only_if_needed(places, distance):
    places = sorted(places)
    placed = spread(places, distance, 20.0, 480.0)
    assert all(high - low >= distance - 1e-9 for low, high in pairwise(placed))
    assert 20 - 1e-9 <= placed[0] <= placed[-1] <= 480 + 1e-9
    if all(high - low >= distance for low, high in pairwise([20 - distance, *places, 480 + distance])):
        assert placed == pytest.approx(places)
    assert spread([0.0, 100.0, 101.0, 200.0], 11.0, -50.0, 300.0) == [0.0, 95.0, 106.0, 200.0], "the least"
