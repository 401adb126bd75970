"""What the looks of tokens beside those of other models mean."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen

from guiapp.widgets.shared.painting import CENTER, LEFT, Painted, fill, write
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, Theme, ThemeSource
from guiapp.widgets.spans.painter import QUIET_ALPHA, RADIUS_PX, RING_ALPHA, RING_PX, faded

ROW_PX = 28
BOX_PX, SAMPLE_PX = 20, 48
BAR_PX = 4
ROWS = (
    ("all", "every model cuts this token"),
    ("some", "at least one other does"),
    ("only", "only this model does"),
    ("", "more than the fewest on this line"),
)


class Legend(Painted):
    """A sample of each look, and its meaning."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "; ".join(f"{sample or 'bar'}: {meaning}" for sample, meaning in ROWS))
        self.setFixedHeight(ROW_PX * len(ROWS))
        theme_source.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(260, ROW_PX * len(ROWS))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        for at, (sample, meaning) in enumerate(ROWS):
            box = QRectF(0, at * ROW_PX + (ROW_PX - BOX_PX) / 2, SAMPLE_PX, BOX_PX)
            if sample:
                color = theme.span_color(0)
                fill(painter, box, faded(color, QUIET_ALPHA) if sample == "all" else color, RADIUS_PX)
                write(painter, box, sample, theme.span_text, CENTER, Theme.mono_font(SMALL_FONT_PX))
            else:
                bar = QRectF(GAP_PX, box.center().y() - BAR_PX / 2, SAMPLE_PX - 2 * GAP_PX, BAR_PX)
                fill(painter, bar, theme.warning, BAR_PX / 2)
            if sample == "only":
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(faded(theme.text, RING_ALPHA), RING_PX))
                painter.drawRoundedRect(box.adjusted(0.6, 0.6, -0.6, -0.6), RADIUS_PX, RADIUS_PX)
            left = SAMPLE_PX + GAP_PX
            words = QRectF(left, at * ROW_PX, self.width() - left, ROW_PX)
            write(painter, words, meaning, theme.dim, LEFT, Theme.ui_font(SMALL_FONT_PX))
