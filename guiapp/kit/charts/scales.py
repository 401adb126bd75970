"""Scales of charts: the positions of their ticks, and ranges that change in steps while values come in."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Range = tuple[float, float]
ROUND = (1, 1.1, 1.2, 1.35, 1.5, 1.7, 1.9, 2.1, 2.4, 2.7, 3, 3.4, 3.8, 4.3, 4.8, 5.4, 6, 6.8, 7.6, 8.6, 10)
"""Possible ends of a range that begins at 0, times a power of ten."""
DECADE_STEPS = 4  # possible ends of a logarithmic range in a decade


class Scale(NamedTuple):
    """The scale of an axis.

    title   with its unit: "tokens/s"
    text    formats a value: "126 M"; None for no ticks
    is_log  whether positions are logarithms of values; shown after the title
    values  values of the ticks, drawn as far as there is room; round values if empty
    """

    title: str = ""
    text: Callable[[float], str] | None = None
    is_log: bool = False
    values: Sequence[float] = ()

    @property
    def label(self) -> str:
        return f"{self.title}, log scale" if self.is_log and self.title else self.title

    def position(self, value: float) -> float:
        return math.log10(value) if self.is_log else value

    def positions(self, values: Floats) -> Floats:
        return np.log10(values) if self.is_log else values

    def ticks(self, low: float, high: float, n_most: int) -> list[tuple[float, str]]:
        """The ticks between two positions, as (position, label); `n_most` limits automatic ones."""
        text, n_most = self.text, max(n_most, 2)
        if text is None:
            return []
        if self.values:
            values = list(self.values)
        elif self.is_log:
            values = log_values(10.0**low, 10.0**high, n_most)
        else:
            values = round_values(low, high, n_most)
        slack = 1e-9 * (high - low)
        all_ticks = [(self.position(value), text(value)) for value in values]
        return [tick for tick in all_ticks if low - slack <= tick[0] <= high + slack]


NO_SCALE = Scale()


def round_values(low: float, high: float, n_most: int) -> list[float]:
    """Multiples of 1, 2 or 5 times a power of ten, at about the least distance that allows `n_most`."""
    if not high > low:
        return [low]
    least = (high - low) / n_most
    power = 10.0 ** math.floor(math.log10(least))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= least * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [index * step for index in range(first, last + 1)]


def log_values(low: float, high: float, n_most: int) -> list[float]:
    """1, 2, 5 or 1, 3 in each decade if they fit, else powers of ten; round values within a decade."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    for steps in ((1, 2, 5), (1, 3), (1,)):
        values = [step * 10.0**decade for decade in range(first, last + 1) for step in steps]
        inside = [value for value in values if low * (1 - 1e-9) <= value <= high * (1 + 1e-9)]
        if len(inside) <= n_most and (len(inside) > 1 or steps == (1,)):
            return inside if len(inside) > 1 else round_values(low, high, n_most)
    return inside[:: math.ceil(len(inside) / n_most)]


def tick_text(value: float) -> str:
    """A number of a scale, formatted for display."""
    if value == 0:
        return "0"
    return f"{value:,.0f}" if abs(value) >= 10 or value == int(value) else f"{value:.2g}"


def range_from_zero(highest: float) -> Range:
    """The range from 0 to the least round value that is not below `highest`."""
    if not highest > 0:
        return 0.0, 1.0
    power = 10.0 ** math.floor(math.log10(highest))
    return 0.0, next(each * power for each in ROUND if each * power >= highest * (1 - 1e-9))


def log_range(lowest: float, highest: float) -> Range:
    """A range of logarithms that ends at quarters of a decade; at least one decade, to be recognisable."""
    low = math.floor(math.log10(lowest) * DECADE_STEPS) / DECADE_STEPS
    high = math.ceil(math.log10(highest) * DECADE_STEPS) / DECADE_STEPS
    return (low, high) if high - low >= 1 else (math.floor(low), max(math.ceil(high), math.floor(low) + 1))


def spread(positions: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Move sorted positions as little as possible so that they are `distance` apart, within bounds.

    Minimizes the sum of squares by pooling neighbours that would collide (isotonic regression).
    """
    pools: list[tuple[float, int]] = []  # sum of (position - index * distance) in the pool, and its size
    for index, position in enumerate(positions):
        total, count = position - index * distance, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            total, count = total + pools[-1][0], count + pools[-1][1]
            pools.pop()
        pools.append((total, count))
    most = max(high - (len(positions) - 1) * distance, low)
    firsts = [min(max(total / count, low), most) for total, count in pools for _ in range(count)]
    return [first + index * distance for index, first in enumerate(firsts)]
