"""What the window shows while files are held over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from guiapp.kit.spans.painter import faded
from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.theme import MARGIN_PX, RADIUS_PX, Theme, ThemeSource

TEXT = "Drop a model to open it, or a text to see its tokens"
FONT_PX = 18
VEIL = 215  # of 255


class DropHint(Painted):
    """A veil over the whole window, which the pointer goes through."""

    def __init__(self, theme_source: ThemeSource, window: QWidget) -> None:
        super().__init__(theme_source, TEXT, window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover_window(self) -> None:
        self.setGeometry(self.window().rect())
        self.show()
        self.raise_()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.fillRect(self.rect(), faded(theme.background, VEIL))
        painter.setPen(QPen(theme.accent, 2, Qt.PenStyle.DashLine))
        inner = QRectF(self.rect()).adjusted(MARGIN_PX, MARGIN_PX, -MARGIN_PX, -MARGIN_PX)
        painter.drawRoundedRect(inner, RADIUS_PX, RADIUS_PX)
        painter.setFont(theme.ui_font(FONT_PX))
        painter.setPen(theme.text)
        painter.drawText(inner, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, TEXT)
