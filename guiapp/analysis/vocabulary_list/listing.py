"""Lists with columns: how rows are sorted, and written as text, CSV, JSON and Markdown, one by one.

A column is one row of a list such as `columns.COLUMNS`: tables of the window, CSV and JSON follow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from math import isfinite
from typing import Any, Generic, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.tables import Table, csv_blocks, json_text, markdown_table, padded, widths_of
from guiapp.core.text.numbers_in_words import counted, printable
from guiapp.native.checkpoint import ITEMS_BETWEEN, stoppable

MEASURED_ROWS = 256  # how wide the columns of a text are is told by the first ones
BETWEEN = "  "
Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]
Values = NDArray[np.number]
Cell = int | float | str | None


class ListSource(Protocol):
    """What rows are about, numbered from 0.

    orders  those that were asked for, see `order`
    """

    orders: dict[str, NDArray[np.int64]]

    def __len__(self) -> int: ...


S = TypeVar("S", bound=ListSource)


def _by_words(source: ListSource) -> None:
    """The values of a column without any."""


@dataclass(frozen=True)
class ListColumn(Generic[S]):
    """One figure of each row, or words about it.

    name    also its title
    about   what it says, in a few words
    values  what rows are sorted and, with `is_figure`, filtered by: one for each, NaN for rows without one;
            None where the source has none.  Without this, rows are sorted by what is written
    write   what it says of a row, where that is not the value as people write it
    figure  whether it is a number, where it is written by `write`
    data    what programs are given in place of what is written
    whole   the same as `write`, of any length, for files
    is_usual  whether it is shown unless people choose
    is_there  whether a source has such a column; without this, each has
    lacking   what to say where there are no values; "" where the type of the vocabulary is why
    digits    that a figure is written with, where it is no whole number
    share     of the width of a table, beside others
    widest    what a table has room for in any case; of figures, or the last one where that is wider
    yields    whether a narrow table leaves it out
    """

    name: str
    about: str = ""
    values: Callable[[S], Values | None] = _by_words
    write: Callable[[S, int, Spelling], str] | None = None
    figure: bool = False
    data: Callable[[S, int], Cell] | None = None
    whole: Callable[[S, int, Spelling], str] | None = None
    is_usual: bool = True
    is_there: Callable[[S], bool] | None = None
    lacking: str = ""
    digits: int = 6
    share: float = 1.0
    widest: str = "128,255"
    yields: bool = False

    @property
    def is_figure(self) -> bool:
        return self.figure or self.write is None

    def is_known(self, source: S) -> bool:
        """Whether a source has anything to say here."""
        return self.is_there is None or self.is_there(source)

    def sorts_by(self, source: S) -> Values | None:
        """A number for each row, those of words ascending with the words, NaN for none."""
        if self.values is not _by_words:
            return self.values(source)
        written = [self.text(source, row, Spelling.SIGNS).casefold() for row in stoppable(range(len(source)))]
        words, numbers = np.unique(np.array(written, object), return_inverse=True)
        return np.where(words == "", np.nan, np.arange(len(words)))[numbers]

    def text(self, source: S, row: int, spelling: Spelling) -> str:
        """What a table for people says of a row."""
        if self.write is not None:
            return self.write(source, row, spelling)
        value = self.value(source, row)
        if value is None:
            return ""
        return f"{value:,.{self.digits}g}" if isinstance(value, float) else f"{value:,}"

    def whole_text(self, source: S, row: int, spelling: Spelling) -> str:
        """The same in a file, where nothing is cut off."""
        return (self.whole or self.text)(source, row, spelling)

    def last_text(self, source: S) -> str:
        """What stands in the last of all rows, which is the widest where rows are numbered."""
        return self.text(source, len(source) - 1, Spelling.SIGNS) if len(source) else ""

    def value(self, source: S, row: int) -> int | float | None:
        """The figure of a row; None where it has none."""
        values = self.values(source)
        value = None if values is None else values[row].item()
        if isinstance(value, float) and not isfinite(value):
            return None
        return int(value) if value is not None and value == int(value) else value

    def cell(self, source: S, row: int, spelling: Spelling) -> Cell:
        """The same for programs: figures as numbers, None where there is none."""
        if self.data is not None:
            return self.data(source, row)
        return self.value(source, row) if self.is_figure else self.text(source, row, spelling)


def order(source: S, column: ListColumn[S], is_descending: bool) -> NDArray[np.int64]:
    """All rows by a column, those without a value last and in their own order where values are equal.

    It is kept: to sort takes longer than to filter.
    """
    key = f"-{column.name}" if is_descending else column.name
    if key not in source.orders:
        values = column.sorts_by(source)
        if values is None:
            return np.arange(len(source))
        if np.issubdtype(values.dtype, np.unsignedinteger):  # of indexes, all of them small
            values = values.astype(np.int16)
        source.orders[key] = np.argsort(-values if is_descending else values, kind="stable")
    return source.orders[key]


def in_order(source: S, flags: Flags, column: ListColumn[S], is_descending: bool) -> Ids:
    """Some rows, sorted by a column."""
    rows = order(source, column, is_descending)
    return rows[flags[rows]].astype(np.int32)


@dataclass(frozen=True, eq=False)
class TokenList(Generic[S]):
    """Some rows in an order, most often tokens of a vocabulary, and what is shown of each.

    figures  what is known of all rows
    ids      int32[k], or a range: the numbers of the rows
    query    the filter that left them
    n_matches  how many it left, where these are the first of them
    summary  what a record tells about all, beside that
    """

    figures: S
    ids: Ids | range
    columns: Sequence[ListColumn[S]]
    query: str = ""
    spelling: Spelling = Spelling.SIGNS
    n_matches: int | None = None
    summary: Mapping[str, object] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<TokenList {self.query!r}: {counted(len(self.ids), 'row')}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("A TokenList cannot be copied or pickled. Use its `ids` and the tokenizer instead.")

    def first(self, limit: int | None) -> TokenList[S]:
        """The first of them, or all."""
        return self if limit is None else replace(self, ids=self.ids[:limit], n_matches=len(self.ids))

    @property
    def rows(self) -> Iterator[int]:
        return iter(self.ids) if isinstance(self.ids, range) else iter(self.ids.tolist())

    @property
    def head(self) -> list[str]:
        return [column.name for column in self.columns]

    def texts(self, row: int) -> list[str]:
        """What a table for people says of a row."""
        return [printable(column.whole_text(self.figures, row, self.spelling)) for column in self.columns]

    def record(self, row: int) -> dict[str, Cell]:
        """The same for programs: figures as numbers, None where there is none, bytes without blanks."""
        return {column.name: column.cell(self.figures, row, self.spelling) for column in self.columns}


def text_lines(shown: TokenList[Any]) -> Iterator[str]:
    """A line for each row below one of titles: figures to the right, words to the left."""
    rows = map(shown.texts, shown.rows)
    head = [shown.head, *islice(rows, MEASURED_ROWS)]
    widths = widths_of(head)
    is_right = [column.is_figure for column in shown.columns]
    for row in chain(head, rows):
        yield BETWEEN.join(padded(row, widths, is_right)).rstrip() + "\n"


def csv_lines(shown: TokenList[Any]) -> Iterator[str]:
    """A line for each row below one of names; what has no value is empty."""
    return csv_blocks(chain([shown.head], (list(shown.record(row).values()) for row in shown.rows)))


def markdown_lines(shown: TokenList[Any]) -> Iterator[str]:
    """A table to paste."""
    for number, row in enumerate(shown.rows):
        lines = markdown_table(Table("", [shown.head, shown.texts(row)])).splitlines(keepends=True)
        yield "".join(lines if number == 0 else lines[2:]) + "\n"


def json_lines(shown: TokenList[Any]) -> Iterator[str]:
    """The record of `vocab --json`: the filter, how many rows it leaves, and a record of each."""
    count = len(shown.ids) if shown.n_matches is None else shown.n_matches
    summary = {"filter": shown.query, "count": count, **shown.summary}
    yield json_text(summary).removesuffix("}") + ', "tokens": ['
    for number, row in enumerate(shown.rows):
        yield ("" if number == 0 else ",") + "\n" + json_text(shown.record(row))
    yield "\n]}\n"


Write = Callable[[TokenList[Any]], Iterator[str]]
FORMS: dict[str, Write] = {
    "text": text_lines,
    "csv": csv_lines,
    "json": json_lines,
    "markdown": markdown_lines,
}


def exported(shown: TokenList[Any], write: Write, progress: Callable[[float], None]) -> bytes:
    """A whole list as one of FORMS, or something like it, writes it."""
    parts = []
    for number, part in enumerate(stoppable(write(shown))):
        if number % ITEMS_BETWEEN == 0:
            progress(min(1.0, number / max(1, len(shown.ids))))
        parts.append(part)
    return "".join(parts).encode("utf-8", "surrogateescape")
