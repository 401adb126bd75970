"""What the marks on the Steps page mean."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from guiapp.kit.spans.legend import Draw, LegendEntry, line, ringed, token
from guiapp.kit.widgets.painting import CENTER, bold, write
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme
from guiapp.pages.steps.gutter import paint_circle
from guiapp.pages.steps.lattice import Edge
from guiapp.pages.steps.pictures.lattice import Arc, paint_arc
from guiapp.pages.steps.pictures.standing import CandidateStatus, paint_badge, paint_box
from guiapp.pages.steps.timeline import paint_fork


def _standing(standing: CandidateStatus) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        font = bold(Theme.mono_font(SMALL_FONT_PX), standing.is_bold)
        font.setStrikeOut(standing is CandidateStatus.OUT)
        paint_box(painter, theme, box, standing)
        write(painter, box, "on", standing.text(theme), CENTER, font)
        if standing is CandidateStatus.WINNER:
            paint_badge(painter, theme, box.topLeft() + QPointF(box.height() / 2, box.height() / 2))

    return draw


def _arc(kind: str, is_left: bool = False) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        arc = Arc(Edge(0, 1, "", kind, is_left), box.left() + 6, box.right() - 6, box.bottom())
        paint_arc(painter, theme, arc, box.height(), 1)

    return draw


def _breakpoint(color: str, is_filled: bool = True) -> Draw:
    return lambda painter, theme, box: paint_circle(
        painter, box.center(), getattr(theme, color), is_filled=is_filled
    )


LEGEND = (
    LegendEntry(token("word", ringed(lambda theme: QPen(theme.accent, 2))), "A token that the step is about"),
    LegendEntry(
        token("word", ringed(lambda theme: QPen(theme.accent, 2, Qt.PenStyle.DashLine))),
        "Text that the step is about, not a token yet",
    ),
    LegendEntry(_standing(CandidateStatus.WINNER), "Wins this step"),
    LegendEntry(_standing(CandidateStatus.NOW), "Looked at, has not won"),
    LegendEntry(_standing(CandidateStatus.OUT), "Stale or dropped"),
    LegendEntry(_arc("way"), "Last token of the best path to a position"),
    LegendEntry(_arc("now"), "The token of this step, on the way from start to end"),
    LegendEntry(_arc("worse"), "The same, where a better path is known"),
    LegendEntry(_arc("chosen", is_left=True), "Chosen: the best path is read from end to start"),
    LegendEntry(
        lambda painter, theme, box: paint_fork(painter, theme, box.center()),
        "In the timeline of a race: the first difference",
    ),
    LegendEntry(
        line(lambda theme: QPen(theme.warning, 2, Qt.PenStyle.DotLine), is_upright=True),
        "In the text of a race: tokens differ from here on",
    ),
    LegendEntry(_breakpoint("bad"), "A breakpoint, and where it stops a run"),
    LegendEntry(_breakpoint("bad", is_filled=False), "A breakpoint that is switched off"),
    LegendEntry(_breakpoint("warning"), "A breakpoint that only writes a message"),
)
