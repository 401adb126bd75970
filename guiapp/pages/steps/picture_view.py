"""Live pictures of what an encoder knows at a step: its queue, its lattice, its stack, or the stages."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPen

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.replay import Candidate
from guiapp.analysis.trace.trace import STAGE_NAMES
from guiapp.core.text.numbers_in_words import counted
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.vocabulary import TokenTree
from guiapp.kit.widgets.event_filters import TipWatch, wrapped_tip
from guiapp.kit.widgets.painting import CENTER, LEFT, RIGHT, WRAP, RoundedBoxes, bold, fill, width_of, write
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, blend
from guiapp.pages.steps.cards import DrawingContext, ZoomedView, enlargement
from guiapp.pages.steps.flow import (
    VERDICTS,
    WALKERS,
    MatchedPath,
    Stack,
    TriedToken,
    WalkNode,
    caption,
    explanation,
    lattice,
    matched_path,
    stack,
    step_back,
    step_on,
)
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.picture_painting import (
    BADGE_PX,
    CandidateStatus,
    Entry,
    NodeTools,
    paint_badge,
    paint_box,
    paint_candidates,
    paint_lattice,
    paint_pairs,
    standings,
)

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
ROW_PX = 28
PADDING_PX = 10
LATTICES = ("viterbi", "plamo2", "table", "fewest")
NATURAL_SIZE = QSize(380, 13 * ROW_PX)
QUEUES = ("heap", "scan")
MOST_NODES = 31  # of the heap
UPPER_SHARE = 0.62  # of heap or bars; the list below has the rest
LEAST_UPPER_PX = 170  # where there is so much
EDGE_PX = 2
LEAST_BELOW_CAPTION_PX = 200
TAKEN, TRIED = "taken so far", "tried for the next"
STAGE_MEANINGS = (
    "special tokens are cut out",
    "text is rewritten, as the file asks",
    "text falls into pieces",
    "each piece becomes tokens",
    "tokens are put around the whole",
)


class PictureView(ZoomedView):
    """Chooses the picture that fits the encoder and the stage, and paints it."""

    ground = "raised"

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__("What the encoder knows", drawing)
        TipWatch(self, self._tip)
        self._model = model
        self._boxes = RoundedBoxes()
        self._caption_for, self._caption_px = ("", 0.0), 0.0  # its words and their width
        self._caption_font = Theme.ui_font(SMALL_FONT_PX)
        model.position_changed.connect(self._refresh)
        model.trace_changed.connect(self._refresh)
        self._on_zoom_changed()

    @property
    def title(self) -> str:
        debugger = self._model.debugger
        if debugger is None:
            return ""
        if not self._is_encoding():
            return "the way of a text"
        if debugger.trace.reference_name in LATTICES:
            return "the best way to each place"
        if debugger.trace.reference_name in WALKERS:
            return "the walk down the token tree"
        if debugger.trace.reference_name not in QUEUES:
            return "what is taken, and what is tried"
        waiting = self._model.waiting
        stale = f", {waiting.n_stale:,} stale" if waiting.n_stale else ""
        noun = "queue" if debugger.trace.reference_name != "scan" else "pairs"
        is_entering = debugger.trace.operation(debugger.position) == "push"  # and shown as if it had
        return f"{noun}: {waiting.n_live + is_entering:,} could merge{stale}"

    def sizeHint(self) -> QSize:
        return QSize(420, self._zoom.scaled(10 * ROW_PX))

    def _on_zoom_changed(self) -> None:
        self.setMinimumHeight(self._zoom.scaled(5 * ROW_PX))
        self._refresh()

    def _refresh(self) -> None:
        self.setAccessibleDescription(self.title)
        self.update()

    def _scale(self) -> float:
        return enlargement(self.size(), NATURAL_SIZE, self._zoom.factor)

    def _tip(self, _: QPoint) -> str:
        if (debugger := self._model.debugger) is None:
            return ""
        size = self._model.granularity
        told = (
            explanation(debugger),
            f"Step on: {step_on(debugger, size)}",
            f"Step back: {step_back(debugger, size)}",
        )
        return wrapped_tip("\n\n".join(told))

    def _is_encoding(self) -> bool:
        debugger = self._model.debugger
        return debugger is not None and debugger.trace.piece_at(debugger.position) >= 0

    def paint(self, painter: QPainter, theme: Theme) -> None:
        debugger = self._model.debugger
        if debugger is None:
            return
        scale = self._scale()
        painter.scale(scale, scale)
        area = QRectF(0, 0, self.width() / scale, self.height() / scale)
        area.setTop(self._paint_caption(painter, theme, area, caption(debugger)))
        if not self._is_encoding():
            current = -1
            if debugger.position < debugger.n_steps:
                current = STAGE_NAMES.index(debugger.trace.stage(debugger.position))
            _paint_stages(painter, theme, area, current)
        elif debugger.trace.reference_name in LATTICES:
            paint_lattice(painter, theme, area, lattice(debugger))
        elif debugger.trace.reference_name in QUEUES:
            self._paint_queue(painter, theme, area, debugger)
        elif debugger.trace.reference_name in WALKERS and self._model.tree is not None:
            self._paint_walk(painter, theme, area, debugger, self._model.tree)
        else:
            _paint_stack(painter, theme, area, _stack_in(area, debugger))

    def _paint_caption(self, painter: QPainter, theme: Theme, area: QRectF, text: str) -> float:
        """What there is to see, at the top where there is room; return where the picture begins.

        It is laid out once: it stays the same for many steps.
        """
        if self._caption_for != (text, area.width()):
            font = Theme.ui_font(SMALL_FONT_PX)
            needed = QFontMetricsF(font).boundingRect(area, int(LEFT | WRAP), text).height()
            self._caption_for, self._caption_font, self._caption_px = (text, area.width()), font, needed
        if area.height() < LEAST_BELOW_CAPTION_PX + self._caption_px:
            return area.top()
        place = QRectF(area.left(), area.top(), area.width(), self._caption_px)
        write(painter, place, text, theme.dim, LEFT | WRAP, self._caption_font)
        return area.top() + math.ceil(self._caption_px) + UNIT_PX

    def _paint_queue(self, painter: QPainter, theme: Theme, area: QRectF, debugger: Debugger) -> None:
        entries = self._queue(debugger)
        if not entries:
            write(painter, area, "No two neighbours have a rule.", theme.dim, CENTER)
            return
        height = min(max(area.height() * UPPER_SHARE, LEAST_UPPER_PX), area.height() - EDGE_PX)
        room = QRectF(area.left(), area.top() + EDGE_PX, area.width(), height - EDGE_PX)
        made = partial(_made, debugger)
        tools = NodeTools(self._texts, self._boxes, self._scale() * self.devicePixelRatio(), made)
        if debugger.trace.reference_name == "heap":
            end = paint_heap(painter, theme, room, entries[:MOST_NODES], tools)
        else:
            paint_pairs(painter, theme, room, entries, tools)
            end = room.bottom()
        top = math.ceil(end) + 2 * UNIT_PX
        below = QRectF(area.left(), top, area.width(), area.bottom() - top)
        paint_candidates(painter, theme, below, entries, tools, partial(_pair, debugger))

    def _paint_walk(
        self, painter: QPainter, theme: Theme, area: QRectF, debugger: Debugger, tree: TokenTree
    ) -> None:
        """What is taken so far at the left, the walk to the next token at the right."""
        left = QRectF(area.left(), area.top(), area.width() * 0.26, area.height())
        taken = [entry._replace(verdict="") for entry in _stack_in(area, debugger).taken]
        _paint_entries(painter, theme, left, TAKEN, taken, are_taken=True)
        paint_walk(
            painter,
            theme,
            area.adjusted(left.width() + 2 * PADDING_PX, 0, 0, 0),
            matched_path(debugger, tree),
        )

    def _queue(self, debugger: Debugger) -> list[Entry]:
        """The pairs in order, the one that enters at this step among them, and which the step is about."""
        columns, step = debugger.trace.columns, debugger.position
        row = int(columns.pushed[step]) if debugger.trace.operation(step) == "stale" else step
        fields = (columns.left, columns.right, columns.result, columns.rank)
        places = (columns.position, columns.right_position, columns.end)
        present = tuple(column[row].item() for column in (*fields, *places))  # as it entered
        candidates = list(self._model.waiting.candidates)
        if debugger.trace.operation(step) == "push":
            bisect.insort(candidates, Candidate(*present), key=lambda entry: (entry.rank, entry.position))
        return standings(candidates, present)


def _made(debugger: Debugger, candidate: Candidate) -> str:
    return debugger.describer.label(candidate.result, candidate.position, candidate.end)


def _pair(debugger: Debugger, candidate: Candidate) -> str:
    start, middle, end = candidate.position, candidate.right_position, candidate.end
    parts = (candidate.left, start, middle), (candidate.right, middle, end), (candidate.result, start, end)
    left, right, made = (isolate(debugger.describer.label(*part)) for part in parts)
    return f"{left} + {right} → {made}"


def _paint_stages(painter: QPainter, theme: Theme, area: QRectF, current: int) -> None:
    height = min(52, area.height() // len(STAGE_NAMES))
    for number, name in enumerate(STAGE_NAMES):
        row = QRectF(area.left(), area.top() + number * height, area.width(), height - 8)
        is_now, is_over = number == current, current < 0 or number < current
        fill(painter, row, blend(theme.raised, theme.accent, 0.28) if is_now else theme.panel, 5)
        inner = row.adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        color = theme.text if is_now or is_over else theme.dim
        font = bold(Theme.ui_font(UI_FONT_PX), is_now)
        write(painter, inner, f"{'✓ ' if is_over else ''}{name}", color, font=font)
        painter.setFont(Theme.ui_font(SMALL_FONT_PX))
        painter.setPen(theme.dim)
        name_px = painter.fontMetrics().horizontalAdvance(f"✓ {name}") + 2 * PADDING_PX
        if name_px + painter.fontMetrics().horizontalAdvance(STAGE_MEANINGS[number]) < inner.width():
            painter.drawText(inner, RIGHT, STAGE_MEANINGS[number])


def _stack_in(area: QRectF, debugger: Debugger) -> Stack:
    return stack(debugger, max(2, int(area.height() // ROW_PX) - 2))


def _paint_stack(painter: QPainter, theme: Theme, area: QRectF, shown: Stack) -> None:
    """At the left the tokens taken so far, at the right what is tried for the next."""
    middle = area.width() * 0.5
    left = QRectF(area.left(), area.top(), middle - 2 * UNIT_PX, area.height())
    right = QRectF(area.left() + middle, area.top(), middle, area.height())
    _paint_entries(painter, theme, left, TAKEN, shown.taken, are_taken=True)
    _paint_entries(painter, theme, right, TRIED, shown.tries, are_taken=False)


def _paint_entries(
    painter: QPainter, theme: Theme, area: QRectF, title: str, rows: Sequence[TriedToken], are_taken: bool
) -> None:
    """Tokens in the colours of the text, or those that are tried: the last one now, or as the winner."""
    heading = QRectF(area.left(), area.top(), area.width(), 20)
    write(painter, heading, title, theme.dim, font=Theme.ui_font(SMALL_FONT_PX))
    for number, entry in enumerate(rows):
        row = QRectF(area.left(), area.top() + 24 + number * ROW_PX, area.width(), ROW_PX - 4)
        inner = row.adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        if are_taken:
            fill(painter, row, theme.span_color(number), 5)
            write(painter, inner, isolate(entry.text), theme.span_text, font=Theme.mono_font(UI_FONT_PX))
        else:
            standing = _standing(entry, is_last=number == len(rows) - 1)
            paint_box(painter, theme, row, standing, 5)
            if standing is CandidateStatus.WINNER:
                paint_badge(painter, theme, QPointF(inner.left() + BADGE_PX / 2, row.center().y()))
            font = bold(Theme.mono_font(UI_FONT_PX), standing.is_bold)
            beside = inner.adjusted(BADGE_PX + UNIT_PX, 0, 0, 0)
            write(painter, beside, isolate(entry.text), standing.text(theme), font=font)
        write(painter, inner, entry.verdict, theme.dim, RIGHT, Theme.ui_font(SMALL_FONT_PX))


def _standing(entry: TriedToken, is_last: bool) -> CandidateStatus:
    if not is_last:
        return CandidateStatus.OTHER
    return CandidateStatus.WINNER if entry.verdict == VERDICTS["take"] else CandidateStatus.NOW


def heap_levels(n_entries: int, width: float, height: float) -> int:
    """How many levels of the heap there is room for, at least one."""
    by_height = int((height + LEVEL_GAP_PX) // (NODE_PX + LEVEL_GAP_PX))
    by_width = 1
    while by_width < MOST_LEVELS and width / (1 << by_width) >= NARROWEST_NODE_PX:
        by_width += 1
    return max(1, min(by_height, by_width, n_entries.bit_length()))


def arrange_heap(n_entries: int, area: QRectF) -> list[QRectF]:
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
    places = arrange_heap(len(entries), area)
    painter.setPen(QPen(blend(theme.raised, theme.dim, 0.5), 1.2))
    for index in range(1, len(places)):
        above = places[(index - 1) // 2]
        below = places[index]
        painter.drawLine(
            QPointF(above.center().x(), above.bottom()), QPointF(below.center().x(), below.top())
        )
    kinds: dict[tuple[CandidateStatus, bool], list[tuple[QRectF, Candidate]]] = {}
    for place, (candidate, standing) in zip(places, entries, strict=False):
        kinds.setdefault((standing, candidate.is_stale), []).append((place, candidate))
    for (standing, is_struck), nodes in kinds.items():
        box_style = standing.box_style(theme)
        for place, _ in nodes:
            tools.boxes.draw(painter, place, box_style, tools.ratio)
            if standing is CandidateStatus.WINNER:
                paint_badge(painter, theme, place.topLeft() + QPointF(BADGE_IN_PX, BADGE_IN_PX))
        _write_nodes(painter, theme, nodes, standing, is_struck, tools)
    return places[-1].bottom() if places else area.top()


def _write_nodes(
    painter: QPainter,
    theme: Theme,
    nodes: list[tuple[QRectF, Candidate]],
    standing: CandidateStatus,
    is_struck: bool,
    tools: NodeTools,
) -> None:
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


def paint_walk(painter: QPainter, theme: Theme, area: QRectF, shown: MatchedPath) -> None:
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
    if shown.text_after:
        left = x + len(nodes) * INDENT_PX
        row = QRectF(left, y + 2, area.right() - left, STEP_PX - 6)
        text = f"✕ {isolate(shown.text_after)}: no longer token"
        painter.setFont(Theme.mono_font(UI_FONT_PX))
        _write_elided(painter, row, text, theme.dim)


def _paint_walk_node(painter: QPainter, theme: Theme, row: QRectF, node: WalkNode, is_taken: bool) -> None:
    standing = CandidateStatus.WINNER if is_taken else CandidateStatus.OTHER
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
    ways = counted(node.n_others, "other way")
    more = f"{ways}: {' '.join(map(isolate, node.others))}" if node.others else "no other way"
    _write_elided(painter, rest, more, theme.dim)


def _write_elided(painter: QPainter, row: QRectF, text: str, color: QColor) -> None:
    painter.setPen(color)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(row.width()))
    painter.drawText(row, LEFT, shown)
