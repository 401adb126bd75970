"""A line of text that is shortened where it does not fit, and changes at every key without a stir."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, write
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme, ThemeSource
from guiapp.kit.widgets.tip_watch import plain_tip

LINE_PX = 18


class FittedLabel(QLabel):
    """One of several texts, the first that there is room for; wants room for the first.

    Where it is needed, it insists on room for the last.  It paints its text itself: each `QLabel.setText`
    has all widgets around it laid out again.
    """

    def __init__(self, is_needed: bool = False) -> None:
        super().__init__()
        self._is_needed = is_needed
        self._texts = [""]
        self._shown = ""
        self._room_px = (0, 0)

    def text(self) -> str:
        """The text that is shown."""
        return self._shown

    @property
    def whole_text(self) -> str:
        return self._texts[0]

    def set_texts(self, texts: list[str]) -> None:
        """The most telling first; it is the tool tip where it does not fit."""
        if texts == self._texts:
            return
        self._texts = texts
        room_px = self._least_px(), self._width_of(self.whole_text)
        if room_px != self._room_px:
            self._room_px = room_px
            self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._width_of(self.whole_text), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least_px(), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).drawText(self.contentsRect(), self.alignment().value, self._shown)

    def _fit(self) -> None:
        room = self.width()
        self._shown = next((text for text in self._texts if self._width_of(text) <= room), "")
        self.setAccessibleName(self._shown)
        self.setToolTip("" if self._shown == self.whole_text else plain_tip(self.whole_text))
        self.update()

    def _least_px(self) -> int:
        return self._width_of(self._texts[-1]) if self._is_needed else 0

    def _width_of(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)


class FittingLine(Painted):
    """Says the first of some sentences that fits, else the last one elided; the first is in its tip."""

    def __init__(self, theme_source: ThemeSource, *sentences: str) -> None:
        super().__init__(theme_source)
        self.setFixedHeight(LINE_PX)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._color = "dim"
        self._sentences: tuple[str, ...] = ("",)
        self.show_text(*sentences)

    def show_text(self, *sentences: str, color: str = "dim") -> None:
        """Say one of these from now on, in a colour of the theme."""
        self._sentences, self._color = sentences or ("",), color
        self.setAccessibleName(self._sentences[0])
        self.setToolTip(plain_tip(self._sentences[0]))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, LINE_PX)

    @property
    def shown_text(self) -> str:
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
        write(painter, QRectF(self.rect()), self.shown_text, color, side, Theme.ui_font(SMALL_FONT_PX))
