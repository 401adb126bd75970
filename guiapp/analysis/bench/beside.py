"""Tables of published figures beside what a run measured of the same thing, one for each source.

Machines and texts differ, so that speeds of one source and of one run are also compared among themselves:
those ratios are what can be reproduced.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from guiapp.analysis.bench.findings import by_one_clock
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.published import PUBLISHED, Published, Source
from guiapp.analysis.export.tables import NONE
from guiapp.analysis.libraries.contender import UNSPLIT, split_name
from guiapp.core.text.figures import three_digits

CELL = ("scenario", "operation", "corpus", "size_bytes", "threads")
Place = tuple[Any, ...]


class Beside(NamedTuple):
    """One published figure with the result that belongs to it.

    cell    the result, or one of another contender about the same thing where `result` is None
    published_ratio, ratio   how many times as fast as the source's point of comparison, there and here;
                             None where either is not known
    """

    published: Published
    cell: Record
    result: Record | None
    published_ratio: float | None
    ratio: float | None


def beside(run: Record) -> dict[Source, list[Beside]]:
    """The figures that this run has something to say about, by their sources.

    Those of contenders that are missing from what the run measured are among them.
    """
    alike: dict[tuple[str, str], list[Record]] = {}
    placed: dict[Place, Record] = {}
    for result in run["results"]:
        alike.setdefault((result["scenario"], result["operation"]), []).append(result)
        placed.setdefault(_place_of(result, result["contender"]), result)
    found: dict[Source, list[Beside]] = {}
    for published in PUBLISHED:
        results = alike.get((published.scenario, published.operation), [])
        found.setdefault(published.source, []).extend(_rows_of(published, results, placed))
    return {source: rows for source, rows in found.items() if any(row.result for row in rows)}


def _rows_of(published: Published, results: Sequence[Record], placed: Mapping[Place, Record]) -> list[Beside]:
    """One for each result, or one without a result if others were measured there."""
    base = _base_of(published)
    published_ratio = _published_ratio(published, base)
    rows = [
        Beside(published, result, result, published_ratio, _ratio(result, base, placed))
        for result in results
        if published.is_of(result)
    ]
    if rows:
        return rows
    cells = (each for each in results if published.is_about(each))
    return [Beside(published, cell, None, published_ratio, None) for cell in islice(cells, 1)]


def n_missing(run: Record) -> int:
    """The published figures that this run has nothing to say about."""
    told = {id(row.published) for rows in beside(run).values() for row in rows if row.result}
    return len(PUBLISHED) - len(told)


def ratio_text(ratio: float | None) -> str:
    """How many times as fast, as a fraction where that is less than a tenth: nobody counts zeros."""
    if ratio is None:
        return NONE
    return f"{three_digits(ratio)}×" if ratio >= 0.1 else f"1/{three_digits(1 / ratio)}×"


def _base_of(published: Published) -> str:
    """The contender that the source's others are compared with, split as this one is."""
    is_split = split_name(published.contender)[1]
    return published.source.base if is_split else published.source.base + UNSPLIT


@cache
def _published_ratio(published: Published, base: str) -> float | None:
    others = (each for each in PUBLISHED if each.is_beside(published) and each.contender == base)
    other = next(others, None)
    if other is None or other.speed is None or published.speed is None:
        return None
    return published.speed / other.speed


def _ratio(result: Record, base: str, placed: Mapping[Place, Record]) -> float | None:
    """The same of a run's own figures, in the same cell and by the same clock."""
    other = placed.get(_place_of(result, base))
    if other is None or not by_one_clock(result, other):
        return None
    return float(other["median_s"] / result["median_s"])


def _place_of(result: Record, contender: str) -> Place:
    """The cell of a result, and somebody who was measured there."""
    return contender, *(result[name] for name in CELL)
