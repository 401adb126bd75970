"""Colours and markers that identify a curve, a point or a row; either alone is enough."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPainterPath, QTransform


class MarkerStyle(NamedTuple):
    """A colour, and a marker: a key of MARKERS."""

    color: QColor
    marker: str


def pattern(color: QColor, is_hatched: bool) -> QBrush:
    """A solid brush, or a hatched one for approximate values."""
    return QBrush(color, Qt.BrushStyle.BDiagPattern if is_hatched else Qt.BrushStyle.SolidPattern)


@lru_cache(maxsize=256)
def outline(marker: str, size_px: float) -> QPainterPath:
    """The outline of a marker of this size, centred on the origin."""
    path: QPainterPath = QTransform.fromScale(size_px, size_px).map(_OUTLINES[marker])
    return path


def paint_marker(painter: QPainter, center: QPointF, size_px: float, marker_style: MarkerStyle) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(marker_style.color)
    painter.drawPath(outline(marker_style.marker, size_px).translated(center))


def _polygon(*corners: tuple[float, float]) -> QPainterPath:
    path = QPainterPath()
    path.addPolygon([QPointF(x, y) for x, y in corners])
    path.closeSubpath()
    return path


def _regular(n_corners: int, inner: float = 0.5) -> QPainterPath:
    """A regular polygon with a corner at the top, or a star whose notches have the radius `inner`."""
    radii = (0.5,) if inner == 0.5 else (0.5, inner)
    n = n_corners * len(radii)
    angles = [2 * pi * index / n - pi / 2 for index in range(n)]
    return _polygon(
        *((radii[i % len(radii)] * cos(a), radii[i % len(radii)] * sin(a)) for i, a in enumerate(angles))
    )


def _circle() -> QPainterPath:
    path = QPainterPath()
    path.addEllipse(QPointF(0, 0), 0.5, 0.5)
    return path


def _turned(path: QPainterPath, degrees: float) -> QPainterPath:
    turned: QPainterPath = QTransform().rotate(degrees).map(path)
    return turned


_TRIANGLE = _polygon((-0.5, 0.5), (0.0, -0.5), (0.5, 0.5))
_PLUS = _polygon(
    *((-0.5, -0.12), (-0.12, -0.12), (-0.12, -0.5), (0.12, -0.5), (0.12, -0.12), (0.5, -0.12)),
    *((0.5, 0.12), (0.12, 0.12), (0.12, 0.5), (-0.12, 0.5), (-0.12, 0.12), (-0.5, 0.12)),
)
_OUTLINES = {
    "circle": _circle(),
    "square": _polygon((-0.45, -0.45), (0.45, -0.45), (0.45, 0.45), (-0.45, 0.45)),
    "up": _TRIANGLE,
    "diamond": _polygon((0.0, -0.55), (0.42, 0.0), (0.0, 0.55), (-0.42, 0.0)),
    "plus": _PLUS,
    "right": _turned(_TRIANGLE, 90),
    "down": _turned(_TRIANGLE, 180),
    "cross": _turned(_PLUS, 45),
    "hexagon": _regular(6),
    "pentagon": _regular(5),
    "star": _regular(5, 0.2),
    "left": _turned(_TRIANGLE, 270),
}
MARKERS = tuple(_OUTLINES)
