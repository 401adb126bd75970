"""Horizontal bars: a row with a name for each, parts and intervals of bars, and columns of words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from guiapp.kit.charts.chart import (
    LEAST_SIZE,
    NUMBER,
    PLAIN,
    STRONG,
    SUBTITLE,
    TICK_GAP_PX,
    Chart,
    HasTheme,
    Value,
    Word,
)
from guiapp.kit.charts.markers import MarkerStyle, outline, pattern
from guiapp.kit.charts.scales import NO_SCALE, Range, Scale, range_from_zero
from guiapp.kit.widgets.painting import fill, ring
from guiapp.kit.widgets.theme import UI_FONT_PX, UNIT_PX, Theme, blend

LEAST_ROW_PX, MOST_ROW_PX, LARGE_ROW_PX = 20, 52, 34
LARGE_FONT_PX, LEAST_FONT_PX = 15, 8
BAR_SHARE, LINE_SHARE = 0.54, 0.12  # of a row
MOST_NAME_SHARE, MOST_SIDE_SHARE, LEAST_BAR_SHARE = 0.3, 0.55, 0.4  # of the width
MARKER_PX, NAME_PX, GAP_PX, COLUMN_GAP_PX = 14, 24, 8, 28
ROW_PX, LIST_NAME_PX = 21, 104  # of lists of bars
RADIUS_PX, PROGRESS_PX, PROGRESS_HEIGHT_PX, LEAST_PX = 3, 240, 3, 1.5
Counts = NDArray[np.int64]
PartColor = tuple[QColor, bool]
INK = QColor("#14161b")  # on the colours of bars
HIGHLIGHT = 0.24  # of the accent, behind a selected row


class BarPart(NamedTuple):
    """From where to where a bar goes, and what it looks like."""

    start: float
    end: float
    color: QColor
    is_hatched: bool = False


class BarRow(NamedTuple):
    """One bar, and what is written beside it.

    key       what a click means; rows with the same key fade together
    name      at the left, with a marker; "" below another row of the same
    note      behind the name, where there is room
    interval  at the end of the bar: 95 % of what would be measured again lies within
    value, detail   behind the bar, strong and dim
    cells     at the right: words and their colours, one for each heading
    dot, marks      on a thin bar: where the marker is, and where it is crossed
    progress  of what will have a bar: 0 to 1
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


