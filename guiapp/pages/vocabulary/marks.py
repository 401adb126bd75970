"""How charts of the vocabulary and their legend mark tokens."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from guiapp.kit.spans.legend import Draw, LegendEntry, characters
from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import Theme

OTHERS = 0.28  # of the colour of words, for tokens that are not listed
MARK_PX, KNOWN_PX = 5, 7


def listed_colors(theme: Theme) -> tuple[QColor, QColor]:
    """Of bars: what is listed, and the others."""
    return theme.contenders[0], blend(theme.panel, theme.dim, OTHERS)


def draw_suspects(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Squares of what looks untrained."""
    painter.setPen(QPen(theme.warning, MARK_PX, Qt.PenStyle.SolidLine, Qt.PenCapStyle.SquareCap))
    painter.drawPoints(QPolygonF(places))


def draw_hollow(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Squares of what looks untrained, and is not reached by text either."""
    painter.setPen(QPen(theme.warning, 1))
    painter.setBrush(theme.panel)
    for at in places:
        painter.drawRect(QRectF(at.x() - MARK_PX / 2, at.y() - MARK_PX / 2, MARK_PX, MARK_PX))


def draw_known(painter: QPainter, theme: Theme, places: list[QPointF]) -> None:
    """Circles of what is known to be unused."""
    painter.setPen(QPen(theme.dim, 1))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for at in places:
        painter.drawEllipse(at, KNOWN_PX / 2, KNOWN_PX / 2)


def _one(draw: Callable[[QPainter, Theme, list[QPointF]], None]) -> Draw:
    return lambda painter, theme, box: draw(painter, theme, [box.center()])


LEGEND = (
    LegendEntry(characters("<E2 82>"), "Bytes that are not a whole character"),
    LegendEntry(_one(draw_suspects), "Embedding looks untrained; the dashed line is the limit"),
    LegendEntry(_one(draw_hollow), "The same, and no text that was tried gives this token"),
    LegendEntry(_one(draw_known), "Known to be unused, such as a reserved token"),
)
