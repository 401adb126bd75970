"""The best way to each place of a piece, as arcs over its characters: what Viterbi and the like know."""

from __future__ import annotations

import math
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.painting import CENTER, bold, width_of, write
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, Theme, blend
from guiapp.pages.steps.lattice import Edge, StepLattice
from guiapp.pages.steps.pictures.standing import BADGE_PX, CandidateStatus, paint_badge, paint_box

LONG_EDGE = 6  # places that an arc of full height spans, at least
BELOW_BASE_PX = 58  # characters and what is known of their places
WORTHS_PX, WORTH_LINE_PX = 30, 14  # where the latter begins, in two lines
ABOVE_ARCS_PX = 22
LEAST_GAP_PX = 5  # between two numbers
TINY_FONT_PX = 10
ROUNDNESS = 0.6  # height of the longest arc by its width, where there is room
DOT_PX = 3.2
HEAD_PX = 4.5  # half the width of an arrow's head
LABEL_PX = 18
WINNERS = ("chosen", "now")


def paint_lattice(painter: QPainter, theme: Theme, area: QRectF, shown: StepLattice) -> None:
    """Characters in a row; an arc for the last token of the best way to each place."""
    if not shown.places:
        return
    step = area.width() / max(2, len(shown.places))
    longest = max([LONG_EDGE, *(edge.last - edge.first for edge in shown.edges)])
    highest = area.height() - BELOW_BASE_PX - ABOVE_ARCS_PX
    room = min(highest, longest * step * ROUNDNESS)
    base = area.bottom() - BELOW_BASE_PX - (highest - room) / 2
    arcs = [
        Arc(edge, area.left() + step * (edge.first + 0.5), area.left() + step * (edge.last + 0.5), base)
        for edge in sorted(shown.edges, key=lambda edge: ("way", "chosen", "worse", "now").index(edge.kind))
    ]
    for arc in arcs:
        paint_arc(painter, theme, arc, room, longest)
    _paint_arc_labels(painter, theme, arcs, room, longest)
    _paint_places(painter, theme, area, shown, step, base)


def number_lines(spans: list[tuple[float, float]]) -> list[int | None]:
    """In which of two lines each number stands that goes from here to there; None where neither has room."""
    ends = [-math.inf, -math.inf]
    lines = []
    for first, last in spans:
        line = next((line for line, end in enumerate(ends) if first >= end + LEAST_GAP_PX), None)
        if line is not None:
            ends[line] = last
        lines.append(line)
    return lines


def _paint_places(
    painter: QPainter, theme: Theme, area: QRectF, shown: StepLattice, step: float, base: float
) -> None:
    spans = []
    metrics = QFontMetricsF(Theme.mono_font(TINY_FONT_PX))
    for number, place in enumerate(shown.places):
        x = area.left() + step * (number + 0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text if place.is_reached or number == 0 else theme.line)
        painter.drawEllipse(QPointF(x, base), DOT_PX, DOT_PX)
        if x + step <= area.right():  # else the text goes on out of sight
            below = QRectF(x, base + 6, step, 22)
            write(painter, below, isolate(place.text), theme.text, CENTER, Theme.mono_font(UI_FONT_PX + 1))
        if place.worth:
            width = metrics.horizontalAdvance(place.worth)
            first = min(x - width / 2, area.right() - width - 1)
            spans.append((first, first + width))
    painter.setFont(Theme.mono_font(TINY_FONT_PX))
    painter.setPen(theme.dim)
    worths = [place.worth for place in shown.places if place.worth]
    for worth, (first, last), line in zip(worths, spans, number_lines(spans), strict=True):
        if line is not None:
            top = base + WORTHS_PX + line * WORTH_LINE_PX
            painter.drawText(QRectF(first - 1, top, last - first + 2, WORTH_LINE_PX), CENTER, worth)


class Arc(NamedTuple):
    """An edge and where it begins and ends in the picture."""

    edge: Edge
    first: float
    last: float
    base: float

    @property
    def is_marked(self) -> bool:
        return self.edge.kind != "way"

    def height(self, room: float, longest: int) -> float:
        return room * (0.25 + 0.75 * (self.edge.last - self.edge.first) / max(1, longest))

    def pen(self, theme: Theme) -> QPen:
        return {
            "way": QPen(blend(theme.raised, theme.dim, 0.55), 1.2),
            "chosen": QPen(theme.good, 2.4),
            "now": QPen(theme.accent, 3.0),
            "worse": QPen(theme.accent, 1.6, Qt.PenStyle.DotLine),
        }[self.edge.kind]


def paint_arc(painter: QPainter, theme: Theme, arc: Arc, room: float, longest: int) -> None:
    """One token from place to place; an arrow tells where the step, or the best way, leads."""
    top = arc.base - arc.height(room, longest) * 1.3
    path = QPainterPath(QPointF(arc.first, arc.base))
    path.cubicTo(arc.first, top, arc.last, top, arc.last, arc.base)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(arc.pen(theme))
    painter.drawPath(path)
    if arc.is_marked:
        end = arc.first if arc.edge.is_left else arc.last
        head = QPainterPath(QPointF(end, arc.base - DOT_PX))
        head.lineTo(end - HEAD_PX, arc.base - DOT_PX - 2 * HEAD_PX)
        head.lineTo(end + HEAD_PX, arc.base - DOT_PX - 2 * HEAD_PX)
        head.closeSubpath()
        painter.fillPath(head, arc.pen(theme).color())


def _paint_arc_labels(painter: QPainter, theme: Theme, arcs: list[Arc], room: float, longest: int) -> None:
    """The tokens of the arcs, the most important first; one that would lie on another is left out.

    Those that won stand in a box with a badge.
    """
    taken: list[QRectF] = []
    for arc in reversed(arcs):
        is_winner = arc.edge.kind in WINNERS
        font = bold(Theme.mono_font(SMALL_FONT_PX if arc.is_marked else TINY_FONT_PX), is_winner)
        text = isolate(arc.edge.text)
        width = width_of(text, font) + (BADGE_PX + 12 if is_winner else 8)
        y = arc.base - arc.height(room, longest) - 9
        box = QRectF((arc.first + arc.last - width) / 2, y, width, LABEL_PX)
        fits = width <= arc.last - arc.first + 10 and not any(box.intersects(other) for other in taken)
        if not arc.is_marked and not fits:
            continue
        taken.append(box)
        painter.fillRect(box, theme.raised)
        if is_winner:
            paint_box(painter, theme, box, CandidateStatus.WINNER, 5)
            paint_badge(painter, theme, QPointF(box.left() + BADGE_PX / 2 + 3, box.center().y()))
            write(painter, box.adjusted(BADGE_PX + 4, 0, 0, 0), text, theme.text, CENTER, font)
        else:
            write(painter, box, text, theme.text if arc.is_marked else theme.dim, CENTER, font)
