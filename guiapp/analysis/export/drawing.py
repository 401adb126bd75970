"""Runs as drawings (SVG): rows of boxes, and below each what happened."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from html import escape
from tempfile import TemporaryFile

from guiapp.analysis.explain.spelling import without_marks

CHARACTER_PX, BOX_PX, GAP_PX, MARGIN_PX = 9, 40, 4, 16
HEAD_PX = 40
NOTE_CHARACTER_PX, HEAD_CHARACTER_PX = 7.5, 9.1
NUMBERS_PX = 84
FILLS = ("#cfe3fb", "#fbe3b5", "#dcd9fa", "#c5eddd", "#f3d3ec", "#e1efb9")


def document(rows: Iterable[tuple[str, float]], row_px: int, head: str) -> Iterator[str]:
    """A drawing of rows, of each how far to the right it reaches; the first chunks are empty, one a row.

    The size comes first in such a file, and is known last: meanwhile the rows wait in a file of their own.
    """
    width, n_rows = MARGIN_PX + HEAD_CHARACTER_PX * n_columns(head), 0
    with TemporaryFile("w+", encoding="utf-8") as waiting:
        for row, right in rows:
            waiting.write(row)
            width, n_rows = max(width, right), n_rows + 1
            yield ""
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + MARGIN_PX:.0f}" '
            f'height="{HEAD_PX + row_px * n_rows}" font-family="monospace" font-size="15">\n'
            '<rect width="100%" height="100%" fill="#ffffff"/>\n'
            f'<text x="{MARGIN_PX}" y="26" fill="#1b1f27" font-weight="bold">{escape(head)}</text>\n'
        )
        waiting.seek(0)
        yield from waiting
        yield "</svg>\n"


def printable(sentence: str) -> str:
    """A sentence without the signs around code, and without what no drawing may hold."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in without_marks(sentence))


def box(x: float, top: int, label: str, tint: int, is_made: bool) -> tuple[str, float]:
    """A token or symbol, and how wide it is."""
    width = CHARACTER_PX * max(1, n_columns(label)) + 14
    outline = ' stroke="#2f5fd0" stroke-width="2.5"' if is_made else ""
    fill = FILLS[tint % len(FILLS)]
    rect = f'<rect x="{x}" y="{top}" width="{width}" height="{BOX_PX}" rx="6" fill="{fill}"{outline}/>'
    return rect + label_at(x + width / 2, top, label), width


def n_columns(text: str) -> int:
    """How many letters wide a text is: ideographs and emoji are as wide as two."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def label_at(middle: float, top: int, text: str) -> str:
    """What stands in a box."""
    return f'<text x="{middle}" y="{top + 25}" text-anchor="middle" fill="#1b1f27">{escape(text)}</text>'


def note(x: float, baseline: int, text: str) -> str:
    """What stands beside boxes or below them."""
    return f'<text x="{x}" y="{baseline}" fill="#5a6372" font-size="12">{escape(text)}</text>'
