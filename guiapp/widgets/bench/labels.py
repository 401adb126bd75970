"""The words and numbers on the charts of the Bench page, and where they go."""

from __future__ import annotations

import math
from collections.abc import Sequence

from guiapp.core.bench.measurement import ENERGY, TIME, Record
from guiapp.core.bench.published import PUBLISHED
from guiapp.core.bench.wording import BYTES_PER_MB, size_text, time_text
from guiapp.core.explain.figures import percent

DECADE_STEPS = 4  # that logarithmic axes begin and end at
UNITS = {"mb_per_s": "MB/s", "tokens_per_s": "tokens/s"}


def tip_of(row: Record) -> str:
    """Value, number of runs, interval and ids, for the mouse."""
    head = f"{row['contender']} · {row['corpus']} · {size_text(row['size_bytes'])}"
    if row["median_s"] is None:
        ready, more = (row[key] / BYTES_PER_MB for key in ("built_bytes", "encoding_bytes"))
        return f"{head}\n{ready:.1f} MB when it is ready, up to {more:.1f} MB more while encoding"
    low, high = (time_text(seconds) for seconds in row["ci_s"])
    clock = " of a processor" if row.get("clock") == "cpu" else ""
    lines = [
        head,
        f"{time_text(row['median_s'])}{clock}, 95 %: {low} to {high}, n = {row['n']}",
        f"{row['mb_per_s']:.4g} MB/s · {short_number(row['tokens_per_s'])} tokens/s",
    ]
    if row["exact"] is False:
        difference = row["first_difference"]
        lines.append(
            f"{percent(row['agreement'], 2)} of spans; differs from byte {difference['byte_offset']:,} on"
        )
    elif row["exact"] is None:
        lines.append("has a vocabulary of its own")
    for published in PUBLISHED:
        if published.is_of(row):
            lines.append(f"{published.source.name}: {published.figure} ({published.source.differs})")
    return "\n".join(lines)


def interval_of(row: Record, key: str) -> tuple[float, float]:
    """The values of a time, a speed or an energy at the ends of its interval."""
    low, high = row[ENERGY[1] if key == ENERGY[0] else TIME[1]]
    if key not in UNITS:
        return low, high
    return row[key] * row["median_s"] / high, row[key] * row["median_s"] / low


def short_number(value: float) -> str:
    """At most three digits and a prefix: 1.24 M, 2 M."""
    scaled, prefix = _with_prefix(value)
    return f"{scaled:.3g}{prefix}"


def three_digits(value: float) -> str:
    """Three digits and a prefix, zeros too, as of all that are measured alike: 1.24 M, 2.00 M."""
    scaled, prefix = _with_prefix(value)
    return f"{scaled:#.3g}".rstrip(".") + prefix


def _with_prefix(value: float) -> tuple[float, str]:
    for factor, prefix in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= factor:
            return value / factor, prefix
    return value, ""


def spread(places: Sequence[float], distance: float, low: float, high: float) -> list[float]:
    """Places for these ordered ones, `distance` apart and within bounds that have the room, moved the least.

    The least sum of squares, by pooling neighbours that would collide (isotonic regression).
    """
    pools: list[tuple[float, int]] = []  # the sum of what `distance` leaves of each place, and how many
    for index, place in enumerate(places):
        total, count = place - index * distance, 1
        while pools and pools[-1][0] / pools[-1][1] > total / count:
            total, count = total + pools[-1][0], count + pools[-1][1]
            pools.pop()
        pools.append((total, count))
    most = max(high - (len(places) - 1) * distance, low)
    firsts = [min(max(total / count, low), most) for total, count in pools for _ in range(count)]
    return [first + index * distance for index, first in enumerate(firsts)]


def share_steps(lowest: float, most: int = 5) -> list[float]:
    """Round shares, at most so many steps of at most a half, from below the lowest up to 1."""
    steps = 0.01, 0.02, 0.05, 0.1, 0.2, 0.5
    step = next(step for step in steps if (1 - lowest) / step < most + 0.001 or step == steps[-1])
    n_steps = max(math.ceil((1 - lowest) / step - 1e-9), 1)
    return [1 - step * index for index in reversed(range(n_steps + 1))]


def mark(row: Record) -> str:
    """Beside the figure: that it is of one run, and that ids are not those of the loaded vocabulary."""
    if row["median_s"] is None:
        return ""
    once = "  once" if row["n"] == 1 else ""
    if row["exact"] is None:
        return f"{once}  own vocabulary"
    return once if row["exact"] else f"{once}  ≈ {percent(row['agreement'], 1)}"


def steps_of(low: float, high: float) -> list[float]:
    """Logarithms of 1, 3, 10, 30 and so on within these."""
    decades = range(math.floor(low), math.ceil(high) + 1)
    steps = [decade + math.log10(step) for decade in decades for step in (1, 3)]
    return [step for step in steps if low <= step <= high]


def decades_of(lowest: float, highest: float) -> tuple[float, float, list[int]]:
    """From where to where a logarithmic axis reaches, in steps that stay while curves settle; its decades.

    There are two decades at least: with less, nobody knows the scale.
    """
    low, high = (math.log10(value) * DECADE_STEPS for value in (lowest, highest))
    low, high = math.floor(low) / DECADE_STEPS, math.ceil(high) / DECADE_STEPS
    first, last = math.ceil(low), math.floor(high)
    if first >= last:
        first, last = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
    return min(low, first), max(high, last), list(range(first, last + 1))
