"""A line of text that is shortened where it does not fit, and changes at every key without a stir."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel

from guiapp.kit.widgets.plain_tip import plain_tip


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
