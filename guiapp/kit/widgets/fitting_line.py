"""A line that says as much as there is room for, and never changes its place or its height."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QSizePolicy

from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, write
from guiapp.kit.widgets.plain_tip import plain_tip
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme, ThemeSource

LINE_PX = 18


class FittingLine(Painted):
    """Says the first of some sentences that fits, else the last one elided; the first is in its tip."""

    def __init__(self, theme_source: ThemeSource, *sentences: str) -> None:
        super().__init__(theme_source)
        self.setFixedHeight(LINE_PX)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._color = "dim"
        self._sentences: tuple[str, ...] = ("",)
        self.say(*sentences)

    def say(self, *sentences: str, color: str = "dim") -> None:
        """Say one of these from now on, in a colour of the theme."""
        self._sentences, self._color = sentences or ("",), color
        self.setAccessibleName(self._sentences[0])
        self.setToolTip(plain_tip(self._sentences[0]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, LINE_PX)

    @property
    def said(self) -> str:
        """What is to be read now."""
        metrics = QFontMetricsF(Theme.ui_font(SMALL_FONT_PX))
        for sentence in self._sentences:
            if metrics.horizontalAdvance(sentence) <= self.width():
                return sentence
        return metrics.elidedText(self._sentences[-1], Qt.TextElideMode.ElideRight, self.width())

    def paint(self, painter: QPainter, theme: Theme) -> None:
        color = {"dim": theme.dim, "text": theme.text, "warning": theme.warning}[self._color]
        side = RIGHT if self.isRightToLeft() else LEFT
        painter.setLayoutDirection(Qt.LayoutDirection.LeftToRight)  # of what it says
        write(painter, QRectF(self.rect()), self.said, color, side, Theme.ui_font(SMALL_FONT_PX))
