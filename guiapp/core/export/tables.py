"""Tables of words: lined up for a terminal, as Markdown, and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from guiapp.core.export.drawing import n_columns
from guiapp.core.vocab.quoting import printable

ROWS_IN_BLOCK = 1 << 10


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


def page_of(
    tables: Iterable[Table], before: Sequence[str] = (), after: Sequence[str] = (), *, is_markdown: bool
) -> str:
    """Tables with sentences around them, as Markdown or for a terminal."""
    parts = list(before)
    for table in tables:
        lined_up = "\n".join(line.rstrip() for line in aligned(table))
        parts.append(f"## {table.title}\n\n{markdown_table(table)}" if is_markdown else lined_up)
    return printable("\n\n".join(filter(None, [*parts, *after])))


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, the head first."""
    return "".join(csv_blocks(rows))


def csv_blocks(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The same in parts, each made when it is asked for: tables may be larger than memory."""
    left = iter(rows)
    while block := list(islice(left, ROWS_IN_BLOCK)):
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(block)
        yield text.getvalue()
