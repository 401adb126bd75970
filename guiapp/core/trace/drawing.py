"""A run as a drawing (SVG): a row of boxes for each state in which something new was formed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape
from tempfile import TemporaryFile

import numpy as np
from numpy.typing import NDArray

from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import FORMS
from guiapp.core.trace.trace import Tokens

NEAR_BYTES = 300  # of the text on either side of what is formed
TOKENS_AROUND = 15  # on either side of it
CHARACTER_PX, ROW_PX, BOX_PX, GAP_PX, MARGIN_PX = 9, 54, 40, 4, 16
NUMBERS_PX = 84
FILLS = ("#cfe3fb", "#fbe3b5", "#dcd9fa", "#c5eddd", "#f3d3ec", "#e1efb9")


def forming_steps(debugger: Debugger, steps: range) -> NDArray[np.int64]:
    """Those of the steps after which there is a token or symbol that was not there before."""
    return np.flatnonzero(FORMS[debugger.trace.columns.operation[steps.start : steps.stop]]) + steps.start


def svg_chunks(debugger: Debugger, steps: range) -> Iterator[str]:
    """All these states, each with the number of its step, what was formed outlined."""
    forming = forming_steps(debugger, steps).tolist()
    return document(
        svg_row(debugger, step, MARGIN_PX + number * ROW_PX) for number, step in enumerate(forming)
    )


def document(rows: Iterable[tuple[str, float]], row_px: int = ROW_PX) -> Iterator[str]:
    """A drawing of rows, of each how far to the right it reaches; the first chunks are empty, one a row.

    The size comes first in such a file, and is known last: meanwhile the rows wait in a file of their own.
    """
    width, n_rows = 0.0, 0
    with TemporaryFile("w+", encoding="utf-8") as waiting:
        for row, right in rows:
            waiting.write(row)
            width, n_rows = max(width, right), n_rows + 1
            yield ""
        yield (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + MARGIN_PX:.0f}" '
            f'height="{2 * MARGIN_PX + row_px * n_rows}" font-family="monospace" font-size="15">\n'
            '<rect width="100%" height="100%" fill="#ffffff"/>\n'
        )
        waiting.seek(0)
        yield from waiting
        yield "</svg>\n"


def svg_row(debugger: Debugger, step: int, top: int) -> tuple[str, float]:
    """The state that a step leads to, and how far to the right it reaches."""
    columns = debugger.trace.columns
    made = int(columns.position[step]), int(columns.end[step])
    first_byte = made[0] - NEAR_BYTES
    tokens = debugger.states.tokens(step + 1, (first_byte, made[1] + NEAR_BYTES))
    shown, is_cut = _around(tokens, made, first_byte > 0)
    parts = [note(MARGIN_PX, top + 25, f"{step:,}")]
    x = float(MARGIN_PX + NUMBERS_PX)
    if is_cut[0]:
        parts.append(label_at(x - 14, top, "…"))
    for number, (token_id, start, end) in enumerate(zip(*(column.tolist() for column in shown), strict=True)):
        label = debugger.teller.label(token_id, start, end)
        drawn, width = box(x, top, label, number, (start, end) == made)
        parts.append(drawn)
        x += width + GAP_PX
    if is_cut[1]:
        parts.append(label_at(x + 10, top, "…"))
    return "".join(parts) + "\n", x + 20


def _around(tokens: Tokens, made: tuple[int, int], is_cut_before: bool) -> tuple[Tokens, tuple[bool, bool]]:
    """The tokens around what was formed, and whether some are left out before and behind."""
    at = int(np.searchsorted(tokens.starts, made[0]))
    first, last = max(0, at - TOKENS_AROUND), at + TOKENS_AROUND
    shown = Tokens(*(column[first:last] for column in tokens))
    return shown, (is_cut_before or first > 0, last < len(tokens.ids))


def box(x: float, top: int, label: str, tint: int, is_made: bool) -> tuple[str, float]:
    """A token or symbol, and how wide it is."""
    width = CHARACTER_PX * max(1, len(label)) + 14
    outline = ' stroke="#2f5fd0" stroke-width="2.5"' if is_made else ""
    fill = FILLS[tint % len(FILLS)]
    rect = f'<rect x="{x}" y="{top}" width="{width}" height="{BOX_PX}" rx="6" fill="{fill}"{outline}/>'
    return rect + label_at(x + width / 2, top, label), width


def label_at(middle: float, top: int, text: str) -> str:
    """What stands in a box."""
    return f'<text x="{middle}" y="{top + 25}" text-anchor="middle" fill="#1b1f27">{escape(text)}</text>'


def note(x: float, baseline: int, text: str) -> str:
    """What stands beside boxes or below them."""
    return f'<text x="{x}" y="{baseline}" fill="#5a6372" font-size="12">{escape(text)}</text>'
