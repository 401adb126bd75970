"""A page that is as high as its parts need at least, and scrolls where there is less room."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QVBoxLayout, QWidget

from guiapp.kit.widgets.layouts import scroll_down


class Sheet(QScrollArea):
    """What is laid out in `column` is seen whole where it can be.

    Signals:
        resized(): there is more or less room.
    """

    resized = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._inside = _Inside()
        scroll_down(self, self._inside)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        self._inside.setAutoFillBackground(False)

    def lay_out(self, column: QVBoxLayout) -> None:
        self._inside.setLayout(column)

    def room_for(self, part: QWidget) -> int:
        """The height that is seen of the last part without scrolling."""
        below = self._inside.contentsRect().bottom() - part.geometry().bottom()
        return self.viewport().height() - part.y() - max(below, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()


class _Inside(QWidget):
    def heightForWidth(self, width: int) -> int:
        """The least that the parts need: by default it would be what they would like to have."""
        layout = self.layout()
        return -1 if layout is None else layout.minimumHeightForWidth(width)
