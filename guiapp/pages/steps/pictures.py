"""Live pictures of an encoder's state at a step: its queue, its lattice, its stack, or the stages."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainterPath, QPen

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.pseudo_code import STAGES
from guiapp.analysis.trace.replay import Candidate
from guiapp.analysis.trace.trace import STAGE_NAMES
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.widgets.event_filters import TipWatch, wrapped_tip
from guiapp.kit.widgets.painting import LEFT as AT_LEFT
from guiapp.kit.widgets.painting import WRAP, write
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, Theme, blend
from guiapp.pages.steps.canvas import (
    BADGE_PX,
    CENTER,
    PADDING_PX,
    ROW_GAP_PX,
    ROW_PX,
    SCALE_FONT_PX,
    SCALE_PX,
    BarScale,
    CandidateRow,
    CandidateStatus,
    StepCanvas,
    text_width,
)
from guiapp.pages.steps.cards import DrawingContext, ZoomedView
from guiapp.pages.steps.flow import (
    VERDICTS,
    WALKERS,
    Edge,
    LatticeNode,
    MatchedPath,
    TriedToken,
    WalkNode,
    caption,
    explanation,
    lattice,
    matched_path,
    stack,
)
from guiapp.pages.steps.model import StepsModel

LATTICES = ("viterbi", "plamo2", "table", "fewest")
QUEUES = ("heap", "scan")
LEAST_BELOW_CAPTION_PX = 200
TAKEN, TRIED = "taken so far", "tried next"
TAKEN_SHARE = 0.26  # of the width, left of a walk
# The heap
MOST_NODES, MOST_LEVELS = 31, 5
NODE_PX, LEVEL_GAP_PX = 40, 16
NARROWEST_NODE_PX, WIDEST_NODE_PX = 54, 150
UPPER_SHARE, LEAST_UPPER_PX = 0.62, 170  # the list below takes the rest
# The walk
STEP_PX, INDENT_PX = 30, 20
# The lattice
LONG_EDGE = 6  # positions that an arc of full height spans, at least
BELOW_BASE_PX, ABOVE_ARCS_PX = 58, 22  # characters, and the values of their positions
WORTHS_PX, WORTH_LINE_PX = 30, 14  # top of the values, and height of each of their two lines
LEAST_GAP_PX = 5  # between two numbers
ROUNDNESS = 0.6  # height of the longest arc by its width, if there is room
NODE_RADIUS_PX, HEAD_PX = 3.2, 4.5  # of a position; half the width of an arrow's head
ARC_LABEL_PX = 18
KINDS = ("way", "chosen", "worse", "now")  # of arcs, the most important last
WINNERS = ("chosen", "now")


class PictureView(ZoomedView):
    """Paints the picture that suits the encoder and the stage."""

    natural, usual, least_px = QSize(380, 13 * ROW_PX), QSize(420, 10 * ROW_PX), 3 * ROW_PX + SCALE_PX

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__("State of the encoder", drawing)
        TipWatch(self, self._tip)
        self._model = model
        model.position_changed.connect(self._refresh)
        model.trace_changed.connect(self._refresh)
        self._on_zoom_changed()
        self._refresh()

    @property
    def title(self) -> str:
        debugger = self._model.debugger
        if debugger is None:
            return ""
        name = debugger.trace.reference_name
        if not self._is_encoding():
            return "the stages of encoding"
        if name in LATTICES:
            return "the best path to each position"
        if name in WALKERS:
            return "the walk down the token tree"
        if name not in QUEUES:
            return "tokens taken, and tokens tried"
        waiting = self._model.waiting
        stale = f", {waiting.n_stale:,} stale" if waiting.n_stale else ""
        is_entering = debugger.trace.operation(debugger.position) == "push"  # shown as if it had entered
        noun = "queue" if name != "scan" else "pairs"
        return f"{noun}: {waiting.n_live + is_entering:,} could merge{stale}"

    def _refresh(self) -> None:
        self.setAccessibleDescription(self.title)
        self.update()

    def _tip(self, _: QPoint) -> str:
        debugger = self._model.debugger
        return "" if debugger is None else wrapped_tip(explanation(debugger))

    def _is_encoding(self) -> bool:
        debugger = self._model.debugger
        return debugger is not None and debugger.trace.piece_at(debugger.position) >= 0

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        debugger = self._model.debugger
        if debugger is None:
            return
        area.setTop(_draw_caption(canvas, area, caption(debugger)))
        name, tree = debugger.trace.reference_name, self._model.tree
        if not self._is_encoding():
            canvas.rows(area, stage_rows(debugger))
        elif name in LATTICES:
            _LatticePicture(canvas, area, debugger).draw()
        elif name in QUEUES:
            entries = self._queue(debugger)
            if entries:
                _draw_queue(canvas, area, debugger, entries)
            else:
                canvas.message(area, "No merge rule fits two neighbours.")
        elif name in WALKERS and tree is not None:
            left = QRectF(area.left(), area.top(), area.width() * TAKEN_SHARE, area.height())
            canvas.rows(left, _taken_rows(canvas.theme, area, debugger, has_worth=False), TAKEN)
            _draw_walk(
                canvas, area.adjusted(left.width() + 2 * GAP_PX, 0, 0, 0), matched_path(debugger, tree)
            )
        else:
            half = area.width() / 2 - GAP_PX
            canvas.rows(
                QRectF(area.left(), area.top(), half, area.height()),
                _taken_rows(canvas.theme, area, debugger),
                TAKEN,
            )
            tries = stack(debugger, _n_rows(area)).tries
            rows = [tried_row(entry, is_last=entry is tries[-1]) for entry in tries]
            canvas.rows(area.adjusted(half + 2 * GAP_PX, 0, 0, 0), rows, TRIED)

    def _queue(self, debugger: Debugger) -> list[Entry]:
        """The pairs in order with their status, including a pair that enters at this step."""
        columns, step = debugger.trace.columns, debugger.position
        row = int(columns.pushed[step]) if debugger.trace.operation(step) == "stale" else step
        fields = (columns.left, columns.right, columns.result, columns.rank)
        offsets = (columns.position, columns.right_position, columns.end)
        present = tuple(
            column[row].item() for column in (*fields, *offsets)
        )  # the step's pair, as it entered
        candidates = list(self._model.waiting.candidates)
        if debugger.trace.operation(step) == "push":
            bisect.insort(candidates, Candidate(*present), key=lambda entry: (entry.rank, entry.position))
        return standings(candidates, present)


def _draw_caption(canvas: StepCanvas, area: QRectF, text: str) -> float:
    """Draw the caption at the top if there is room; return the top of the picture."""
    height = _caption_px(text, area.width())
    if area.height() < LEAST_BELOW_CAPTION_PX + height:
        return area.top()
    rect = QRectF(area.left(), area.top(), area.width(), height)
    font = Theme.ui_font(SMALL_FONT_PX)
    write(canvas.painter, rect, text, canvas.theme.dim, AT_LEFT | WRAP, font)
    return area.top() + math.ceil(height) + UNIT_PX


@lru_cache
def _caption_px(text: str, width: float) -> float:
    """Height of a caption; cached, as it stays the same for many steps."""
    metrics = QFontMetricsF(Theme.ui_font(SMALL_FONT_PX))
    return metrics.boundingRect(QRectF(0, 0, width, 1000), int(AT_LEFT | WRAP), text).height()


def stage_rows(debugger: Debugger) -> list[CandidateRow]:
    """The stages, with ticks on the finished ones."""
    current = len(STAGE_NAMES)
    if debugger.position < debugger.n_steps:
        current = STAGE_NAMES.index(debugger.trace.stage(debugger.position))
    stages = zip(STAGE_NAMES, STAGES.lines, strict=True)
    return [
        CandidateRow(
            f"✓ {name}" if number < current else name,
            meaning,
            CandidateStatus.NOW if number == current else CandidateStatus.OTHER,
        )
        for number, (name, meaning) in enumerate(stages)
    ]


# Tokens taken one by one


def _n_rows(area: QRectF) -> int:
    return max(2, int(area.height() // ROW_PX) - 1)


def _taken_rows(theme: Theme, area: QRectF, debugger: Debugger, has_worth: bool = True) -> list[CandidateRow]:
    """Rows of the tokens taken so far, in the colours of the text."""
    taken = stack(debugger, _n_rows(area)).taken
    return [
        CandidateRow(entry.text, entry.verdict * has_worth, ground=theme.span_color(number))
        for number, entry in enumerate(taken)
    ]


def tried_row(entry: TriedToken, is_last: bool) -> CandidateRow:
    """A token that was tried: the last one is being examined, or wins."""
    status = CandidateStatus.OTHER
    if is_last:
        status = CandidateStatus.WINNER if entry.verdict == VERDICTS["take"] else CandidateStatus.NOW
    return CandidateRow(entry.text, entry.verdict, status)


def _draw_walk(canvas: StepCanvas, area: QRectF, shown: MatchedPath) -> None:
    """Draw a line for each token on the path, from the root down, with the branches not taken next to it."""
    if not shown.nodes:
        canvas.message(area, "This step does not go down the tree.")
        return
    theme, pen = canvas.theme, QPen(canvas.theme.accent, 2)
    nodes = shown.nodes[-max(2, int(area.height() // STEP_PX) - 1) :]
    x, y = area.left() + GAP_PX, area.top() + STEP_PX / 2
    for number, node in enumerate(nodes):
        indent, below = x + number * INDENT_PX, y + STEP_PX / 2
        start, end = QPointF(indent, y - (3 if number else 0)), QPointF(indent + INDENT_PX - 6, below)
        canvas.line(pen, start, QPointF(indent, below), end)
        if number == 0:
            canvas.disc(QPointF(indent, y), 4, theme.text)
        row = QRectF(end.x(), y + 3, area.right() - end.x(), STEP_PX - 6)
        _draw_walk_node(canvas, row, node, is_taken=number == len(nodes) - 1)
        y += STEP_PX
    if shown.text_after:
        left = x + len(nodes) * INDENT_PX
        row = QRectF(left, y + 2, area.right() - left, STEP_PX - 6)
        canvas.write(row, f"✕ {shown.text_after}: no token continues", theme.dim)


def _draw_walk_node(canvas: StepCanvas, row: QRectF, node: WalkNode, is_taken: bool) -> None:
    status = CandidateStatus.WINNER if is_taken else CandidateStatus.OTHER
    width = min(row.width(), text_width(node.text, is_bold=is_taken) + 20)
    box = QRectF(row.left(), row.top(), width, row.height())
    canvas.status_box(box, status)
    canvas.write(box, node.text, status.text(canvas.theme), CENTER, is_bold=is_taken)
    rest = row.adjusted(width + GAP_PX, 0, 0, 0)
    if is_taken:
        canvas.badge(QPointF(rest.left() + BADGE_PX / 2, rest.center().y()))
        rest.setLeft(rest.left() + BADGE_PX + UNIT_PX)
    word = f"id {node.token_id} taken" if is_taken else f"id {node.token_id}"
    width = canvas.write(rest, word, status.figure(canvas.theme), size_px=SMALL_FONT_PX)
    rest.setLeft(rest.left() + width + PADDING_PX)
    others = f"{counted(node.n_others, 'other token')}: {' '.join(node.others)}"
    text = others if node.others else "no other token"
    canvas.write(rest, text, canvas.theme.dim, size_px=SMALL_FONT_PX)


# Pairs that compete


class Entry(NamedTuple):
    """A pair that could merge, and its status at this step."""

    candidate: Candidate
    status: CandidateStatus


def standings(candidates: Sequence[Candidate], present: tuple[float, ...]) -> list[Entry]:
    """Entries for the candidates: the first that can still merge wins; `present` is the pair of this step."""
    winner = next((at for at, candidate in enumerate(candidates) if not candidate.is_stale), -1)
    entries = []
    for at, candidate in enumerate(candidates):
        status = CandidateStatus.OUT if candidate.is_stale else CandidateStatus.OTHER
        if candidate[:7] == present:
            status = CandidateStatus.NOW
        entries.append(Entry(candidate, CandidateStatus.WINNER if at == winner else status))
    return entries


def shown_pairs(entries: Sequence[Entry], n_shown: int) -> list[Entry]:
    """The pairs in text order; if there is no room for all, those around the winner."""
    ordered = sorted(entries, key=lambda entry: entry.candidate.position)
    at = next((at for at, entry in enumerate(ordered) if entry.status is CandidateStatus.WINNER), 0)
    first = max(0, min(at - n_shown // 2, len(ordered) - n_shown))
    return ordered[first : first + n_shown]


def _draw_queue(canvas: StepCanvas, area: QRectF, debugger: Debugger, entries: list[Entry]) -> None:
    """Draw a heap and a list below it; for `scan`, which has no queue, a list in text order.

    The scale has the same position and range at all steps.
    """
    label = debugger.describer.label
    scale = BarScale(float(np.fmax.reduce(debugger.trace.columns.rank, initial=1.0)), True)
    n_all, top = len(entries), area.top()
    if debugger.trace.reference_name == "heap":
        height = min(max(area.height() * UPPER_SHARE, LEAST_UPPER_PX), area.height())
        _draw_heap(
            canvas, QRectF(area.topLeft(), QSizeF(area.width(), height)), entries[:MOST_NODES], debugger
        )
        top += heap_levels(height, MOST_LEVELS) * (NODE_PX + LEVEL_GAP_PX) - LEVEL_GAP_PX + UNIT_PX
    list_area = QRectF(area.left(), top + SCALE_PX, area.width(), area.bottom() - SCALE_PX - top)
    n_rows = int((list_area.height() + ROW_GAP_PX) // ROW_PX)
    if n_rows < 1:
        return
    if debugger.trace.reference_name != "heap":
        entries = shown_pairs(entries, n_rows)
    rows = []
    for pair, status in entries:
        start, middle, end = pair.position, pair.right_position, pair.end
        parts = (pair.left, start, middle), (pair.right, middle, end), (pair.result, start, end)
        left, right, made = (label(*part) for part in parts)
        share = scale.share(pair.rank)
        rows.append(CandidateRow(f"{left} + {right} → {made}", f"rank {pair.rank:,.0f}", status, share=share))
    canvas.rows(list_area, rows)
    part = f"{n_rows} of {n_all:,} · " if n_rows < n_all else ""
    canvas.scale(QRectF(area.left(), top, area.width(), SCALE_PX), scale, f"{part}rank, logarithmic")


def heap_levels(height: float, n_most: int) -> int:
    """The number of levels that there is room for."""
    return max(1, min(int((height + LEVEL_GAP_PX) // (NODE_PX + LEVEL_GAP_PX)), n_most))


def arrange_heap(n_entries: int, area: QRectF) -> list[QRectF]:
    """A rectangle for each of the first entries: entry i is above entries 2i + 1 and 2i + 2."""
    by_width = int(math.log2(max(1.0, area.width() / NARROWEST_NODE_PX))) + 1
    levels = max(1, min(heap_levels(area.height(), MOST_LEVELS), by_width, n_entries.bit_length()))
    rects = []
    for index in range(min(n_entries, (1 << levels) - 1)):
        level = (index + 1).bit_length() - 1
        column = area.width() / (1 << level)
        width = min(WIDEST_NODE_PX, column - 6)
        x = area.left() + column * (index + 1.5 - (1 << level)) - width / 2
        rects.append(QRectF(x, area.top() + level * (NODE_PX + LEVEL_GAP_PX), width, NODE_PX))
    return rects


def _draw_heap(canvas: StepCanvas, area: QRectF, entries: Sequence[Entry], debugger: Debugger) -> None:
    """Draw the best candidates, each with the token that it would make."""
    theme, rects = canvas.theme, arrange_heap(len(entries), area)
    pen = QPen(blend(theme.raised, theme.dim, 0.5), 1.2)
    for index, rect in enumerate(rects[1:], 1):
        above = rects[(index - 1) // 2]
        canvas.line(pen, QPointF(above.center().x(), above.bottom()), QPointF(rect.center().x(), rect.top()))
    for rect, (pair, status) in zip(rects, entries, strict=False):
        is_winner, is_out = status is CandidateStatus.WINNER, pair.is_stale
        canvas.status_box(rect, status)
        made = debugger.describer.label(pair.result, pair.position, pair.end)
        upper, lower = rect.adjusted(4, 3, -4, -NODE_PX / 2 + 1), rect.adjusted(4, NODE_PX / 2, -4, -5)
        canvas.write(upper, made, status.text(theme), CENTER, is_bold=is_winner, is_struck=is_out)
        rank = f"rank {pair.rank:,.0f}"
        canvas.write(lower, rank, status.figure(theme), CENTER, SMALL_FONT_PX - 1, is_struck=is_out)
        if is_winner:
            canvas.badge(rect.topLeft() + QPointF(6, 6))


# The best paths to positions


def number_lines(spans: list[tuple[float, float]]) -> list[int | None]:
    """Which of two lines each number goes into, given its left and right edge; None if neither has room."""
    ends = [-math.inf, -math.inf]
    lines = []
    for first, last in spans:
        line = next((line for line, end in enumerate(ends) if first >= end + LEAST_GAP_PX), None)
        if line is not None:
            ends[line] = last
        lines.append(line)
    return lines


def arc_pen(theme: Theme, kind: str) -> QPen:
    return {
        "way": QPen(blend(theme.raised, theme.dim, 0.55), 1.2),
        "chosen": QPen(theme.good, 2.4),
        "now": QPen(theme.accent, 3.0),
        "worse": QPen(theme.accent, 1.6, Qt.PenStyle.DotLine),
    }[kind]


def draw_arc(canvas: StepCanvas, edge: Edge, start: QPointF, end: QPointF, height: float) -> None:
    """Draw a token between two positions; an arrow shows the direction of the step or of the best path."""
    pen, rise = arc_pen(canvas.theme, edge.kind), QPointF(0, height * 1.3)
    path = QPainterPath(start)
    path.cubicTo(start - rise, end - rise, end)
    canvas.painter.strokePath(path, pen)
    if edge.kind != "way":
        tip = (start if edge.is_left else end) - QPointF(0, NODE_RADIUS_PX)
        head = QPainterPath(tip)
        head.lineTo(tip + QPointF(-HEAD_PX, -2 * HEAD_PX))
        head.lineTo(tip + QPointF(HEAD_PX, -2 * HEAD_PX))
        head.closeSubpath()
        canvas.painter.fillPath(head, pen.color())


class _LatticePicture:
    """Characters in a row, and an arc for the last token of the best path to each position."""

    def __init__(self, canvas: StepCanvas, area: QRectF, debugger: Debugger) -> None:
        self._canvas, self._area = canvas, area
        shown = lattice(debugger)
        self._nodes = shown.nodes
        self._edges = sorted(shown.edges, key=lambda edge: KINDS.index(edge.kind))
        self._step_px = area.width() / max(2, len(shown.nodes))
        self._longest = max([LONG_EDGE, *(edge.last - edge.first for edge in shown.edges)])
        highest = area.height() - BELOW_BASE_PX - ABOVE_ARCS_PX
        self._room = min(highest, self._longest * self._step_px * ROUNDNESS)
        self._base = area.bottom() - BELOW_BASE_PX - (highest - self._room) / 2

    def draw(self) -> None:
        for edge in self._edges:
            start, end = self._point(edge.first), self._point(edge.last)
            draw_arc(self._canvas, edge, start, end, self._height(edge))
        self._draw_labels()
        for number, node in enumerate(self._nodes):
            self._draw_node(self._point(number), node, number == 0)
        self._draw_worths()

    def _point(self, number: int) -> QPointF:
        return QPointF(self._area.left() + self._step_px * (number + 0.5), self._base)

    def _height(self, edge: Edge) -> float:
        return self._room * (0.25 + 0.75 * (edge.last - edge.first) / self._longest)

    def _draw_labels(self) -> None:
        """Draw the tokens of the arcs, the most important first; skip unmarked ones that would overlap.

        Winners are in a box with a badge.
        """
        canvas, theme, taken = self._canvas, self._canvas.theme, list[QRectF]()
        for edge in reversed(self._edges):
            is_winner, is_marked = edge.kind in WINNERS, edge.kind != "way"
            size_px = SMALL_FONT_PX if is_marked else SCALE_FONT_PX
            width = text_width(edge.text, size_px, is_winner) + (BADGE_PX + 12 if is_winner else 8)
            first, last = self._point(edge.first), self._point(edge.last)
            box = QRectF(0, self._base - self._height(edge) - 9, width, ARC_LABEL_PX)
            box.moveLeft((first.x() + last.x() - width) / 2)
            fits = width <= last.x() - first.x() + 10 and not any(map(box.intersects, taken))
            if not is_marked and not fits:
                continue
            taken.append(box)
            canvas.painter.fillRect(box, theme.raised)
            if is_winner:
                canvas.status_box(box, CandidateStatus.WINNER)
                canvas.badge(QPointF(box.left() + BADGE_PX / 2 + 3, box.center().y()))
                box = box.adjusted(BADGE_PX + 4, 0, 0, 0)
            color = theme.text if is_marked else theme.dim
            canvas.write(box, edge.text, color, CENTER, size_px, is_bold=is_winner)

    def _draw_node(self, point: QPointF, node: LatticeNode, is_first: bool) -> None:
        theme, step_px = self._canvas.theme, self._step_px
        self._canvas.disc(point, NODE_RADIUS_PX, theme.text if node.is_reached or is_first else theme.line)
        if point.x() + step_px <= self._area.right():  # else the text continues past the edge
            below = QRectF(point.x(), self._base + 6, step_px, 22)
            self._canvas.write(below, node.text, None, CENTER, UI_FONT_PX + 1)

    def _draw_worths(self) -> None:
        """Draw the values below the positions, in two lines; those without room are left out."""
        worths, spans = [], []
        for number, node in enumerate(self._nodes):
            if node.worth:
                width = text_width(node.worth, SCALE_FONT_PX)
                left = min(self._point(number).x() - width / 2, self._area.right() - width - 1)
                worths.append(node.worth)
                spans.append((left, left + width))
        for worth, (left, right), line in zip(worths, spans, number_lines(spans), strict=True):
            if line is not None:
                top = self._base + WORTHS_PX + line * WORTH_LINE_PX
                rect = QRectF(left - 1, top, right - left + 2, WORTH_LINE_PX)
                self._canvas.write(rect, worth, self._canvas.theme.dim, CENTER, SCALE_FONT_PX)
