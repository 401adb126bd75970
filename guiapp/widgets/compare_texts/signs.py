"""What the looks of tokens in two compared texts mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from guiapp.widgets.shared.painting import CENTER, LEFT, Painted, fill, write
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, ThemeSource

ROW_PX = 26
SAMPLE_PX = 56
QUIET = 0.4
ROWS = (
    ("both", "in both texts, in order"),
    ("only", "only on this side"),
    ("", "here both cease to begin alike"),
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
            place = QRectF(0.5, row * ROW_PX + 3.5, SAMPLE_PX, ROW_PX - 7)
            if sample:
                painter.setOpacity(QUIET if row == 0 else 1.0)
                fill(painter, place, theme.span_color(0), UNIT_PX)
                painter.setOpacity(1.0)
                if row == 1:
                    painter.setBrush(Qt.BrushStyle.NoBrush)
                    painter.setPen(QPen(theme.text, 1.25))
                    painter.drawRoundedRect(place.adjusted(1, 1, -1, -1), UNIT_PX, UNIT_PX)
                write(painter, place, sample, theme.span_text, CENTER, mono)
            else:
                painter.fillRect(QRectF(place.center().x() - 1, place.top(), 2, place.height()), theme.text)
            beside = place.translated(SAMPLE_PX + GAP_PX + UNIT_PX, 0)
            beside.setRight(self.width())
            write(painter, beside, meaning, theme.dim, LEFT, plain)
