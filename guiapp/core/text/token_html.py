"""Tokens of a text as HTML for notebooks: coloured spans with ids on hover, for light and dark themes."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np
from numpy.typing import NDArray

from guiapp.core.text.visible_text import visible_text

HUES = ("78,127,196", "196,148,52", "120,112,200", "52,160,122", "180,104,164", "128,160,60")
MOST_TOKENS = 5_000  # a notebook stores all that it shows
LONGEST_TOKEN = 500  # characters
BLOCK = "font-family:ui-monospace,monospace;line-height:1.7;overflow-wrap:anywhere;margin:.3em 0"
NAME = "font-family:system-ui,sans-serif;opacity:.75;margin-top:.5em"


def tokens_html(
    text: bytes, ids: NDArray[np.int32], spans: NDArray[np.int64], is_marked: NDArray[np.bool_] | None = None
) -> str:
    """The text in spans, each with its id as the title; text without a token is plain.

    ids        int32[n]
    spans      int64[n, 2]  byte ranges of the text; an empty one is shown by its id
    is_marked  bool[n]      tokens with an outline
    """
    return f'<div style="{BLOCK}">{"".join(_parts(text, ids, spans, is_marked))}</div>'


def titled(title: str, html: str) -> str:
    return f'<div style="{NAME}">{escape(title)}</div>{html}'


def _parts(
    text: bytes, ids: NDArray[np.int32], spans: NDArray[np.int64], is_marked: NDArray[np.bool_] | None
) -> Iterator[str]:
    end = 0
    for row, (token_id, span) in enumerate(zip(ids[:MOST_TOKENS].tolist(), spans.tolist(), strict=False)):
        gap = text[end : span[0]]
        yield _written(gap) + "<br>" * gap.endswith(b"\n")
        end = max(end, span[1])
        data = text[span[0] : span[1]]
        ring = "outline:1px solid currentColor;" if is_marked is not None and is_marked[row] else ""
        style = f"background:rgba({HUES[row % len(HUES)]},.35);border-radius:3px;{ring}"
        words = _written(data) or f"<small>#{token_id}</small>"
        yield f'<span style="{style}" title="id {token_id}">{words}</span>'
        yield "<br>" * data.endswith(b"\n")
    if len(ids) > MOST_TOKENS:
        yield f" … {len(ids) - MOST_TOKENS:,} more tokens"
    else:
        yield _written(text[end:])


def _written(data: bytes) -> str:
    return escape(visible_text(data, LONGEST_TOKEN))
