"""Pictures of a training at a step: words as cut into symbols, competing pairs, the vocabulary."""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPen, QResizeEvent

from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.steps import MergeStep, PruningStep, TrainingStep, amount
from guiapp.core.text.numbers_in_words import percent
from guiapp.kit.charts.scales import round_values
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX
from guiapp.pages.steps.canvas import (
    CENTER,
    RIGHT,
    ROW_PX,
    SCALE_PX,
    BarScale,
    CandidateRow,
    CandidateStatus,
    StepCanvas,
    boxes_in_rows,
    text_width,
)
from guiapp.pages.steps.cards import DrawingContext, ZoomedView
from guiapp.pages.steps.walk_model import TrainingModel

SYMBOL_PX, SYMBOL_GAP_PX = 28, 3
NARROWEST_PX, PADDING_PX = 22.0, 7
WORD_GAP_PX, ROW_GAP_PX = 18, 8
SYMBOL_ROW_PX = SYMBOL_PX + ROW_GAP_PX
WORDS_FONT_PX = UI_FONT_PX + 2
N_NEWEST = 400
DIMMED = 0.45  # as in charts
LEAST_WORD_ROWS = 4
WINDOW_PX_PER_ROW = 150  # the words take half of the room below the scrubber
N_TICKS, TICK_ROW_PX = 4, 16


class TrainingPicture(ZoomedView):
    """Base class of the pictures; redraws when the training changes, and grows beyond its natural size."""

    natural: QSize | None = QSize(300, 17 * ROW_PX)
    usual, least_px = QSize(300, 7 * ROW_PX), 3 * ROW_PX

    def __init__(self, name: str, model: TrainingModel, drawing: DrawingContext) -> None:
        super().__init__(name, drawing)
        self._model = model
        self.is_dimmed = False
        self._on_zoom_changed()
        model.changed.connect(self.update)
        model.position_changed.connect(self.update)

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        record, position = self._model.record, self._model.position
        if record is not None:
            canvas.painter.setOpacity(DIMMED if self.is_dimmed else 1.0)
            self.draw_step(canvas, area, record, record.step(position) if position else None)

    def set_dimmed(self, is_dimmed: bool) -> None:
        self.is_dimmed = is_dimmed
        self.update()

    @abstractmethod
    def draw_step(
        self, canvas: StepCanvas, area: QRectF, record: TrainingRecord, step: TrainingStep | None
    ) -> None:
        """Draw the state after a step, None for the start."""


class WordBox(NamedTuple):
    """A symbol with its rectangle, or the count of a word; `is_new` if the step made it."""

    text: str
    rect: QRectF
    is_new: bool = False
    is_count: bool = False


def arrange_words(record: TrainingRecord, position: int, width: float) -> list[WordBox]:
    """Arrange words in rows, each as its symbols and its count; a word is split only if wider than a row.

    Each word has the room that it needs at the start, so that it stays in place at all steps.
    """
    made = record.step(position).made if position else ""
    texts, groups = list[tuple[str, bool, bool]](), list[list[float]]()
    for (cut, count, is_changed), (first_cut, _, _) in zip(
        record.words(position), record.words(0), strict=True
    ):
        word = [(record.write(each), is_changed and each == made, False) for each in cut]
        word += [(f"×{count:,}", False, True)] if count > 1 else []
        texts += word
        groups.append([_symbol_width(text, is_count) for text, _, is_count in word])
        saved = sum(_symbol_width(record.write(each), False) + SYMBOL_GAP_PX for each in first_cut)
        saved -= sum(_symbol_width(record.write(each), False) + SYMBOL_GAP_PX for each in cut)
        groups[-1].append(max(0.0, saved))  # an empty box
        texts.append(("", False, False))
    positions = boxes_in_rows(groups, width, SYMBOL_GAP_PX, WORD_GAP_PX)
    flat = (
        (*corner, size)
        for row in zip(positions, groups, strict=True)
        for corner, size in zip(*row, strict=True)
    )
    return [
        WordBox(text, QRectF(x, row * SYMBOL_ROW_PX, size, SYMBOL_PX), is_new, is_count)
        for (text, is_new, is_count), (x, row, size) in zip(texts, flat, strict=True)
        if text
    ]


def _symbol_width(text: str, is_count: bool) -> float:
    width = text_width(text, WORDS_FONT_PX)
    return width + 1 if is_count else max(NARROWEST_PX, width + 2 * PADDING_PX)


