"""Figures that papers and projects have published, next to a run's results of the same measurements.

Their machines, texts and vocabularies differ, so only ratios can be compared, not absolute figures.
Figures of rust-gems bpe are read off the curves in its README, with an accuracy of about 2 %.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from guiapp.analysis.bench.run_results import BenchResult, BenchRun
from guiapp.analysis.export.tables import NONE
from guiapp.analysis.libraries.contender import UNSPLIT, split_name
from guiapp.core.demo import resources_folder
from guiapp.core.text.numbers_in_words import three_digits

CELL = ("scenario", "operation", "corpus", "size_bytes")


@dataclass(frozen=True)
class Source:
    """Where figures are published, and how their conditions differ from any run here.

    base  the contender that others are compared with
    """

    name: str
    base: str
    where: str
    differs: str


@dataclass(frozen=True)
class Published:
    """One figure, as printed, and which of our results correspond to it; None stands for any.

    speed  in any unit, to compare within one source and cell; None if the figure gives none
    """

    source: Source
    figure: str
    scenario: str
    operation: str
    contender: str
    corpus: str | None = None
    size_bytes: int | None = None
    speed: float | None = None

    @property
    def base(self) -> str:
        """The base of the source, with or without splitting like this contender."""
        return self.source.base + ("" if split_name(self.contender)[1] else UNSPLIT)

    @property
    def ratio(self) -> float | None:
        """How many times as fast as its base it is in the source; None if that is not published."""
        return _published_ratio(self)

    def is_of(self, result: BenchResult) -> bool:
        """Whether a result is the same measurement of the same contender."""
        return all(getattr(self, name) in (None, getattr(result, name)) for name in (*CELL, "contender"))


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (resources_folder() / "bench" / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def _figures() -> Iterator[Published]:
    """The rows of the table of figures; an empty cell means any value."""
    for row in _rows("published.csv"):
        yield Published(
            SOURCES[row["source"]],
            row["figure"],
            row["scenario"],
            row["operation"],
            row["contender"],
            row["corpus"] or None,
            int(row["size_bytes"]) if row["size_bytes"] else None,
            float(row["speed"]) if row["speed"] else None,
        )


SOURCES = {row["name"]: Source(**row) for row in _rows("sources.csv")}
PUBLISHED = tuple(_figures())


@cache
def _published_ratio(published: Published) -> float | None:
    for other in PUBLISHED:
        is_alike = all(getattr(other, name) == getattr(published, name) for name in ("source", *CELL))
        if is_alike and other.contender == published.base:
            return published.speed / other.speed if published.speed and other.speed else None
    return None


class PublishedComparison(NamedTuple):
    """One published figure with the corresponding result.

    ratio   how many times as fast as the source's base it is here; None if the base was not measured
    """

    published: Published
    result: BenchResult
    ratio: float | None


def comparable(run: BenchRun) -> dict[Source, list[PublishedComparison]]:
    """The published figures with a corresponding result in this run, by source."""
    by_source: dict[Source, list[PublishedComparison]] = {}
    by_contender: dict[str, list[BenchResult]] = {}
    for row in run.finished:
        by_contender.setdefault(row.contender, []).append(row)
    for published in PUBLISHED:
        for row in filter(published.is_of, by_contender.get(published.contender, ())):
            comparison = PublishedComparison(published, row, _ratio(row, published.base, run.finished))
            by_source.setdefault(published.source, []).append(comparison)
    return by_source


def _ratio(result: BenchResult, base: str, results: Sequence[BenchResult]) -> float | None:
    """How many times as fast as the base a result is in its cell; None if the base was not measured."""
    key = *(getattr(result, name) for name in CELL), result.threads, base
    for row in results:
        if (*(getattr(row, name) for name in CELL), row.threads, row.contender) == key:
            return row.median_s / result.median_s
    return None


def ratio_text(ratio: float | None) -> str:
    """A ratio of speeds; as a fraction if less than a tenth, which is easier to read than zeros."""
    if ratio is None:
        return NONE
    return f"{three_digits(ratio)}×" if ratio >= 0.1 else f"1/{three_digits(1 / ratio)}×"


class Claim(NamedTuple):
    """A sentence of a package's summary or README.

    than   the contender that it compares itself with; "" if it names none that takes part
    ratio  how many times as fast as `than` it claims to be, as printed; "" if it gives no number
    date   of the version's release, year and month
    """

    contender: str
    words: str
    than: str
    ratio: str
    version: str
    date: str


def claims() -> list[Claim]:
    """The claims of tokenizer libraries about themselves, quoted from their packages."""
    return [Claim(**row) for row in _rows("claims.csv")]
