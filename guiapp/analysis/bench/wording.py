"""How sizes, times and places of a run are written, the same in tables, charts and sentences."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from guiapp.analysis.bench.statistics import growth_words
from guiapp.core.text.figures import three_digits, with_prefix

Record = Mapping[str, Any]
BYTES_PER_MB = 1e6
TIME_UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
YOUR_TEXT = "your text"
LEAST_OVERHEAD_S = 1e-9


def size_text(size_bytes: int) -> str:
    """A size in the unit that needs the fewest digits; kB are thousands, KiB 1024."""
    for factor, unit in ((1 << 20, "MiB"), (1_000_000, "MB"), (1 << 10, "KiB"), (1_000, "kB")):
        if size_bytes >= factor and size_bytes % factor == 0:
            return f"{size_bytes // factor} {unit}"
    return f"{size_bytes:,} B"


def place_text(result: Record) -> str:
    """The text of a result, and how much of it."""
    return f"{result['corpus']}, {size_text(result['size_bytes'])}"


def length_text(row: Record) -> str:
    """How long the text of a result is, and how often it was repeated to be so."""
    times = n_times(row)
    if times <= 1:
        return size_text(row["size_bytes"])
    own = size_text(row["own_bytes"])
    return f"{'your' if row['corpus'] == YOUR_TEXT else 'its'} {own}, {times} times"


def n_times(row: Record) -> int:
    """How many times over a text is in what was encoded; runs of older versions do not tell."""
    return round(int(row["size_bytes"]) / int(row.get("own_bytes") or row["size_bytes"]))


def growth_text(line: Record) -> str:
    """How time grows with length, and what a call costs beside that; "" where nothing is known."""
    words, overhead_s = growth_words(line), line["overhead_s"]
    return f"{words}, {time_text(overhead_s)} a call" if words and overhead_s >= LEAST_OVERHEAD_S else words


def figure_text(value: float) -> str:
    """Three digits, more where they are before the point, never an exponent."""
    if not value:
        return "0"
    return f"{value:.{max(2 - math.floor(math.log10(abs(value))), 0)}f}"


def short_ratio(ratio: float) -> str:
    """Two decimals, and of less than a tenth two digits."""
    return f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def time_text(seconds: float) -> str:
    """Three digits, in the unit that has one before the point."""
    factor, unit = next((each for each in TIME_UNITS if seconds >= each[0]), TIME_UNITS[-1])
    return f"{seconds / factor:.3g} {unit}"


def on_threads(n_threads: int) -> str:
    """Behind the name of a place; "" for one."""
    return f", {n_threads} threads" if n_threads > 1 else ""


def speed_number(speed: float, key: str) -> str:
    """A speed without its unit, by its key in records: "126 M" tokens a second, "1,024" MB/s."""
    return with_prefix(speed) if key == "tokens_per_s" else three_digits(speed)


def speed_text(speed: float, key: str) -> str:
    """The same with its unit, which stays beside it."""
    unit = "tokens/s" if key == "tokens_per_s" else "MB/s"
    return f"{speed_number(speed, key)} {unit}".replace(" ", "\N{NO-BREAK SPACE}")
