"""How sizes, times, speeds and ratios of a run are worded, the same in tables, charts and sentences."""

from __future__ import annotations

import math

from guiapp.core.text.numbers_in_words import three_digits, with_prefix

TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
SIZE_UNITS = ((1 << 20, "MiB"), (1_000_000, "MB"), (1 << 10, "KiB"), (1_000, "kB"))
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def size_text(size_bytes: int) -> str:
    """A size in the unit that needs the fewest digits; kB are thousands, KiB 1024."""
    for factor, unit in SIZE_UNITS:
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes:,} B"


def figure_text(value: float) -> str:
    """A number with three digits, more if they are before the point, never with an exponent."""
    if not value:
        return "0"
    return f"{value:.{max(2 - math.floor(math.log10(abs(value))), 0)}f}"


def times_text(ratio: float) -> str:
    """A ratio with two digits, `0.016`, `1.2`, `16`, `1,300`; with two decimals if one would give 1.0."""
    rounded = ratio if 0.95 <= ratio < 1.095 else float(f"{ratio:.2g}")
    n_decimals = 2 if rounded is ratio else max(1 - math.floor(math.log10(rounded)), 0) if rounded else 0
    return f"{rounded:,.{n_decimals}f}"


def time_text(seconds: float) -> str:
    """A time with three digits, in the largest unit of which it is at least one."""
    factor, unit = next((each for each in TIME_UNITS if seconds >= each[0]), TIME_UNITS[-1])
    return f"{seconds / factor:.3g} {unit}"


def on_threads(n_threads: int) -> str:
    """The number of threads, to follow the name of a cell; "" for one."""
    return f", {n_threads} threads" if n_threads > 1 else ""


def speed_number(speed: float, key: str) -> str:
    """A speed without its unit, by its key in records: "126 M" tokens a second, "1,024" MB/s."""
    return with_prefix(speed) if key == "tokens_per_s" else three_digits(speed)


def speed_text(speed: float, key: str) -> str:
    """A speed with its unit, by its key in records."""
    return f"{speed_number(speed, key)} {'tokens/s' if key == 'tokens_per_s' else 'MB/s'}"


def in_words(number: int) -> str:
    return NUMBERS[number] if number < len(NUMBERS) else str(number)
