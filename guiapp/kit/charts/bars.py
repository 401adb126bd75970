"""Bar charts: rows with a name, an interval and text columns; histograms of stacked columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QRegion, qGray

from guiapp.kit.charts.chart import NUMBER, PLAIN, STRONG, SUBTITLE, TICK_GAP_PX, Chart, Value, Word
from guiapp.kit.charts.markers import MarkerStyle, paint_marker, pattern
from guiapp.kit.charts.scales import NO_SCALE, Range, Scale, range_from_zero
from guiapp.kit.widgets.painting import fill
from guiapp.kit.widgets.theme import UI_FONT_PX, UNIT_PX, Theme, ThemeSource, blend

LEAST_ROW_PX, MOST_ROW_PX, LARGE_ROW_PX = 20, 52, 34
LARGE_FONT_PX, LEAST_FONT_PX = 15, 8
BAR_SHARE, LINE_SHARE = 0.54, 0.12  # of a row
MOST_NAME_SHARE, MOST_SIDE_SHARE, LEAST_BAR_SHARE = 0.3, 0.55, 0.4  # of the width
MARKER_PX, NAME_PX, GAP_PX, COLUMN_GAP_PX = 14, 24, 8, 28
ROW_PX, LIST_NAME_PX = 21, 128  # of lists of bars
RING_PX = 3  # from the edge of a row's highlight to its marker
RADIUS_PX, PROGRESS_PX, PROGRESS_HEIGHT_PX, LEAST_PX = 3, 240, 3, 2
CHART_PX, LINE_PX, GRIPPED_PX = 130, 2, 9  # height of a histogram; width of its draggable line, and hovered
HATCHED_GROUND = 0.3  # strength of the colour below its hatching
BEYOND, BEYOND_PX = " →", 20  # appended to the value of a bar that ends out of view; part of it shown after
INK, WHITE, MIDDLE_GRAY = QColor("#14161b"), QColor("white"), 110  # on light bars, dark bars; the limit
Counts = NDArray[np.int64]
PartColor = tuple[QColor, bool]


class BarPart(NamedTuple):
    """A segment of a bar, and its appearance."""

    start: float
    end: float
    color: QColor
    is_hatched: bool = False


class BarRow(NamedTuple):
    """One bar, and the text next to it.

    key       emitted by a click; rows with the same key fade together
    name      at the left, with a marker; "" for a further row of the same name
    note      after the name, if there is room
    interval  at the end of the bar: contains 95 % of repeated measurements
    value, detail   after the bar, bold and dim
    cells     at the right: texts and their colours, one for each heading
    dot, marks      on a thin bar: position of the marker, and of cross lines
    progress  of a measurement that has no bar yet: 0 to 1
    """

    key: Hashable
    name: str = ""
    marker_style: MarkerStyle | None = None
    note: str = ""
    parts: Sequence[BarPart] = ()
    interval: Range | None = None
    value: str = ""
    detail: str = ""
    detail_color: QColor | None = None
    cells: Sequence[tuple[str, QColor]] = ()
    dot: float | None = None
    marks: Sequence[float] = ()
    progress: float | None = None
    tip: str = ""

    @property
    def length(self) -> float:
        return self.parts[-1].end if self.parts else 0.0

    @property
    def end(self) -> float:
        """The end of everything that is drawn for the bar."""
        return max(self.length, self.interval[1] if self.interval else 0.0, *self.marks, 0.0)


class RowsData(NamedTuple):
    """The data of a chart of rows, from the top down.

    scale     of the bars; on a logarithmic scale, bars begin at the start of their first part
    range     of the scale; by default from 0 to a value that shows everything
    row_px    height of a row; by default rows share the height of the chart
    name_px   width of names in a list of counts; by default as much as they need
    """

    titles: Sequence[str]
    subtitles: Sequence[str]
    rows: Sequence[BarRow]
    headings: Sequence[str] = ()
    scale: Scale = NO_SCALE
    range: Range | None = None
    row_px: int | None = None
    name_px: float | None = None


class RowChart(Chart):
    """A bar chart with one row for each bar; row i is at y = -i."""

    data: RowsData = RowsData([""], [""], [])

    def show_data(self, data: RowsData) -> None:
        resized = (len(data.rows), data.scale) != (len(self.data.rows), self.data.scale)
        self.data = data
        if resized:
            self.updateGeometry()
        self.redraw()

    def minimumSizeHint(self) -> QSize:
        """The size for legible rows; if the chart is lower, rows get smaller."""
        if not hasattr(self, "_metrics"):
            return self.least_size
        line_px = int(QFontMetricsF(Theme.ui_font(UI_FONT_PX)).height()) + 1  # `line_px` may be smaller now
        rows_px = max(len(self.data.rows), 1) * (self.data.row_px or LEAST_ROW_PX * self.factor)
        return QSize(200, int(self.head_px + rows_px + self._scale_px(line_px)))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint() if self.data.row_px else super().sizeHint()

    def _scale_px(self, line_px: float) -> float:
        return 2 * line_px + TICK_GAP_PX if self.data.scale.title else 0

    @property
    def row_px(self) -> float:
        bottom, top = self.box.viewRange()[1]
        return float(self.area.height() / (top - bottom))

    @property
    def _is_list(self) -> bool:
        return self.data.name_px is not None

    def draw(self) -> None:
        data, n_rows = self.data, max(len(self.data.rows), 1)
        room_px = max(self.height() - self.head_px - self._scale_px(self.line_px), 1)
        row_px = data.row_px or max(min(room_px / n_rows, MOST_ROW_PX * self.factor), 1)
        large = LARGE_FONT_PX if row_px >= LARGE_ROW_PX * self.factor else UI_FONT_PX
        self.set_font_px(min(round(large * self.factor), max(int(row_px) - 4, LEAST_FONT_PX)))
        if data.scale.title and not data.row_px:  # the font of the scale may have changed
            row_px = min(row_px, max(self.height() - self.head_px - self._scale_px(self.line_px), 1) / n_rows)
        side_px = self.width() * (1 if self._is_list else MOST_SIDE_SHARE)
        self._has_details, self._columns = True, list(range(len(data.headings)))
        self._notes = [row.note for row in data.rows]
        if self._names_px + self._columns_px > side_px:
            self._notes = [""] * len(data.rows)
        while self._columns and self._names_px + self._columns_px > side_px:
            self._columns.pop(0)
        self.frame(self._names_px, self._columns_px, (data.scale, NO_SCALE) if data.scale.title else None)
        self.area.setHeight(n_rows * row_px)
        self.set_titles(data.titles, data.subtitles, self._columns_px)
        most_after_bar_px = (1 - LEAST_BAR_SHARE) * self.area.width()
        self._has_details = max(map(self._after_bar_px, data.rows), default=0.0) <= most_after_bar_px
        x_range = data.range or self._bar_range()
        self.show_range(x_range, (0.5 - n_rows, 0.5), (bool(data.scale.title), False))
        self.values = [Value(row.key, row.length, -index, row.tip) for index, row in enumerate(data.rows)]

    @property
    def _names_px(self) -> float:
        if self.data.name_px is not None:
            return self.data.name_px
        widths = (
            self.width_px(self._shown(row.name)) + (self.width_px("n" + note) if note else 0)
            for row, note in zip(self.data.rows, self._notes, strict=True)
        )
        return self._name_left_px + max(widths, default=0) + COLUMN_GAP_PX / 2

    @property
    def _name_left_px(self) -> float:
        return NAME_PX * self.factor

    @property
    def _columns_px(self) -> float:
        return sum(map(self._column_px, self._columns)) + UNIT_PX

    def _column_px(self, column: int) -> float:
        cells = (self.width_px(row.cells[column][0], NUMBER) for row in self.data.rows if row.cells)
        return max(self.width_px(self.data.headings[column], SUBTITLE), *cells, 0) + self._column_gap_px

    @property
    def _column_gap_px(self) -> int:
        return GAP_PX if self._is_list else COLUMN_GAP_PX

    def _shown(self, name: str) -> str:
        return self.elided(name, self.data.name_px or MOST_NAME_SHARE * self.width())

    def _bar_range(self) -> Range:
        """From 0 to a value that leaves room for all bars and the text after them."""
        room_px, least_px = self.area.width(), LEAST_BAR_SHARE * self.area.width()
        needed = (row.end / max(room_px - self._after_bar_px(row), least_px) for row in self.data.rows)
        longest = max(needed, default=0.0)
        return 0.0, range_from_zero(longest)[1] * room_px if longest else 1.0

    def _after_bar_px(self, row: BarRow) -> float:
        texts = ((row.value, STRONG), (row.detail if self._has_details else "", PLAIN))
        return sum(self.width_px(text, font) + GAP_PX for text, font in texts if text) + GAP_PX

    def arrange_words(self) -> None:
        self._cuts = list[QRectF | None]()
        for index, (row, note) in enumerate(zip(self.data.rows, self._notes, strict=True)):
            at = QPointF(0 if row.marker_style is None else self._name_left_px, self.pixel(0, -index).y())
            name = self._shown(row.name)
            self.words.append(Word(name, at, self.word_color(row.key), key=row.key))
            if note:
                after = at + QPointF(self.width_px(name + "n"), 0)
                color = self.word_color(row.key, self.theme.dim)
                self.words.append(Word(note, after, color, key=row.key))
            self._arrange_after_bar(index, row)
        left_px, head_y = self.area.right(), self.head_px - self.line_px / 2 - GAP_PX / 2
        for column in self._columns:
            right_px = left_px + self._column_px(column)
            at_px, align = (right_px, 1.0) if self._is_list else (left_px + self._column_gap_px, 0.0)
            heading, at = self.data.headings[column], QPointF(at_px, head_y)
            self.words.append(Word(heading, at, self.theme.dim, SUBTITLE, align))
            for index, row in enumerate(self.data.rows):
                if row.cells:
                    text, color = row.cells[column]
                    at = QPointF(at_px, self.pixel(0, -index).y())
                    self.words.append(Word(text, at, self.word_color(row.key, color), NUMBER, align, row.key))
            left_px = right_px

    def _arrange_after_bar(self, index: int, row: BarRow) -> None:
        """Arrange value and detail after the bar; add an arrow if its end is out of view."""
        end, area = self.pixel(row.end, -index), self.area
        value, x = row.value, self.pixel(row.length, 0).x()
        if value and not area.left() - 1 <= x <= area.right() - self._after_bar_px(row) + 1:
            value = f"← {value}" if x < area.left() else f"{value}{BEYOND}"
        if row.progress is not None:
            end.setX(area.left() + min(PROGRESS_PX, area.width() / 2))
        written_px = self._after_bar_px(row._replace(value=value))
        most_px = area.right() - written_px
        is_cut = value and end.x() > most_px + 1  # leave a gap in the bar for the text
        at_px = max(min(end.x(), most_px - BEYOND_PX * (end.x() > area.right())), area.left()) + GAP_PX
        cut = QRectF(at_px - GAP_PX, end.y() - self.row_px / 2, written_px, self.row_px)
        self._cuts.append(cut if is_cut else None)
        dim = row.detail_color or self.word_color(row.key, self.theme.dim)
        has_detail = self._has_details or row.progress is not None or not row.parts
        for text, font, color in ((value, STRONG, self.word_color(row.key)), (row.detail, PLAIN, dim)):
            if text and (has_detail or font is STRONG):
                text = self.elided(text, self.width() - at_px, font)
                self.words.append(Word(text, QPointF(at_px, end.y()), color, font, key=row.key))
                at_px += self.width_px(text, font) + GAP_PX

    def paint_front(self, painter: QPainter) -> None:
        height = self.row_px
        for value, row, cut in zip(self.values, self.data.rows, self._cuts, strict=True):
            y = self.pixel(0, value.y).y()
            self.paint_light(painter, QRectF(0, y - height / 2, self.width(), height), value)
            self._paint_bar(painter, row, y, cut)
        super().paint_front(painter)

    def _paint_bar(self, painter: QPainter, row: BarRow, y: float, cut: QRectF | None) -> None:
        area, style = self.area, row.marker_style
        height = self.row_px * (BAR_SHARE if row.dot is None else LINE_SHARE)
        painter.save()
        seen = QRegion(area.adjusted(-MARKER_PX / 2, 0, MARKER_PX / 2, 0).toAlignedRect())
        painter.setClipRegion(seen if cut is None else seen - QRegion(cut.toAlignedRect()))
        free = -inf
        for part in row.parts:
            left, right = max(self.pixel(part.start, 0).x(), free), self.pixel(part.end, 0).x()
            if right > left or part.end > part.start:
                free = left + max(right - left, LEAST_PX)
                rect = QRectF(left, y - height / 2, max(right - left, LEAST_PX), height)
                color, radius = self.color(part.color, row.key), min(RADIUS_PX, rect.width() / 2)
                painter.setPen(color if part.is_hatched else Qt.PenStyle.NoPen)
                painter.setBrush(pattern(color, part.is_hatched))
                painter.drawRoundedRect(rect, radius, radius)
        if row.progress is not None:
            line = QRectF(area.left(), y - 1, min(PROGRESS_PX, area.width() / 2), PROGRESS_HEIGHT_PX)
            fill(painter, line, self.theme.line, 1)
            line.setWidth(line.width() * row.progress)
            fill(painter, line, style.color if style else self.theme.dim, 1)
        if row.interval is not None:
            self._paint_interval(painter, row, row.interval, y)
        if style is not None and row.dot is not None:
            for mark in row.marks:
                line = QRectF(self.pixel(mark, 0).x() - 1, y - self.row_px / 5, 2, self.row_px / 2.5)
                fill(painter, line, self.color(style.color, row.key), 0)
            self._paint_marker(painter, row.key, style, QPointF(self.pixel(row.dot, 0).x(), y))
        painter.restore()
        if style is not None and row.name:
            self._paint_marker(painter, row.key, style, QPointF(MARKER_PX * self.factor / 2 + RING_PX, y))

    def _paint_marker(self, painter: QPainter, key: Hashable, style: MarkerStyle, center: QPointF) -> None:
        shown = style._replace(color=self.color(style.color, key))
        paint_marker(painter, center, min(MARKER_PX * self.factor, self.row_px - 3), shown)

    def _paint_interval(self, painter: QPainter, row: BarRow, interval: Range, y: float) -> None:
        """Paint a whisker: inside the bar in a contrasting colour, outside in the colour of text."""
        low, high, end_px = (self.pixel(value, 0).x() for value in (*interval, row.length))
        part, height, outside = row.parts[-1], self.row_px * BAR_SHARE, self.color(self.theme.text, row.key)
        ground = blend(self.ground_color, part.color, part.color.alphaF())
        inside = self.color(INK if qGray(ground.rgb()) > MIDDLE_GRAY else WHITE, row.key)
        if part.is_hatched:  # clear the hatching around the whisker
            inside = outside
            around = QRectF(low, y - height / 5, min(end_px, high) - low, height / 2.5)
            fill(painter, around.adjusted(-2, -1, 0, 1), self.ground_color, 0)
        for left, right, color in ((low, min(end_px, high), inside), (max(end_px, low), high, outside)):
            if left < right:
                fill(painter, QRectF(left, y - 1, right - left, 2), color, 0)
        for x in (low, high):
            color = inside if x < end_px else outside
            fill(painter, QRectF(x - 1, y - height / 5, 2, height / 2.5), color, 0)

    def value_at(self, position: QPointF) -> int | None:
        row = int((position.y() - self.area.top()) // self.row_px) if self.area.height() > 1 else -1
        return row if 0 <= row < len(self.data.rows) else None

    def part_at(self, position: QPointF) -> int | None:
        index = self.value_at(position)
        parts = () if index is None else self.data.rows[index].parts
        within = (
            self.pixel(each.start, 0).x() <= position.x() < self.pixel(each.end, 0).x() for each in parts
        )
        return next((number for number, is_within in enumerate(within) if is_within), None)


class BarList(RowChart):
    """Stacked counts, a row for each column that is not empty, largest first; a click chooses one.

    is_shared_out  whether all bars have the same length, so that they show shares
    """

    ground = "panel"
    n_head_lines = 0
    has_button = shows_tips = False

    def __init__(self, theme_source: ThemeSource, name: str, is_shared_out: bool = False) -> None:
        self._is_shared_out, self._widest = is_shared_out, ""
        super().__init__(theme_source, name)

    def show_counts(
        self, counts: Counts, names: Sequence[str], parts: Sequence[str], colors: Sequence[PartColor]
    ) -> None:
        """Show `counts`, int64[parts, n], as n named bars; each part has a colour, solid or hatched."""
        totals = counts.sum(axis=0)
        self._widest = f"{totals.max(initial=0):,}"
        order = [int(each) for each in np.argsort(-totals, kind="stable") if totals[each]]
        most = 1.0 if self._is_shared_out else float(totals.max(initial=1))
        rows = []
        for column in order:
            bounds = np.append(0, counts[:, column].cumsum())
            bounds = bounds / bounds[-1] if self._is_shared_out else bounds
            stretches = zip(bounds[:-1].tolist(), bounds[1:].tolist(), colors, strict=True)
            bars = [BarPart(start, end, *color) for start, end, color in stretches]
            cells = [(f"{totals[column] if self._is_shared_out else counts[0, column]:,}", self.theme.dim)]
            tip = counts_text(names[column], counts[:, column].tolist(), parts)
            rows.append(BarRow(column, names[column], parts=bars, cells=cells, tip=tip))
        self.show_data(
            RowsData([self.name], [""], rows, [""], range=(0.0, most), row_px=ROW_PX, name_px=LIST_NAME_PX)
        )

    def _column_px(self, column: int) -> float:
        """Room for the total of the largest bar, even if only a part of it is shown."""
        return self.width_px(self._widest, NUMBER) + self._column_gap_px


def counts_text(name: str, counts: Sequence[int], parts: Sequence[str]) -> str:
    return f"{name}: " + ", ".join(f"{count:,} {part}" for count, part in zip(counts, parts, strict=True))


class HistogramData(NamedTuple):
    """The data of a histogram.

    counts  int64[parts, n], stacked
    names   n texts, which begin the details of each column
    first   the first column that is drawn
    labels  texts below some columns, or below edges between two columns
    parts   a name for each part
    colors  of each part, solid or hatched, the first at the bottom
    least   the column at whose left edge there is a draggable line; None for no line
    """

    counts: Counts
    names: Sequence[str]
    parts: Sequence[str]
    first: int = 0
    labels: Mapping[int, str] | Mapping[float, str] = {}
    colors: Sequence[PartColor] = ()
    least: float | None = None


class HistogramChart(Chart):
    """A histogram; column i spans i - 0.5 to i + 0.5.

    above_px  room that a subclass needs above the columns

    Signals:
        line_moved(int): the line was dragged to the left edge of this column.
    """

    line_moved = Signal(int)
    above_px = 0.0
    data: HistogramData = HistogramData(np.zeros((1, 0), np.int64), (), ())
    ground = "panel"
    n_head_lines = 0
    has_button = shows_tips = False
    least_size = QSize(200, CHART_PX)

    def __init__(self, theme_source: ThemeSource, name: str) -> None:
        super().__init__(theme_source, name)
        self._line = pg.InfiniteLine(angle=90, movable=True)
        self._line.setCursor(Qt.CursorShape.SplitHCursor)
        self.box.addItem(self._line, ignoreBounds=True)
        self._line.sigPositionChangeFinished.connect(self._on_line_dropped)

    def sizeHint(self) -> QSize:
        return self.least_size

    def draw(self) -> None:
        data, totals = self.data, self.data.counts.sum(axis=0)
        self.set_titles([self.name])
        self.frame(0, 0)
        below_px = self.line_px if data.labels else 0
        height_px = max(self.height() - below_px - UNIT_PX, 1)
        above_px = UNIT_PX + self.above_px
        self.area = QRectF(UNIT_PX, above_px, self.width() - UNIT_PX, height_px - self.above_px)
        edges = data.first - 0.5, max(len(totals), data.first + 1) - 0.5
        self.show_range(edges, (0.0, float(totals[data.first :].max(initial=1))), (True, False))
        self._line.setVisible(data.least is not None)
        self._line.setPen(pg.mkPen(self.theme.accent, width=LINE_PX))
        self._line.setHoverPen(pg.mkPen(self.theme.accent, width=GRIPPED_PX))
        self._line.setBounds(edges)
        if data.least is not None and not self._line.moving:
            self._line.setPos(data.least - 0.5)
        tips = [
            counts_text(name, counts, data.parts)
            for name, counts in zip(data.names, data.counts.T.tolist(), strict=True)
        ]
        columns = range(data.first, len(totals))
        self.values = [Value(column, column, float(totals[column]), tips[column]) for column in columns]

    def arrange_words(self) -> None:
        for column, text in self.data.labels.items():
            at, half = self.pixel(column, 0), self.width_px(text, NUMBER) / 2
            if self.area.left() - 1 <= at.x() <= self.area.right() + 1:
                x = min(max(at.x(), half), self.width() - half)
                y = self.area.bottom() + self.line_px / 2
                self.words.append(Word(text, QPointF(x, y), self.theme.dim, NUMBER, 0.5))

    def _on_line_dropped(self) -> None:
        column = round(self._line.value() + 0.5)
        self._line.setPos(column - 0.5)
        self.line_moved.emit(column)

    def _column_rect(self, column: float) -> QRectF:
        left, right = self.pixel(column - 0.5, 0).x(), self.pixel(column + 0.5, 0).x()
        return QRectF(left, 0, right - left, self.area.bottom())

    def paint_front(self, painter: QPainter) -> None:
        painter.save()
        painter.setClipRect(QRectF(self.area.left(), 0, self.area.width(), self.height()))
        for value in self.values:
            self.paint_light(painter, self._column_rect(value.x), value)
            for segment, (color, is_hatched) in zip(self._segments(value), self.data.colors, strict=True):
                if segment.height() > 0:
                    if is_hatched:
                        fill(painter, segment, blend(self.theme.panel, color, HATCHED_GROUND), 1)
                    fill(painter, segment, pattern(color, is_hatched), 1)
        painter.restore()
        super().paint_front(painter)

    def _segments(self, value: Value) -> list[QRectF]:
        """The rectangles of the parts of a column, from the bottom up."""
        whole = self._column_rect(value.x)
        sums = np.append(0, self.data.counts[:, int(value.x)].cumsum())
        scale = self.area.height() / self.box.viewRange()[1][1]
        tops = self.area.bottom() - np.maximum(sums * scale, LEAST_PX * np.sign(sums))
        left, width = whole.left() + 1, max(whole.width() - 2, 1)
        return [QRectF(left, above, width, below - above) for below, above in pairwise(tops.tolist())]

    def value_at(self, position: QPointF) -> int | None:
        rects = (self._column_rect(value.x) for value in self.values)
        within = (rect.left() <= position.x() < rect.right() for rect in rects)
        return next((index for index, is_within in enumerate(within) if is_within), None)

    def part_at(self, position: QPointF) -> int | None:
        index = self.value_at(position)
        segments = [] if index is None else self._segments(self.values[index])
        within = (each.top() <= position.y() < each.bottom() for each in segments)
        return next((part for part, is_within in enumerate(within) if is_within), None)
