"""Pictures of a training at a step: the words as they are cut, the pairs that compete, what was learned."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPainterPath, QPen, QResizeEvent

from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.steps import Cut, MergeStep, PruningStep
from guiapp.core.text.numbers_in_words import percent
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.painting import CENTER, LEFT, RIGHT, WRAP, bold, fill, width_of, write
from guiapp.kit.widgets.scales import SCALE_PX, BarScale, paint_scale_below, round_step
from guiapp.kit.widgets.theme import GAP_PX, SMALL_FONT_PX, UI_FONT_PX, Theme, blend
from guiapp.pages.steps.cards import DrawingContext, ZoomedView, enlargement
from guiapp.pages.steps.picture_painting import BADGE_PX, CandidateStatus, paint_badge, paint_box
from guiapp.pages.steps.walk_model import TrainingModel

CHIP_PX = 28
CHIP_GAP_PX = 3
WORD_GAP_PX = 18
ROW_GAP_PX = 8
PADDING_PX = 7
ROW_PX = 26
WORDS_FONT_PX = UI_FONT_PX + 2
N_NEWEST = 400
LEAST_WORD_ROWS = 4
WINDOW_PX_PER_ROW = 150  # half of what is below the scrubber goes to the words
AXIS_PX = 64
TITLE_PX = 22
DROPPED, KEPT = ("dropped", "log-likelihood"), ("kept", "probability")
N_TICKS = 4
Rows = list[tuple[str, str]]
AXIS_TITLES = "steps, linear; dashed: pieces dropped", "linear; dashed: dropped"  # the first that has room


class TrainingPicture(ZoomedView):
    """Follows a training; what is drawn is up to the kinds of pictures.  Grows from its natural size on."""

    natural = QSize(300, 17 * ROW_PX)
    least_px = 3 * ROW_PX

    def __init__(self, name: str, model: TrainingModel, drawing: DrawingContext) -> None:
        super().__init__(name, drawing)
        self._model = model
        self._on_zoom_changed()
        model.changed.connect(self.update)
        model.position_changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(300, self._zoom.scaled(7 * ROW_PX))

    def _on_zoom_changed(self) -> None:
        self.setMinimumHeight(self._zoom.scaled(self.least_px))
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if self._model.record is None:
            return
        scale = enlargement(self.size(), self.natural, self._zoom.factor)
        painter.scale(scale, scale)
        size = QSizeF(self.width() / scale, self.height() / scale)
        self.paint_step(painter, theme, size, self._model.record, self._model.position)

    @abstractmethod
    def paint_step(
        self, painter: QPainter, theme: Theme, size: QSizeF, record: TrainingRecord, position: int
    ) -> None:
        """Draw what there is after `position` steps."""


class SymbolBox(NamedTuple):
    """A symbol of a word with its place; `tint` counts, and `is_new` says that this step made it."""

    text: str
    rect: QRectF
    tint: int
    is_new: bool


class WordsLayout(NamedTuple):
    """Symbols and the counts behind words, with their places; `first_new` is the top of the first new one."""

    chips: list[SymbolBox]
    counts: list[tuple[str, QRectF]]
    height: float
    first_new: float


def arrange_words(
    words: list[tuple[Cut, int, bool]],
    made: str,
    width: float,
    metrics: QFontMetricsF,
    write_symbol: Callable[[str], str] = str,
) -> WordsLayout:
    """Words in rows, each as its symbols and how often it occurs; no word is torn but by the edge."""
    chips: list[SymbolBox] = []
    counts: list[tuple[str, QRectF]] = []
    x, y, first_new = 0.0, 0.0, 0.0
    for cut, count, is_changed in words:
        shown = [write_symbol(symbol) for symbol in cut]
        sizes = [max(22.0, metrics.horizontalAdvance(text) + 2 * PADDING_PX) for text in shown]
        number = f"×{count:,}" if count > 1 else ""
        number_width = metrics.horizontalAdvance(number) + CHIP_GAP_PX if number else 0.0
        if x > 0 and x + sum(sizes) + len(sizes) * CHIP_GAP_PX + number_width > width:
            x, y = 0.0, y + CHIP_PX + ROW_GAP_PX
        for symbol, text, size in zip(cut, shown, sizes, strict=True):
            is_new = is_changed and symbol == made
            if is_new and not any(chip.is_new for chip in chips):
                first_new = y
            chips.append(SymbolBox(text, QRectF(x, y, size, CHIP_PX), len(chips), is_new))
            x += size + CHIP_GAP_PX
        if number:
            counts.append((number, QRectF(x, y, number_width, CHIP_PX)))
        x += number_width + WORD_GAP_PX
    return WordsLayout(chips, counts, y + CHIP_PX, first_new)


class WordsPicture(TrainingPicture):
    """The first words of the text; symbols that the step made are filled with the accent."""

    natural = QSize(1 << 20, 1 << 20)  # more room shows more words
    least_px = 2 * CHIP_PX + ROW_GAP_PX

    def __init__(self, name: str, model: TrainingModel, drawing: DrawingContext) -> None:
        super().__init__(name, model, drawing)
        model.changed.connect(self._limit_height)

    def sizeHint(self) -> QSize:
        n_rows = max(LEAST_WORD_ROWS, self.window().height() // WINDOW_PX_PER_ROW - 1)
        height = self._zoom.scaled(n_rows * (CHIP_PX + ROW_GAP_PX))
        return QSize(600, min(self.maximumHeight(), height))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._limit_height()

    def _on_zoom_changed(self) -> None:
        super()._on_zoom_changed()
        self._limit_height()

    def _limit_height(self) -> None:
        """Be no higher than the words are before the first step, when they need most room."""
        record = self._model.record
        if record is not None:
            metrics = QFontMetricsF(Theme.mono_font(WORDS_FONT_PX))
            zoom = self._zoom.factor
            layout = arrange_words(record.words(0), "", self.width() / zoom, metrics, record.write)
            self.setMaximumHeight(max(self.minimumHeight(), math.ceil(layout.height * zoom)))
            self.updateGeometry()

    def paint_step(
        self, painter: QPainter, theme: Theme, size: QSizeF, record: TrainingRecord, position: int
    ) -> None:
        font = Theme.mono_font(WORDS_FONT_PX)
        told = record.step(position) if position else None
        made = told.left + told.right if isinstance(told, MergeStep) else ""
        metrics = QFontMetricsF(font)
        layout = arrange_words(record.words(position), made, size.width(), metrics, record.write)
        painter.setFont(font)
        row_px = CHIP_PX + ROW_GAP_PX
        n_rows = max(1, int((size.height() + ROW_GAP_PX) // row_px))
        last = layout.height + ROW_GAP_PX - n_rows * row_px
        first = max(0.0, min(layout.first_new - n_rows // 2 * row_px, last))
        painter.translate(0, -first)
        for chip in layout.chips:
            if not first <= chip.rect.top() < first + n_rows * row_px:
                continue
            fill(painter, chip.rect, theme.accent if chip.is_new else theme.span_color(chip.tint), 5)
            painter.setPen(theme.on_accent if chip.is_new else theme.span_text)
            painter.drawText(chip.rect, CENTER, isolate(chip.text))
        painter.setPen(theme.dim)
        for number, rect in layout.counts:
            if first <= rect.top() < first + n_rows * row_px:
                painter.drawText(rect, LEFT, number)


class PairsPicture(TrainingPicture):
    """The pairs that competed for the step, or for the first one: the winner, its equals, the next."""

    def paint_step(
        self, painter: QPainter, theme: Theme, size: QSizeF, record: TrainingRecord, position: int
    ) -> None:
        told = record.step(max(1, position)) if record.n_steps else None
        if not isinstance(told, MergeStep):
            write(painter, QRectF(QPointF(), size), why_none(self._model), theme.dim, CENTER | WRAP)
            return
        winner = (told.left, told.right), told.worth, "merged" if position else "next", CandidateStatus.WINNER
        rows = [winner, *((pair, told.worth, "tie", CandidateStatus.OTHER) for pair in told.ties)]
        rows += [(pair, worth, "", CandidateStatus.OTHER) for pair, worth in told.rivals]
        scale, rows = BarScale(told.worth), rows[: max(1, int((size.height() - SCALE_PX) // ROW_PX))]
        font = Theme.mono_font(UI_FONT_PX)
        for number, (pair, worth, sign, standing) in enumerate(rows):
            row = QRectF(0, number * ROW_PX, size.width(), ROW_PX - 3)
            bar = QRectF(row.left(), row.top(), max(4.0, row.width() * scale.share(worth)), row.height())
            if standing is CandidateStatus.WINNER:
                paint_box(painter, theme, bar, standing, 4)
                paint_badge(painter, theme, QPointF(PADDING_PX + BADGE_PX / 2, row.center().y()))
            else:
                fill(painter, bar, blend(theme.raised, theme.faint, 0.16), 4)
            inner = row.adjusted(PADDING_PX, 0, -PADDING_PX, 0)
            beside = inner.adjusted(BADGE_PX + GAP_PX, 0, 0, 0)
            painter.setFont(bold(font, standing.is_bold))
            text = " + ".join(isolate(record.write(each)) for each in pair)
            write(painter, beside, text, standing.text(theme))
            painter.drawText(inner, RIGHT, f"{worth:,.0f}" if worth.is_integer() else f"{worth:.4g}")
            painter.setPen(standing.figure(theme))
            painter.drawText(inner.adjusted(0, 0, -72, 0), RIGHT, sign)
        below = QRectF(0, len(rows) * ROW_PX, size.width(), SCALE_PX)
        name = "score, linear" if record.start.algorithm == "wordpiece" else "times, linear"
        paint_scale_below(painter, theme, below, scale, self._texts, name)


def why_none(model: TrainingModel) -> str:
    if model.is_busy or model.record is None:
        return "Counting …"
    if model.record.start.n_steps == 0:
        return "The smallest symbols fill the vocabulary: ask for more tokens, and pairs will merge."
    return "No pair occurs twice: there is nothing to merge."


class SymbolsPicture(TrainingPicture):
    """The vocabulary, the newest first."""

    def paint_step(
        self, painter: QPainter, theme: Theme, size: QSizeF, record: TrainingRecord, position: int
    ) -> None:
        font = Theme.mono_font(UI_FONT_PX)
        painter.setFont(font)
        told = record.step(position) if position else None
        made = told.left + told.right if isinstance(told, MergeStep) else None
        x, y = 0.0, 0.0
        for symbol in record.newest_symbols(position, N_NEWEST):
            text = record.write(symbol)
            width = max(22.0, width_of(text, font) + 2 * PADDING_PX)
            if x > 0 and x + width > size.width():
                x, y = 0.0, y + ROW_PX + 2
            if y + ROW_PX > size.height():
                return
            chip = QRectF(x, y, width, ROW_PX - 2)
            is_new = symbol == made
            painter.setPen(Qt.PenStyle.NoPen if is_new else QPen(theme.line, 1))
            painter.setBrush(theme.accent if is_new else theme.panel)
            painter.drawRoundedRect(chip.adjusted(0.5, 0.5, -0.5, -0.5), 5, 5)
            write(painter, chip, isolate(text), theme.on_accent if is_new else theme.text, CENTER)
            x += width + CHIP_GAP_PX + 1


class PiecesPicture(TrainingPicture):
    """Unigram's most probable pieces, or those that a pruning dropped, struck out, with what that costs."""

    def paint_step(
        self, painter: QPainter, theme: Theme, size: QSizeF, record: TrainingRecord, position: int
    ) -> None:
        told = record.step(position) if position else None
        if told is None or isinstance(told, MergeStep):
            nothing = "All frequent substrings compete. Step on."
            write(painter, QRectF(QPointF(), size), nothing, theme.dim, CENTER)
            return
        rest = QRectF(QPointF(), size)
        if isinstance(told, PruningStep):
            losses = [(record.write(piece), f"−{loss:,.2f}") for piece, loss in told.dropped]
            half = size.width() / 2 - PADDING_PX
            self._paint_rows(painter, theme, QRectF(0, 0, half, size.height()), DROPPED, losses)
            rest = QRectF(half + 2 * PADDING_PX, 0, half, size.height())
        kept = [(record.write(piece), percent(math.exp(score), 2)) for piece, score in told.best]
        self._paint_rows(painter, theme, rest, KEPT, kept)

    def _paint_rows(
        self, painter: QPainter, theme: Theme, area: QRectF, titles: tuple[str, str], rows: Rows
    ) -> None:
        are_dropped, small = titles is DROPPED, Theme.ui_font(SMALL_FONT_PX)
        head = QRectF(area.left() + PADDING_PX, area.top(), area.width() - 2 * PADDING_PX, TITLE_PX)
        for title, side in zip(titles, (LEFT, RIGHT), strict=True):
            write(painter, head, title, theme.dim, side, small)
        font = Theme.mono_font(UI_FONT_PX)
        font.setStrikeOut(are_dropped)
        n_rows = max(1, int((area.height() - TITLE_PX) // ROW_PX))
        for number, (piece, worth) in enumerate(rows[:n_rows]):
            top = area.top() + TITLE_PX + number * ROW_PX
            row = QRectF(area.left(), top, area.width(), ROW_PX - 3)
            fill(painter, row, theme.panel, 4)
            inner = row.adjusted(PADDING_PX, 0, -PADDING_PX, 0)
            write(painter, inner, isolate(piece), theme.dim if are_dropped else theme.text, font=font)
            color = theme.bad if are_dropped else theme.dim
            write(painter, inner, worth, color, RIGHT, Theme.mono_font(SMALL_FONT_PX))


class LikelihoodPicture(TrainingPicture):
    """The text's log-likelihood at each estimate of the training so far; lines where pieces were dropped."""

    def paint_step(
        self, painter: QPainter, theme: Theme, size: QSizeF, record: TrainingRecord, position: int
    ) -> None:
        curve = record.likelihoods(record.n_steps)
        if not curve:
            return
        low, high = min(value for _, value in curve), max(value for _, value in curve)
        area = QRectF(AXIS_PX, 10, size.width() - AXIS_PX - 12, size.height() - 48)
        n_steps = max(2, record.n_steps)

        def place(step: int, value: float) -> QPointF:
            share = (value - low) / (high - low) if high > low else 0.5
            return QPointF(area.left() + area.width() * step / n_steps, area.bottom() - area.height() * share)

        estimates = {step for step, _ in curve}
        painter.setPen(QPen(theme.line, 1, Qt.PenStyle.DashLine))
        for step in range(1, record.n_steps + 1):
            if step not in estimates:
                x = place(step, low).x()
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        self._paint_axes(painter, theme, area, (low, high), record.n_steps, place)
        points = [place(step, value) for step, value in curve]
        path = QPainterPath(points[0])
        for point in points[1:]:
            path.lineTo(point)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.contenders[0], 2))
        painter.drawPath(path)
        for (step, _), point in zip(curve, points, strict=True):
            is_now = step == position
            painter.setPen(QPen(theme.raised, 1.5))
            painter.setBrush(theme.accent if is_now else theme.contenders[0])
            painter.drawEllipse(point, 6 if is_now else 3.5, 6 if is_now else 3.5)
        now = place(position, low).x()
        painter.setPen(QPen(theme.accent, 1.2))
        painter.drawLine(QPointF(now, area.top()), QPointF(now, area.bottom()))

    def _paint_axes(
        self,
        painter: QPainter,
        theme: Theme,
        area: QRectF,
        values: tuple[float, float],
        n_steps: int,
        place: Callable[[int, float], QPointF],
    ) -> None:
        """Both are linear: log-likelihoods at the left, with the highest and the lowest; steps below."""
        painter.setPen(QPen(theme.line, 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.topLeft(), area.bottomLeft())
        painter.setFont(Theme.mono_font(SMALL_FONT_PX - 1))
        metrics = painter.fontMetrics()
        last = -math.inf
        for value in sorted({*values, *_round_between(*values)}, key=lambda each: (each not in values, each)):
            y = place(0, value).y()
            if value in values or min(y - area.top(), area.bottom() - y) > 1.2 * metrics.height():
                painter.setPen(QPen(theme.line, 1))
                painter.drawLine(QPointF(area.left() - 4, y), QPointF(area.left(), y))
                painter.setPen(theme.dim)
                text = f"{value:,.0f}".replace("-", "−")
                painter.drawText(QRectF(0, y - 8, AXIS_PX - 6, 16), RIGHT, text)
        below = QRectF(area.left(), area.bottom() + 4, area.width(), 16)
        for value in BarScale(n_steps).ticks(max(2, int(area.width() // 60))):
            x, text = place(round(value), values[0]).x(), f"{value:,.0f}"
            width = metrics.horizontalAdvance(text)
            if value.is_integer() and x - width / 2 > last + GAP_PX:
                painter.drawText(QRectF(x - width / 2 - 1, below.top(), width + 2, 16), CENTER, text)
                last = x + width / 2
        fitting = (each for each in AXIS_TITLES if metrics.horizontalAdvance(each) <= area.width())
        title = next(fitting, "")
        painter.drawText(below.translated(0, 15), LEFT, title)


def _round_between(low: float, high: float) -> list[float]:
    step = round_step((high - low) / N_TICKS)
    if not step:
        return []
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]
