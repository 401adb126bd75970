"""Two trees of the Steps page: the queue as a heap, and the walk down the token tree."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from guiapp.analysis.trace.candidates import Candidate
from guiapp.core.text.figures import counted
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.painting import CENTER, LEFT, bold, width_of, write
from guiapp.kit.widgets.style_sheet import blend
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, Theme
from guiapp.pages.steps.pictures.pairs import Entry, NodeTools
from guiapp.pages.steps.pictures.standing import BADGE_PX, Standing, paint_badge, paint_box
from guiapp.pages.steps.tree_walk import Walk, WalkNode

NODE_PX = 40
UPPER_TEXT_PX, LOWER_TEXT_PX = 13, 27  # middles of the two lines of a node
ROOM_PX = 4  # at the sides of what stands in a node
LEVEL_GAP_PX = 16
NARROWEST_NODE_PX = 54
WIDEST_NODE_PX = 150
MOST_LEVELS = 5
BADGE_IN_PX = 6  # its middle, from the corner of a node
STEP_PX = 30
INDENT_PX = 20


def heap_levels(n_entries: int, width: float, height: float) -> int:
    """How many levels of the heap there is room for, at least one."""
    by_height = int((height + LEVEL_GAP_PX) // (NODE_PX + LEVEL_GAP_PX))
    by_width = 1
    while by_width < MOST_LEVELS and width / (1 << by_width) >= NARROWEST_NODE_PX:
        by_width += 1
    return max(1, min(by_height, by_width, n_entries.bit_length()))


def lay_out_heap(n_entries: int, area: QRectF) -> list[QRectF]:
    """A place for each of the first entries: entry i above entries 2i + 1 and 2i + 2."""
    levels = heap_levels(n_entries, area.width(), area.height())
    places = []
    for index in range(min(n_entries, (1 << levels) - 1)):
        level = (index + 1).bit_length() - 1
        column = area.width() / (1 << level)
        number = index + 1 - (1 << level)
        width = int(min(WIDEST_NODE_PX, column - 6))
        x = round(area.left() + column * (number + 0.5) - width / 2)
        places.append(QRectF(x, area.top() + level * (NODE_PX + LEVEL_GAP_PX), width, NODE_PX))
    return places


def paint_heap(
    painter: QPainter, theme: Theme, area: QRectF, entries: Sequence[Entry], tools: NodeTools
) -> float:
    """The best candidates as a heap, each with what it would make; return where the picture ends."""
    places = lay_out_heap(len(entries), area)
    painter.setPen(QPen(blend(theme.raised, theme.dim, 0.5), 1.2))
    for index in range(1, len(places)):
        above = places[(index - 1) // 2]
        painter.drawLine(
            QPointF(above.center().x(), above.bottom()),
            QPointF(places[index].center().x(), places[index].top()),
        )
    kinds: dict[tuple[Standing, bool], list[tuple[QRectF, Candidate]]] = {}
    for place, (candidate, standing) in zip(places, entries, strict=False):
        kinds.setdefault((standing, candidate.is_stale), []).append((place, candidate))
    for (standing, is_struck), nodes in kinds.items():
        look = standing.look(theme)
        for place, _ in nodes:
            tools.boxes.draw(painter, place, look, tools.ratio)
            if standing is Standing.WINNER:
                paint_badge(painter, theme, place.topLeft() + QPointF(BADGE_IN_PX, BADGE_IN_PX))
        _write_nodes(painter, theme, nodes, standing, is_struck, tools)
    return places[-1].bottom() if places else area.top()


def _write_nodes(
    painter: QPainter,
    theme: Theme,
    nodes: list[tuple[QRectF, Candidate]],
    standing: Standing,
    is_struck: bool,
    tools: NodeTools,
) -> None:
    """What they would make, and the ranks below."""
    large = tools.texts.of(UI_FONT_PX, is_bold=standing.is_bold, is_struck=is_struck)
    small = tools.texts.of(SMALL_FONT_PX - 1, is_struck=is_struck)
    made, ranks = [], []
    for place, candidate in nodes:
        left, top, width = place.x(), place.y(), place.width()
        shown = large.elided(tools.made(candidate), width - 2 * ROOM_PX)
        made.append((left, width, top + UPPER_TEXT_PX, shown))
        ranks.append((left, width, top + LOWER_TEXT_PX, f"{candidate.rank:,.0f}"))
    painter.setPen(standing.text(theme))
    large.draw_all(painter, made)
    painter.setPen(standing.figure(theme))
    small.draw_all(painter, ranks)


def paint_walk(painter: QPainter, theme: Theme, area: QRectF, shown: Walk) -> None:
    """From the root down, a line for each token on the way; the ways not taken beside it."""
    if not shown.nodes:
        write(painter, area, "No walk at this step.", theme.dim, CENTER)
        return
    n_rows = max(2, int(area.height() // STEP_PX) - 1)
    nodes = shown.nodes[-n_rows:]
    x, y = area.left() + 8, area.top() + STEP_PX / 2
    for number, node in enumerate(nodes):
        is_last = number == len(nodes) - 1
        indent = x + number * INDENT_PX
        painter.setPen(QPen(theme.accent, 2))
        painter.drawLine(QPointF(indent, y - (3 if number else 0)), QPointF(indent, y + STEP_PX / 2))
        painter.drawLine(QPointF(indent, y + STEP_PX / 2), QPointF(indent + INDENT_PX - 6, y + STEP_PX / 2))
        if number == 0:
            painter.setBrush(theme.text)
            painter.drawEllipse(QPointF(indent, y), 4, 4)
        box = QRectF(indent + INDENT_PX - 6, y + 3, area.right() - indent - INDENT_PX, STEP_PX - 6)
        y += STEP_PX
        _paint_walk_node(painter, theme, box, node, is_last)
    if shown.behind:
        painter.setFont(Theme.mono_font(UI_FONT_PX))
        painter.setPen(theme.dim)
        left = x + len(nodes) * INDENT_PX
        row = QRectF(left, y + 2, area.right() - left, STEP_PX - 6)
        text = f"✕ {isolate(shown.behind)}: no longer token"
        metrics = painter.fontMetrics()
        painter.drawText(row, LEFT, metrics.elidedText(text, Qt.TextElideMode.ElideRight, int(row.width())))


def _paint_walk_node(painter: QPainter, theme: Theme, row: QRectF, node: WalkNode, is_taken: bool) -> None:
    standing = Standing.WINNER if is_taken else Standing.OTHER
    font = bold(Theme.mono_font(UI_FONT_PX), standing.is_bold)
    width = min(row.width(), width_of(node.text, font) + 20)
    box = QRectF(row.left(), row.top(), width, row.height())
    paint_box(painter, theme, box, standing)
    write(painter, box, isolate(node.text), standing.text(theme), CENTER, font)
    rest = row.adjusted(width + 8, 0, 0, 0)
    if is_taken:
        paint_badge(painter, theme, QPointF(rest.left() + BADGE_PX / 2, rest.center().y()))
        rest.setLeft(rest.left() + BADGE_PX + 4)
    painter.setFont(Theme.mono_font(SMALL_FONT_PX))
    painter.setPen(standing.figure(theme))
    word = f"{node.token_id} taken" if is_taken else f"{node.token_id}"
    painter.drawText(rest, LEFT, word)
    rest.setLeft(rest.left() + painter.fontMetrics().horizontalAdvance(word) + 14)
    painter.setPen(theme.dim)
    ways = counted(node.n_others, "other way")
    more = f"{ways}: {' '.join(map(isolate, node.others))}" if node.others else "no other way"
    painter.drawText(
        rest, LEFT, painter.fontMetrics().elidedText(more, Qt.TextElideMode.ElideRight, int(rest.width()))
    )
