"""What two vocabularies share, by script and by length of tokens; a click lists the tokens of a part."""

from __future__ import annotations

from abc import abstractmethod
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QBrush, QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter

from guiapp.core.compare.vocabularies import LONGEST_COUNTED
from guiapp.core.tree.scripts import NAMES
from guiapp.widgets.compare.markers import color_of
from guiapp.widgets.shared.painting import RIGHT, Painted, elided, fill, ring, write
from guiapp.widgets.shared.style_sheet import blend
from guiapp.widgets.shared.theme import GAP_PX, SMALL_FONT_PX, UNIT_PX, Theme, ThemeSource

Counts = NDArray[np.int64]
ROW_PX, BAR_PX = 21, 9
NAME_PX, TOTAL_PX = 96, 54
CHART_PX, AXIS_PX = 112, 18
BOTH, ONLY_A = 0, 1
PARTS = ("in both", "only in A", "only in B")
GROUNDS = 0.3  # of a colour below its hatching
LABELLED = (1, 8, 16, 24, LONGEST_COUNTED)
Key = Qt.Key
STEPS = {Key.Key_Up: -1, Key.Key_Left: -1, Key.Key_Down: 1, Key.Key_Right: 1}


class Place(NamedTuple):
    """Where a part of a bar is; `whole` is all that belongs to the bar."""

    column: int
    whole: QRectF
    parts: tuple[QRectF, QRectF, QRectF]


class Bars(Painted):
    """Bars in three parts: what both have, only A, only B.

    Signals:
        chosen(int, int | None): a column of the counts, and a part of it.
        pointed_at(int | None): the column under the mouse, or that of the keyboard.
    """

    chosen = Signal(int, object)
    pointed_at = Signal(object)

    def __init__(self, theme_source: ThemeSource, name: str) -> None:
        super().__init__(theme_source, name)
        self._counts: Counts = np.zeros((3, 0), np.int64)
        self._column_of_b = 1
        self._selected: int | None = None
        self._current: int | None = None
        self._hovered: int | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFont(Theme.ui_font(SMALL_FONT_PX))

    def show_counts(self, counts: Counts, column_of_b: int) -> None:
        """Draw int64[3, n] from now on."""
        self._counts, self._column_of_b = counts, column_of_b
        self._current = self._hovered = None
        self.updateGeometry()
        self.update()

    def select(self, column: int | None) -> None:
        """Show which bar's tokens are listed."""
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
    def name_of(self, column: int) -> str:
        """What the tokens of a bar have in common."""

    @abstractmethod
    def paint_labels(self, painter: QPainter, theme: Theme, place: Place) -> None:
        """What stands beside a bar."""

    def told(self, column: int) -> str:
        """The figures of a bar."""
        figures = [f"{count:,} {part}" for count, part in zip(self._counts[:, column], PARTS, strict=True)]
        return f"{self.name_of(column)}: {', '.join(figures)}"

    def paint(self, painter: QPainter, theme: Theme) -> None:
        pointed = self._current if self.hasFocus() else None
        for place in self.places:
            if place.column == self._selected:
                fill(painter, place.whole, blend(theme.raised, theme.accent, 0.24), 4)
            elif place.column == self._hovered:
                fill(painter, place.whole, theme.raised, 4)
            if place.column == pointed:
                ring(painter, place.whole, theme.accent, 4)
            for part, stretch in enumerate(place.parts):
                if stretch.width() > 0 and stretch.height() > 0:
                    paint_part(painter, theme, stretch, part, self._column_of_b)
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


