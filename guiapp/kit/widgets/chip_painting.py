"""A token as a chip: its colour, and the same signs beside colour as in the text."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.painter import draw_wave
from guiapp.kit.state.row_table import ATTRIBUTES_ROLE, AnyIndex
from guiapp.kit.widgets.painting import CENTER, outline, write
from guiapp.kit.widgets.theme import UNIT_PX, Theme, ThemeSource

DOT_PX = 2


class ChipDelegate(QStyledItemDelegate):
    """Paints cells as chips, with the signs that their tokens have in the text."""

    def __init__(self, theme_source: ThemeSource, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme_source = theme_source

    @abstractmethod
    def chip(self, option: QStyleOptionViewItem, index: AnyIndex) -> tuple[QRectF, str, QColor]:
        """Where a chip is, what stands on it, and its colour."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().initStyleOption(option, index)
        option.text = ""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(painter, option, index)
        place, text, color = self.chip(option, index)
        attributes = Attribute(index.data(ATTRIBUTES_ROLE) or 0)
        painter.save()
        painter.setFont(option.font)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_chip(painter, self._theme_source.theme, place, text, attributes, color)
        painter.restore()


def draw_chip(
    painter: QPainter, theme: Theme, chip: QRectF, text: str, attributes: Attribute, color: QColor
) -> None:
    """Paint a chip with the painter's font; control tokens are outlined, not filled."""
    is_control = Attribute.CONTROL in attributes
    painter.setPen(outline(theme, attributes, line_px=1))
    painter.setBrush(Qt.BrushStyle.NoBrush if is_control else color)
    painter.drawRoundedRect(chip, UNIT_PX, UNIT_PX)
    _draw_marker(painter, theme, chip, attributes)
    write(painter, chip, text, theme.warning if is_control else theme.span_text, CENTER)


def _draw_marker(painter: QPainter, theme: Theme, chip: QRectF, attributes: Attribute) -> None:
    """At the bottom: two dots for a byte, a wave for the unknown."""
    if Attribute.BYTE in attributes:
        for x in (-3, 1):
            dot = QRectF(chip.center().x() + x, chip.bottom() - DOT_PX, DOT_PX, DOT_PX)
            painter.fillRect(dot, theme.span_text)
    if Attribute.UNKNOWN in attributes:
        draw_wave(painter, theme, chip)
