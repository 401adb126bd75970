"""What is said about repeated measurements, checked where the truth is known."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from guiapp.analysis.bench.statistics import (
    HIDDEN,
    Ratio,
    fit_growth,
    interval_in_turns,
    median_interval,
    ratio_in_turns,
)

SIZES = [128 * 4**power for power in range(8)]


def interval_of(values):
    return median_interval(np.sort(values))


def coverage(n: int, skip: int) -> float:
    """How likely a fair coin shows at least skip + 1 heads and tails in n throws."""
    return sum(comb(n, heads) for heads in range(skip + 1, n - skip)) / 2**n


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6, 8, 9, 10, 13, 20, 40, 399, 400])
def test_the_interval_is_the_narrowest_pair_that_is_sure_enough(n):
    interval = interval_of(np.arange(n, dtype=float))
    skips = [skip for skip in range((n + 1) // 2) if skip < n - 1 - skip and coverage(n, skip) >= 0.95]
    skip = max(skips, default=0)
    assert (interval.low, interval.high) == (skip, n - 1 - skip)
    assert interval.level == pytest.approx(coverage(n, skip) if n > 1 else 0.0, abs=1e-12)


def test_the_interval_contains_the_true_median_at_its_stated_level():
    generator = np.random.default_rng(1)
    held = 0
    for _ in range(2000):
        interval = interval_of(generator.exponential(size=15))
        held += interval.low <= np.log(2) <= interval.high
    assert held / 2000 == pytest.approx(interval.level, abs=0.015)
    assert interval.level >= 0.95


@pytest.mark.parametrize(("overhead", "exponent"), [(0.0, 1.0), (5e-5, 1.0), (2e-6, 2.0), (1e-4, 1.6)])
def test_overhead_and_exponent_are_fitted_separately(overhead, exponent):
    sizes = [1 << power for power in range(7, 22, 2)]
    generator = np.random.default_rng(2)
    times = [(overhead + 1e-9 * size**exponent) * generator.uniform(0.97, 1.03) for size in sizes]
    growth = fit_growth(sizes, times)
    assert growth.exponent == pytest.approx(exponent, abs=0.06)
    assert growth.overhead_s == pytest.approx(overhead, rel=0.1, abs=1e-6)
    assert growth.error < 0.1


def overlap(left, right):
    return left.low <= right.high and right.low <= left.high


def test_intervals_in_turns_of_the_same_code_overlap_and_hold_the_middle_of_all():
    generator = np.random.default_rng(11)
    pairs, held = [], []
    for _ in range(200):
        slow_phase = np.exp(np.cumsum(generator.normal(0, 0.1, 40)))  # lasts longer than a turn
        series = [slow_phase * generator.lognormal(0, 0.03, 40) for _ in range(4)]
        intervals = [interval_in_turns(each.tolist(), is_busy=False) for each in series]
        pairs += [overlap(one, other) for one, other in combinations(intervals, 2)]
        held += [each.low <= np.median(np.concatenate(series)) <= each.high for each in intervals]
    assert np.mean(pairs) >= 0.99
    assert np.mean(held) >= 0.99


def test_an_interval_is_wider_on_a_busy_machine():
    calm, busy = (interval_in_turns([1.0] * 9, is_busy) for is_busy in (False, True))
    assert (calm.low, calm.high) == (1.0, 1.0)
    assert (busy.low, busy.high) == (pytest.approx(1 / (1 + HIDDEN)), 1 + HIDDEN)


def test_a_ratio_in_turns_is_not_moved_by_what_happens_to_both():
    generator = np.random.default_rng(12)
    held, widths = [], []
    for _ in range(200):
        slow_phase = np.exp(np.cumsum(generator.normal(0, 0.2, 40)))
        before, after = (slow_phase * ratio * generator.lognormal(0, 0.03, 40) for ratio in (1.0, 1.2))
        ratio = ratio_in_turns(before.tolist(), after.tolist(), is_busy=False)
        held.append(ratio.low <= 1.2 <= ratio.high)
        widths.append(ratio.high / ratio.low)
    assert np.mean(held) >= 0.97
    assert max(widths) < 1.2
    assert ratio_in_turns([], [1.0], is_busy=False) == Ratio(1.0, 0.0, float("inf"))
    assert ratio_in_turns([1.0], [2.0], is_busy=True) == Ratio(pytest.approx(2.0), 0.0, float("inf"))


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (lambda n: 1e-5 + 1e-9 * n, "linear"),
        (lambda n: 1e-10 * n * len(bin(n)), "almost linear"),
        (lambda n: 1e-12 * n**1.5, "n^1.5"),
        (lambda n: 1e-13 * n**2, "quadratic"),
        (lambda n: 1e-6 * n**0.5, "less than linear"),
        (lambda n: 1e-5 if len(str(n)) % 2 else 1e-2, ""),
    ],
)
def test_growth_is_described_in_words_only_if_the_fit_is_reliable(time, words):
    assert fit_growth(SIZES, [time(size) for size in SIZES]).words == words
