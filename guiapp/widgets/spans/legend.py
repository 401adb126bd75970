"""What the looks of tokens in texts that are compared mean."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from guiapp.widgets.shared.painting import CENTER, LEFT, Painted, fill, ring, write
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, Theme, ThemeSource
from guiapp.widgets.spans.painter import QUIET_ALPHA, RADIUS_PX, RING_ALPHA, RING_PX, draw_upright, faded

ROW_PX = 28
BOX_PX, SAMPLE_PX = 20, 48
BAR_PX = 4


class Look(Enum):
    """How something is drawn: a token in three strengths, a bar, a line between tokens."""

    QUIET = "token"
    FULL = "token in full"
    RINGED = "token with a ring"
    BAR = "bar"
    UPRIGHT = "line"


class Sign(NamedTuple):
    """A look and its meaning; `sample` is written in a token."""

    look: Look
    sample: str
    meaning: str


class Legend(Painted):
    """A sample of each look, and what it says."""

    def __init__(self, theme_source: ThemeSource, signs: Sequence[Sign]) -> None:
        told = "; ".join(f"{sign.sample or sign.look.value}: {sign.meaning}" for sign in signs)
        super().__init__(theme_source, f"Signs: {told}")
        self._signs = signs
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(260, ROW_PX * len(self._signs))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        left = SAMPLE_PX + GAP_PX
        for at, (look, sample, meaning) in enumerate(self._signs):
            row = QRectF(0, at * ROW_PX, self.width(), ROW_PX)
            write(
                painter, row.adjusted(left, 0, 0, 0), meaning, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX)
            )
            box = QRectF(0, row.center().y() - BOX_PX / 2, SAMPLE_PX, BOX_PX)
            if look is Look.UPRIGHT:
                draw_upright(painter, box.center().x(), box.top(), box.height(), theme.text)
            elif look is Look.BAR:
                bar = QRectF(GAP_PX, row.center().y() - BAR_PX / 2, SAMPLE_PX - 2 * GAP_PX, BAR_PX)
                fill(painter, bar, theme.warning, BAR_PX / 2)
            else:
                color = theme.span_color(0)
                fill(painter, box, faded(color, QUIET_ALPHA) if look is Look.QUIET else color, RADIUS_PX)
                write(painter, box, sample, theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))
            if look is Look.RINGED:
                ring(painter, box, QPen(faded(theme.text, RING_ALPHA), RING_PX), RADIUS_PX)
