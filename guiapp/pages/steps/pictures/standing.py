"""How what competes looks, the same in all pictures: the winner by its form, the others quiet."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen

from guiapp.kit.widgets.painting import BoxStyle
from guiapp.kit.widgets.theme import Theme, blend

BADGE_PX = 14
TICK = QPointF(-3.2, 0.2), QPointF(-1.0, 2.4), QPointF(3.2, -2.4)  # the sign in a badge, from its middle


class CandidateStatus(Enum):
    """What becomes of something that competes at a step."""

    WINNER = "it wins: it is taken, or goes first"
    NOW = "the step looks at it"
    OTHER = "it competes"
    OUT = "it is out: gone meanwhile, or not taken"

    @property
    def is_bold(self) -> bool:
        return self is CandidateStatus.WINNER

    def text(self, theme: Theme) -> QColor:
        """The colour of its text."""
        return theme.dim if self in (CandidateStatus.OTHER, CandidateStatus.OUT) else theme.text

    def figure(self, theme: Theme) -> QColor:
        """The colour of what it is worth."""
        return theme.accent if self is CandidateStatus.WINNER else theme.dim

    def ground(self, theme: Theme) -> QColor:
        shares = {CandidateStatus.WINNER: 0.28, CandidateStatus.NOW: 0.12}
        return blend(theme.raised, theme.accent, shares[self]) if self in shares else theme.panel

    def line(self, theme: Theme) -> QPen:
        if self is CandidateStatus.WINNER:
            return QPen(theme.accent, 2)
        if self is CandidateStatus.NOW:
            return QPen(theme.accent, 1.4, Qt.PenStyle.DotLine)
        return QPen(
            theme.line, 1, Qt.PenStyle.DashLine if self is CandidateStatus.OUT else Qt.PenStyle.SolidLine
        )

    def bar(self, theme: Theme) -> QColor:
        """The colour of a bar that says how much it is worth."""
        return theme.accent if self is CandidateStatus.WINNER else blend(theme.raised, theme.dim, 0.35)

    def box_style(self, theme: Theme, radius: float = 6) -> BoxStyle:
        return BoxStyle(self.ground(theme), self.line(theme), radius)


def paint_box(
    painter: QPainter, theme: Theme, place: QRectF, standing: CandidateStatus, radius: float = 6
) -> None:
    """The box that something stands in."""
    pen = standing.line(theme)
    half = pen.widthF() / 2
    painter.setPen(pen)
    painter.setBrush(standing.ground(theme))
    painter.drawRoundedRect(place.adjusted(half, half, -half, -half), radius, radius)


def paint_badge(painter: QPainter, theme: Theme, middle: QPointF, scale: float = 1.0) -> None:
    """The sign of a winner: a tick on a disc of `BADGE_PX` times that scale."""
    painter.save()
    painter.translate(middle)
    painter.scale(scale, scale)
    painter.setPen(QPen(theme.raised, 1.5))
    painter.setBrush(theme.accent)
    painter.drawEllipse(QPointF(), BADGE_PX / 2, BADGE_PX / 2)
    pen = QPen(theme.on_accent, 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    tick = QPainterPath(TICK[0])
    for point in TICK[1:]:
        tick.lineTo(point)
    painter.drawPath(tick)
    painter.restore()
