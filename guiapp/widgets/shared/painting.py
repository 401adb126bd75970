"""What widgets that paint themselves have in common: colours of the theme, filled shapes, lines of text."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QGradient, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from guiapp.core.vocab.attributes import Attribute
from guiapp.widgets.shared.theme import Theme, ThemeSource

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTER = Qt.AlignmentFlag.AlignCenter
WRAP = Qt.TextFlag.TextWordWrap


class Painted(QWidget):
    """Paints itself, anew in each theme.

    ground  the colour of the theme that is filled in first; with one, what is behind need not be painted
    """

    ground = ""

    def __init__(self, theme_source: ThemeSource, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme_source = theme_source
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, bool(self.ground))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme_source.theme
        if self.ground:
            painter.fillRect(event.rect(), getattr(theme, self.ground))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter, theme)

    @abstractmethod
    def paint(self, painter: QPainter, theme: Theme) -> None:
        """Draw all that is to be seen."""


def fill(painter: QPainter, place: QRectF | QRect, brush: QBrush | QColor | QGradient, radius: float) -> None:
    """Draw a rectangle with round corners and no line around it."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(brush)
    painter.drawRoundedRect(place, radius, radius)


def write(
    painter: QPainter,
    place: QRectF | QRect,
    text: str,
    color: QColor,
    side: Qt.AlignmentFlag | Qt.TextFlag | int = LEFT,
    font: QFont | None = None,
) -> None:
    """Draw a line of text at a side of a place, in the painter's font where no other is named."""
    if font is not None:
        painter.setFont(font)
    painter.setPen(color)
    painter.drawText(place, side, text)


def outline(theme: Theme, attributes: int, line_px: float = 1.3) -> QPen:
    """What is around a token with such `Attribute` bits: a line for control, dots for user-defined ones."""
    if attributes & Attribute.CONTROL:
        return QPen(theme.warning, line_px)
    if attributes & Attribute.USER_DEFINED:
        return QPen(theme.text, 1.4, Qt.PenStyle.DotLine, Qt.PenCapStyle.RoundCap)
    return QPen(Qt.PenStyle.NoPen)


def clear_pixmap(
    width: float, height: float, scale: float, color: QColor | Qt.GlobalColor = Qt.GlobalColor.transparent
) -> QPixmap:
    """Something to draw on, with `scale` pixels for one of the screen."""
    pixmap = QPixmap(max(1, round(width * scale)), max(1, round(height * scale)))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(color)
    return pixmap


def bold(font: QFont, is_bold: bool = True) -> QFont:
    """The same font in bold, or as it was."""
    font.setBold(is_bold)
    return font
