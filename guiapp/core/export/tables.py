"""Tables of words: lined up for a terminal, as Markdown, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from guiapp.core.export.drawing import n_columns
from guiapp.core.vocab.quoting import printable


class Table(NamedTuple):
    """A title and rows of words; the first row is the head, the first column holds names.

    note  what one should know who reads the rows
    """

    title: str
    rows: list[list[str]]
    note: str = ""


def aligned(table: Table) -> Iterator[str]:
    """The table for a terminal: names to the left, figures to the right."""
    yield table.title
    if table.note:
        yield f"  {table.note}"
    widths = [max(map(n_columns, column)) for column in zip(*table.rows, strict=True)]
    for row in table.rows:
        gaps = [" " * (width - n_columns(text)) for text, width in zip(row, widths, strict=True)]
        cells = [row[0] + gaps[0], *(gap + text for text, gap in zip(row[1:], gaps[1:], strict=True))]
        yield "  " + "   ".join(cells)


def markdown_table(table: Table) -> str:
    """The rows alone: title and note are the page's."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in table.rows]
    rule = [":--", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *body))


def aligned_page(tables: Iterable[Table], before: Sequence[str] = (), after: Sequence[str] = ()) -> str:
    """Tables for a terminal, with sentences in front and at the end; nothing in it that terminals obey."""
    blocks = ("\n".join(line.rstrip() for line in aligned(table)) for table in tables)
    return _page([*before, *blocks, *after])


def markdown_page(tables: Iterable[Table], before: Sequence[str] = (), after: Sequence[str] = ()) -> str:
    """The same as Markdown, each table below its title."""
    blocks = (f"## {table.title}\n\n{markdown_table(table)}" for table in tables)
    return _page([*before, *blocks, *after])


def _page(blocks: Iterable[str]) -> str:
    return printable("\n\n".join(filter(None, blocks))) + "\n"


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, the head first."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()
