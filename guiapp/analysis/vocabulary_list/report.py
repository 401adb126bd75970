"""A list of tokens as text, CSV, JSON and Markdown, each row made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from math import isfinite
from typing import TYPE_CHECKING, NoReturn

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.tables import Table, csv_blocks, json_text, markdown_table, padded, widths_of
from guiapp.analysis.vocabulary_list.columns import Ids, TokenFigures, VocabularyColumn
from guiapp.core.text.numbers_in_words import counted, printable
from guiapp.native.checkpoint import ITEMS_BETWEEN, stoppable

if TYPE_CHECKING:
    from guiapp.analysis.vocabulary_list.embeddings import Indicators

MEASURED_ROWS = 256  # how wide the columns of a text are is told by the first ones
BETWEEN = "  "


@dataclass(frozen=True, eq=False)
class TokenList:
    """Some tokens in an order, and what is shown of each.

    query    the filter that left them
    n_matches  how many it left, where these are the first of them
    """

    figures: TokenFigures
    ids: Ids
    columns: Sequence[VocabularyColumn]
    query: str = ""
    spelling: Spelling = Spelling.SIGNS
    n_matches: int | None = None

    def __reduce__(self) -> NoReturn:
        raise TypeError("A TokenList cannot be copied or pickled. Keep its `ids`, and the tokenizer.")

    def first(self, limit: int | None) -> TokenList:
        """The first of them, or all."""
        return self if limit is None else replace(self, ids=self.ids[:limit], n_matches=len(self.ids))

    def texts(self, token: int) -> list[str]:
        """What a table for people says of a token."""
        return [printable(column.text(self.figures, token, self.spelling)) for column in self.columns]

    def record(self, token: int) -> dict[str, int | float | str | None]:
        """The same for programs: figures as numbers, None where there is none, bytes without blanks."""
        return {column.name: self._value(column, token) for column in self.columns}

    def _value(self, column: VocabularyColumn, token: int) -> int | float | str | None:
        if column.is_figure:
            return column.value(self.figures, token)
        if column.name == "bytes":
            return self.figures.tree.token_bytes(token).hex()
        return column.text(self.figures, token, self.spelling)


def embeddings_record(indicators: Indicators) -> dict[str, object]:
    """What reading the embeddings told about all tokens, for programs."""
    known = indicators.known
    return {
        "indicator": indicators.title,
        "limit": indicators.limit if isfinite(indicators.limit) else None,
        "untrained": len(indicators.suspects),
        "compared_with": None if known is None else {"what": known.why, "rows": known.rows.tolist()},
        "tensors": [
            {"name": matrix.name, "type": matrix.kind.name, "rows": matrix.n_rows, "width": matrix.width}
            for matrix in (each.matrix for each in indicators.matrices)
        ],
        "remarks": [*indicators.notes],
    }


def embeddings_lines(indicators: Indicators) -> Iterator[str]:
    """The same for people, one sentence a line."""
    known = indicators.known
    if known is not None:
        yield f"The embeddings are compared with the mean of {len(known.rows):,} {known.why}."
    limit = f"a {indicators.title} up to {indicators.limit:.4g}"
    yield f"{counted(len(indicators.suspects), 'token')} with {limit}: hardly trained, perhaps."
    yield from indicators.notes


def text_lines(shown: TokenList) -> Iterator[str]:
    """A line for each token below one of titles: figures to the right, words to the left."""
    rows = map(shown.texts, shown.ids.tolist())
    head = [[column.name for column in shown.columns], *islice(rows, MEASURED_ROWS)]
    widths = widths_of(head)
    is_right = [column.is_figure for column in shown.columns]
    for row in chain(head, rows):
        yield BETWEEN.join(padded(row, widths, is_right)).rstrip() + "\n"


def csv_lines(shown: TokenList) -> Iterator[str]:
    """A line for each token below one of names; what has no value is empty."""
    rows = (list(shown.record(token).values()) for token in shown.ids.tolist())
    return csv_blocks(chain([[column.name for column in shown.columns]], rows))


def markdown_lines(shown: TokenList) -> Iterator[str]:
    """A table to paste."""
    head = [column.name for column in shown.columns]
    for number, token in enumerate(shown.ids.tolist()):
        lines = markdown_table(Table("", [head, shown.texts(token)])).splitlines(keepends=True)
        yield "".join(lines if number == 0 else lines[2:]) + "\n"


def json_lines(shown: TokenList) -> Iterator[str]:
    """The record of `vocab --json`: the filter, how many tokens it leaves, and a record of each."""
    summary: dict[str, object] = {
        "filter": shown.query,
        "count": len(shown.ids) if shown.n_matches is None else shown.n_matches,
    }
    if shown.figures.indicators is not None:
        summary["embeddings"] = embeddings_record(shown.figures.indicators)
    yield json_text(summary).removesuffix("}") + ', "tokens": ['
    for number, token in enumerate(shown.ids.tolist()):
        yield ("" if number == 0 else ",") + "\n" + json_text(shown.record(token))
    yield "\n]}\n"


FORMS: dict[str, Callable[[TokenList], Iterator[str]]] = {
    "text": text_lines,
    "csv": csv_lines,
    "json": json_lines,
    "markdown": markdown_lines,
}


def exported(shown: TokenList, form: str, progress: Callable[[float], None]) -> bytes:
    """A whole list in one of FORMS, as the command line prints it."""
    parts = []
    for number, part in enumerate(stoppable(FORMS[form](shown))):
        if number % ITEMS_BETWEEN == 0:
            progress(min(1.0, number / max(1, len(shown.ids))))
        parts.append(part)
    return "".join(parts).encode("utf-8", "surrogateescape")
