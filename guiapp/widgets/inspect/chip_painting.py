"""A token as a chip: its colour, and the same signs beside colour as in the text."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter

from guiapp.core.vocab.attributes import Attribute
from guiapp.widgets.shared.painting import CENTER, outline, write
from guiapp.widgets.shared.theme import UNIT_PX, Theme
from guiapp.widgets.spans.painter import draw_wave

DOT_PX = 2


def draw_chip(
    painter: QPainter, theme: Theme, chip: QRectF, text: str, attributes: Attribute, color: QColor
) -> None:
    """Paint a chip with the painter's font; control tokens are outlined, not filled."""
    is_control = Attribute.CONTROL in attributes
    painter.setPen(outline(theme, attributes, line_px=1))
    painter.setBrush(Qt.BrushStyle.NoBrush if is_control else color)
    painter.drawRoundedRect(chip, UNIT_PX, UNIT_PX)
    _draw_sign(painter, theme, chip, attributes)
    write(painter, chip, text, theme.warning if is_control else theme.span_text, CENTER)


def _draw_sign(painter: QPainter, theme: Theme, chip: QRectF, attributes: Attribute) -> None:
    """At the bottom: two dots for a byte, a wave for the unknown."""
    if Attribute.BYTE in attributes:
        for x in (-3, 1):
            dot = QRectF(chip.center().x() + x, chip.bottom() - DOT_PX, DOT_PX, DOT_PX)
            painter.fillRect(dot, theme.span_text)
    if Attribute.UNKNOWN in attributes:
        draw_wave(painter, theme, chip)
