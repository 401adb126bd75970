"""Some tokens by their texts, as chips one after another."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame

from guiapp.core.text.visible_text import isolate
from guiapp.kit.tokens.decode import TokenText
from guiapp.kit.widgets.chip_painting import draw_chip
from guiapp.kit.widgets.theme import UI_FONT_PX, UNIT_PX, Theme, ThemeSource

GAP_PX = 3
SHOWN_ROWS = 4


class TokenChips(QAbstractScrollArea):
    """Wraps chips into rows; scrolls where they are many."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._tokens: Sequence[TokenText] = ()
        self._chips: list[QRectF] = []
        self._font = Theme.mono_font(UI_FONT_PX)
        self._row_px = QFontMetricsF(self._font).height() + 2 * UNIT_PX
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFixedHeight(round(SHOWN_ROWS * self._row_px))

    def set_tokens(self, tokens: Sequence[TokenText]) -> None:
        self._tokens = tokens
        self.setAccessibleDescription(" ".join(token.text for token in tokens))
        self._lay_out()

    def chip(self, index: int) -> QRectF:
        """Where a token is painted in the viewport."""
        return self._chips[index].translated(0, -self.verticalScrollBar().value())

    def sizeHint(self) -> QSize:
        return QSize(480, self.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self.viewport()) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self._font)
            theme = self._theme_source.theme
            painter.fillRect(event.rect(), theme.panel)
            for index, (text, attributes) in enumerate(self._tokens):
                chip = self.chip(index)
                if chip.intersects(QRectF(event.rect())):
                    inside = chip.adjusted(0.5, 0.5, -0.5, -0.5)  # where lines are one pixel sharp
                    draw_chip(painter, theme, inside, isolate(text), attributes, theme.span_color(index))

    def _lay_out(self) -> None:
        metrics, at = QFontMetricsF(self._font), QPointF(1, 1)
        height, right = self._row_px - GAP_PX, self.viewport().width() - 1
        self._chips = []
        for text, _ in self._tokens:
            width = min(metrics.horizontalAdvance(text) + 2 * UNIT_PX, right - 1)
            if at.x() + width > right and at.x() > 1:
                at = QPointF(1, at.y() + self._row_px)
            self._chips.append(QRectF(at.x(), at.y(), width, height))
            at.setX(at.x() + width + GAP_PX)
        bar = self.verticalScrollBar()
        bar.setPageStep(self.viewport().height())
        bar.setSingleStep(round(self._row_px))
        bar.setRange(0, max(0, round(at.y() + self._row_px) - self.viewport().height()))
        self.viewport().update()
