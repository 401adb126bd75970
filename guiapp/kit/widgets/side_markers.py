"""What tells the models that are compared apart: each has a colour and a shape of its own."""

from __future__ import annotations

from math import cos, pi, sin

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPolygonF

from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.theme import UNIT_PX, Theme, ThemeSource

MARKER_PX = 9
_CORNERS = (
    (3, -pi / 2),
    (4, pi / 4),
    (4, 0.0),
)  # triangle, square, diamond: how many, and where the first is


def color_of(number: int, theme: Theme) -> QColor:
    """That of a column."""
    return theme.contenders[number % len(theme.contenders)]


def draw_marker(painter: QPainter, center: QPointF, number: int, theme: Theme) -> None:
    """Draw the marker of a column: a circle, a triangle, a square, a diamond."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color_of(number, theme))
    radius = MARKER_PX / 2
    if number % (len(_CORNERS) + 1) == 0:
        painter.drawEllipse(QRectF(center.x() - radius, center.y() - radius, MARKER_PX, MARKER_PX))
        return
    n_corners, first = _CORNERS[(number - 1) % len(_CORNERS)]
    reach = radius * 1.25
    angles = [first + 2 * pi * corner / n_corners for corner in range(n_corners)]
    painter.drawPolygon(
        QPolygonF([QPointF(center.x() + reach * cos(at), center.y() + reach * sin(at)) for at in angles])
    )


class Marker(Painted):
    """The marker of a column, before the name of its model."""

    def __init__(self, theme_source: ThemeSource, number: int) -> None:
        super().__init__(theme_source)
        self._number = number
        self.setFixedSize(MARKER_PX + UNIT_PX, MARKER_PX + UNIT_PX)

    def show_number(self, number: int) -> None:
        self._number = number
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        draw_marker(painter, QRectF(self.rect()).center(), self._number, theme)
