"""The gutter beside the rows of the text: where each row begins, and its breakpoints."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from guiapp.analysis.trace.breakpoints import Breakpoint
from guiapp.kit.widgets.shaped_texts import RIGHT, ShapedTexts
from guiapp.kit.widgets.theme import Theme, blend

ID_FONT_PX = 11
DOT_PX = 9
DOTS_PX = 16  # room for the dot, before the number
SPACE_PX = 12  # behind the number, with a hairline in it
EDGE_PX = 48


class GutterRow(NamedTuple):
    """A row of boxes: the bytes [start, end) that stand in it, and the height at which it has its middle."""

    start: int
    end: int
    middle: float


class Gutter:
    """Painted left of the text, as wide as the largest number needs, in whole pixels as what is beside it."""

    def __init__(self) -> None:
        self._numbers = ShapedTexts(Theme.mono_font(ID_FONT_PX))
        self.width = 0

    def fit(self, n_bytes: int) -> None:
        """Make room for the numbers of a text of that size."""
        self.width = DOTS_PX + ceil(self._numbers.width(f"{n_bytes:,}")) + SPACE_PX

    def paint(
        self, painter: QPainter, theme: Theme, row: GutterRow, matches: list[Breakpoint], is_hovered: bool
    ) -> None:
        """One row with its breakpoints."""
        painter.setPen(theme.faint)
        room = self.width - DOTS_PX - SPACE_PX
        self._numbers.draw_in(painter, DOTS_PX, room, row.middle, f"{row.start:,}", RIGHT)
        painter.setPen(theme.line)
        edge = self.width - SPACE_PX / 2
        painter.drawLine(QPointF(edge, row.middle - EDGE_PX / 2), QPointF(edge, row.middle + EDGE_PX / 2))
        paint_mark(painter, theme, QPointF(DOTS_PX / 2 - 1, row.middle), matches, is_hovered)


def paint_mark(
    painter: QPainter, theme: Theme, middle: QPointF, matches: list[Breakpoint], is_hovered: bool
) -> None:
    """What stands in a gutter: a dot, or a faint one that says what a click would do."""
    if matches:
        paint_dot(painter, theme, middle, matches)
    elif is_hovered:
        paint_circle(painter, middle, blend(theme.raised, theme.bad, 0.45))


def paint_dot(
    painter: QPainter, theme: Theme, middle: QPointF, matches: list[Breakpoint], size: float = DOT_PX
) -> None:
    """The sign of breakpoints: a ring where all are off, in another colour where they only note something."""
    stopping = [row for row in matches if not row.log]
    color = theme.bad if stopping else theme.warning
    paint_circle(painter, middle, color, size, is_filled=any(row.is_enabled for row in matches))


def paint_circle(
    painter: QPainter, middle: QPointF, color: QColor, size: float = DOT_PX, *, is_filled: bool = True
) -> None:
    painter.setPen(Qt.PenStyle.NoPen if is_filled else QPen(color, 1.4))
    painter.setBrush(color if is_filled else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(middle, size / 2, size / 2)
