"""How the tokens of a vocabulary divide by script, length and rank: bars, each with the filter for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.tree.scripts import NAMES
from guiapp.analysis.vocabulary_list.columns import BY_NAME
from guiapp.analysis.vocabulary_list.figures import Ids, TokenFigures, Values
from guiapp.analysis.vocabulary_list.filters import script_term
from guiapp.core.text.figures import counted

Counts = NDArray[np.int64]
LONGEST_COUNTED = 32  # bytes
LENGTHS = (
    *(counted(length, "byte") for length in range(LONGEST_COUNTED)),
    f"{LONGEST_COUNTED} bytes and more",
)
LENGTH_LABELS = {length: str(length) for length in (1, 8, 16, 24)} | {LONGEST_COUNTED: f"{LONGEST_COUNTED}+"}
N_STRETCHES = 32
WORTHS = ("score", "rank", "id")  # the first that a vocabulary has


@dataclass(frozen=True, eq=False)
class Histogram:
    """Bars of one figure.

    name    of the column
    names   of the bars
    terms   the filter for each
    of      int16[n]: the bar of each token, or -1
    totals  int64[k]: how many tokens each has
    """

    name: str
    names: tuple[str, ...]
    terms: tuple[str, ...]
    of: NDArray[np.int16]
    totals: Counts

    def counts(self, ids: Ids) -> Counts:
        """int64[k]: how many of some tokens each bar has."""
        return np.bincount(self.of[ids] + 1, minlength=len(self.names) + 1)[1:]


def histograms(figures: TokenFigures) -> tuple[Histogram, ...]:
    """By script, by length, and by the first of WORTHS that there is."""
    return tuple(_histograms(figures))


def _histograms(figures: TokenFigures) -> Iterator[Histogram]:
    yield _histogram("script", NAMES, [script_term(script) for script in range(len(NAMES))], figures.scripts)
    terms = [*(f"length:{length}" for length in range(LONGEST_COUNTED)), f"length:>={LONGEST_COUNTED}"]
    yield _histogram("length", LENGTHS, terms, np.minimum(figures.lengths, LONGEST_COUNTED))
    for name in WORTHS:
        if (values := BY_NAME[name].values(figures)) is not None:
            yield _binned(name, values)
            return


def _binned(name: str, values: Values) -> Histogram:
    """Stretches of the same width from the least value to the greatest."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    width = (high - low) / N_STRETCHES
    if not np.issubdtype(values.dtype, np.float32):  # whole numbers
        width = np.ceil(max(width, 1))
    edges = [float(f"{low + width * number:.6g}") for number in range(N_STRETCHES)] if width else [low]
    edges = [edge for edge in edges if edge <= high]
    edges[0] = min(edges[0], low)
    of = np.full(len(values), -1, np.int16)
    for edge in edges:
        of += values >= edge
    ends = [f"{edge:.9g}" for edge in edges]
    above = [f"{name}:>={end}" for end in ends]
    terms = [f"{term} {name}:<{end}" for term, end in zip(above, ends[1:], strict=False)] + above[-1:]
    names = [f"{name} {edge:,.6g} to {end:,.6g}" for edge, end in zip(edges, [*edges[1:], high], strict=True)]
    return _histogram(name, names, terms, np.where(np.isfinite(values), of, -1))


def _histogram(name: str, names: Sequence[str], terms: Sequence[str], of: Values) -> Histogram:
    bars = of.astype(np.int16)
    totals = np.bincount(bars + 1, minlength=len(names) + 1)[1:]
    return Histogram(name, tuple(names), tuple(terms), bars, totals)