class ScriptBars(Bars):
    """A row for each script, that with the most tokens first; a bar is all of a script's tokens."""

    @property
    def scripts(self) -> list[int]:
        """Those that have tokens, as columns of the counts."""
        totals = self._counts.sum(axis=0)
        order = np.argsort(-totals, kind="stable")
        return [int(each) for each in order if totals[each]]

    def sizeHint(self) -> QSize:
        return QSize(280, max(1, len(self.scripts)) * ROW_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def places_in(self, width: int, height: int) -> list[Place]:
        left, right = NAME_PX + GAP_PX, width - TOTAL_PX - GAP_PX
        found = []
        for row, script in enumerate(self.scripts):
            counts = self._counts[:, script]
            bounds = left + np.append(0, counts.cumsum()) / counts.sum() * (right - left)
            top = row * ROW_PX + (ROW_PX - BAR_PX) / 2
            first, second, third = (
                QRectF(start, top, end - start, BAR_PX) for start, end in pairwise(bounds)
            )
            found.append(Place(script, QRectF(0, row * ROW_PX, width, ROW_PX), (first, second, third)))
        return found

    def name_of(self, column: int) -> str:
        return NAMES[column]

    def paint_labels(self, painter: QPainter, theme: Theme, place: Place) -> None:
        whole, font = place.whole, Theme.ui_font(SMALL_FONT_PX)
        room = QRectF(UNIT_PX, whole.top(), NAME_PX - UNIT_PX, whole.height())
        write(painter, room, elided(NAMES[place.column], font, room.width()), theme.text, font=font)
        total = f"{self._counts[:, place.column].sum():,}"
        end = whole.adjusted(0, 0, -UNIT_PX, 0)
        write(painter, end, total, theme.dim, RIGHT, Theme.mono_font(SMALL_FONT_PX))

    def _reaches(self, stretch: QRectF, point: QPointF) -> bool:
        return stretch.width() > 0 and stretch.left() <= point.x() < stretch.right()


class LengthBars(Bars):
    """A histogram of the bytes of tokens, on one scale."""

    def sizeHint(self) -> QSize:
        return QSize(280, CHART_PX + AXIS_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, CHART_PX + AXIS_PX)

    def places_in(self, width: int, height: int) -> list[Place]:
        totals = self._counts.sum(axis=0)
        lengths = range(1, len(totals))
        if not totals.any():
            return []
        step, bottom = width / len(lengths), height - AXIS_PX
        scale = (bottom - UNIT_PX) / totals.max()
        found = []
        for length in lengths:
            left = (length - 1) * step
            bounds = bottom - np.append(0, self._counts[:, length].cumsum()) * scale
            first, second, third = (
                QRectF(left + 1, above, step - 2, below - above) for below, above in pairwise(bounds)
            )
            found.append(Place(length, QRectF(left, 0, step, height), (first, second, third)))
        return found

    def name_of(self, column: int) -> str:
        return length_name(column)

    def paint_labels(self, painter: QPainter, theme: Theme, place: Place) -> None:
        if place.column not in LABELLED:
            return
        text = f"{place.column}+" if place.column == LONGEST_COUNTED else str(place.column)
        font = Theme.mono_font(SMALL_FONT_PX - 1)
        width = QFontMetrics(font).horizontalAdvance(text)
        left = min(max(0.0, place.whole.center().x() - width / 2), self.width() - width)
        room = QRectF(left, self.height() - AXIS_PX, width + 1, AXIS_PX)
        write(painter, room, text, theme.dim, font=font)

    def _reaches(self, stretch: QRectF, point: QPointF) -> bool:
        return stretch.height() > 0 and stretch.top() <= point.y() < stretch.bottom()


def length_name(length: int) -> str:
    """So many bytes; the longest are counted together."""
    if length == LONGEST_COUNTED:
        return f"{length} bytes and more"
    return "1 byte" if length == 1 else f"{length} bytes"


def paint_part(painter: QPainter, theme: Theme, place: QRectF, part: int, column_of_b: int) -> None:
    """A stretch of a bar by its number in PARTS: grey for both, full for A, hatched for B."""
    if part == BOTH:
        fill(painter, place, theme.faint, 1)
    elif part == ONLY_A:
        fill(painter, place, color_of(0, theme), 1)
    else:
        color = color_of(column_of_b, theme)
        fill(painter, place, blend(theme.panel, color, GROUNDS), 1)
        fill(painter, place, QBrush(color, Qt.BrushStyle.BDiagPattern), 1)
