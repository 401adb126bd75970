"""What papers and projects of this field print, beside what a run measured of the same thing.

Their machines, texts and vocabularies are others, so that ratios may be compared and absolutes may not.
Figures of rust-gems bpe are read off the curves that its README draws, and good to about 2 %.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.wording import by_one_clock
from guiapp.analysis.export.tables import NONE
from guiapp.analysis.libraries.contender import UNSPLIT, split_name
from guiapp.core.demo import resources_folder
from guiapp.core.text.numbers_in_words import three_digits

CELL = ("scenario", "operation", "corpus", "size_bytes", "threads")
Place = tuple[Any, ...]


@dataclass(frozen=True)
class Source:
    """Where figures are printed, and in what their conditions differ from those of any run here.

    base  the contender that others are compared with
    """

    name: str
    where: str
    differs: str
    base: str


@dataclass(frozen=True)
class Published:
    """One figure, as printed, and which of our results stands beside it; None stands for any.

    speed  to compare within one source and cell, in whatever unit that has; None if the figure says none
    """

    source: Source
    figure: str
    scenario: str
    operation: str
    contender: str
    corpus: str | None = None
    size_bytes: int | None = None
    speed: float | None = None

    def is_comparable(self, other: Published) -> bool:
        """Whether both are from one source and about the same thing, done by whomever."""
        names = "source", "scenario", "operation", "corpus", "size_bytes"
        return all(getattr(self, name) == getattr(other, name) for name in names)

    def is_about(self, result: Record) -> bool:
        """Whether a result is of the same thing, done by whomever."""
        return (
            result["scenario"] == self.scenario
            and result["operation"] == self.operation
            and self.corpus in (None, result["corpus"])
            and self.size_bytes in (None, result["size_bytes"])
        )

    def is_of(self, result: Record) -> bool:
        return result["contender"] == self.contender and self.is_about(result)


TREE = Source(
    "TokenTree, 2026",
    "github.com/mrgyularabai/Token-Tree, README, tables 1 and 2",
    "Intel Core Ultra 7 265K, one thread, C# for TokenTree; Llama 3.2, English literature; its harness adds "
    "some 14 ms to each call of llama.cpp",
    "llama.cpp",
)
LESSON = Source(
    "C++ tutorial",
    "a tutorial without an address that we know",
    "machine and threads unknown, C++; its own vocabulary, and another length of this text; what is unknown "
    "here is in no source that we could read",
    "heap",
)
GEMS = Source(
    "rust-gems bpe",
    "github.com/github/rust-gems, crates/bpe/README.md, figures of February 2026",
    "MacBook Air M4, one thread, Rust, no Python; o200k, text of random tokens, appended byte by byte",
    "tokenizers",
)
GIGA_EPYC, GIGA_RYZEN = (
    Source(
        f"gigatoken, {machine}",
        "github.com/marcelroed/gigatoken, README, “Benchmarks”",
        f"{cores}, all threads; 11.9 GB of OpenWebText read by the library itself, from files",
        "tokenizers",
    )
    for machine, cores in (
        ("2 × EPYC 9565", "144 cores"),
        ("Ryzen 7 9800X3D", "8 cores with 16 threads"),
    )
)

SOURCES = {each.name: each for each in (TREE, LESSON, GEMS, GIGA_EPYC, GIGA_RYZEN)}


def _figures() -> Iterator[Published]:
    """The rows of the table of figures; an empty cell stands for any."""
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


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (resources_folder() / "bench" / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


PUBLISHED = tuple(_figures())


# Tables of published figures beside what a run measured of the same thing, one for each source


class PublishedComparison(NamedTuple):
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


def comparable(run: Record) -> dict[Source, list[PublishedComparison]]:
    """The figures that this run has something to say about, by their sources.

    Those of contenders that are missing from what the run measured are among them.
    """
    alike: dict[tuple[str, str], list[Record]] = {}
    placed: dict[Place, Record] = {}
    for result in run["results"]:
        alike.setdefault((result["scenario"], result["operation"]), []).append(result)
        placed.setdefault(_place_of(result, result["contender"]), result)
    by_source: dict[Source, list[PublishedComparison]] = {}
    for published in PUBLISHED:
        results = alike.get((published.scenario, published.operation), [])
        by_source.setdefault(published.source, []).extend(_rows_of(published, results, placed))
    return {source: rows for source, rows in by_source.items() if any(row.result for row in rows)}


def _rows_of(
    published: Published, results: Sequence[Record], placed: Mapping[Place, Record]
) -> list[PublishedComparison]:
    """One for each result, or one without a result if others were measured there."""
    base = _base_of(published)
    published_ratio = _published_ratio(published, base)
    rows = [
        PublishedComparison(published, result, result, published_ratio, _ratio(result, base, placed))
        for result in results
        if published.is_of(result)
    ]
    if rows:
        return rows
    cells = (each for each in results if published.is_about(each))
    return [PublishedComparison(published, cell, None, published_ratio, None) for cell in islice(cells, 1)]


def n_missing(run: Record) -> int:
    """The published figures that this run has nothing to say about."""
    told = {id(row.published) for rows in comparable(run).values() for row in rows if row.result}
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
    others = (each for each in PUBLISHED if each.is_comparable(published) and each.contender == base)
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


class Claim(NamedTuple):
    """A sentence of a package's summary or README.

    than   the contender that it compares itself with, "" where it names none that takes part
    ratio  how many times as fast as that it says to be, as printed, "" where it says none
    date   of the version's release, year and month
    """

    contender: str
    words: str
    than: str
    ratio: str
    version: str
    date: str


def claims() -> list[Claim]:
    """What the projects of the field say of themselves, in their own words, as their packages carry them."""
    return [Claim(**row) for row in _rows("claims.csv")]
