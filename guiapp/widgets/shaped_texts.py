"""Short texts that are painted over and over, such as tokens: shaped once, then only drawn."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QStaticText

MOST_TEXTS = 5000

LEFT, CENTER, RIGHT = 0.0, 0.5, 1.0
"""Where in its place a text stands: the share of the free width that is left of it."""


class Shaped(NamedTuple):
    """A text ready to draw, with its size."""

    text: QStaticText
    width: float
    height: float


class ShapedTexts:
    """Draws texts of one font."""

    def __init__(self, font: QFont) -> None:
        self._font = font
        self._metrics = QFontMetrics(font)
        self._shaped = lru_cache(MOST_TEXTS)(self._shape)

    def width(self, text: str) -> float:
        return self._shaped(text).width

    def draw(self, painter: QPainter, place: QRectF, text: str, share: float = CENTER) -> None:
        """Draw one line in the middle of the place's height, with the painter's pen."""
        shaped = self._shaped(text)
        x = place.x() + (place.width() - shaped.width) * share
        y = place.y() + (place.height() - shaped.height) / 2
        painter.setFont(self._font)
        painter.drawStaticText(QPointF(x, y), shaped.text)

    def elided(self, text: str, width: float) -> str:
        """The text, cut short where it needs more than that."""
        if self.width(text) <= width:
            return text
        return self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(width))

    def _shape(self, text: str) -> Shaped:
        static = QStaticText(text)
        static.setTextFormat(Qt.TextFormat.PlainText)
        static.prepare(font=self._font)
        size = static.size()
        return Shaped(static, size.width(), size.height())
