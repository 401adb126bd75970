"""What the looks of tokens in two compared texts mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from guiapp.widgets.shared.painting import CENTER, LEFT, Painted, fill, write
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource
from guiapp.widgets.spans.painter import QUIET_ALPHA, RING_ALPHA, RING_PX, draw_upright, faded

ROW_PX = 24
SAMPLE_PX = 56
ROWS = (
    ("both", "in both texts, in order"),
    ("only", "only on this side"),
    ("", "end of what both begin with"),
)


class Signs(Painted):
    """A sample of each, and what it says."""

    def __init__(self, theme_source: ThemeSource) -> None:
        meanings = "; ".join(f"{sample or 'line'}: {meaning}" for sample, meaning in ROWS)
        super().__init__(theme_source, f"Signs: {meanings}")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(240, len(ROWS) * ROW_PX)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        mono, plain = Theme.mono_font(UI_FONT_PX), Theme.ui_font(SMALL_FONT_PX)
        for row, (sample, meaning) in enumerate(ROWS):
            place = QRectF(0.5, row * ROW_PX + 2.5, SAMPLE_PX, ROW_PX - 5)
            if sample:
                color = theme.span_color(0)
                fill(painter, place, color if row else faded(color, QUIET_ALPHA), UNIT_PX)
                if row == 1:
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.setPen(QPen(faded(theme.text, RING_ALPHA), RING_PX))
                    painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), UNIT_PX, UNIT_PX)
                write(painter, place, sample, theme.span_text, CENTER, mono)
            else:
                draw_upright(painter, place.center().x(), place.top(), place.height(), theme.text)
            beside = place.translated(SAMPLE_PX + GAP_PX + UNIT_PX, 0)
            beside.setRight(self.width())
            write(painter, beside, meaning, theme.dim, LEFT, plain)