class RowsData(NamedTuple):
    """What a chart of rows shows, from the top down.

    scale     of the bars; those of logarithms begin where their first part does
    range     along it, where it is not from 0 to what the longest bar needs
    row_px    of each row; as much as there is room for where none is given
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
    """Row number i is at the height -i."""

    def __init__(self, theme_source: HasTheme, name: str, has_button: bool = True) -> None:
        self.data = RowsData([name], [""], [])
        self.selected: Hashable = None
        super().__init__(theme_source, name, has_button)

    def show_data(self, data: RowsData) -> None:
        resized = (len(data.rows), data.scale) != (len(self.data.rows), self.data.scale)
        self.data = data
        if resized:
            self.updateGeometry()
        self.redraw()

    def select(self, key: Hashable) -> None:
        """Mark the row that something is listed of."""
        if key != self.selected:
            self.selected = key
            self._update()

    def minimumSizeHint(self) -> QSize:
        """Rows that can be read; with less height they get smaller."""
        if not hasattr(self, "_metrics"):
            return LEAST_SIZE
        line_px = int(QFontMetricsF(Theme.ui_font(UI_FONT_PX)).height()) + 1  # however small letters are now
        scale_px = 2 * line_px + TICK_GAP_PX if self.data.scale.title else 0
        least = self.data.row_px or LEAST_ROW_PX
        return QSize(200, int(self.head_px + max(len(self.data.rows), 1) * least + scale_px))

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint() if self.data.row_px else super().sizeHint()

    @property
    def row_px(self) -> float:
        bottom, top = self.box.viewRange()[1]
        return float(self.area.height() / (top - bottom))

    def draw(self) -> None:
        data, n_rows = self.data, max(len(self.data.rows), 1)
        scale_px = 2 * self.line_px + TICK_GAP_PX if data.scale.title else 0
        room_px = max(self.height() - self.head_px - scale_px, 1)
        row_px = data.row_px or max(min(room_px / n_rows, MOST_ROW_PX), 1)
        large = LARGE_FONT_PX if row_px >= LARGE_ROW_PX else UI_FONT_PX
        self.set_font_px(min(large, max(int(row_px) - 4, LEAST_FONT_PX)))
        if scale_px:  # of other letters
            room_px = max(self.height() - self.head_px - 2 * self.line_px - TICK_GAP_PX, 1)
            row_px = data.row_px or min(row_px, room_px / n_rows)
        self._has_details = True
        self._notes = [row.note for row in data.rows]
        side_px, self._columns = MOST_SIDE_SHARE * self.width(), list(range(len(data.headings)))
        side_px = self.width() if data.name_px is not None else side_px
        if self._names_px + self._columns_px > side_px:
            self._notes = [""] * len(data.rows)
        while self._columns and self._names_px + self._columns_px > side_px:
            self._columns.pop(0)
        self.frame(self._names_px, self._columns_px, (data.scale, NO_SCALE) if scale_px else None)
        self.area.setHeight(n_rows * row_px)
        self.set_titles(data.titles, data.subtitles, self._columns_px)
        most_after_bar_px = (1 - LEAST_BAR_SHARE) * self.area.width()
        self._has_details = max(map(self._after_bar_px, data.rows), default=0.0) <= most_after_bar_px
        self.show_range(data.range or self._bar_range(), (0.5 - n_rows, 0.5), (bool(scale_px), False))
        self.values = [
            Value(row.key, row.parts[-1].end if row.parts else 0.0, -index, row.tip)
            for index, row in enumerate(data.rows)
        ]

    @property
    def _names_px(self) -> float:
        if self.data.name_px is not None:
            return self.data.name_px
        widths = (
            self.width_px(self._shown(row.name)) + (self.width_px("n" + note) if note else 0)
            for row, note in zip(self.data.rows, self._notes, strict=True)
        )
        return NAME_PX + max(widths, default=0) + COLUMN_GAP_PX / 2

    @property
    def _columns_px(self) -> float:
        return sum(map(self._column_px, self._columns)) + UNIT_PX

    def _column_px(self, column: int) -> float:
        cells = (self.width_px(row.cells[column][0], NUMBER) for row in self.data.rows if row.cells)
        return max(self.width_px(self.data.headings[column], SUBTITLE), *cells, 0) + self._column_gap_px

    @property
    def _column_gap_px(self) -> int:
        return COLUMN_GAP_PX if self.data.name_px is None else GAP_PX

    def _shown(self, name: str) -> str:
        return self.elided(name, self.data.name_px or MOST_NAME_SHARE * self.width())

    def _bar_range(self) -> Range:
        """From 0 so far that all bars, and what stands behind them, are seen."""
        room_px, least_px = self.area.width(), LEAST_BAR_SHARE * self.area.width()
        ends = [(_end(row), self._after_bar_px(row)) for row in self.data.rows]
        longest = max((end / max(room_px - px, least_px) for end, px in ends), default=0.0)
        return 0.0, range_from_zero(longest)[1] * room_px if longest else 1.0

    def _after_bar_px(self, row: BarRow) -> float:
        texts = ((row.value, STRONG), (row.detail if self._has_details else "", PLAIN))
        return sum(self.width_px(text, font) + GAP_PX for text, font in texts if text) + GAP_PX

    def place(self) -> None:
        for index, row in enumerate(self.data.rows):
            self._place_names(index, row)
            self._place_after_bar(index, row)
        left_px, head_y = self.area.right(), self.head_px - self.line_px / 2 - GAP_PX / 2
        for column in self._columns:
            right_px = left_px + self._column_px(column)
            at_px, align = left_px + self._column_gap_px, 0.0
            if self.data.name_px is not None:  # a list of counts
                at_px, align = right_px, 1.0
            self.words.append(
                Word(self.data.headings[column], QPointF(at_px, head_y), self.theme.dim, SUBTITLE, align)
            )
            for index, row in enumerate(self.data.rows):
                if row.cells:
                    text, color = row.cells[column]
                    color = self.theme.faint if self.is_faded(row.key) else color
                    at = QPointF(at_px, self.pixel(0, -index).y())
                    self.words.append(Word(text, at, color, NUMBER, align, row.key))
            left_px = right_px

    def _place_names(self, index: int, row: BarRow) -> None:
        y, left_px = self.pixel(0, -index).y(), 0.0 if row.marker_style is None else float(NAME_PX)
        name = self._shown(row.name)
        self.words.append(Word(name, QPointF(left_px, y), self.word_color(row.key), key=row.key))
        if note := self._notes[index]:
            at = QPointF(left_px + self.width_px(name + "n"), y)
            self.words.append(Word(note, at, self.dim_color(row.key), key=row.key))

    def _place_after_bar(self, index: int, row: BarRow) -> None:
        """Value and detail behind the bar, or at the edge where that is out of sight."""
        end, area = self.pixel(_end(row), -index), self.area
        if row.progress is not None:
            end.setX(area.left() + min(PROGRESS_PX, area.width() / 2))
        at_px = max(min(end.x(), area.right() - self._after_bar_px(row)), area.left()) + GAP_PX
        dim = row.detail_color or self.dim_color(row.key)
        has_detail = self._has_details or row.progress is not None or not row.parts
        for text, font, color in ((row.value, STRONG, self.word_color(row.key)), (row.detail, PLAIN, dim)):
            if text and (has_detail or font is STRONG):
                text = self.elided(text, self.width() - at_px, font)
                self.words.append(Word(text, QPointF(at_px, end.y()), color, font, key=row.key))
                at_px += self.width_px(text, font) + GAP_PX

    def paint_front(self, painter: QPainter) -> None:
        height, current = self.row_px, self.current
        for word in self.words:
            if self.area.left() < word.at.x() < self.area.right():  # lines of the scale end at words
                fill(painter, self.rect_of(word), getattr(self.theme, self.ground), 0)
        for index, row in enumerate(self.data.rows):
            whole = QRectF(0, self.pixel(0, -index).y() - height / 2, self.width(), height)
            if row.key == self.selected and row.key is not None:
                fill(painter, whole, blend(self.theme.panel, self.theme.accent, HIGHLIGHT), 4)
            elif current is not None and current.y == -index:
                fill(painter, whole, self.theme.raised, 4)
                if self.hasFocus():
                    ring(painter, whole, self.theme.accent, 4)
            self._paint_bar(painter, index, row)
        super().paint_front(painter)

    def _paint_bar(self, painter: QPainter, index: int, row: BarRow) -> None:
        area, y, is_thin = self.area, self.pixel(0, -index).y(), row.dot is not None
        height = self.row_px * (LINE_SHARE if is_thin else BAR_SHARE)
        painter.save()
        painter.setClipRect(area.adjusted(-MARKER_PX / 2, 0, MARKER_PX / 2, 0))
        for part in row.parts:
            left, right = self.pixel(part.start, 0).x(), self.pixel(part.end, 0).x()
            if right > left or part.end > part.start:
                rect = QRectF(left, y - height / 2, max(right - left, LEAST_PX), height)
                self._paint_part(painter, row, part, rect)
        if row.progress is not None:
            line = QRectF(area.left(), y - 1, min(PROGRESS_PX, area.width() / 2), PROGRESS_HEIGHT_PX)
            fill(painter, line, self.theme.line, 1)
            line.setWidth(line.width() * row.progress)
            fill(painter, line, row.marker_style.color if row.marker_style else self.theme.dim, 1)
        if row.interval is not None:
            self._paint_interval(painter, row, row.interval, y)
        if row.marker_style is not None and row.dot is not None:
            color = self.color(row.marker_style.color, row.key)
            for mark in row.marks:
                x = self.pixel(mark, 0).x()
                fill(painter, QRectF(x - 1, y - self.row_px / 5, 2, self.row_px / 2.5), color, 0)
            self._paint_marker(painter, row, QPointF(self.pixel(row.dot, 0).x(), y))
        painter.restore()
        if row.marker_style is not None and row.name:
            self._paint_marker(painter, row, QPointF(MARKER_PX / 2, y))

    def _paint_marker(self, painter: QPainter, row: BarRow, center: QPointF) -> None:
        assert row.marker_style is not None
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self.color(row.marker_style.color, row.key))
        size_px = min(MARKER_PX, self.row_px - 3)
        painter.drawPath(outline(row.marker_style.marker, size_px).translated(center))

    def _paint_part(self, painter: QPainter, row: BarRow, part: BarPart, rect: QRectF) -> None:
        color, radius = self.color(part.color, row.key), min(RADIUS_PX, rect.width() / 2)
        painter.setPen(color if part.is_hatched else Qt.PenStyle.NoPen)
        painter.setBrush(pattern(color, part.is_hatched))
        painter.drawRoundedRect(rect, radius, radius)

    def _paint_interval(self, painter: QPainter, row: BarRow, interval: Range, y: float) -> None:
        """A whisker, dark within the bar and light outside."""
        low, high, end_px = (self.pixel(value, 0).x() for value in (*interval, _length(row)))
        inside, outside = self.color(INK, row.key), self.color(self.theme.text, row.key)
        height = self.row_px * BAR_SHARE
        for left, right, color in ((low, min(end_px, high), inside), (max(end_px, low), high, outside)):
            if left < right:
                fill(painter, QRectF(left, y - 1, right - left, 2), color, 0)
        for x in (low, high):
            color = inside if x < end_px else outside
            fill(painter, QRectF(x - 1, y - height / 5, 2, height / 2.5), color, 0)

    def paint_current(self, painter: QPainter, value: Value) -> None:
        """The row is lit instead."""

    def value_at(self, position: QPointF) -> int | None:
        """The row at this height."""
        row = int((position.y() - self.area.top()) // self.row_px) if self.area.height() > 1 else -1
        return row if 0 <= row < len(self.data.rows) else None

    def part_at(self, position: QPointF) -> int | None:
        index = self.value_at(position)
        for part, stretch in enumerate(() if index is None else self.data.rows[index].parts):
            if self.pixel(stretch.start, 0).x() <= position.x() < self.pixel(stretch.end, 0).x():
                return part
        return None


def _length(row: BarRow) -> float:
    return row.parts[-1].end if row.parts else 0.0


def _end(row: BarRow) -> float:
    return max(_length(row), row.interval[1] if row.interval else 0.0, *row.marks, 0.0)


class BarList(RowChart):
    """Counts in parts, a row for each column that has something, the largest first; a click chooses one.

    is_shared_out  whether each bar is as long as all others, so that it shows shares of its own
    """

    ground = "panel"
    n_head_lines = 0

    def __init__(self, theme_source: HasTheme, name: str, is_shared_out: bool = False) -> None:
        self._is_shared_out = is_shared_out
        super().__init__(theme_source, name, has_button=False)
        self.shows_tips = False

    def show_counts(
        self, counts: Counts, names: Sequence[str], parts: Sequence[str], colors: Sequence[PartColor]
    ) -> None:
        """Draw int64[parts, n]: n bars with their names; each part in a colour, solid or hatched."""
        totals = counts.sum(axis=0)
        order = [int(each) for each in np.argsort(-totals, kind="stable") if totals[each]]
        dim, most = self.theme.dim, 1.0 if self._is_shared_out else float(totals.max(initial=1))
        rows = []
        for column in order:
            bounds = np.append(0, counts[:, column].cumsum())
            bounds = bounds / bounds[-1] if self._is_shared_out else bounds
            stretches = zip(bounds[:-1].tolist(), bounds[1:].tolist(), colors, strict=True)
            bars = [BarPart(start, end, *color) for start, end, color in stretches]
            total = totals[column] if self._is_shared_out else counts[0, column]
            tip = counts_text(names[column], counts[:, column].tolist(), parts)
            rows.append(BarRow(column, names[column], parts=bars, cells=[(f"{total:,}", dim)], tip=tip))
        self.show_data(
            RowsData([self._name], [""], rows, [""], range=(0.0, most), row_px=ROW_PX, name_px=LIST_NAME_PX)
        )

    def walked(self, index: int, key: Qt.Key) -> int:
        step = 1 if key in (Qt.Key.Key_Right, Qt.Key.Key_Down) else -1
        return max(0, min(index + step, len(self.values) - 1))


def counts_text(name: str, counts: Sequence[int], parts: Sequence[str]) -> str:
    """What is read at a bar in parts."""
    return f"{name}: " + ", ".join(f"{count:,} {part}" for count, part in zip(counts, parts, strict=True))
