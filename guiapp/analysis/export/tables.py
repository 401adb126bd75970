"""Tables of words, lined up for a terminal, as Markdown and as CSV; and records as JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from guiapp.core.text.numbers_in_words import printable
from guiapp.core.text.visible_text import IGNORABLE

UNSEEN = re.compile(f"[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufff9-\ufffb{IGNORABLE}]")
"""What JSON allows as it is, but terminals obey, nobody sees, or UTF-8 has no bytes for."""
IN_QUOTES = re.compile('[,"\r\n]')
EMPTY = '""'  # a row of one empty cell, which would be no row
AT_ONCE = 1 << 12  # entries of a list that is written in parts
ROWS_IN_BLOCK = 1 << 10
NONE = "–"  # a cell without anything
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


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
    widths, is_figure = widths_of(table.rows), [False, *(True for _ in table.rows[0][1:])]
    for row in table.rows:
        yield "  " + "   ".join(padded(row, widths, is_figure))


def widths_of(rows: Iterable[Sequence[str]]) -> list[int]:
    """Of the columns, in places of a terminal."""
    columns = zip(*rows, strict=True)
    return [max(map(len if "".join(cells).isascii() else n_columns, cells)) for cells in columns]


def n_columns(text: str) -> int:
    """How many letters wide a text is: ideographs and emoji are as wide as two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def padded(row: Sequence[str], widths: Sequence[int], is_right: Iterable[bool]) -> Iterator[str]:
    """The cells of a row, each as wide as its column: at its right, or else at its left."""
    for cell, width, right in zip(row, widths, is_right, strict=True):
        if not cell.isascii():
            width += len(cell) - n_columns(cell)
        yield cell.rjust(width) if right else cell.ljust(width)


def markdown_table(table: Table) -> str:
    """The rows alone: title and note are the page's."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in table.rows]
    rule = [":--", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *body))


def sorted_by(table: Table, column: int, is_descending: bool) -> Table:
    """The same rows in the order of a column: figures by their value, then words, those without any last."""
    head, *rows = table.rows
    figures = [(value, row) for row in rows if (value := _figure(row[column])) is not None]
    words = [(row[column], row) for row in rows if _figure(row[column]) is None and row[column] != NONE]
    ordered = [
        *sorted(figures, key=itemgetter(0), reverse=is_descending),
        *sorted(words, key=itemgetter(0), reverse=is_descending),
    ]
    without = [row for row in rows if row[column] == NONE]
    return table._replace(rows=[head, *(row for _, row in ordered), *without])


def _figure(cell: str) -> float | None:
    """The number of a cell such as `12.5`, `4.41 M`, `2.00×` or `≈ 95.6 %`."""
    number, _, prefix = cell.strip("≈×% ").partition(" ")
    try:
        return float(number.replace(",", "")) * PREFIXES[prefix]
    except (ValueError, KeyError):
        return None


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
        yield "".join((",".join(map(_csv_cell, row)) or EMPTY) + "\n" for row in block)


def _csv_cell(value: object) -> str:
    """The same as Python's module writes, but for a lone end of line of old Macs, which it leaves bare."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if IN_QUOTES.search(text) else text


# JSON that a terminal may show and any program can read


def json_text(record: object, indent: int | None = None) -> str:
    """A record in characters that can be seen, others escaped; of bytes that are no UTF-8 as `printable`."""
    text = json.dumps(record, ensure_ascii=False, indent=indent)
    return UNSEEN.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return json.dumps(printable(character) if "\ud800" <= character <= "\udfff" else character)[1:-1]


def json_parts(record: object) -> Iterator[str]:
    """The same in parts that together are the text; an iterator in the place of a list is not kept."""
    if isinstance(record, Iterator):
        yield "["
        for number, some in enumerate(iter(lambda: list(islice(record, AT_ONCE)), [])):
            yield (", " if number else "") + json_text(some)[1:-1]
        yield "]"
    elif isinstance(record, dict):
        yield "{"
        for number, (key, value) in enumerate(record.items()):
            yield (", " if number else "") + json_text(str(key)) + ": "
            yield from json_parts(value)
        yield "}"
    else:
        yield json_text(record)


def file_text(record: object) -> str:
    """A record as a file has it; raises ValueError for numbers that JSON does not know."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
