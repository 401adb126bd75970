"""Boxes with rounded corners that are painted over and over: each is drawn once, since corners are slow."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

MOST_PICTURES = 400


class RoundedBoxes:
    """The boxes of one widget; sizes in whole units recur the most."""

    def __init__(self) -> None:
        self._pictures: dict[object, QPixmap] = {}

    def draw(
        self, painter: QPainter, rect: QRectF, fill: QColor, line: QPen | None, radius: float, ratio: float
    ) -> None:
        """Draw one with its line inside; `ratio` is how many pixels of the screen a unit takes."""
        line_key = None if line is None else (line.color().rgba(), line.widthF(), line.style())
        key = rect.width(), rect.height(), fill.rgba(), line_key, radius, ratio
        picture = self._pictures.get(key)
        if picture is None:
            picture = _picture(rect, fill, line, radius, ratio)
            if len(self._pictures) >= MOST_PICTURES:
                self._pictures.clear()
            self._pictures[key] = picture
        painter.drawPixmap(rect.topLeft(), picture)


def _picture(rect: QRectF, fill: QColor, line: QPen | None, radius: float, ratio: float) -> QPixmap:
    picture = QPixmap(ceil(rect.width() * ratio), ceil(rect.height() * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    place = QRectF(QPointF(), rect.size())
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen if line is None else line)
        painter.setBrush(fill)
        inside = 0 if line is None else 1
        painter.drawRoundedRect(place.adjusted(inside, inside, -inside, -inside), radius, radius)
    return picture
