"""The scroll bar of all columns, and a map of where the text costs some models more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar

from guiapp.widgets.shared.theme import ThemeSource
from guiapp.widgets.spans.painter import faded

TICK_PX = 2
TICK_ALPHA = 190


class MapBar(QScrollBar):
    """Ticks beside the handle."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._theme_source = theme_source
        self._places: NDArray[np.float64] = np.zeros(0)
        self.setAccessibleName("Place in the text")
        theme_source.changed.connect(self.update)

    def show_places(self, places: NDArray[np.float64]) -> None:
        """Mark these, from 0 at the top to 1 at the bottom of the whole text."""
        self._places = places
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), self._theme_source.theme.background)
        super().paintEvent(event)
        if not len(self._places):
            return
        ys = np.unique((self._places * (self.height() - TICK_PX)).astype(np.int64) // TICK_PX * TICK_PX)
        painter = QPainter(self)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(faded(self._theme_source.theme.warning, TICK_ALPHA))
        painter.drawRects([QRect(self.width() - 7, y, 6, TICK_PX) for y in ys.tolist()])
