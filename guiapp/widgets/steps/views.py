"""Live pictures of what an encoder knows at a step: its queue, its lattice, its stack, or the stages."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen

from guiapp.core.explain.visible_text import isolate
from guiapp.core.trace.candidates import Candidate
from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.operations import STAGE_NAMES
from guiapp.core.vocab.token_tree import TokenTree
from guiapp.viewmodels.steps.diagrams import Edge, Lattice, Stack, Try, lattice, stack
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.steps.tree_walk import WALKERS, walk
from guiapp.widgets.shared.painting import CENTER, RIGHT, bold, fill, width_of, write
from guiapp.widgets.shared.rounded_boxes import RoundedBoxes
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme
from guiapp.widgets.steps.candidate_list import paint_candidates
from guiapp.widgets.steps.cards import enlargement
from guiapp.widgets.steps.drawing import Drawing, ZoomedView
from guiapp.widgets.steps.scan_diagram import paint_pairs
from guiapp.widgets.steps.tree_diagrams import NodeTools, paint_heap, paint_walk

ROW_PX = 28
PADDING_PX = 10
LONG_EDGE = 6  # places that an arc of full height spans, at least
BELOW_BASE_PX = 58  # characters and what is known of their places
WORTHS_PX, WORTH_LINE_PX = 30, 14  # where the latter begins, in two lines
ABOVE_ARCS_PX = 22
LEAST_GAP_PX = 5  # between two numbers
TINY_FONT_PX = 10
ROUNDNESS = 0.6  # height of the longest arc by its width, where there is room
LATTICES = ("viterbi", "plamo2", "table", "fewest")
NATURAL_SIZE = QSize(380, 13 * ROW_PX)
QUEUES = ("heap", "scan")
MOST_NODES = 31  # of the heap
UPPER_SHARE = 0.62  # of heap or bars; the list below has the rest
LEAST_UPPER_PX = 170  # where there is so much
EDGE_PX = 2
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

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
        super().__init__("What the encoder knows", drawing)
        self._model = model
        self._boxes = RoundedBoxes()
        model.position_changed.connect(self._follow)
        model.trace_changed.connect(self._follow)
        self._follow_zoom()

    @property
    def title(self) -> str:
        """What the picture shows, in a few words."""
        debugger = self._model.debugger
        if debugger is None:
            return ""
        if not self._is_encoding():
            return "the way of a text"
        if debugger.trace.twin in LATTICES:
            return "the best way to each place"
        if debugger.trace.twin in WALKERS:
            return "the walk down the token tree"
        if debugger.trace.twin not in QUEUES:
            return "what is taken, and what is tried"
        waiting = self._model.waiting
        stale = f", {waiting.n_stale:,} stale" if waiting.n_stale else ""
        noun = "queue" if debugger.trace.twin != "scan" else "pairs"
        is_entering = debugger.trace.operation(debugger.position) == "push"  # and shown as if it had
        return f"{noun}: {waiting.n_live + is_entering:,} could merge{stale}"

    def sizeHint(self) -> QSize:
        return QSize(420, self._zoom.scaled(10 * ROW_PX))

    def _follow_zoom(self) -> None:
        self.setMinimumHeight(self._zoom.scaled(5 * ROW_PX))
        self._follow()

    def _follow(self) -> None:
        self.setAccessibleDescription(self.title)
        self.update()

    def _scale(self) -> float:
        return enlargement(self.size(), NATURAL_SIZE, self._zoom.factor)

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
        if not self._is_encoding():
            current = -1
            if debugger.position < debugger.n_steps:
                current = STAGE_NAMES.index(debugger.trace.stage(debugger.position))
            _paint_stages(painter, theme, area, current)
        elif debugger.trace.twin in LATTICES:
            paint_lattice(painter, theme, area, lattice(debugger))
        elif debugger.trace.twin in QUEUES:
            self._paint_queue(painter, theme, area, debugger)
        elif debugger.trace.twin in WALKERS and self._model.tree is not None:
            self._paint_walk(painter, theme, area, debugger, self._model.tree)
        else:
            _paint_stack(painter, theme, area, _stack_in(area, debugger))

    def _paint_queue(self, painter: QPainter, theme: Theme, area: QRectF, debugger: Debugger) -> None:
        candidates, present = self._queue(debugger)
        if not candidates:
            write(painter, area, "No two neighbours have a rule.", theme.dim, CENTER)
            return
        height = min(max(area.height() * UPPER_SHARE, LEAST_UPPER_PX), area.height() - EDGE_PX)
        room = QRectF(area.left(), area.top() + EDGE_PX, area.width(), height - EDGE_PX)
        made = partial(_made, debugger)
        if debugger.trace.twin == "heap":
            tools = NodeTools(self._texts, self._boxes, self._scale() * self.devicePixelRatio(), made)
            end = paint_heap(painter, theme, room, candidates[:MOST_NODES], present, tools)
        else:
            entries = [(candidate, made(candidate)) for candidate in candidates]
            paint_pairs(painter, theme, room, entries, present, self._texts)
            end = room.bottom()
        top = math.ceil(end) + 2 * PADDING_PX
        below = QRectF(area.left(), top, area.width(), area.bottom() - top)
        paint_candidates(painter, theme, below, candidates, present, self._texts, partial(_pair, debugger))

    def _paint_walk(
        self, painter: QPainter, theme: Theme, area: QRectF, debugger: Debugger, tree: TokenTree
    ) -> None:
        """What is taken so far at the left, the walk to the next token at the right."""
        left = QRectF(area.left(), area.top(), area.width() * 0.26, area.height())
        taken = [entry._replace(verdict="") for entry in _stack_in(area, debugger).taken]
        _paint_entries(painter, theme, left, "taken so far", taken, are_taken=True)
        paint_walk(
            painter, theme, area.adjusted(left.width() + 2 * PADDING_PX, 0, 0, 0), walk(debugger, tree)
        )

    def _queue(self, debugger: Debugger) -> tuple[list[Candidate], tuple[float, ...]]:
        """The pairs in order, the one that enters at this step among them, and which the step is about."""
        columns, step = debugger.trace.columns, debugger.position
        row = int(columns.pushed[step]) if debugger.trace.operation(step) == "stale" else step
        fields = (columns.left, columns.right, columns.result, columns.rank)
        places = (columns.position, columns.right_position, columns.end)
        present = tuple(column[row].item() for column in (*fields, *places))  # as it entered
        candidates = list(self._model.waiting.candidates)
        if debugger.trace.operation(step) == "push":
            bisect.insort(candidates, Candidate(*present), key=lambda entry: (entry.rank, entry.position))
        return candidates, present


def _made(debugger: Debugger, candidate: Candidate) -> str:
    return debugger.teller.label(candidate.result, candidate.position, candidate.end)


def _pair(debugger: Debugger, candidate: Candidate) -> str:
    start, middle, end = candidate.position, candidate.right_position, candidate.end
    parts = (candidate.left, start, middle), (candidate.right, middle, end), (candidate.result, start, end)
    left, right, made = (isolate(debugger.teller.label(*part)) for part in parts)
    return f"{left} + {right} → {made}"


def _paint_stages(painter: QPainter, theme: Theme, area: QRectF, current: int) -> None:
    """The five stages one below the other, the present one marked."""
    height = min(52.0, area.height() / len(STAGE_NAMES))
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
    """As much of the stack as there is room for."""
    return stack(debugger, max(2, int(area.height() // ROW_PX) - 2))


def _paint_stack(painter: QPainter, theme: Theme, area: QRectF, shown: Stack) -> None:
    """At the left the tokens taken so far, at the right what is tried for the next."""
    middle = area.width() * 0.5
    left = QRectF(area.left(), area.top(), middle - 2 * UNIT_PX, area.height())
    right = QRectF(area.left() + middle, area.top(), middle, area.height())
    _paint_entries(painter, theme, left, "taken so far", shown.taken, are_taken=True)
    _paint_entries(painter, theme, right, "tried for the next", shown.tries, are_taken=False)


def _paint_entries(
    painter: QPainter, theme: Theme, area: QRectF, title: str, rows: Sequence[Try], are_taken: bool
) -> None:
    """Tokens in the colours of the text, or those that are tried, the last of them marked."""
    heading = QRectF(area.left(), area.top(), area.width(), 20)
    write(painter, heading, title, theme.dim, font=Theme.ui_font(SMALL_FONT_PX))
    for number, entry in enumerate(rows):
        row = QRectF(area.left(), area.top() + 24 + number * ROW_PX, area.width(), ROW_PX - 4)
        is_now = not are_taken and number == len(rows) - 1
        ground = theme.span_color(number) if are_taken else theme.panel
        fill(painter, row, blend(theme.raised, theme.accent, 0.28) if is_now else ground, 5)
        inner = row.adjusted(PADDING_PX, 0, -PADDING_PX, 0)
        font = bold(Theme.mono_font(UI_FONT_PX), is_now)
        write(painter, inner, isolate(entry.text), theme.text, font=font)
        color = theme.good if entry.verdict == "taken" else theme.dim
        write(painter, inner, entry.verdict, color, RIGHT, Theme.ui_font(SMALL_FONT_PX))


def paint_lattice(painter: QPainter, theme: Theme, area: QRectF, shown: Lattice) -> None:
    """Characters in a row; an arc for the last token of the best way to each place."""
    if not shown.places:
        return
    step = area.width() / max(2, len(shown.places))
    longest = max([LONG_EDGE, *(edge.last - edge.first for edge in shown.edges)])
    highest = area.height() - BELOW_BASE_PX - ABOVE_ARCS_PX
    room = min(highest, longest * step * ROUNDNESS)
    base = area.bottom() - BELOW_BASE_PX - (highest - room) / 2
    arcs = [
        _Arc(edge, area.left() + step * (edge.first + 0.5), area.left() + step * (edge.last + 0.5), base)
        for edge in sorted(shown.edges, key=_importance)
    ]
    for arc in arcs:
        _paint_arc(painter, theme, arc, room, longest)
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
    painter: QPainter, theme: Theme, area: QRectF, shown: Lattice, step: float, base: float
) -> None:
    spans = []
    metrics = QFontMetricsF(Theme.mono_font(TINY_FONT_PX))
    for number, place in enumerate(shown.places):
        x = area.left() + step * (number + 0.5)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.text if place.is_reached or number == 0 else theme.line)
        painter.drawEllipse(QPointF(x, base), 3.2, 3.2)
        if x + step <= area.right():  # else the text goes on out of sight
            below = QRectF(x, base + 6, step, 22)
            write(painter, below, isolate(place.text), theme.text, CENTER, Theme.mono_font(UI_FONT_PX + 1))
        if place.worth:
            half = metrics.horizontalAdvance(place.worth) / 2
            spans.append((x - half, x + half))
    painter.setFont(Theme.mono_font(TINY_FONT_PX))
    painter.setPen(theme.dim)
    worths = [place.worth for place in shown.places if place.worth]
    for worth, (first, last), line in zip(worths, spans, number_lines(spans), strict=True):
        if line is not None:
            top = base + WORTHS_PX + line * WORTH_LINE_PX
            painter.drawText(QRectF(first - 1, top, last - first + 2, WORTH_LINE_PX), CENTER, worth)


class _Arc(NamedTuple):
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
            "now": QPen(theme.accent, 2.6),
            "worse": QPen(theme.accent, 2.0, Qt.PenStyle.DashLine),
        }[self.edge.kind]


def _importance(edge: Edge) -> int:
    return ("way", "chosen", "worse", "now").index(edge.kind)


def _paint_arc(painter: QPainter, theme: Theme, arc: _Arc, room: float, longest: int) -> None:
    top = arc.base - arc.height(room, longest) * 1.3
    path = QPainterPath(QPointF(arc.first, arc.base))
    path.cubicTo(arc.first, top, arc.last, top, arc.last, arc.base)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(arc.pen(theme))
    painter.drawPath(path)


def _paint_arc_labels(painter: QPainter, theme: Theme, arcs: list[_Arc], room: float, longest: int) -> None:
    """The tokens of the arcs, the most important first; one that would lie on another is left out."""
    taken: list[QRectF] = []
    for arc in reversed(arcs):
        font = bold(Theme.mono_font(SMALL_FONT_PX if arc.is_marked else TINY_FONT_PX), arc.is_marked)
        text = isolate(arc.edge.text)
        width = width_of(text, font) + 8
        y = arc.base - arc.height(room, longest) - 9
        box = QRectF((arc.first + arc.last - width) / 2, y, width, 17)
        fits = width <= arc.last - arc.first + 10 and not any(box.intersects(other) for other in taken)
        if arc.is_marked or fits:
            taken.append(box)
            painter.fillRect(box, theme.raised)
            write(painter, box, text, arc.pen(theme).color() if arc.is_marked else theme.dim, CENTER, font)
