"""The control tokens that are no part of a text but added before and behind it, such as BOS and EOS."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from guiapp.analysis.editing.token_store import N_TINTS
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.rows import MARGIN_PX, SpanRows
from guiapp.kit.tokens.layout import SpanSource, Strength

GAP_PX = 6


class AddedTokenLabel(NamedTuple):
    """Which token it is, what it is called, and whether it has a ring: see `Strength`."""

    token: int
    label: str
    is_ringed: bool


class ChipBox(NamedTuple):
    """An added token, and where its chip lies in the window."""

    token: int
    label: str
    is_ringed: bool
    rect: QRectF


class AddedTokenRows:
    """Those of the text that `read` was asked for last; they stand in rows of their own."""

    def __init__(self, spans: SpanSource) -> None:
        self._spans = spans
        self.leading: list[AddedTokenLabel] = []
        self.trailing: list[AddedTokenLabel] = []

    def read(self, size: int) -> None:
        """Find those of a text of `size` bytes."""
        self.leading = self._added_at(0, 0, min(size, 1))
        self.trailing = self._added_at(size, max(size - 1, 0), size) if size else []

    def _added_at(self, offset: int, start: int, end: int) -> list[AddedTokenLabel]:
        window = self._spans.spans_in(start, end)
        is_control = (self._spans.attributes_of(window.ids) & Attribute.CONTROL.value) != 0
        here = (window.starts == offset) & (window.ends == offset) & is_control
        is_ringed = window.colors // N_TINTS == Strength.RINGED
        return [
            AddedTokenLabel(
                window.first_index + at, self._spans.label_of(int(window.ids[at])), bool(is_ringed[at])
            )
            for at in np.flatnonzero(here).tolist()
        ]

    def chips(self, rows: SpanRows, left: float, height: int) -> list[ChipBox]:
        """The chips that show in a window of some height, from `left` on."""
        row_px = rows.metrics.row_height
        sizes = QFontMetricsF(rows.metrics.font)
        chips = []
        for tokens, y in ((self.leading, MARGIN_PX - rows.scroll_y), (self.trailing, rows.text_end_y)):
            x = left
            for index, label, is_ringed in tokens if -row_px < y < height else ():
                rect = QRectF(x, y + 2, sizes.horizontalAdvance(label) + 12, row_px - 4)
                chips.append(ChipBox(index, label, is_ringed, rect))
                x = rect.right() + GAP_PX
        return chips
