"""Beside the text of a model: the tokens of each line, and how many more these are than others need."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QPainter, QWheelEvent

from guiapp.viewmodels.compare.compared_spans import ComparedSpans
from guiapp.viewmodels.compare.figures import ComparedFigures
from guiapp.widgets.shared.painting import RIGHT, Painted, fill, write
from guiapp.widgets.shared.theme import SMALL_FONT_PX, Theme, ThemeSource
from guiapp.widgets.spans.editor import SpanEditor
from guiapp.widgets.spans.painter import faded
from guiapp.widgets.spans.row_pixmaps import LINE_ALPHA, PointedOut
from guiapp.widgets.spans.rows import MARGIN_PX

WIDTH_PX = 50
SIDE_PX = 6
BAR_PX = 3
BAR_ROOM_PX = WIDTH_PX - SIDE_PX - 4
LEAST_BAR_PX = 2


class LineCounts(Painted):
    """Numbers at the first row of each line; amber with a bar where another model needs fewer."""

    ground = "background"

    def __init__(
        self, column: ComparedSpans, figures: ComparedFigures, editor: SpanEditor, theme_source: ThemeSource
    ) -> None:
        super().__init__(theme_source, "Tokens of each line")
        self._column = column
        self._figures = figures
        self._editor = editor
        self._pointed_out: PointedOut | None = None
        self.setFixedWidth(WIDTH_PX)
        editor.moved.connect(self.update)
        figures.lines_changed.connect(self.update)
        column.tokens_changed.connect(self.update)

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

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.setFont(Theme.mono_font(SMALL_FONT_PX))
        rows, document = self._editor.rows, self._column.session.document
        row_px = rows.metrics.row_height
        before = self._column.around[0]
        if rows.has_header:
            self._draw(painter, theme, MARGIN_PX - rows.scroll_y, row_px, before, before)
        for block in rows.visible():
            line = document.line_of(block.start)
            start, end = document.line_span(line)
            if self._pointed_out is not None and start == self._pointed_out.line_start:
                ground = QRectF(0, block.y, self.width(), block.bottom - block.y)
                painter.fillRect(ground, faded(theme.accent, LINE_ALPHA))
            if start == block.start and self._figures.row_of(self._column) >= 0:
                counts = self._figures.in_line(start, end)
                n_tokens = counts[self._figures.row_of(self._column)]
                self._draw(painter, theme, block.y, row_px, n_tokens, min(counts))

    def _draw(
        self, painter: QPainter, theme: Theme, y: float, row_px: int, n_tokens: int, least: int
    ) -> None:
        room = QRectF(0, y, self.width() - SIDE_PX, row_px - BAR_PX)
        more = n_tokens - least
        if more <= 0:
            write(painter, room, f"{n_tokens:,}", theme.dim, RIGHT)
            return
        number = f" {n_tokens:,}"
        write(painter, room, number, theme.text, RIGHT)
        width = painter.fontMetrics().horizontalAdvance(number)
        write(painter, room.adjusted(0, 0, -width, 0), f"+{more:,}", theme.warning, RIGHT)
        share = more / max(self._figures.most_more, more)
        bar = max(round(share * BAR_ROOM_PX), LEAST_BAR_PX)
        place = QRect(self.width() - SIDE_PX - bar, round(y) + row_px - BAR_PX - 2, bar, BAR_PX)
        fill(painter, place, theme.warning, BAR_PX / 2)
