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

from guiapp.analysis.bench.corpus import TUTORIAL
from guiapp.analysis.bench.measurement import Record
from guiapp.analysis.bench.wording import by_one_clock
from guiapp.analysis.export.html import resource
from guiapp.analysis.export.tables import NONE
from guiapp.analysis.libraries.contender import UNSPLIT, split_name
from guiapp.core.text.figures import three_digits

CELL = ("scenario", "operation", "corpus", "size_bytes", "threads")
Place = tuple[Any, ...]
UNKNOWN = "unknown"
KIB = 1 << 10


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

# Milliseconds for so many KiB: those of its own encoder, then llama.cpp's.
TREE_MS: Mapping[float, tuple[float, float]] = {
    0.125: (0.009618, 14.66),
    0.5: (0.046901, 14.67),
    2: (0.18784, 13.907),
    8: (0.8165, 14.55),
    32: (3.0925, 16.431),
    128: (11.859, 36.549),
    512: (46.745, 121.51),
    2048: (173.07, 418.4),
    4096: (335.91, 849.7),
}

LESSON_MS = {"scan": ("naive", 5387), "heap": ("heap", 12.3), "sentencepiece": ("sentencepiece", 2.9)}

# Microseconds for 10, 100, 1,000 and 10,000 bytes.
GEMS_SIZES = (10, 100, 1_000, 10_000)
Curve = tuple[float, float, float, float]
GEMS_UNSPLIT_US: Mapping[str, Curve] = {
    "backtrack": (0.29, 2.0, 17, 165),
    "heap": (0.70, 9.4, 103, 1_120),
    "table": (0.54, 8.0, 82, 810),
    "greedy": (0.076, 0.73, 6.8, 63),
    "fewest": (0.17, 1.6, 14, 136),
    "tokenizers": (2.0, 14, 133, 1_450),
}
GEMS_SPLIT_US: Mapping[str, Curve] = {
    "backtrack": (0.37, 2.1, 16, 165),
    "rs-bpe": (0.37, 2.1, 16, 165),
    "tiktoken": (0.91, 6.8, 63, 606),
    "tokenizers": (2.8, 19, 168, 1_680),
}
GEMS_APPEND_US: Mapping[tuple[str, str], Curve] = {
    ("fast", "append"): (0.66, 8.8, 88, 876),
    ("backtrack", "encode"): (0.31, 2.0, 17, 163),
}
# The cells of ours that are nearest in size.
NEAR_GEMS_SIZES = (
    *(("short", "encode each", size) for size in (16, 128, 1_024)),
    ("scaling", "encode", 8_192),
)

GIGA_MB_PER_S = {
    GIGA_EPYC: {"gigatoken": "22,150", "tokenizers": "48.5", "tiktoken": "36.0"},
    GIGA_RYZEN: {"gigatoken": "5,240", "tokenizers": "79.5", "tiktoken": "92.1"},
}
GIGA_VOCABULARY = {"tiktoken": "GPT-2"}  # the others with Llama 3


def _timed(seconds: float, size_bytes: int) -> str:
    """A time as it is printed, and the speed that follows."""
    printed = f"{seconds * 1e3:.4g} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.3g} µs"
    return f"{printed} for {size_bytes:,} B, {size_bytes / seconds / 1e6:.3g} MB/s"


def _tree() -> Iterator[Published]:
    for kib, row in TREE_MS.items():
        size = int(kib * KIB)
        for contender, ms in zip(("greedy", "llama.cpp"), row, strict=True):
            figure = _timed(ms / 1e3, size)
            yield Published(TREE, figure, "scaling", "encode", contender, size_bytes=size, speed=size / ms)


def _lesson() -> Iterator[Published]:
    for contender, (name, ms) in LESSON_MS.items():
        figure = f"{name} {ms:g} ms"
        yield Published(LESSON, figure, "throughput", "encode", contender, TUTORIAL, speed=1 / ms)
        yield Published(LESSON, UNKNOWN, "decode", "decode", contender, TUTORIAL)


def _gems() -> Iterator[Published]:
    for suffix, table in ((UNSPLIT, GEMS_UNSPLIT_US), ("", GEMS_SPLIT_US)):
        for contender, row in table.items():
            for cell, figure, us in zip(NEAR_GEMS_SIZES, _gems_figures(row), row, strict=True):
                scenario, operation, size = cell
                name = contender + suffix
                yield Published(GEMS, figure, scenario, operation, name, None, size, 1 / us)
    for (contender, operation), row in GEMS_APPEND_US.items():
        for size, figure in list(zip(GEMS_SIZES, _gems_figures(row), strict=True))[2:]:
            yield Published(GEMS, figure, "append", operation, contender, size_bytes=size)
    worst = {"backtrack": "about 1 ms or less", "tokenizers": "about 1 ms", "tiktoken": "16 ms"}
    for contender, figure in worst.items():
        figure = f"{figure} for 10,000 B"
        yield Published(GEMS, figure, "worst", "encode", contender, "joined tokens", 10_000)


def _gems_figures(microseconds: Sequence[float]) -> list[str]:
    return [_timed(us / 1e6, size) for us, size in zip(microseconds, GEMS_SIZES, strict=True)]


def _giga() -> Iterator[Published]:
    for source, speeds in GIGA_MB_PER_S.items():
        for contender, speed in speeds.items():
            figure = f"{speed} MB/s with {GIGA_VOCABULARY.get(contender, 'Llama 3')}"
            mb_per_s = float(speed.replace(",", ""))
            yield Published(source, figure, "threads", "encode batch", contender, speed=mb_per_s)


PUBLISHED = (*_tree(), *_lesson(), *_gems(), *_giga())


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


# What the projects of the field say of themselves, in their own words, as their packages carry them


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
    _, *rows = csv.reader(resource("claims.csv").splitlines())
    return [Claim(*row) for row in rows]
