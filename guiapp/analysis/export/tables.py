"""Tables of text, aligned for a terminal, as Markdown and as CSV; and records as JSON."""

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
"""Characters that JSON allows unescaped, but that control terminals, are invisible, or not valid in UTF-8."""
IN_QUOTES = re.compile('[,"\r\n]')
EMPTY = '""'  # a row of one empty cell; an empty line would not be a row
AT_ONCE = 1 << 12  # entries of a list in one part
ROWS_IN_BLOCK = 1 << 10
NONE = "–"  # an empty cell
PREFIXES = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


class Table(NamedTuple):
    """A title and rows of text; the first row is the head, the first column has names.

    note  for readers of the table
    """

    title: str
    rows: list[list[str]]
    note: str = ""


def aligned(table: Table) -> Iterator[str]:
    """The table for a terminal: names aligned left, numbers aligned right."""
    yield table.title
    if table.note:
        yield f"  {table.note}"
    widths, is_figure = widths_of(table.rows), [False, *(True for _ in table.rows[0][1:])]
    for row in table.rows:
        yield "  " + "   ".join(padded(row, widths, is_figure))


def widths_of(rows: Iterable[Sequence[str]]) -> list[int]:
    """The widths of the columns, in terminal cells."""
    columns = zip(*rows, strict=True)
    return [max(map(len if "".join(cells).isascii() else n_columns, cells)) for cells in columns]


def n_columns(text: str) -> int:
    """The width of a text in terminal cells; ideographs and emoji take two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def padded(row: Sequence[str], widths: Sequence[int], is_right: Iterable[bool]) -> Iterator[str]:
    """The cells of a row, padded to the widths of their columns, aligned right or left."""
    for cell, width, right in zip(row, widths, is_right, strict=True):
        if not cell.isascii():
            width += len(cell) - n_columns(cell)
        yield cell.rjust(width) if right else cell.ljust(width)


def markdown_table(table: Table) -> str:
    """The rows as Markdown, without title and note."""
    head, *body = [[cell.replace("|", "\\|") for cell in row] for row in table.rows]
    rule = [":--", *("--:" for _ in head[1:])]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, rule, *body))


def sorted_by(table: Table, column: int, is_descending: bool) -> Table:
    """The table sorted by a column: numbers by value, then words, empty cells last."""
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
    """The number in a cell such as `12.5`, `4.41 M`, `2.00×` or `≈ 95.6 %`; None if there is none."""
    number, _, prefix = cell.strip("≈×% ").partition(" ")
    try:
        return float(number.replace(",", "")) * PREFIXES[prefix]
    except (ValueError, KeyError):
        return None


def page_of(
    tables: Iterable[Table], before: Sequence[str] = (), after: Sequence[str] = (), *, is_markdown: bool
) -> str:
    """Tables with sentences before and after them, as Markdown or for a terminal."""
    parts = list(before)
    for table in tables:
        lined_up = "\n".join(line.rstrip() for line in aligned(table))
        parts.append(f"## {table.title}\n\n{markdown_table(table)}" if is_markdown else lined_up)
    return printable("\n\n".join(filter(None, [*parts, *after])))


def csv_lines(rows: Iterable[Sequence[object]]) -> str:
    """Rows as CSV, the head first."""
    return "".join(csv_blocks(rows))


def csv_blocks(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Rows as CSV in parts, made lazily: tables may be larger than memory."""
    left = iter(rows)
    while block := list(islice(left, ROWS_IN_BLOCK)):
        yield "".join((",".join(map(_csv_cell, row)) or EMPTY) + "\n" for row in block)


def _csv_cell(value: object) -> str:
    """A cell as written by Python's module csv, except that a lone carriage return is quoted too."""
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if IN_QUOTES.search(text) else text


# JSON that is safe in a terminal and that any program can read


def json_text(record: object, indent: int | None = None) -> str:
    """A record as JSON with invisible characters escaped; bytes that are not UTF-8 as in `printable`."""
    text = json.dumps(record, ensure_ascii=False, indent=indent)
    return UNSEEN.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return json.dumps(printable(character) if "\ud800" <= character <= "\udfff" else character)[1:-1]


def json_parts(record: object) -> Iterator[str]:
    """`json_text` in parts; the record may have iterators instead of lists, which are consumed lazily."""
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
    """A record as the text of a JSON file; raises ValueError for NaN and infinities."""
    return json.dumps(record, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
