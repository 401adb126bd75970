"""A scroll bar that is a map, too: ticks where columns of tokens differ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar

from guiapp.kit.spans.painter import faded
from guiapp.kit.widgets.theme import ThemeSource

TICK_PX = 2
MOST_PX, LEAST_PX = 8, 2  # how far a tick reaches in
TICK_ALPHA = 190


class MapBar(QScrollBar):
    """Ticks beside the handle, at `places`: shares of the whole height, from 0 at the top."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._theme_source = theme_source
        self.places: NDArray[np.float64] = np.zeros(0)
        self._weights: NDArray[np.int64] = np.zeros(0, np.int64)
        self.setAccessibleName("Place in the text")
        theme_source.changed.connect(self.update)

    def show_places(self, places: NDArray[np.float64], weights: NDArray[np.int64]) -> None:
        """Mark these, from 0 at the top to 1 at the bottom of the whole text, by what they weigh."""
        self.places, self._weights = places, weights
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), self._theme_source.theme.background)
        super().paintEvent(event)
        if not len(self.places):
            return
        ticks = (self.places * (self.height() - TICK_PX)).astype(np.int64) // TICK_PX
        weights = np.bincount(ticks, self._weights)
        lengths = np.maximum(np.rint(MOST_PX * weights / weights.max()), LEAST_PX).astype(np.int64)
        with QPainter(self) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(self._theme_source.theme.warning, TICK_ALPHA))
            for tick in np.flatnonzero(weights).tolist():
                length = int(lengths[tick])
                painter.drawRect(QRect(self.width() - length - 1, tick * TICK_PX, length, TICK_PX))