class WordsPicture(TrainingPicture):
    """The first words of the text; symbols that the step made are filled with the accent."""

    natural = None  # more room shows more words
    least_px = 2 * SYMBOL_PX + ROW_GAP_PX

    def __init__(self, name: str, model: TrainingModel, drawing: DrawingContext) -> None:
        super().__init__(name, model, drawing)
        self._first_row = 0  # the first visible row; changes only if all new symbols are hidden
        self._drawn: TrainingRecord | None = None
        model.changed.connect(self._limit_height)

    def sizeHint(self) -> QSize:
        n_rows = max(LEAST_WORD_ROWS, self.window().height() // WINDOW_PX_PER_ROW - 1)
        return QSize(600, min(self.maximumHeight(), self._zoom.scaled(n_rows * SYMBOL_ROW_PX)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._limit_height()

    def _on_zoom_changed(self) -> None:
        super()._on_zoom_changed()
        self._limit_height()

    def _limit_height(self) -> None:
        """Be no higher than the words before the first step, when they need most room."""
        record = self._model.record
        if record is not None:
            boxes = arrange_words(record, 0, self.width() / self.scale)
            height = boxes[-1].rect.bottom() if boxes else SYMBOL_PX
            self.setMaximumHeight(max(self.minimumHeight(), math.ceil(height * self.scale)))
            self.updateGeometry()

    def draw_step(
        self, canvas: StepCanvas, area: QRectF, record: TrainingRecord, step: TrainingStep | None
    ) -> None:
        theme, boxes = canvas.theme, arrange_words(record, self._model.position, area.width())
        n_seen = max(1, int((area.height() + ROW_GAP_PX) // SYMBOL_ROW_PX))
        if record is not self._drawn:
            self._drawn, self._first_row = record, 0
        n_rows = round(boxes[-1].rect.top() / SYMBOL_ROW_PX) + 1 if boxes else 0
        rows = [round(box.rect.top() / SYMBOL_ROW_PX) for box in boxes if box.is_new]
        if rows and not any(self._first_row <= row < self._first_row + n_seen for row in rows):
            self._first_row = rows[0] - n_seen // 2
        self._first_row = max(0, min(self._first_row, n_rows - n_seen))
        first = self._first_row * SYMBOL_ROW_PX
        canvas.painter.translate(0, -first)
        for number, (text, rect, is_new, is_count) in enumerate(boxes):
            if not first <= rect.top() < first + n_seen * SYMBOL_ROW_PX:
                continue
            color = theme.dim
            if not is_count:
                canvas.box(rect, theme.accent if is_new else theme.span_color(number))
                color = theme.on_accent if is_new else theme.span_text
            canvas.write(rect, text, color, CENTER, WORDS_FONT_PX)


class PairsPicture(TrainingPicture):
    """The pairs that competed for the step, at the start for the first one: the winner, ties, the next."""

    def draw_step(
        self, canvas: StepCanvas, area: QRectF, record: TrainingRecord, step: TrainingStep | None
    ) -> None:
        won = record.step(1) if step is None and record.n_steps else step
        if not isinstance(won, MergeStep):
            canvas.message(area, why_none(self._model))
            return
        scale = BarScale(won.worth, counts=record.start.algorithm != "wordpiece")
        first = "next" if step is None else "merged"
        rows = [
            CandidateRow(
                " + ".join(map(record.write, pair)),
                " · ".join(filter(None, ("tie" * (worth == won.worth) if number else first, amount(worth)))),
                CandidateStatus.OTHER if number else CandidateStatus.WINNER,
                scale.share(worth),
            )
            for number, (pair, worth) in enumerate(won.competitors)
        ]
        end = canvas.rows(area.adjusted(0, 0, 0, -SCALE_PX), rows)
        unit = "score" if record.start.algorithm == "wordpiece" else "times"
        canvas.scale(QRectF(0, end, area.width(), SCALE_PX), scale, unit)


def why_none(model: TrainingModel) -> str:
    if model.is_busy or model.record is None:
        return "Counting …"
    if model.record.start.n_steps == 0:
        return "The smallest symbols fill the vocabulary. To merge pairs, choose more tokens."
    return "No pair occurs twice: there is nothing to merge."


class SymbolsPicture(TrainingPicture):
    """The vocabulary, newest symbols first."""

    def draw_step(
        self, canvas: StepCanvas, area: QRectF, record: TrainingRecord, step: TrainingStep | None
    ) -> None:
        theme, made = canvas.theme, step.made if step else ""
        symbols = record.newest_symbols(self._model.position, N_NEWEST)
        texts = [record.write(symbol) for symbol in symbols]
        widths = [max(NARROWEST_PX, text_width(text) + 2 * PADDING_PX) for text in texts]
        gap = SYMBOL_GAP_PX + 1
        positions = boxes_in_rows([[width] for width in widths], area.width(), gap, gap)
        for symbol, text, width, ((x, row),) in zip(symbols, texts, widths, positions, strict=True):
            box = QRectF(x, row * SYMBOL_PX, min(width, area.width()), SYMBOL_PX - gap)
            if box.bottom() > area.bottom():
                return
            is_new = symbol == made
            canvas.box(box, theme.accent if is_new else theme.panel, None if is_new else QPen(theme.line, 1))
            canvas.write(box, text, theme.on_accent if is_new else theme.text, CENTER)


class PiecesPicture(TrainingPicture):
    """Unigram's most probable pieces; at a pruning also the dropped ones, struck out, with their cost."""

    def draw_step(
        self, canvas: StepCanvas, area: QRectF, record: TrainingRecord, step: TrainingStep | None
    ) -> None:
        if step is None or isinstance(step, MergeStep):
            canvas.message(area, "All frequent substrings compete. Step forward.")
            return
        if isinstance(step, PruningStep):
            dropped = QRectF(0, 0, area.width() / 2 - GAP_PX, area.height())
            losses = [
                CandidateRow(record.write(piece), f"−{loss:,.2f}", CandidateStatus.OUT)
                for piece, loss in step.dropped
            ]
            canvas.rows(dropped, losses, "dropped, with its cost")
            area = area.adjusted(dropped.width() + 2 * GAP_PX, 0, 0, 0)
        best = [
            CandidateRow(record.write(piece), percent(math.exp(score), 2), ground=canvas.theme.panel)
            for piece, score in step.best
        ]
        canvas.rows(area, best, "most probable")


class LikelihoodPicture(TrainingPicture):
    """The text's log-likelihood at each estimate so far; dashed lines where pieces were dropped."""

    def draw_step(
        self, canvas: StepCanvas, area: QRectF, record: TrainingRecord, step: TrainingStep | None
    ) -> None:
        curve = record.likelihoods(record.n_steps)
        if not curve:
            return
        theme, position, n_steps = canvas.theme, self._model.position, max(2, record.n_steps)
        values = [value for _, value in curve]
        low, high = min(values), max(values)
        axis_px = max(text_width(f"−{abs(value):,.0f}", SMALL_FONT_PX - 1) for value in (low, high)) + GAP_PX
        area = area.adjusted(axis_px, GAP_PX + 2, -GAP_PX - 4, -SCALE_PX - GAP_PX)
        estimates = dict(curve)

        def point_of(step: float, value: float) -> QPointF:
            share = (value - low) / (high - low) if high > low else 0.5
            return QPointF(area.left() + area.width() * step / n_steps, area.bottom() - area.height() * share)

        def upright(step: int, pen: QPen) -> None:
            x = point_of(step, low).x()
            canvas.line(pen, QPointF(x, area.top()), QPointF(x, area.bottom()))

        for number in range(1, record.n_steps + 1):
            if number not in estimates:
                upright(number, QPen(theme.line, 1, Qt.PenStyle.DashLine))
        canvas.line(theme.line, area.topLeft(), area.bottomLeft())
        bottom = QRectF(area.left(), area.bottom(), area.width(), SCALE_PX)
        canvas.scale(bottom, BarScale(n_steps, counts=True), "step; dashed: drops")
        last = math.inf
        for value in sorted({low, high, *round_values(low, high, N_TICKS)}):
            y = point_of(0, value).y()
            if value in (low, high) or min(last - y, y - area.top()) > TICK_ROW_PX:
                row = QRectF(0, y - TICK_ROW_PX / 2, axis_px - 6, TICK_ROW_PX)
                canvas.write(row, f"{value:,.0f}".replace("-", "−"), theme.dim, RIGHT, SMALL_FONT_PX - 1)
                last = y
        points = [point_of(*entry) for entry in curve]
        canvas.line(QPen(theme.contenders[0], 2), *points)
        for number, point in zip(estimates, points, strict=True):
            color, radius = (theme.accent, 6) if number == position else (theme.contenders[0], 3.5)
            canvas.disc(point, radius, color, QPen(theme.raised, 1.5))
        upright(position, QPen(theme.accent, 1.2))
