"""The sign of a compared model, wherever it is shown: a colour and a shape, so that either tells it."""

from __future__ import annotations

from math import cos, pi, sin

from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QPainter, QPolygonF

from guiapp.widgets.shared.theme import Theme

CORNERS = (0, 3, 4, 4, 3)  # of a circle, triangle, square, diamond, triangle
FIRST_CORNERS = (0.0, -pi / 2, -pi / 4, -pi / 2, pi / 2)  # where they begin, as angles


def marker_color(theme: Theme, number: int) -> QColor:
    return theme.contenders[number % len(theme.contenders)]


def draw_marker(painter: QPainter, theme: Theme, number: int, center: QPointF, radius_px: float) -> None:
    """Draw the sign of model `number`, from 0, within a circle."""
    shape = number % len(CORNERS)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(marker_color(theme, number))
    painter.setBrush(marker_color(theme, number))
    if not CORNERS[shape]:
        painter.drawEllipse(center, 0.8 * radius_px, 0.8 * radius_px)
    else:
        angles = [FIRST_CORNERS[shape] + 2 * pi * at / CORNERS[shape] for at in range(CORNERS[shape])]
        corners = [center + QPointF(radius_px * cos(angle), radius_px * sin(angle)) for angle in angles]
        painter.drawPolygon(QPolygonF(corners))
    painter.restore()
