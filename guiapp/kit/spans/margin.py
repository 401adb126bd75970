"""Beside a text: a number for each line, amber with a bar where the line costs more than it need."""

from __future__ import annotations

from abc import abstractmethod
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QWheelEvent

from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.editor import SpanEditor
from guiapp.kit.spans.painter import faded
from guiapp.kit.spans.row_pixmaps import LINE_ALPHA, PointedOut
from guiapp.kit.spans.rows import MARGIN_PX
from guiapp.kit.widgets.painting import RIGHT, Painted, fill, write
from guiapp.kit.widgets.theme import SMALL_FONT_PX, Theme, ThemeSource

WIDTH_PX = 50
SIDE_PX = 6
BAR_PX = 3
BAR_ROOM_PX = WIDTH_PX - SIDE_PX - 4
LEAST_BAR_PX = 2


class LineCost(NamedTuple):
    """The tokens of a line; what is said before them where it is dear, and the length of its bar, 0 to 1."""

    n_tokens: int
    is_expensive: bool = False
    note: str = ""
    share: float = 0.0


class LineMargin(Painted):
    """Numbers at the first row of each line."""

    ground = "background"

    def __init__(self, document: TextDocument, editor: SpanEditor, theme_source: ThemeSource) -> None:
        super().__init__(theme_source, "Tokens of each line")
        self._document = document
        self._editor = editor
        self._pointed_out: PointedOut | None = None
        self.setFixedWidth(WIDTH_PX)
        editor.moved.connect(self._on_moved)
        theme_source.changed.connect(self.update)

    @abstractmethod
    def cost_of(self, start: int, end: int) -> LineCost | None:
        """What is written beside a line of the text; None for nothing."""

    def n_before(self) -> int:
        """The number beside the row above the text."""
        return 0

    def point_out(self, place: PointedOut | None) -> None:
        """Mark a line as the editor does."""
        if place != self._pointed_out:
            self._pointed_out = place
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(WIDTH_PX, 0)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """As over the text."""
        self._editor.wheelEvent(event)

    def _on_moved(self, moved_px: int) -> None:
        """Move the picture with the rows, as the editor does; paint what comes into sight."""
        if moved_px:
            self.scroll(0, moved_px)
        else:
            self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.setFont(Theme.mono_font(SMALL_FONT_PX))
        rows, document = self._editor.rows, self._document
        row_px = rows.metrics.row_height
        if rows.has_header:
            self._draw(painter, theme, MARGIN_PX - rows.scroll_y, row_px, LineCost(self.n_before()))
        area = painter.clipBoundingRect()
        for block in rows.visible():
            if not area.top() < block.bottom or not block.y < area.bottom():
                continue
            start, end = document.line_span(document.line_of(block.start))
            if self._pointed_out is not None and start == self._pointed_out.line_start:
                ground = QRectF(0, block.y, self.width(), block.bottom - block.y)
                painter.fillRect(ground, faded(theme.accent, LINE_ALPHA))
            if start == block.start and (cost := self.cost_of(start, end)) is not None:
                self._draw(painter, theme, block.y, row_px, cost)

    def _draw(self, painter: QPainter, theme: Theme, y: float, row_px: int, cost: LineCost) -> None:
        room = QRectF(0, y, self.width() - SIDE_PX, row_px - BAR_PX)
        if not cost.is_expensive:
            write(painter, room, f"{cost.n_tokens:,}", theme.dim, RIGHT)
            return
        number = f" {cost.n_tokens:,}"
        write(painter, room, number, theme.text if cost.note else theme.warning, RIGHT)
        width = painter.fontMetrics().horizontalAdvance(number)
        write(painter, room.adjusted(0, 0, -width, 0), cost.note, theme.warning, RIGHT)
        bar = max(round(cost.share * BAR_ROOM_PX), LEAST_BAR_PX)
        place = QRect(self.width() - SIDE_PX - bar, round(y) + row_px - BAR_PX - 2, bar, BAR_PX)
        fill(painter, place, theme.warning, BAR_PX / 2)
