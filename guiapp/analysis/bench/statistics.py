"""Statistics of repeated measurements, based on order statistics and so valid for any distribution.

Times on a computer are skewed and have outliers, so means and standard deviations are of little use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erf, sqrt

import numpy as np
from numpy.typing import NDArray

WORST_FIT = 0.5  # error as a share of the measured time; curves that fit worse are not used
IN_STEP = 1.15  # up to this exponent, time is in proportion to length: over three decades, n log n has 1.1
LESS = 0.85  # up to this exponent, it grows less
WORDS = ((LESS, "less than linear"), (1.05, "linear"), (IN_STEP, "almost linear"))
QUADRATIC = (1.75, 2.25)
CONFIDENCE = 0.95
FENCE = 1.5  # interquartile ranges beyond the quartiles; Tukey 1977
EXPONENTS = np.arange(0.3, 3.0005, 0.01)
N_BLOCKS = 8  # of turns: the range of eight medians contains the true one in 99 of 100 runs
HIDDEN = 0.15  # measured in processor time: four contenders of the same code, with two busy loops
MOST_EXACT = 400  # sample sizes up to which binomial coefficients are added up


@dataclass(frozen=True)
class Interval:
    """Bounds of the true median.  `level` is how often they contain it: below CONFIDENCE for few values."""

    low: float
    high: float
    level: float


def interval_in_turns(seconds: Sequence[float], is_busy: bool) -> Interval:
    """Bounds of the median time, from samples taken in turns with others; at least one.

    Slow phases of a machine last longer than a turn, so neighbouring turns are correlated: the interval is
    computed from the medians of blocks of turns.  No clock shows what other programs take of caches, or of
    the other thread of a core: if they ran, the interval is wider by HIDDEN on either side.

    is_busy  whether other programs were using the machine meanwhile
    """
    interval = median_interval(np.sort(block_medians(seconds)))
    hidden = 1.0 + HIDDEN if is_busy else 1.0
    return Interval(interval.low / hidden, interval.high * hidden, interval.level)


def median_interval(ordered: NDArray[np.float64]) -> Interval:
    """The narrowest symmetric pair of order statistics that holds the median with CONFIDENCE.

    The number of values below the true median is binomial with p = 1/2, whatever the distribution.
    """
    n = len(ordered)
    skip, level = 0, _coverage(n, 0)
    while skip + 1 < n - skip - 1 and (next_level := _coverage(n, skip + 1)) >= CONFIDENCE:
        skip, level = skip + 1, next_level
    return Interval(float(ordered[skip]), float(ordered[n - 1 - skip]), level)


def _coverage(n: int, skip: int) -> float:
    """The probability that the median lies between the values at index `skip` from either end."""
    if n > MOST_EXACT:
        return erf((n - 2 * skip - 1) / sqrt(2 * n))
    return 1.0 - 2.0 * sum(comb(n, below) for below in range(skip + 1)) / 2.0**n if n > 1 else 0.0


def n_outliers(values: Sequence[float]) -> int:
    """How many lie outside Tukey's fences; they are counted, not removed."""
    samples = np.asarray(values, np.float64)
    low, high = np.percentile(samples, [25, 75])
    reach = FENCE * (high - low)
    return int(np.count_nonzero((samples < low - reach) | (samples > high + reach)))


@dataclass(frozen=True)
class Growth:
    """Time as overhead + slope * size ** exponent.

    error  the largest relative distance of a measured time from the curve
    """

    exponent: float
    overhead_s: float
    slope: float
    error: float

    @property
    def is_fit(self) -> bool:
        """Whether the curve fits well enough to be used."""
        return self.error < WORST_FIT

    @property
    def words(self) -> str:
        """“linear”, “almost linear”, “quadratic”, “n^1.4”; "" if the curve does not fit."""
        if not self.is_fit:
            return ""
        if QUADRATIC[0] <= self.exponent <= QUADRATIC[1]:
            return "quadratic"
        return next((words for most, words in WORDS if self.exponent <= most), f"n^{self.exponent:.1f}")


def fit_growth(sizes_bytes: Sequence[int], times_s: Sequence[float]) -> Growth | None:
    """The curve with the least squared relative error; None for fewer than four sizes."""
    if len(set(sizes_bytes)) < 4:
        return None
    sizes, times = np.asarray(sizes_bytes, np.float64), np.asarray(times_s, np.float64)
    overheads, slopes = _fits(sizes, times)
    curves = overheads[:, None] + slopes[:, None] * sizes ** EXPONENTS[:, None]
    distances = curves / times - 1
    best = int(np.argmin((distances**2).sum(axis=1)))
    worst = float(np.abs(distances[best]).max())
    return Growth(float(EXPONENTS[best]), float(overheads[best]), float(slopes[best]), worst)


def _fits(sizes: NDArray[np.float64], times: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """The best overhead and slope for each exponent, neither negative, by the normal equations."""
    ones, powers = 1.0 / times, sizes ** EXPONENTS[:, None] / times
    scale = powers.max(axis=1)
    powers /= scale[:, None]
    aa, ab, bb = ones @ ones, powers @ ones, (powers**2).sum(axis=1)
    a, b = ones.sum(), powers.sum(axis=1)
    determinant = aa * bb - ab**2
    overheads = (a * bb - b * ab) / determinant
    slopes = (b * aa - a * ab) / determinant
    slopes = np.where(overheads < 0, b / bb, slopes)
    overheads = np.where(slopes < 0, a / aa, np.maximum(overheads, 0.0))
    return overheads, np.maximum(slopes, 0.0) / scale


@dataclass(frozen=True)
class Ratio:
    """A ratio of two times, and bounds of the true ratio."""

    ratio: float
    low: float
    high: float


def ratio_in_turns(before: Sequence[float], after: Sequence[float], is_busy: bool) -> Ratio:
    """How many times as long `after` took as `before`, from samples taken in turns, one of each per turn.

    Disturbances that affect both within a turn cancel out; the interval is from `interval_in_turns`.
    """
    n = min(len(before), len(after))
    if n == 0:
        return Ratio(1.0, 0.0, float("inf"))
    ratios = np.asarray(after[:n], np.float64) / np.asarray(before[:n], np.float64)
    interval = interval_in_turns(ratios.tolist(), is_busy)
    low, high = (interval.low, interval.high) if n > 1 else (0.0, float("inf"))
    return Ratio(float(np.median(ratios)), low, high)


def block_medians(values: Sequence[float]) -> list[float]:
    """The medians of up to N_BLOCKS blocks of equal length; `values` are in the order of time."""
    return [float(np.median(part)) for part in np.array_split(values, min(N_BLOCKS, len(values)))]
