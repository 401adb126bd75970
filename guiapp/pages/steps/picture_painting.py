"""How candidates are painted: pairs as a list and as bars, and the arcs of those that weigh ways."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from enum import Enum
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from guiapp.analysis.trace.replay import Candidate
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.painting import CENTER, BoxStyle, RoundedBoxes, bold, fill, width_of, write
from guiapp.kit.widgets.scales import (
    SCALE_PX,
    BarScale,
    left_scale_width,
    paint_scale_below,
    paint_scale_left,
)
from guiapp.kit.widgets.shaped_texts import LEFT, RIGHT, MonoTexts
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, Theme, blend
from guiapp.pages.steps.flow import Edge, StepLattice

LONG_EDGE = 6  # places that an arc of full height spans, at least
BELOW_BASE_PX = 58  # characters and what is known of their places
WORTHS_PX, WORTH_LINE_PX = 30, 14  # where the latter begins, in two lines
ABOVE_ARCS_PX = 22
LEAST_GAP_PX = 5  # between two numbers
TINY_FONT_PX = 10
ROUNDNESS = 0.6  # height of the longest arc by its width, where there is room
DOT_PX = 3.2
HEAD_PX = 4.5  # half the width of an arrow's head
ARC_LABEL_PX = 18
WINNERS = ("chosen", "now")
BADGE_PX = 14
TICK = QPointF(-3.2, 0.2), QPointF(-1.0, 2.4), QPointF(3.2, -2.4)  # the sign in a badge, from its middle
ROW_PX = 28
BOX_PX = ROW_PX - 3
BAR_PX = 2
PADDING_PX = 10
TEXT_LEFT_PX = PADDING_PX + BADGE_PX + 4
NARROWEST_PX = 46
WIDEST_PX = 64
LABEL_PX = 20
LEAST_BAR_PX = 4
RANKS = "rank, logarithmic"


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
        styles = Qt.PenStyle
        return QPen(theme.line, 1, styles.DashLine if self is CandidateStatus.OUT else styles.SolidLine)

    def bar(self, theme: Theme) -> QColor:
        """The colour of a bar that says how much it is worth."""
        return theme.accent if self is CandidateStatus.WINNER else blend(theme.raised, theme.dim, 0.35)

    def box_style(self, theme: Theme) -> BoxStyle:
        return BoxStyle(self.ground(theme), self.line(theme), 6)


def paint_box(
    painter: QPainter, theme: Theme, place: QRectF, standing: CandidateStatus, radius: float = 6
) -> None:
    pen = standing.line(theme)
    half = pen.widthF() / 2
    painter.setPen(pen)
    painter.setBrush(standing.ground(theme))
    painter.drawRoundedRect(place.adjusted(half, half, -half, -half), radius, radius)


def paint_badge(painter: QPainter, theme: Theme, middle: QPointF) -> None:
    """The sign of a winner: a tick on a disc of `BADGE_PX`."""
    painter.save()
    painter.translate(middle)
    painter.setPen(QPen(theme.raised, 1.5))
    painter.setBrush(theme.accent)
    painter.drawEllipse(QPointF(), BADGE_PX / 2, BADGE_PX / 2)
    pen = QPen(theme.on_accent, 1.8)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawPolyline(TICK)
    painter.restore()


Entry = tuple[Candidate, CandidateStatus]


class NodeTools(NamedTuple):
    """What nodes are painted with; `ratio` is how many pixels of the screen a unit takes.

    `made` says what a candidate would make.
    """

    texts: MonoTexts
    boxes: RoundedBoxes
    ratio: float
    made: Callable[[Candidate], str]


def standings(candidates: Sequence[Candidate], present: tuple[float, ...]) -> list[Entry]:
    """The first that can still merge wins; `present` is what the step is about."""
    winner = next((at for at, candidate in enumerate(candidates) if not candidate.is_stale), -1)
    found = []
    for at, candidate in enumerate(candidates):
        standing = CandidateStatus.OUT if candidate.is_stale else CandidateStatus.OTHER
        if candidate[:7] == present:
            standing = CandidateStatus.NOW
        found.append((candidate, CandidateStatus.WINNER if at == winner else standing))
    return found


def paint_candidates(
    painter: QPainter,
    theme: Theme,
    area: QRectF,
    entries: Sequence[Entry],
    tools: NodeTools,
    pair_of: Callable[[Candidate], str],
) -> None:
    """A row for each as far as there is room, with a bar as long as its rank is high; their scale below."""
    scale = _scale(entries)
    shown = entries[: max(0, int((area.height() - SCALE_PX) // ROW_PX))]
    if not shown:
        return
    kinds: dict[tuple[CandidateStatus, bool], list[tuple[float, Candidate]]] = {}
    for row, (candidate, standing) in enumerate(shown):
        top = area.top() + row * ROW_PX
        box = QRectF(area.left(), top, area.width(), BOX_PX)
        if standing in (CandidateStatus.WINNER, CandidateStatus.NOW):
            tools.boxes.draw(painter, box, standing.box_style(theme), tools.ratio)
        length = round(area.width() * scale.share(candidate.rank))
        painter.fillRect(QRectF(area.left(), box.bottom() - BAR_PX - 1, length, BAR_PX), standing.bar(theme))
        if standing is CandidateStatus.WINNER:
            paint_badge(
                painter, theme, QPointF(area.left() + PADDING_PX + BADGE_PX / 2, box.center().y() - 1)
            )
        kinds.setdefault((standing, candidate.is_stale), []).append((top + BOX_PX / 2 - 1, candidate))
    left, right = area.left() + TEXT_LEFT_PX, area.width() - PADDING_PX
    for (standing, is_struck), rows in kinds.items():
        written = tools.texts.of(UI_FONT_PX, is_bold=standing.is_bold, is_struck=is_struck)
        painter.setPen(standing.text(theme))
        written.draw_all(painter, [(left, right, middle, pair_of(entry)) for middle, entry in rows], LEFT)
        painter.setPen(standing.figure(theme))
        ranks = [(area.left(), right, middle, f"{entry.rank:,.0f}") for middle, entry in rows]
        written.draw_all(painter, ranks, RIGHT)
    below = QRectF(area.left(), area.top() + len(shown) * ROW_PX, area.width(), SCALE_PX)
    paint_scale_below(painter, theme, below, scale, tools.texts, RANKS)


def _scale(entries: Sequence[Entry]) -> BarScale:
    return BarScale(max(1.0, *(candidate.rank for candidate, _ in entries)), is_log=True)


def shown_pairs(entries: Sequence[Entry], width: float) -> list[Entry]:
    """The pairs in the order of the text, those around the winner where there is no room for all."""
    ordered = sorted(entries, key=lambda entry: entry[0].position)
    n_shown = max(1, int(width // NARROWEST_PX))
    at = next((index for index, (_, standing) in enumerate(ordered) if standing is CandidateStatus.WINNER), 0)
    first = max(0, min(at - n_shown // 2, len(ordered) - n_shown))
    return ordered[first : first + n_shown]


def paint_pairs(
    painter: QPainter,
    theme: Theme,
    area: QRectF,
    entries: Sequence[Entry],
    tools: NodeTools,
) -> None:
    """A bar for each pair that has a rule, its rank above, what it would make below, and the scale beside."""
    scale, texts = _scale(entries), tools.texts
    margin = left_scale_width(scale, texts)
    shown = shown_pairs(entries, area.width() - margin)
    scale = _scale(shown)
    column = min(WIDEST_PX, (area.width() - margin) / len(shown))
    base = area.bottom() - LABEL_PX - 2
    room = base - area.top() - 2 * LABEL_PX - BADGE_PX
    bars = QRectF(area.left() + margin, base - room, area.width() - margin, room)
    small = texts.of(SMALL_FONT_PX - 1)
    if room > LABEL_PX:
        paint_scale_left(painter, theme, bars, scale, texts)
        painter.setPen(theme.dim)
        small.draw_in(painter, area.left(), area.width(), area.top() + LABEL_PX / 2, RANKS, LEFT)
    for number, (candidate, standing) in enumerate(shown):
        left = bars.left() + number * column
        height = max(LEAST_BAR_PX, room * scale.share(candidate.rank))
        bar = QRectF(left + 5, base - height, column - 10, height)
        fill(painter, bar, standing.bar(theme), 4)
        large = texts.of(UI_FONT_PX, is_bold=standing.is_bold)
        painter.setPen(standing.text(theme))
        below = QRectF(left, base + 2, column, LABEL_PX)
        large.draw(painter, below, large.elided(tools.made(candidate), column - 2))
        painter.setPen(standing.figure(theme))
        above = QRectF(left - 6, bar.top() - LABEL_PX, column + 12, LABEL_PX)
        small.draw(painter, above, f"{candidate.rank:,.0f}")
        if standing is CandidateStatus.WINNER:
            paint_badge(painter, theme, QPointF(bar.center().x(), above.top() - BADGE_PX / 2 + 2))


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
        box = QRectF((arc.first + arc.last - width) / 2, y, width, ARC_LABEL_PX)
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
