"""The detail column of a page's current item: its title, its tokens on a grid, and the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QScrollArea, QSizePolicy

from guiapp.analysis.explain.spelling import Spelling, parts
from guiapp.core.text.visible_text import isolate
from guiapp.kit.side_by_side.grid import GridRow, SpanGrid
from guiapp.kit.side_by_side.walk import ItemWalk
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.labels import FittedLabel, Span, StyledText
from guiapp.kit.widgets.layouts import Part, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, Theme, ThemeSource, blend, set_role

MOST_TOKENS, MOST_BYTES = 60, 400  # shown of a side
MOST_LINES = 14
CODE_SHARE = 0.1  # of the text's colour in the background of code


class ItemDetails(QScrollArea):
    """A scrolling column at the side of a page, which can add parts between and below these.

    head    `title`, and buttons for the next and previous item of a walk
    grid    the tokens of each side
    reason  a sentence below the grid
    """

    def __init__(
        self,
        theme_source: ThemeSource,
        name: str,
        least_px: int,
        walk: ItemWalk | None = None,
        noun: str = "",
    ) -> None:
        """With a `walk`, buttons go to its next and previous `noun`."""
        super().__init__()
        self._theme_source = theme_source
        self._spans: Sequence[Span] = ()
        self.title = set_role(FittedLabel(elides=True), "heading")
        self.title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.head = in_row((self.title, 1), spacing=0)
        if walk is not None:
            self.previous = tool_button("‹", partial(walk.step, -1), tip=f"Previous {noun}")
            self.next = tool_button("›", partial(walk.step, 1), tip=f"Next {noun}")
            for button in (self.previous, self.next):
                self.head.addWidget(button)
        self.grid = SpanGrid(theme_source)
        self.reason = StyledText(Theme.ui_font(), MOST_LINES)
        self.setMinimumWidth(least_px)
        self.setAccessibleName(name)

    def arrange(self, *parts: Part) -> None:
        scroll_down(self, framed(in_column(*parts, margins=MARGIN_PX, spacing=GAP_PX), "panel"))

    def show_reason(self, spans: Sequence[Span]) -> None:
        if spans != self._spans:  # avoid a new layout at each key press
            self._spans = spans
            self.reason.set_spans(spans)


def row_of(
    tokens: TokenizedText,
    name: str,
    number: int,
    between: tuple[int, int],
    byte_span: tuple[int, int] | None = None,
    tints: NDArray[np.uint8] | None = None,
) -> GridRow:
    """A row with the tokens `between` (first, last), at most MOST_TOKENS; `number` is that of its marker.

    byte_span  the bytes of the text to show; by default those of the tokens
    tints      the colours of all tokens; by default those in the text
    """
    first, last = between[0], min(between[1], between[0] + MOST_TOKENS)
    ids, starts, ends, own_tints = tokens.tokens.between(first, last)
    start, end = byte_span or ((int(starts[0]), int(ends[-1])) if len(ids) else (0, 0))
    text = tokens.document.slice(start, min(end, start + MOST_BYTES))
    colors = (own_tints if tints is None else tints[first:last]).tolist()
    spans = tuple(zip((starts - start).tolist(), (ends - start).tolist(), strict=True))
    labels = [tokens.label_of(token_id) for token_id in ids.tolist()]
    is_spelled = tokens.spelling.now is Spelling.FILE
    n_all = between[1] - between[0]
    return GridRow(name, number, text, ids.tolist(), spans, colors, labels, is_spelled, n_all)


def sentence_spans(
    sentence: str, theme: Theme, names: Mapping[str, tuple[str, QColor]] | None = None
) -> Iterator[Span]:
    """A sentence in styled spans, with a background for code.

    names  replacement and colour of names in the sentence, inside and outside of code marks
    """
    names, ground = names or {}, blend(theme.raised, theme.text, CODE_SHARE)
    longest_first = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    for part in parts(sentence):
        is_name = part.is_code and part.text in names
        is_apart = not part.is_code and longest_first
        for text in re.split(f"({longest_first})", part.text) if is_apart else [part.text]:
            if text in names and (is_name or is_apart):
                shown, color = names[text]
                yield Span(shown, color, None, is_bold=True)
            elif text:
                yield Span(isolate(text), theme.text, ground if part.is_code else None)
