"""Bars in several parts, each of which counts something: rows with names, and columns side by side."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter

from guiapp.widgets.shared.painting import RIGHT, Painted, elided, fill, ring, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

Counts = NDArray[np.int64]
ROW_PX, BAR_PX = 21, 9
NAME_PX, TOTAL_PX = 96, 54
LEAST_PX = 1.5  # of what has anything
CHART_PX, AXIS_PX = 112, 18
PaintPart = Callable[[QPainter, Theme, QRectF, int], None]
"""Draws a stretch of a bar, a part of it by its number."""
Key = Qt.Key
STEPS = {Key.Key_Up: -1, Key.Key_Left: -1, Key.Key_Down: 1, Key.Key_Right: 1}


class Place(NamedTuple):
    """Where a part of a bar is; `whole` is all that belongs to the bar."""

    column: int
    whole: QRectF
    parts: tuple[QRectF, ...]


class Bars(Painted):
    """Bars, each in the same parts.

    parts       what each part counts
    paint_part  draws a stretch of a bar

    Signals:
        chosen(int, int | None): a column of the counts, and a part of it.
        pointed_at(int | None): the column under the mouse, or that of the keyboard.
    """

    chosen = Signal(int, object)
    pointed_at = Signal(object)

    def __init__(
        self, theme_source: ThemeSource, name: str, parts: Sequence[str], paint_part: PaintPart
    ) -> None:
        super().__init__(theme_source, name)
        self._parts = parts
        self._paint_part = paint_part
        self._counts: Counts = np.zeros((len(parts), 0), np.int64)
        self._names: Sequence[str] = ()
        self._selected: int | None = None
        self._current: int | None = None
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFont(Theme.ui_font(SMALL_FONT_PX))

    def show_counts(self, counts: Counts, names: Sequence[str]) -> None:
        """Draw int64[parts, n] from now on: n bars, with their names."""
        if tuple(names) != tuple(self._names):
            self._current = self._hovered = None
        self._counts, self._names = counts, names
        self.updateGeometry()
        self.update()

    def select(self, column: int | None) -> None:
        """Show which bar's tokens are listed."""
        if column != self._selected:
            self._selected = column
            self.update()

    @property
    def places(self) -> list[Place]:
        """All bars that are drawn."""
        return self.places_in(self.width(), self.height())

    @abstractmethod
    def places_in(self, width: int, height: int) -> list[Place]:
        """Where they are in so much room."""

    @abstractmethod
    def paint_labels(self, painter: QPainter, theme: Theme, place: Place) -> None:
        """What stands beside a bar."""

    def told(self, column: int) -> str:
        """The figures of a bar."""
        figures = [
            f"{count:,} {part}" for count, part in zip(self._counts[:, column], self._parts, strict=True)
        ]
        return f"{self._names[column]}: {', '.join(figures)}"

    def paint(self, painter: QPainter, theme: Theme) -> None:
        pointed, seen = self._current if self.hasFocus() else None, painter.clipBoundingRect()
        for place in self.places:
            if not place.whole.intersects(seen):
                continue  # most of them, where rows are scrolled
            if place.column == self._selected:
                fill(painter, place.whole, blend(theme.raised, theme.accent, 0.24), 4)
            elif place.column == self._hovered:
                fill(painter, place.whole, theme.raised, 4)
            if place.column == pointed:
                ring(painter, place.whole, theme.accent, 4)
            for part, stretch in enumerate(place.parts):
                if stretch.width() > 0 and stretch.height() > 0:
                    self._paint_part(painter, theme, stretch, part)
            self.paint_labels(painter, theme, place)

    def part_at(self, point: QPointF) -> tuple[int, int | None] | None:
        """The bar at a point, and its part there; None where there is no bar."""
        for place in self.places:
            if place.whole.contains(point):
                parts = (part for part, stretch in enumerate(place.parts) if self._reaches(stretch, point))
                return place.column, next(parts, None)
        return None

    @abstractmethod
    def _reaches(self, stretch: QRectF, point: QPointF) -> bool:
        """Whether a click there is meant for a stretch of a bar."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self.part_at(event.position())
        if found is not None and event.button() == Qt.MouseButton.LeftButton:
            self._current = found[0]
            self.chosen.emit(*found)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        found = self.part_at(event.position())
        self.setCursor(Qt.CursorShape.ArrowCursor if found is None else Qt.CursorShape.PointingHandCursor)
        self._hover(None if found is None else found[0])

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        places = self.places
        if self._current is None and places:
            self._current = places[0].column
        self._tell()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._tell()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        columns = [place.column for place in self.places]
        if not columns or self._current not in columns:
            super().keyPressEvent(event)
        elif event.key() in STEPS:
            at = columns.index(self._current) + STEPS[Key(event.key())]
            self._current = columns[max(0, min(at, len(columns) - 1))]
            self._tell()
        elif event.key() in (Key.Key_Return, Key.Key_Enter, Key.Key_Space):
            self.chosen.emit(self._current, None)
        else:
            super().keyPressEvent(event)

    def _hover(self, column: int | None) -> None:
        if column != self._hovered:
            self._hovered = column
            self._tell()

    def _tell(self) -> None:
        pointed = self._current if self._hovered is None and self.hasFocus() else self._hovered
        self.setAccessibleDescription("" if pointed is None else self.told(pointed))
        self.pointed_at.emit(pointed)
        self.update()


class RowBars(Bars):
    """A row for each that has something, the largest first.

    is_shared_out  whether each bar is as wide as all others, so that it shows shares of its own
    """

    def __init__(
        self,
        theme_source: ThemeSource,
        name: str,
        parts: Sequence[str],
        paint_part: PaintPart,
        is_shared_out: bool,
    ) -> None:
        super().__init__(theme_source, name, parts, paint_part)
        self._is_shared_out = is_shared_out

    @property
    def columns(self) -> list[int]:
        """Those that have something, as columns of the counts."""
        totals = self._counts.sum(axis=0)
        order = np.argsort(-totals, kind="stable")
        return [int(each) for each in order if totals[each]]

    def sizeHint(self) -> QSize:
        return QSize(280, max(1, len(self.columns)) * ROW_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def places_in(self, width: int, height: int) -> list[Place]:
        left, right = NAME_PX + GAP_PX, width - TOTAL_PX - GAP_PX
        most = int(self._counts.sum(axis=0).max(initial=1))
        found = []
        for row, column in enumerate(self.columns):
            counts = self._counts[:, column]
            whole = counts.sum() if self._is_shared_out else most
            bounds = left + np.append(0, counts.cumsum()) / whole * (right - left)
            bounds = np.maximum(bounds, left + LEAST_PX * np.append(0, np.sign(counts.cumsum())))
            top = row * ROW_PX + (ROW_PX - BAR_PX) / 2
            stretches = [QRectF(start, top, end - start, BAR_PX) for start, end in pairwise(bounds)]
            found.append(Place(column, QRectF(0, row * ROW_PX, width, ROW_PX), tuple(stretches)))
        return found

    def paint_labels(self, painter: QPainter, theme: Theme, place: Place) -> None:
        whole, font = place.whole, Theme.ui_font(SMALL_FONT_PX)
        room = QRectF(UNIT_PX, whole.top(), NAME_PX - UNIT_PX, whole.height())
        name = elided(self._names[place.column], font, room.width())
        write(painter, room, name, theme.text, font=font)
        counts = self._counts[:, place.column]
        total = f"{counts.sum() if self._is_shared_out else counts[0]:,}"
        end = whole.adjusted(0, 0, -UNIT_PX, 0)
        write(painter, end, total, theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))

    def _reaches(self, stretch: QRectF, point: QPointF) -> bool:
        return stretch.width() > 0 and stretch.left() <= point.x() < stretch.right()


class ColumnBars(Bars):
    """A histogram: columns side by side on one scale.

    first   the first column that is drawn
    labels  what stands below some of them
    """

    def __init__(
        self,
        theme_source: ThemeSource,
        name: str,
        parts: Sequence[str],
        paint_part: PaintPart,
        first: int = 0,
    ) -> None:
        super().__init__(theme_source, name, parts, paint_part)
        self._first = first
        self.labels: Mapping[int, str] = {}

    def sizeHint(self) -> QSize:
        return QSize(280, CHART_PX + AXIS_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, CHART_PX + AXIS_PX)

    def places_in(self, width: int, height: int) -> list[Place]:
        totals = self._counts.sum(axis=0)[self._first :]
        if not totals.any():
            return []
        step, bottom = width / len(totals), height - AXIS_PX
        scale = (bottom - UNIT_PX) / totals.max()
        found = []
        for at in range(len(totals)):
            left = at * step
            sums = np.append(0, self._counts[:, self._first + at].cumsum())
            bounds = bottom - np.maximum(sums * scale, LEAST_PX * np.sign(sums))
            stretches = [
                QRectF(left + 1, above, step - 2, below - above) for below, above in pairwise(bounds)
            ]
            found.append(Place(self._first + at, QRectF(left, 0, step, height), tuple(stretches)))
        return found

    def paint_labels(self, painter: QPainter, theme: Theme, place: Place) -> None:
        if (text := self.labels.get(place.column)) is None:
            return
        font = Theme.mono_font(SMALL_FONT_PX - 1)
        width = QFontMetrics(font).horizontalAdvance(text)
        left = min(max(0.0, place.whole.center().x() - width / 2), self.width() - width)
        room = QRectF(left, self.height() - AXIS_PX, width + 1, AXIS_PX)
        write(painter, room, text, theme.dim, font=font)

    def _reaches(self, stretch: QRectF, point: QPointF) -> bool:
        return stretch.height() > 0 and stretch.top() <= point.y() < stretch.bottom()
