"""What a list of tokens can show of each: one row for a column of the window, of CSV and of JSON alike."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.search.queries import QueryError
from guiapp.analysis.tree.scripts import NAMES
from guiapp.analysis.vocabulary_list.figures import TokenFigures, Values
from guiapp.core.vocabulary.attributes import KIND_NAMES

Write = Callable[[TokenFigures, int, Spelling], str]
LONGEST_TOKEN = 60  # characters
NOT_READ = "The embeddings have not been read. “Read embeddings” does that, on the command line --embeddings."


@dataclass(frozen=True)
class VocabularyColumn:
    """One figure of tokens, or how they are written.

    name    also its title
    about   what it says, in a few words
    values  what rows are sorted and, with `is_figure`, filtered by: n of them, NaN for tokens without one;
            None where the vocabulary has none
    write   what it says of a token, where that is not the value as people write it
    is_usual  whether it is shown unless people choose
    digits    that a figure is written with, where it is no whole number
    lacking   what to say where there are no values; "" where the type of the vocabulary is why
    """

    name: str
    about: str
    values: Callable[[TokenFigures], Values | None]
    write: Write | None = None
    is_usual: bool = True
    lacking: str = ""
    digits: int = 6

    @property
    def is_figure(self) -> bool:
        return self.write is None or self.name == "id"  # which is written without commas

    def text(self, figures: TokenFigures, token: int, spelling: Spelling) -> str:
        """What a table for people says of a token."""
        if self.write is not None:
            return self.write(figures, token, spelling)
        value = self.value(figures, token)
        return (
            "" if value is None else f"{value:,.{self.digits}g}" if isinstance(value, float) else f"{value:,}"
        )

    def value(self, figures: TokenFigures, token: int) -> int | float | None:
        """The figure of a token; None where it has none."""
        values = self.values(figures)
        value = None if values is None else values[token].item()
        if isinstance(value, float) and not isfinite(value):
            return None
        return int(value) if value is not None and value == int(value) else value


def _norm(figures: TokenFigures) -> Values | None:
    return None if figures.indicators is None else figures.indicators.input.norms


def _distance(figures: TokenFigures) -> Values | None:
    return None if figures.indicators is None else figures.indicators.input.distances


def _cosine(figures: TokenFigures) -> Values | None:
    return None if figures.indicators is None else figures.indicators.last.cosines


def _residual(figures: TokenFigures) -> Values | None:
    return None if figures.indicators is None else figures.indicators.last.cosines_without_component


def _reached(figures: TokenFigures, token: int, spelling: Spelling) -> str:
    values = figures.is_reached
    return "" if values is None else {0.0: "never", 1.0: "yes"}.get(float(values[token]), "")


COLUMNS = (
    VocabularyColumn(
        "id", "its row in the vocabulary", lambda figures: figures.ids, lambda _, token, spelling: str(token)
    ),
    VocabularyColumn(
        "token",
        "what it stands for; sorts by bytes",
        lambda figures: figures.places,
        lambda figures, token, spelling: spelling.token(figures.vocabulary, token, LONGEST_TOKEN),
    ),
    VocabularyColumn(
        "bytes",
        "the same in hex digits",
        lambda figures: figures.places,
        lambda figures, token, spelling: figures.tree.token_bytes(token).hex(" ").upper(),
        is_usual=False,
    ),
    VocabularyColumn("length", "in bytes", lambda figures: figures.lengths),
    VocabularyColumn(
        "characters", "those that begin in it", lambda figures: figures.characters, is_usual=False
    ),
    VocabularyColumn(
        "kind",
        "what it is for",
        lambda figures: figures.vocabulary.kinds,
        lambda figures, token, spelling: KIND_NAMES[figures.vocabulary.kinds[token]],
    ),
    VocabularyColumn(
        "script",
        "that of most of its letters",
        lambda figures: figures.scripts,
        lambda figures, token, spelling: NAMES[figures.scripts[token]],
    ),
    VocabularyColumn(
        "role",
        "what the file or llama.cpp uses it for",
        lambda figures: np.where(figures.has_role, 0, 1),
        lambda figures, token, spelling: figures.roles.get(token, ""),
        is_usual=False,
    ),
    VocabularyColumn(
        "rank", "of the first merge rule that makes it, used or not", lambda figures: figures.ranks
    ),
    VocabularyColumn("score", "the higher, the more likely", lambda figures: figures.scores),
    VocabularyColumn(
        "children", "longer tokens right below it in the tree", lambda figures: figures.children
    ),
    VocabularyColumn(
        "below", "all longer tokens that begin with it", lambda figures: figures.below, is_usual=False
    ),
    VocabularyColumn(
        "depth", "tokens on its way from the root of the tree", lambda figures: figures.depths, is_usual=False
    ),
    VocabularyColumn(
        "reached",
        "whether one of ten texts with its bytes led to it",
        lambda figures: figures.is_reached,
        _reached,
        is_usual=False,
    ),
    VocabularyColumn("norm", "length of its row in the embeddings", _norm, lacking=NOT_READ, digits=3),
    VocabularyColumn(
        "distance",
        "of that row from the mean of the known unused ones",
        _distance,
        is_usual=False,
        lacking=NOT_READ,
        digits=3,
    ),
    VocabularyColumn(
        "cosine", "cosine distance of its output row to that mean", _cosine, lacking=NOT_READ, digits=3
    ),
    VocabularyColumn(
        "residual",
        "the same without the first principal component",
        _residual,
        is_usual=False,
        lacking=NOT_READ,
        digits=3,
    ),
)
BY_NAME = {column.name: column for column in COLUMNS}


def columns_of(figures: TokenFigures) -> list[VocabularyColumn]:
    """Those that a vocabulary has something to say in; `reached` where it was tried."""
    return [column for column in COLUMNS if column.name == "reached" or column.values(figures) is not None]


def named(names: Sequence[str]) -> list[VocabularyColumn]:
    """Some columns.  Raises QueryError."""
    for name in names:
        if name not in BY_NAME:
            raise QueryError(f"There is no column “{name}”. Columns: {', '.join(BY_NAME)}.")
    return [BY_NAME[name] for name in names]


def order(figures: TokenFigures, column: VocabularyColumn, is_descending: bool) -> NDArray[np.int64]:
    """All tokens by a column, those without a value last and ids ascending where values are equal.

    It is kept: to sort takes longer than to filter.
    """
    key = f"-{column.name}" if is_descending else column.name
    if key not in figures.orders:
        values = column.values(figures)
        if values is None:
            return np.arange(len(figures))
        if np.issubdtype(values.dtype, np.unsignedinteger):  # of indexes, all of them small
            values = values.astype(np.int16)
        figures.orders[key] = np.argsort(-values if is_descending else values, kind="stable")
    return figures.orders[key]
