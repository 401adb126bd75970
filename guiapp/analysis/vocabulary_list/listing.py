"""Lists with columns: sorts their rows, and writes them as text, CSV, JSON and Markdown, row by row.

A column is one entry of a list such as `columns.COLUMNS`; tables in the window, CSV and JSON all use it.
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

MEASURED_ROWS = 256  # first rows of a text that determine the widths of its columns
BETWEEN = "  "
Ids = NDArray[np.int32]
Flags = NDArray[np.bool_]
Values = NDArray[np.number]
Cell = int | float | str | None


class ListSource(Protocol):
    """The data of a list; rows are numbered from 0.

    orders  cached sort orders, see `order`
    """

    orders: dict[str, NDArray[np.int64]]

    def __len__(self) -> int: ...


S = TypeVar("S", bound=ListSource)


def _by_words(source: ListSource) -> None:
    """The default of `ListColumn.values`: no values, sort by text."""


@dataclass(frozen=True)
class ListColumn(Generic[S]):
    """A column of a list: a number or a text for each row.

    name    also its title, without the unit
    about   a short description
    unit    the unit of its numbers, for display
    values  what rows are sorted and, with `is_figure`, filtered by: one for each row, NaN for rows without a
            value; None if the source has none.  Without this, rows are sorted by their text
    write   the text of a row, if it is not the formatted value
    figure  whether the text of `write` is a number
    data    the value in JSON and CSV, if it is not the text or number
    whole   the text of a row without abbreviation, for files
    is_usual  whether it is shown by default
    is_there  whether a source has such a column; without this, all have it
    lacking   the message if there are no values; "" if the vocabulary's type is the reason
    digits    significant digits of a number that is not whole
    share     its share of the width of a table, relative to other columns
    widest    the text that a table always has room for; for numbers also the last row, if wider
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
    unit: str = ""

    @property
    def title(self) -> str:
        return f"{self.name} ({self.unit})" if self.unit else self.name

    @property
    def is_figure(self) -> bool:
        return self.figure or self.write is None

    def is_known(self, source: S) -> bool:
        """Whether a source has this column."""
        return self.is_there is None or self.is_there(source)

    def sorts_by(self, source: S) -> Values | None:
        """A sort key for each row, NaN without a value; texts get their rank in alphabetical order."""
        if self.values is not _by_words:
            return self.values(source)
        written = [self.text(source, row, Spelling.SIGNS).casefold() for row in stoppable(range(len(source)))]
        words, numbers = np.unique(np.array(written, object), return_inverse=True)
        return np.where(words == "", np.nan, np.arange(len(words)))[numbers]

    def text(self, source: S, row: int, spelling: Spelling) -> str:
        """The text of a row in a table."""
        if self.write is not None:
            return self.write(source, row, spelling)
        value = self.value(source, row)
        if value is None:
            return ""
        return f"{value:,.{self.digits}g}" if isinstance(value, float) else f"{value:,}"

    def whole_text(self, source: S, row: int, spelling: Spelling) -> str:
        """The text of a row in a file, where nothing is abbreviated."""
        return (self.whole or self.text)(source, row, spelling)

    def last_text(self, source: S) -> str:
        """The text of the last row, which is the widest if rows are numbered."""
        return self.text(source, len(source) - 1, Spelling.SIGNS) if len(source) else ""

    def value(self, source: S, row: int) -> int | float | None:
        """The number of a row; None if it has none."""
        values = self.values(source)
        value = None if values is None else values[row].item()
        if isinstance(value, float) and not isfinite(value):
            return None
        return int(value) if value is not None and value == int(value) else value

    def cell(self, source: S, row: int, spelling: Spelling) -> Cell:
        """The value of a row for JSON and CSV: a number, a text, or None if it has no value."""
        if self.data is not None:
            return self.data(source, row)
        return self.value(source, row) if self.is_figure else self.text(source, row, spelling)


def order(source: S, column: ListColumn[S], is_descending: bool) -> NDArray[np.int64]:
    """All rows sorted by a column (stable sort, rows without a value last).

    The order is cached in `source.orders`, because sorting takes longer than filtering.
    """
    key = f"-{column.name}" if is_descending else column.name
    if key not in source.orders:
        values = column.sorts_by(source)
        if values is None:
            return np.arange(len(source))
        if np.issubdtype(values.dtype, np.unsignedinteger):  # small indexes; signed, to negate them
            values = values.astype(np.int16)
        source.orders[key] = np.argsort(-values if is_descending else values, kind="stable")
    return source.orders[key]


def in_order(source: S, flags: Flags, column: ListColumn[S], is_descending: bool) -> Ids:
    """The rows that `flags` selects, sorted by a column."""
    rows = order(source, column, is_descending)
    return rows[flags[rows]].astype(np.int32)


@dataclass(frozen=True, eq=False)
class TokenList(Generic[S]):
    """A sorted selection of rows, mostly tokens of a vocabulary, with the columns to show.

    figures  the data of all rows
    ids      int32[k], or a range: the numbers of the rows
    query    the filter that selected them
    n_matches  how many rows match the filter, if `ids` are only the first of them
    summary  further items for the head of the JSON record
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
        """The first `limit` rows, or all if it is None."""
        return self if limit is None else replace(self, ids=self.ids[:limit], n_matches=len(self.ids))

    @property
    def rows(self) -> Iterator[int]:
        return iter(self.ids) if isinstance(self.ids, range) else iter(self.ids.tolist())

    @property
    def head(self) -> list[str]:
        return [column.name for column in self.columns]

    def texts(self, row: int) -> list[str]:
        """The texts of a row, unabbreviated."""
        return [printable(column.whole_text(self.figures, row, self.spelling)) for column in self.columns]

    def record(self, row: int) -> dict[str, Cell]:
        """The values of a row for JSON and CSV: numbers, texts, None; bytes as hex without spaces."""
        return {column.name: column.cell(self.figures, row, self.spelling) for column in self.columns}


def text_lines(shown: TokenList[Any]) -> Iterator[str]:
    """Yield a header line and a line for each row; numbers are aligned right, texts left."""
    rows = map(shown.texts, shown.rows)
    head = [shown.head, *islice(rows, MEASURED_ROWS)]
    widths = widths_of(head)
    is_right = [column.is_figure for column in shown.columns]
    for row in chain(head, rows):
        yield BETWEEN.join(padded(row, widths, is_right)).rstrip() + "\n"


def csv_lines(shown: TokenList[Any]) -> Iterator[str]:
    """Yield a header line and a line for each row; missing values are empty."""
    return csv_blocks(chain([shown.head], (list(shown.record(row).values()) for row in shown.rows)))


def markdown_lines(shown: TokenList[Any]) -> Iterator[str]:
    """Yield a Markdown table, row by row."""
    for number, row in enumerate(shown.rows):
        lines = markdown_table(Table("", [shown.head, shown.texts(row)])).splitlines(keepends=True)
        yield "".join(lines if number == 0 else lines[2:]) + "\n"


def json_lines(shown: TokenList[Any]) -> Iterator[str]:
    """Yield the record of `vocab --json`: the filter, the number of matches, and a record for each row."""
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
    """Encode a whole list as `write` writes it, such as one of FORMS."""
    parts = []
    for number, part in enumerate(stoppable(write(shown))):
        if number % ITEMS_BETWEEN == 0:
            progress(min(1.0, number / max(1, len(shown.ids))))
        parts.append(part)
    return "".join(parts).encode("utf-8", "surrogateescape")
