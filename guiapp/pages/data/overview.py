"""An overview of all records: their lengths, what is wrong with them, and how many tokens are trained."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QShowEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from guiapp.analysis.data.findings import DataFinding
from guiapp.analysis.data.rows import FINDING
from guiapp.analysis.data.summary import TrainingData
from guiapp.analysis.vocabulary_list.filters import Counts, has
from guiapp.core.text.numbers_in_words import counted, percent
from guiapp.kit.charts.bars import LINE_PX, BarList, HistogramChart, HistogramData, PartColor
from guiapp.kit.charts.chart import NUMBER
from guiapp.kit.session.doctor_model import ICONS
from guiapp.kit.widgets.event_filters import TipWatch, plain_tip
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row, scroll_down
from guiapp.kit.widgets.menu_button import ChoiceButton
from guiapp.kit.widgets.painting import LEFT, RIGHT, bold, elided, icon, width_of, write
from guiapp.kit.widgets.tables import PaintedRows
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UNIT_PX,
    Theme,
    ThemeSource,
    heading,
    plain_label,
)
from guiapp.pages.data.model import BATCH_SIZES, DataModel

STEPS, DOUBLINGS = 4, 30  # columns for each doubling of the length
EDGES = np.unique(np.rint(2.0 ** (np.arange(STEPS * DOUBLINGS + 1) / STEPS)).astype(np.int64))
MOST_LABELS = 6
CHART_PX, ROW_PX, ICON_PX = 112, 42, 16
LABELLED = "p50", "p90", "p99"
MAXIMUM = "maximum"
BY_IMPORTANCE = MAXIMUM, "p50", "p99", "p90"
MOST_TOKENS = 1 << (DOUBLINGS - 1)  # the highest maximum length that can be set
NO_FINDINGS, NO_FINDINGS_YET = "Nothing found.", "Nothing found so far."
ROLE_PARTS = "trained", "not trained"


class Lengths(NamedTuple):
    """The number of records of each length. A column has lengths above one edge up to the next.

    counts  int64[2, n]: records within the maximum length, and records cut by it
    first   the first column that is not empty
    marks   positions of the median and other percentiles, in columns; those at length 0 are left out
    """

    counts: Counts
    first: int
    marks: Mapping[str, float]


def lengths_of(data: TrainingData, most: int | None) -> Lengths:
    lengths = data.lengths[data.lengths > 0]  # records that cannot be read, or are empty, have length 0
    longest = max(column_of(int(lengths.max(initial=1))), column_of(most or 1))
    n_columns = min(longest + 3, len(EDGES))
    columns = np.searchsorted(EDGES, lengths, "left")
    is_cut = lengths > most if most is not None else np.zeros(len(lengths), np.bool_)
    counts = np.stack([np.bincount(columns[flags], minlength=n_columns) for flags in (~is_cut, is_cut)])
    used = np.flatnonzero(counts.sum(axis=0))
    tokens = data.tokens
    marks = {name: position_of(tokens[name]) for name in LABELLED if tokens[name]}
    return Lengths(counts, max(int(used[0]) - 1, 0) if len(used) else 0, marks)


def column_of(length: int) -> int:
    return int(np.searchsorted(EDGES, length, "left"))


def position_of(length: int) -> float:
    """The position of a length on the axis of columns. An edge is at the right of its column."""
    return float(np.interp(length, EDGES, np.arange(len(EDGES)) + 0.5))


def column_range(column: int) -> tuple[int, int]:
    """The shortest and the longest length in a column, in tokens."""
    return (int(EDGES[column - 1]) + 1 if column else 0), int(EDGES[column])


class LengthMark(NamedTuple):
    """A vertical line in the chart at `x`; its label is `width` pixels wide."""

    name: str
    x: float
    width: float

    @property
    def starts(self) -> tuple[float, float]:
        """Where the label may begin, best first: for the maximum left of the line, else right of it."""
        before, after = self.x - self.width - UNIT_PX, self.x + UNIT_PX
        return (before, after) if self.name == MAXIMUM else (after, before)


def label_positions(marks: Sequence[LengthMark], left: float, right: float) -> dict[LengthMark, float]:
    """Return where labels begin: next to their lines, without overlap, between `left` and `right`.

    marks  the most important first: a label that does not fit next to the previous ones is left out
    """
    result = dict[LengthMark, float]()
    for mark in marks:
        tried = sorted((*result, mark), key=lambda each: (each.x, each.name))
        for starts in product(*(each.starts for each in tried)):
            ends = (start + each.width + GAP_PX for start, each in zip(starts, tried, strict=True))
            if all(end <= start for end, start in zip((left, *ends), (*starts, right + GAP_PX), strict=True)):
                result = dict(zip(tried, starts, strict=True))
                break
    return result


class LengthChart(HistogramChart):
    """A histogram of tokens per record on a log2 scale; the line of the maximum length can be dragged."""

    def __init__(self, model: DataModel, theme_source: ThemeSource) -> None:
        self._model, self._lengths = model, Lengths(np.zeros((2, 0), np.int64), 0, {})
        super().__init__(theme_source, "Records by tokens")
        self.setFixedHeight(CHART_PX)
        self.setToolTip("Click a bar to list its records. Drag the blue line to set the maximum length.")
        self.clicked.connect(self._toggle)
        self.line_moved.connect(self._set_most)
        theme_source.changed.connect(self.refresh)
        model.request_changed.connect(self._on_request_changed)

    def refresh(self) -> None:
        data, most = self._model.data, self._model.options.max_length
        if data is None:
            return
        self._lengths = binned = lengths_of(data, most)
        n_columns = binned.counts.shape[1]
        ranges = [column_range(column) for column in range(n_columns)]
        names = [
            f"{low:,} to {high:,} tokens" if low < high else counted(high, "token") for low, high in ranges
        ]
        powers = [column for column in range(binned.first, n_columns) if _is_power(int(EDGES[column]))]
        step = max(-(-len(powers) // MOST_LABELS), 1)
        labels = {column + 0.5: f"{EDGES[column]:,}" for column in powers[::step]}
        colors: list[PartColor] = [(self.theme.roles[3], False), (self.theme.warning, True)]
        line = n_columns if most is None else position_of(most) + 0.5
        self.show_data(
            HistogramData(binned.counts, names, ("whole", "cut off"), binned.first, labels, colors, line)
        )

    def draw(self) -> None:
        self.above_px = self.line_px
        super().draw()

    def paint_front(self, painter: QPainter) -> None:
        super().paint_front(painter)
        font, has_most = self._fonts[NUMBER], self._model.options.max_length is not None
        for mark, left in self.labels().items():
            color, pen = self.theme.dim, QPen(self.theme.dim, 1, Qt.PenStyle.DotLine)
            if mark.name == MAXIMUM and has_most:
                color, pen = self.theme.accent, QPen(self.theme.accent, LINE_PX)
            if mark.name != MAXIMUM or has_most:  # also where the line crosses columns
                painter.setPen(pen)
                painter.drawLine(QPointF(mark.x, self.area.top()), QPointF(mark.x, self.area.bottom()))
            write(painter, QRectF(left, 0, mark.width, self.line_px), mark.name, color, LEFT, font)

    def labels(self) -> dict[LengthMark, float]:
        """The labelled lines in the visible part, each with the left edge of its label."""
        positions = {MAXIMUM: self._line.value(), **self._lengths.marks}
        names = [name for name in BY_IMPORTANCE if name in positions]
        marks = [
            LengthMark(each, self.pixel(positions[each], 0).x(), self.width_px(each, NUMBER))
            for each in names
        ]
        left, right = self.area.left(), self.area.right()
        return label_positions([each for each in marks if left - 1 <= each.x <= right + 1], left, right)

    def _on_request_changed(self) -> None:
        terms = map(_term, range(self._lengths.counts.shape[1]))
        self.select(next((at for at, term in enumerate(terms) if has(self._model.query, term)), None))

    def _toggle(self, column: int | None, part: int | None) -> None:
        if column is not None:
            self._model.toggle_term(_term(column), "tokens")

    def _set_most(self, column: int) -> None:
        is_end = column >= self._lengths.counts.shape[1] or column > column_of(MOST_TOKENS)
        self._model.set_max_length(None if is_end else int(EDGES[max(column - 1, 0)]))


def _term(column: int) -> str:
    low, high = column_range(column)
    return f"tokens:{low}..{high}"


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0


class DataFindingList(PaintedRows):
    """The findings, each with its number of records. A click lists these records and selects the first."""

    row_px = ROW_PX

    def __init__(self, model: DataModel, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Findings")
        self._model = model
        self._findings: list[DataFinding] = []
        self._message = plain_label("dim", wraps=True)
        in_column(self._message, STRETCH, on=self.viewport(), margins=MARGIN_PX)
        TipWatch(self.viewport(), lambda point: self._tip(point.y()))
        model.request_changed.connect(self.viewport().update)

    def refresh(self) -> None:
        data = self._model.data
        self._findings = [] if data is None else data.findings
        nothing = NO_FINDINGS if self._model.is_complete else NO_FINDINGS_YET
        self._message.setText("" if data is None or self._findings else nothing)
        self.fit_rows()

    @property
    def findings(self) -> Sequence[DataFinding]:
        return self._findings

    @property
    def n_rows(self) -> int:
        return len(self._findings)

    @property
    def chosen_row(self) -> int:
        terms = (f"{FINDING}:{each.code}" for each in self._findings)
        return next((row for row, term in enumerate(terms) if has(self._model.query, term)), -1)

    def _tip(self, y: int) -> str:
        row = self.row_under(y)
        if not 0 <= row < self.n_rows:
            return ""
        return plain_tip(f"{self._findings[row].what}\nTo fix: {self._findings[row].remedy}")

    def choose_row(self, row: int) -> None:
        if row == self.chosen_row:
            self._model.toggle_term(f"{FINDING}:{self._findings[row].code}")
        else:
            self._model.choose_finding(self._findings[row])
        self.show_chosen()

    def paint_row(self, painter: QPainter, theme: Theme, row: int, rect: QRect) -> None:
        finding = self._findings[row]
        name, color = ICONS[finding.severity]
        square = QRect(MARGIN_PX, rect.top() + 6, ICON_PX, ICON_PX)
        icon(name, getattr(theme, color), ICON_PX).paint(painter, square)
        left, half = MARGIN_PX + ICON_PX + GAP_PX, rect.height() // 2
        upper = rect.adjusted(left, 4, -MARGIN_PX, -half)
        lower = rect.adjusted(left, half - 2, -MARGIN_PX, -4)
        small, large = Theme.ui_font(SMALL_FONT_PX), bold(Theme.ui_font())
        count = percent(finding.share, 1)
        number = Theme.mono_font(SMALL_FONT_PX)
        write(painter, upper, count, theme.dim, RIGHT, number)
        room = upper.width() - width_of(count, number) - GAP_PX
        what = finding.what.partition(". ")[0].removesuffix(".")
        write(painter, upper, elided(what, large, room), theme.text, LEFT, large)
        write(painter, lower, elided(finding.remedy, small, lower.width()), theme.dim, LEFT, small)


class Amounts(QScrollArea):
    """Tokens by role and by turn, the cost of padding, and the savings by packing."""

    def __init__(self, model: DataModel, theme_source: ThemeSource) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self.roles = BarList(theme_source, "Tokens by role")
        self.turns = BarList(theme_source, "Trained tokens by turn")
        self._turns_title = heading("Trained tokens by turn")
        self.sums = plain_label("dim", wraps=True)
        sizes = {str(size): size for size in BATCH_SIZES}
        self.batch = ChoiceButton(theme_source, "Batch size: ", sizes, "Records that are padded together")
        self.batch.chosen.connect(model.set_batch_size)
        inside = QWidget()
        in_column(
            heading("Trained tokens by role (grey: not trained)"),
            self.roles,
            self._turns_title,
            self.turns,
            in_row(heading("Padding and packing"), STRETCH, self.batch),
            self.sums,
            STRETCH,
            on=inside,
            margins=(MARGIN_PX, GAP_PX),
            spacing=UNIT_PX,
        )
        scroll_down(self, inside)
        model.packing.changed.connect(self._show_sums)
        theme_source.changed.connect(self.refresh)

    def refresh(self) -> None:
        data, theme = self._model.data, self._theme_source.theme
        if not self.isVisible():
            return
        if data is None:
            return
        colors: list[PartColor] = [(theme.roles[3], False), (theme.faint, False)]
        roles = data.by_role
        sums = np.array([(trained, n - trained) for n, trained in roles.values()], np.int64).reshape(-1, 2).T
        self.roles.show_counts(sums, list(roles), ROLE_PARTS, colors)
        turns = np.trim_zeros(data.by_turn, "b")[np.newaxis]
        names = [f"turn {number}" for number in range(1, turns.shape[1] + 1)]
        self.turns.show_counts(turns, names, ROLE_PARTS[:1], colors[:1])
        for part in (self._turns_title, self.turns):
            part.setVisible(turns.shape[1] > 1)
        self._show_sums()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _show_sums(self) -> None:
        self.batch.show_choice(self._model.batch_size)
        data, packing, most = self._model.data, self._model.packing.value, self._model.options.max_length
        lines = []
        if data is not None and most is not None:
            longer = counted(data.longer_than(most), "record")
            lines.append(f"{longer} longer than {most:,} tokens: {data.n_cut:,} trained tokens are cut off.")
        if data is not None and packing is not None:
            used = int(np.minimum(data.lengths, packing.length).sum(dtype=np.int64))
            padded = used / max(1 - packing.padding_share, 1e-9)
            is_whole = padded and packing.of_records == data.n_records
            saved = 1 - packing.rows * packing.length / padded if is_whole else 0
            cut = f", cut after {packing.length:,}" if data.longer_than(packing.length) else ""
            lines += [
                f"An epoch has {counted(used, 'token')}{cut}.",
                f"In batches of {packing.batch_size}, {percent(packing.padding_share)} is padding.",
                f"Packed, {counted(packing.of_records, 'record')} fit into {counted(packing.rows, 'row')} of "
                f"{packing.length:,}; {percent(packing.filled)} of these is filled.",
            ]
            if saved > 0:
                lines.append(f"An epoch then has {percent(saved)} fewer tokens, padding included.")
        if data is not None and data.n_rejected:
            lines.append(f"Rejected answers have {counted(data.n_rejected, 'token')} more.")
        self.sums.setText("\n".join(lines))
