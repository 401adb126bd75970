"""Intervals, curves and ratios beside values worked out in another way."""

from itertools import product
from math import comb, log, sqrt
from statistics import NormalDist, median

import numpy as np
import pytest

from guiapp.core.bench.statistics import (
    EXPONENTS,
    Growth,
    Ratio,
    fit_growth,
    median_interval,
    ratio_of,
    summarize,
    wander_of,
)


def coverage(n: int, skip: int) -> float:
    """How likely a fair coin shows at least skip + 1 heads and tails in n throws."""
    return sum(comb(n, heads) for heads in range(skip + 1, n - skip)) / 2**n


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 8, 9, 10, 13, 20, 40, 399, 400])
def test_the_interval_is_the_narrowest_pair_that_is_sure_enough(n):
    interval = median_interval(np.arange(n, dtype=float))
    skips = [skip for skip in range((n + 1) // 2) if skip < n - 1 - skip and coverage(n, skip) >= 0.95]
    skip = max(skips, default=0)
    assert (interval.low, interval.high) == (skip, n - 1 - skip)
    assert interval.level == pytest.approx(coverage(n, skip) if n > 1 else 0.0, abs=1e-12)


def test_the_interval_is_as_sure_as_was_asked_for():
    ordered = np.arange(20, dtype=float)
    assert [median_interval(ordered, level).low for level in (0.999, 0.99, 0.9, 0.5)] == [2, 3, 5, 7]


@pytest.mark.parametrize("n", [401, 1_000])
def test_of_many_runs_the_normal_distribution_says_how_sure_it_is(n):
    interval = median_interval(np.arange(n, dtype=float))
    deviations = (n - 2 * interval.low - 1) / sqrt(n)
    assert interval.level == pytest.approx(2 * NormalDist().cdf(deviations) - 1)
    assert interval.level >= 0.95 > 2 * NormalDist().cdf((n - 2 * interval.low - 3) / sqrt(n)) - 1
    assert interval.high == n - 1 - interval.low


@pytest.mark.parametrize(
    ("values", "n_outliers"),
    [
        ([1.0], 0), ([0.9, 4.0, 5.0, 6.0, 7.0], 1), ([1.0, 4.0, 5.0, 6.0, 9.0], 0),
        ([0.9, 4.0, 5.0, 6.0, 9.1], 2), ([5.0, 5.0, 5.0, 5.0, 5.1], 1),
    ],
)  # fmt: skip
def test_outliers_lie_beyond_the_fences(values, n_outliers):
    assert summarize(values[::-1]).n_outliers == n_outliers


def test_few_values_are_bounded_by_the_least_and_the_most():
    summary = summarize([4.0, 3.0, 5.0])
    assert (summary.n, summary.median, summary.interval.low, summary.interval.high) == (3, 4.0, 3.0, 5.0)


SIZES = [100, 200, 500, 1_000, 5_000, 5_000]


def fit_by_least_squares(times) -> Growth:
    """Each exponent by numpy's solver, neither part negative."""
    sizes, times = np.array(SIZES, float), np.array(times)
    found = []
    for exponent in EXPONENTS:
        columns = np.stack([1 / times, sizes**exponent / times], axis=1)
        for used in ([0, 1], [0], [1]):
            parts = np.zeros(2)
            parts[used] = np.linalg.lstsq(columns[:, used] / columns[:, used].max(0), np.ones(6), None)[0]
            parts[used] /= columns[:, used].max(0)
            errors = columns @ parts - 1
            if (parts >= 0).all():
                found.append(((errors**2).sum(), exponent, parts, np.abs(errors).max()))
    _, exponent, parts, error = min(found, key=lambda each: each[0])
    return Growth(parts[0], parts[1], exponent, error)


@pytest.mark.parametrize(
    "times",
    [
        [1e-4 + 1e-7 * size for size in SIZES],
        [1e-5 + 1e-9 * size**1.5 for size in SIZES],
        [1e-3, 1.1e-3, 0.9e-3, 1.2e-3, 3e-3, 2e-3],
        [1e-9 * size**2 for size in SIZES],
        [1e-8 * size + 1e-5 * (size % 3) for size in SIZES],
        [5e-3, 4e-3, 3e-3, 2e-3, 1e-3, 1e-3],
        [1e-12, 2e-12, 3e-9, 1e-6, 1e-2, 2e-2],
    ],
)
def test_the_curve_is_the_one_with_the_least_error(times):
    growth, wanted = fit_growth(SIZES, times), fit_by_least_squares(times)
    shown = [growth.time_s(size) for size in SIZES]
    assert shown == pytest.approx([wanted.time_s(size) for size in SIZES], rel=1e-4)
    assert growth.error == pytest.approx(wanted.error, rel=1e-3, abs=1e-7)
    assert growth.overhead_s >= 0
    assert growth.slope >= 0


def test_a_curve_needs_four_sizes():
    assert fit_growth([1, 2, 3, 3, 3], [1.0] * 5) is None
    assert fit_growth([1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0]).exponent == pytest.approx(1.0)
    assert Growth(1.0, 2.0, 2.0, 0.0).time_s(3) == 19.0


@pytest.mark.parametrize(("n", "m", "z"), [(5, 5, 2.576), (9, 7, 2.576), (6, 8, 1.96), (5, 6, 2.576)])
def test_a_ratio_is_the_middle_one_of_all_pairs(n, m, z):
    generator = np.random.default_rng(n)
    before, after = generator.uniform(1, 2, m).tolist(), generator.uniform(2, 3, n).tolist()
    ratios = sorted(new / old for old, new in product(before, after))
    skip = int(n * m / 2 - z * sqrt(n * m * (n + m + 1) / 12))
    middle = np.exp(median(map(log, ratios)))
    assert ratio_of(before, after, z) == Ratio(*map(pytest.approx, (middle, ratios[skip], ratios[-1 - skip])))


def test_few_runs_say_no_bounds():
    assert ratio_of([2.0], [6.0]) == Ratio(pytest.approx(3.0), 0.0, float("inf"))
    assert ratio_of([1.0] * 5, [2.0] * 5).low == pytest.approx(2.0)
    assert ratio_of([1.0] * 4, [2.0] * 4).low == 0.0


@pytest.mark.parametrize(
    ("values", "wander"),
    [
        ([3.0], 1.0), ([1.0, 2.0], 2.0), ([1.0, 1.0, 1.0, 9.0, 2.0, 2.0, 2.0, 4.0, 4.0, 9.0, 3.0, 3.0], 4.0),
        ([4.0, 3.0, 2.0, 1.0], 4.0), ([2.0] * 9, 1.0),
    ],
)  # fmt: skip
def test_what_wanders_differs_between_its_quarters(values, wander):
    assert wander_of(values) == wander
