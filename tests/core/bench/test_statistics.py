"""What is said about repeated measurements, checked where the truth is known."""

from itertools import combinations

import numpy as np
import pytest

from guiapp.core.bench.statistics import (
    HIDDEN,
    Ratio,
    fit_growth,
    interval_in_turns,
    ratio_in_turns,
    ratio_of,
    summarize,
)


def test_the_interval_of_few_runs_is_their_range_and_says_how_little_that_is():
    summary = summarize([3.0, 1.0, 2.0, 5.0, 4.0])
    assert (summary.median, summary.interval.low, summary.interval.high) == (3.0, 1.0, 5.0)
    assert summary.interval.level == 1 - 2 / 2**5
    assert summarize([7.0]).interval.level == 0.0


def test_the_interval_holds_the_true_median_as_often_as_it_says():
    generator = np.random.default_rng(1)
    held = 0
    for _ in range(2000):
        interval = summarize(generator.exponential(size=15)).interval
        held += interval.low <= np.log(2) <= interval.high
    assert held / 2000 == pytest.approx(interval.level, abs=0.015)
    assert interval.level >= 0.95


def test_exact_and_approximate_coverage_meet():
    few, many = (summarize(np.arange(n, dtype=float)) for n in (400, 402))
    assert few.interval.level == pytest.approx(many.interval.level, abs=0.01)
    widths = [(each.interval.high - each.interval.low) / each.median for each in (few, many)]
    assert widths[0] == pytest.approx(widths[1], rel=0.05)


def test_outliers_are_counted_and_kept():
    summary = summarize([1.0, 1.01, 1.02, 1.03, 1.04, 9.0])
    assert (summary.n, summary.n_outliers) == (6, 1)


@pytest.mark.parametrize(("overhead", "exponent"), [(0.0, 1.0), (5e-5, 1.0), (2e-6, 2.0), (1e-4, 1.6)])
def test_overhead_and_exponent_are_told_apart(overhead, exponent):
    sizes = [1 << power for power in range(7, 22, 2)]
    generator = np.random.default_rng(2)
    times = [(overhead + 1e-9 * size**exponent) * generator.uniform(0.97, 1.03) for size in sizes]
    growth = fit_growth(sizes, times)
    assert growth.exponent == pytest.approx(exponent, abs=0.06)
    assert growth.overhead_s == pytest.approx(overhead, rel=0.1, abs=1e-6)
    assert growth.error < 0.1


def test_three_sizes_are_too_few_for_a_curve():
    assert fit_growth([1, 2, 3, 3], [1.0, 2.0, 3.0, 3.0]) is None


def test_the_interval_of_a_ratio_holds_it():
    generator = np.random.default_rng(3)
    before = 1e-3 * generator.lognormal(0, 0.05, 20)
    ratio = ratio_of(before, before.mean() * 1.2 * generator.lognormal(0, 0.05, 25))
    assert ratio.low < 1.2 < ratio.high
    assert ratio.high / ratio.low < 1.15


def test_two_runs_against_two_say_nothing():
    ratio = ratio_of([1.0, 1.1], [2.0, 2.1])
    assert (ratio.low, ratio.high) == (0.0, float("inf"))


def overlap(left, right):
    return left.low <= right.high and right.low <= left.high


def test_intervals_in_turns_of_the_same_code_overlap_and_hold_the_middle_of_all():
    generator = np.random.default_rng(11)
    pairs, held = [], []
    for _ in range(200):
        slow_phase = np.exp(np.cumsum(generator.normal(0, 0.1, 40)))  # lasts longer than a turn
        series = [slow_phase * generator.lognormal(0, 0.03, 40) for _ in range(4)]
        intervals = [interval_in_turns(each.tolist(), (), is_crowded=False) for each in series]
        pairs += [overlap(one, other) for one, other in combinations(intervals, 2)]
        held += [each.low <= np.median(np.concatenate(series)) <= each.high for each in intervals]
    assert np.mean(pairs) >= 0.99
    assert np.mean(held) >= 0.99


def test_who_had_less_than_a_core_may_be_as_fast_as_who_had_one():
    alone, interrupted = [1.0, 1.01] * 20, [3.0, 3.1] * 20
    beside = interval_in_turns(interrupted, [1.0, 1.02] * 20, is_crowded=True)
    assert overlap(interval_in_turns(alone, alone, is_crowded=True), beside)
    assert beside.high > 3.0
    assert not overlap(
        interval_in_turns(alone, alone, False), interval_in_turns(interrupted, interrupted, False)
    )


def test_beside_other_programs_an_interval_is_wider_by_what_no_clock_tells():
    calm, crowded = (interval_in_turns([1.0] * 9, (), is_crowded) for is_crowded in (False, True))
    assert (calm.low, calm.high) == (1.0, 1.0)
    assert (crowded.low, crowded.high) == (pytest.approx(1 / (1 + HIDDEN)), 1 + HIDDEN)


def test_a_ratio_in_turns_is_not_moved_by_what_happens_to_both():
    generator = np.random.default_rng(12)
    held, widths = [], []
    for _ in range(200):
        slow_phase = np.exp(np.cumsum(generator.normal(0, 0.2, 40)))
        before, after = (slow_phase * ratio * generator.lognormal(0, 0.03, 40) for ratio in (1.0, 1.2))
        ratio = ratio_in_turns(before.tolist(), after.tolist())
        held.append(ratio.low <= 1.2 <= ratio.high)
        widths.append(ratio.high / ratio.low)
    assert np.mean(held) >= 0.97
    assert max(widths) < 1.2
    assert ratio_in_turns([], [1.0]) == Ratio(1.0, 0.0, float("inf"))
    assert ratio_in_turns([1.0], [2.0]) == Ratio(pytest.approx(2.0), 0.0, float("inf"))
