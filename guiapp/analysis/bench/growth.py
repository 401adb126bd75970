"""How time grows with length, as records and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from guiapp.analysis.bench.statistics import fit_growth

WORST_FIT = 0.5  # of the measured time; curves that fit worse say nothing
IN_STEP = (
    1.15  # exponents up to which time grows in step with the length: over three decades, n log n has 1.1
)
LESS = 0.85  # up to which it grows less
_WORDS = ((LESS, "less than linear"), (1.05, "linear"), (IN_STEP, "almost linear"))
_QUADRATIC = (1.75, 2.25)


def growth_records(results: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Exponent, overhead and slope of the time of every contender that ran a series of sizes."""
    series: dict[tuple[str, str, str], list[Mapping[str, Any]]] = {}
    for result in results:
        series.setdefault((result["scenario"], result["contender"], result["corpus"]), []).append(result)
    records = []
    for place, points in series.items():
        growth = fit_growth(*([point[key] for point in points] for key in ("size_bytes", "median_s")))
        if growth is not None:
            head = zip(("scenario", "contender", "corpus"), place, strict=True)
            curve = {name: vars(growth)[name] for name in ("exponent", "overhead_s", "slope", "error")}
            records.append({**dict(head), **curve})
    return records


def growth_words(growth: Mapping[str, Any]) -> str:
    """Of a growth record: “linear”, “almost linear”, “quadratic”, “n^1.4”; "" where the fit says nothing."""
    exponent: float = growth["exponent"]
    if growth["error"] >= WORST_FIT:
        return ""
    if _QUADRATIC[0] <= exponent <= _QUADRATIC[1]:
        return "quadratic"
    return next((words for most, words in _WORDS if exponent <= most), f"n^{exponent:.1f}")
