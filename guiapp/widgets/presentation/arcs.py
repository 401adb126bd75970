"""The best ways to each place of a piece: letters in cells, and an arc over those of each token."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPen

from guiapp.core.explain.visible_text import isolate
from guiapp.viewmodels.presentation.letters import Letter, side_of
from guiapp.viewmodels.steps.lattice import Edge, Lattice
from guiapp.widgets.presentation.paint_strip import (
    RADIUS_PX,
    UNCLIPPED,
    letter_font,
    letter_width,
)
from guiapp.widgets.presentation.strip import BOX_PX, CELL_PX
from guiapp.widgets.shared.painting import CENTER, bold, fill, width_of, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import Theme
from guiapp.widgets.steps.pictures.lattice import number_lines
from guiapp.widgets.steps.pictures.standing import BADGE_PX, paint_badge

N_PLACES = 17  # one more than there are letters
WORTHS_PX, WORTH_LINE_PX = 80, 34  # room below the letters for numbers in two lines
WORTH_FONT_PX, LABEL_FONT_PX, MARKED_FONT_PX = 26, 26, 38
LABEL_PX, MARKED_LABEL_PX = 36, 60
BADGE_SCALE = 2.0  # on the corner of a label, which leaves its arc to be seen
LETTER_SHARE = 0.8  # of the height of a box
ABOVE_PX = 36  # room for half of the label of the highest arc
LEAST_ARCS_SHARE = 0.34  # of the height of the area
DOT_PX = 7.0
STEEPEST = 0.62  # height of an arc by its width


class Places(NamedTuple):
    """Where the cells of the letters are, and the places between them."""

    cells: list[QRectF]
    edges: list[float]
    scale: float

    @property
    def top(self) -> float:
        return self.cells[0].top()


def lay_out_places(shown: Lattice, area: QRectF) -> Places:
    """At the foot of an area; the last place has no letter behind it that is in sight."""
    letters = [Letter(place.text, 0) for place in shown.places[:-1]]
    widths = [max(CELL_PX, letter_width(letter) + 20) for letter in letters] or [CELL_PX]
    room = area.height() * (1 - LEAST_ARCS_SHARE) - WORTHS_PX - ABOVE_PX - 2 * DOT_PX
    scale = min(1.0, area.width() / (sum(widths) + CELL_PX), room / (BOX_PX * LETTER_SHARE))
    height = BOX_PX * LETTER_SHARE * scale
    x = area.center().x() - sum(widths) * scale / 2
    top = area.bottom() - WORTHS_PX - height
    edges, cells = [x], []
    for width in widths:
        cells.append(QRectF(edges[-1], top, width * scale, height))
        edges.append(cells[-1].right())
    if side_of("".join(letter.text for letter in letters)) == "R":
        middle = 2 * area.center().x()
        edges = [middle - edge for edge in edges]
        cells = [cell.translated(middle - cell.left() - cell.right(), 0) for cell in cells]
    return Places(cells, edges, scale)


def paint_arcs(painter: QPainter, theme: Theme, shown: Lattice, places: Places, area: QRectF) -> None:
    """Arcs with their tokens above the letters, and below what the best way to each place is worth."""
    for edge in shown.edges:
        if edge.kind in ("chosen", "now"):
            _paint_ground(painter, theme, edge, places)
    for place, cell in zip(shown.places, places.cells, strict=False):
        letter = Letter(place.text, 0)
        color = theme.dim if place.text in ("▁", "·") else theme.text
        write(painter, cell, isolate(place.text), color, UNCLIPPED, letter_font(letter, places.scale))
    room = places.top - DOT_PX * 2 - area.top() - ABOVE_PX
    order = ("way", "chosen", "worse", "now")
    edges = sorted(shown.edges, key=lambda edge: order.index(edge.kind))
    heights = [_height(edge, places, edges, room) for edge in edges]
    for edge, height in zip(edges, heights, strict=True):
        _paint_arc(painter, theme, edge, places, height)
    _paint_dots(painter, theme, shown, places)
    _paint_labels(painter, theme, edges, heights, places, area)
    _paint_worths(painter, theme, shown, places)


def _paint_ground(painter: QPainter, theme: Theme, edge: Edge, places: Places) -> None:
    first, last = places.cells[edge.first], places.cells[max(edge.first, edge.last - 1)]
    rect = first.united(last).adjusted(5, 0, -5, 0)
    color = theme.accent if edge.kind == "now" else theme.good
    fill(painter, rect, blend(theme.background, color, 0.22), RADIUS_PX * places.scale)


def _base(places: Places) -> float:
    return places.top - DOT_PX * 2


def _height(edge: Edge, places: Places, edges: list[Edge], room: float) -> float:
    """All by one measure, so that long tokens have high arcs."""
    widest = max(abs(places.edges[each.last] - places.edges[each.first]) for each in edges)
    width = abs(places.edges[edge.last] - places.edges[edge.first])
    highest = min(room, widest * STEEPEST)
    return highest * (0.2 + 0.8 * width / widest)


def _pen(theme: Theme, kind: str) -> QPen:
    return {
        "way": QPen(blend(theme.background, theme.dim, 0.6), 2.5),
        "chosen": QPen(theme.good, 5),
        "now": QPen(theme.accent, 5),
        "worse": QPen(theme.accent, 4, Qt.PenStyle.DashLine),
    }[kind]


def _paint_arc(painter: QPainter, theme: Theme, edge: Edge, places: Places, height: float) -> None:
    first, last, base = places.edges[edge.first], places.edges[edge.last], _base(places)
    path = QPainterPath(QPointF(first, base))
    path.cubicTo(first, base - height * 4 / 3, last, base - height * 4 / 3, last, base)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(_pen(theme, edge.kind))
    painter.drawPath(path)


def _paint_dots(painter: QPainter, theme: Theme, shown: Lattice, places: Places) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    for number, place in enumerate(shown.places):
        painter.setBrush(theme.text if place.is_reached or number == 0 else theme.line)
        painter.drawEllipse(QPointF(places.edges[number], _base(places)), DOT_PX, DOT_PX)


def _paint_labels(
    painter: QPainter, theme: Theme, edges: list[Edge], heights: list[float], places: Places, area: QRectF
) -> None:
    """The tokens of the arcs, the most important first; one that would lie on another is left out."""
    taken: list[QRectF] = []
    for edge, height in reversed(list(zip(edges, heights, strict=True))):
        is_marked = edge.kind != "way"
        font = bold(Theme.mono_font(MARKED_FONT_PX if is_marked else LABEL_FONT_PX), is_marked)
        text = isolate(edge.text)
        width, tall = width_of(text, font) + 24, MARKED_LABEL_PX if is_marked else LABEL_PX
        first, last = places.edges[edge.first], places.edges[edge.last]
        x = max(area.left(), min((first + last - width) / 2, area.right() - width))
        box = QRectF(x, _base(places) - height - tall / 2, width, tall)
        if any(box.intersects(other) for other in taken):
            continue
        if not is_marked and width > abs(last - first):
            continue
        badge = QRectF(0, 0, BADGE_PX * BADGE_SCALE, BADGE_PX * BADGE_SCALE)
        badge.moveCenter(box.topLeft())
        taken.append(box.united(badge) if edge.kind == "now" else box)
        if edge.kind == "now":
            fill(painter, box, theme.accent, 12)
            paint_badge(painter, theme, box.topLeft(), BADGE_SCALE)
        else:
            painter.fillRect(box, theme.background)
        ink = {"now": theme.on_accent, "worse": theme.accent, "chosen": theme.good}.get(edge.kind, theme.dim)
        write(painter, box, text, ink, CENTER, font)


def _paint_worths(painter: QPainter, theme: Theme, shown: Lattice, places: Places) -> None:
    font = Theme.mono_font(WORTH_FONT_PX)
    worths = zip(places.edges, (place.worth for place in shown.places), strict=True)
    told = [(worth, x) for x, worth in sorted(worths) if worth]
    widths = [width_of(worth, font) for worth, _ in told]
    spans = [(x - width / 2 - 6, x + width / 2 + 6) for (_, x), width in zip(told, widths, strict=True)]
    top = places.cells[0].bottom() + 12
    for (worth, _), (first, last), line in zip(told, spans, number_lines(spans), strict=True):
        if line is not None:
            row = QRectF(first, top + line * WORTH_LINE_PX, last - first, WORTH_LINE_PX)
            write(painter, row, worth, theme.dim, CENTER, font)
