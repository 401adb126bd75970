"""What charts with a row for each contender share: names at the left, and columns at the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QSize
from PySide6.QtGui import QColor

from guiapp.core.bench.measurement import Record
from guiapp.widgets.bench.charts import Chart, HasTheme
from guiapp.widgets.bench.plot import BEGINS, LINE_PX, NO_PEN, NUMBER, PLAIN, SUBTITLE, Marker, Word
from guiapp.widgets.shared.theme import UI_FONT_PX

LEAST_ROW_PX, MOST_ROW_PX = 20, 52
LARGE_ROW_PX = 34  # from which on letters are large
LARGE_FONT_PX, LEAST_FONT_PX = 15, 8
SCALE_PX = 26
MOST_NAME_SHARE = 0.3  # of the width
BAR_SHARE = 0.54  # of a row
MARKER_PX, NAME_PX = 14, 24  # of its column, and where names begin
COLUMN_GAP_PX = 28
MOST_BESIDE = 0.55  # of the width that names and columns take


class Column(NamedTuple):
    """A heading, and in each row a text in a colour."""

    heading: str
    cells: Sequence[tuple[str, QColor]]
    letters: str = NUMBER


class RowChart(Chart):
    """Rows from the top down, number `index` at the height -index."""

    def __init__(self, scenario: str, theme_source: HasTheme) -> None:
        self._n_rows, self._scale_px = 0, 0
        super().__init__(scenario, theme_source)

    def minimumSizeHint(self) -> QSize:
        """Rows that can be read; with less height they get smaller."""
        return QSize(200, self.head_px + max(self._n_rows, 1) * LEAST_ROW_PX + self._scale_px)

    @property
    def row_px(self) -> float:
        top, bottom = self.y_range[1], self.y_range[0]
        return self.area.height() / (top - bottom)

    def lay_rows(
        self, names: Sequence[Record | None], columns: Sequence[Column], has_scale: bool = False
    ) -> None:
        """Names, with a marker, of those rows that have a record; and as many columns as there is room for.

        The place of the plot is set, with a scale right below where it has one; what it shows begins at
        `x_range[0]` already.
        """
        laid = len(names), SCALE_PX if has_scale else 0
        if laid != (self._n_rows, self._scale_px):
            self._n_rows, self._scale_px = laid
            self.updateGeometry()
        room_px: float = self.height() - self.head_px
        if has_scale:
            room_px = min(room_px - SCALE_PX, max(len(names), 1) * MOST_ROW_PX)
        row_px = min(max(room_px / max(len(names), 1), 1), MOST_ROW_PX)
        large = LARGE_FONT_PX if row_px >= LARGE_ROW_PX else UI_FONT_PX
        self.set_font_px(min(large, max(int(row_px) - 4, LEAST_FONT_PX)))
        versions = [self._showing.versions.get(row["contender"], "") if row else "" for row in names]
        room_beside_px, shown = MOST_BESIDE * self.width(), list(columns)
        if self._names_px(names, versions) + sum(map(self._column_px, shown)) > room_beside_px:
            versions = [""] * len(names)
        left_px = self._names_px(names, versions)
        while shown and left_px + sum(map(self._column_px, shown)) > room_beside_px:
            shown.pop(0)
        right_px = sum(map(self._column_px, shown)) + (COLUMN_GAP_PX if shown else 0)
        self.y_range = 0.5 - room_px / row_px, 0.5
        self.frame(left_px, right_px)
        self.area.setHeight(max(room_px, 1))
        self._write_names(names, versions)
        self._write_columns(shown, right_px)

    def _names_px(self, names: Sequence[Record | None], versions: Sequence[str]) -> float:
        widths = [
            self.width_px(self._shown(row["contender"]))
            + (self.width_px("n" + version, PLAIN) if version else 0)
            for row, version in zip(names, versions, strict=True)
            if row
        ]
        return NAME_PX + max(widths, default=0) + COLUMN_GAP_PX / 2

    def _shown(self, name: str) -> str:
        return self.elided(name, MOST_NAME_SHARE * self.width())

    def _column_px(self, column: Column) -> float:
        texts = [(column.heading, SUBTITLE), *((text, column.letters) for text, _ in column.cells)]
        return max(self.width_px(*text) for text in texts) + COLUMN_GAP_PX

    def _write_names(self, names: Sequence[Record | None], versions: Sequence[str]) -> None:
        left, from_px = self.x_range[0], -self.area.left()
        for index, (row, version) in enumerate(zip(names, versions, strict=True)):
            if row is None:
                continue
            name, look = self._shown(row["contender"]), self.look(row["contender"])
            size_px = min(MARKER_PX, self.row_px - 3)
            marker = Marker(left, -index, size_px, look.marker, NO_PEN, look.color, from_px + MARKER_PX / 2)
            self.markers.append(marker)
            color = self.word_color(row["contender"])
            self.words.append(Word(name, left, -index, color, from_px + NAME_PX, BEGINS, row=row))
            if version:
                behind_px = from_px + NAME_PX + self.width_px(name + "n")
                self.words.append(Word(version, left, -index, self.theme.dim, behind_px, BEGINS))

    def _write_columns(self, columns: Sequence[Column], width_px: float) -> None:
        """Headings beside the title, and a cell in each row."""
        left, at_px = self.x_range[0], self.area.width() + COLUMN_GAP_PX
        above = self.place(QPointF(0, LINE_PX / 2))[1]
        for column in columns:
            self.words.append(Word(column.heading, left, above, self.theme.dim, at_px, BEGINS, SUBTITLE))
            for index, (text, color) in enumerate(column.cells):
                self.words.append(Word(text, left, -index, color, at_px, BEGINS, column.letters))
            at_px += self._column_px(column)
        self.right_px = max(self.right_px, width_px)

    def record_at(self, position: QPointF) -> Record | None:
        """The row that is at this height."""
        at = self.place(position)[1]
        distances = [(abs(y - at), index) for index, (_, y, _) in enumerate(self._points)]
        distance, index = min(distances, default=(1.0, 0))
        return self._points[index][2] if distance < 0.5 else None
