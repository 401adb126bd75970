"""A run as a drawing (SVG): a row of boxes for each state with something new, and below what happened."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from html import escape
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from guiapp.core.explain.code_marks import without_marks
from guiapp.core.explain.figures import counted
from guiapp.core.explain.visible_text import visible_text
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import EFFECTS, FORMS, NUMBERS, Effect
from guiapp.core.trace.trace import Tokens

NEAR_BYTES = 300  # of the text on either side of what is formed
TOKENS_AROUND = 15  # on either side of it
CHARACTER_PX, ROW_PX, BOX_PX, GAP_PX, MARGIN_PX = 9, 78, 40, 4, 16
HEAD_PX = 40
NOTE_CHARACTER_PX, HEAD_CHARACTER_PX = 7.5, 9.1
NUMBERS_PX = 84
DRAWN = FORMS | (np.arange(len(FORMS)) == NUMBERS["back"])
FILLS = ("#cfe3fb", "#fbe3b5", "#dcd9fa", "#c5eddd", "#f3d3ec", "#e1efb9")


def forming_steps(debugger: Debugger, steps: range) -> NDArray[np.int64]:
    """Those of the steps after which a token or symbol is new, or gone again."""
    return np.flatnonzero(DRAWN[debugger.trace.columns.operation[steps.start : steps.stop]]) + steps.start


def svg_chunks(debugger: Debugger, steps: range) -> Iterator[str]:
    """All these states, each with the number of its step, what was formed outlined, and what happened."""
    forming = forming_steps(debugger, steps).tolist() or list(steps[:1])
    trace = debugger.trace
    head = f"{trace.encoder} on “{visible_text(trace.text, 60)}”: {counted(len(trace.result.ids), 'token')}"
    return document(
        (svg_row(debugger, step, HEAD_PX + number * ROW_PX) for number, step in enumerate(forming)),
        ROW_PX,
        head,
    )


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


def svg_row(debugger: Debugger, step: int, top: int) -> tuple[str, float]:
    """The state that a step leads to, what it does, and how far to the right that reaches."""
    columns = debugger.trace.columns
    made = int(columns.position[step]), int(columns.end[step])
    first_byte = made[0] - NEAR_BYTES
    tokens = debugger.states.tokens(step + 1, (first_byte, made[1] + NEAR_BYTES))
    shown, is_cut = _around(tokens, made, first_byte > 0)
    left = x = float(MARGIN_PX + NUMBERS_PX)
    debugger.go_to(step)
    sentence = printable(debugger.sentence())
    parts = [note(MARGIN_PX, top + 25, f"{step:,}"), note(left, top + 58, sentence)]
    if EFFECTS[columns.operation[step]] == Effect.WAY:  # it is on no way that is taken yet
        shown = Tokens(*(np.array([value], np.int32) for value in (columns.result[step], *made)))
        is_cut = False, False
    if is_cut[0]:
        parts.append(label_at(x - 14, top, "…"))
    for number, (token_id, start, end) in enumerate(zip(*(column.tolist() for column in shown), strict=True)):
        label = debugger.teller.label(token_id, start, end)
        drawn, width = box(x, top, label, number, (start, end) == made)
        parts.append(drawn)
        x += width + GAP_PX
    if is_cut[1]:
        parts.append(label_at(x + 10, top, "…"))
    return "".join(parts) + "\n", max(x + 20, left + NOTE_CHARACTER_PX * n_columns(sentence))


def printable(sentence: str) -> str:
    """A sentence without the signs around code, and without what no drawing may hold."""
    return "".join(sign if sign.isprintable() else "\ufffd" for sign in without_marks(sentence))


def _around(tokens: Tokens, made: tuple[int, int], is_cut_before: bool) -> tuple[Tokens, tuple[bool, bool]]:
    """The tokens around what was formed, and whether some are left out before and behind."""
    at = int(np.searchsorted(tokens.starts, made[0]))
    first, last = max(0, at - TOKENS_AROUND), at + TOKENS_AROUND
    shown = Tokens(*(column[first:last] for column in tokens))
    return shown, (is_cut_before or first > 0, last < len(tokens.ids))


def box(x: float, top: int, label: str, tint: int, is_made: bool) -> tuple[str, float]:
    """A token or symbol, and how wide it is."""
    width = CHARACTER_PX * max(1, n_columns(label)) + 14
    outline = ' stroke="#2f5fd0" stroke-width="2.5"' if is_made else ""
    fill = FILLS[tint % len(FILLS)]
    rect = f'<rect x="{x}" y="{top}" width="{width}" height="{BOX_PX}" rx="6" fill="{fill}"{outline}/>'
    return rect + label_at(x + width / 2, top, label), width


def n_columns(text: str) -> int:
    """How many letters wide a text is: ideographs and emoji are as wide as two."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def label_at(middle: float, top: int, text: str) -> str:
    """What stands in a box."""
    return f'<text x="{middle}" y="{top + 25}" text-anchor="middle" fill="#1b1f27">{escape(text)}</text>'


def note(x: float, baseline: int, text: str) -> str:
    """What stands beside boxes or below them."""
    return f'<text x="{x}" y="{baseline}" fill="#5a6372" font-size="12">{escape(text)}</text>'
