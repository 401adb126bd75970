"""Boxes with rounded corners that are painted over and over: each is drawn once, since corners are slow."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap

MOST_PICTURES = 400
MOST_PIXELS = 1 << 20  # of all of them, of four bytes each: some may be as large as a part of the window


class BoxLook:
    """How boxes are drawn, with the line inside; to make one takes as long as to draw a box again."""

    def __init__(self, fill: QColor, line: QPen | None, radius: float) -> None:
        self.fill, self.line, self.radius = fill, line, radius
        line_key = "" if line is None else f"{line.color().rgba()} {line.widthF()} {line.style()}"
        self.key = f"{fill.rgba()} {radius} {line_key}"  # a str keeps its hash


class RoundedBoxes:
    """The boxes of one widget; sizes in whole units recur the most."""

    def __init__(self) -> None:
        self._pictures: dict[object, QPixmap] = {}
        self._n_pixels = 0

    def draw(self, painter: QPainter, rect: QRectF, look: BoxLook, ratio: float) -> None:
        """Draw one; `ratio` is how many pixels of the screen a unit takes."""
        self.draw_at(painter, (rect.x(), rect.y(), rect.width(), rect.height()), look, ratio)

    def draw_at(
        self, painter: QPainter, place: tuple[float, float, float, float], look: BoxLook, ratio: float
    ) -> None:
        """The same for those who know the place by its numbers: left, top, width, height."""
        left, top, width, height = place
        key = look.key, width, height, ratio
        picture = self._pictures.get(key)
        if picture is None:
            picture = _picture(QSizeF(width, height), look, ratio)
            n_pixels = picture.width() * picture.height()
            if len(self._pictures) >= MOST_PICTURES or self._n_pixels + n_pixels > MOST_PIXELS:
                self._pictures.clear()
                self._n_pixels = 0
            self._pictures[key] = picture
            self._n_pixels += n_pixels
        painter.drawPixmap(QPointF(left, top), picture)


def _picture(size: QSizeF, look: BoxLook, ratio: float) -> QPixmap:
    picture = QPixmap(ceil(size.width() * ratio), ceil(size.height() * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    place = QRectF(QPointF(), size)
    with QPainter(picture) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen if look.line is None else look.line)
        painter.setBrush(look.fill)
        inside = 0 if look.line is None else 1
        painter.drawRoundedRect(place.adjusted(inside, inside, -inside, -inside), look.radius, look.radius)
    return picture
