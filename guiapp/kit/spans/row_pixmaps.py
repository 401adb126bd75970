"""Rows of text kept as pixmaps, and what changes too often to be in them: selection, hover, added tokens."""

from __future__ import annotations

from collections import OrderedDict
from math import inf
from time import perf_counter
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPixmap

from guiapp.kit.spans.block import BlockLayout, TextMetrics
from guiapp.kit.spans.painter import GAP_PX, RADIUS_PX, RING_ALPHA, RING_PX, PaintedTokens, SpanPainter, faded
from guiapp.kit.tokens.layout import SpanWindow, row_segments, token_boxes
from guiapp.kit.widgets.painting import clear_pixmap
from guiapp.kit.widgets.theme import Theme

PIXEL_BYTES = 4
LINE_ALPHA = 34  # of the line that people are to see
PADDING_PX = 24  # around the text of a row, for newlines and glyphs that reach out
SQUARE_PX = 3  # below letters that pass for others
KEPT_SCREENS = 3  # full of rows that were drawn; more would cost memory, and each is seldom seen again


class PointedOut(NamedTuple):
    """The bytes [start, end) that people are to see, and the line [line_start, line_end) of that place."""

    start: int
    end: int
    line_start: int
    line_end: int

    def seen_from(self, start: int, end: int) -> PointedOut | None:
        """What of it is in the bytes [start, end), counted from `start`; None where its line is not."""
        if self.line_end <= start or self.line_start >= end > start:
            return None
        return PointedOut(*(min(max(at, start), end) - start for at in self))


class Highlights(NamedTuple):
    """What is selected, pointed at and found: bytes counted from the block's start, and token indexes.

    confusables  the bytes of letters that pass for others
    """

    selection: tuple[int, int]
    selected_token: int
    hovered_token: int
    pointed_out: PointedOut | None = None
    matches: SpanWindow | None = None
    confusables: tuple[tuple[int, int], ...] = ()

    def confusables_in(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """Those within some bytes."""
        return tuple(each for each in self.confusables if start <= each[0] < end)


class _RowPixmap(NamedTuple):
    x: int
    pixmap: QPixmap


class RowPixmaps:
    """Draws rows of text; one that looks as before is copied, not drawn again."""

    def __init__(self, theme: Theme, metrics: TextMetrics, shows_whitespace: bool) -> None:
        self._theme = theme
        self._metrics = metrics
        self._painter = SpanPainter(theme, metrics, shows_whitespace)
        self._pixmaps: OrderedDict[tuple[object, ...], _RowPixmap] = OrderedDict()
        self._n_bytes = self._most_bytes = 0
        self._deadline = inf
        self._is_first = True

    def begin_frame(self, most_ms: float, size: QSize, scale: float) -> None:
        """From then on, rows that were never drawn are only sketched, all but the first."""
        self._most_bytes = round(KEPT_SCREENS * size.width() * size.height() * scale**2) * PIXEL_BYTES
        self._deadline = perf_counter() + most_ms / 1000
        self._is_first = True

    def draw_row(
        self,
        painter: QPainter,
        layout: BlockLayout,
        row: int,
        tokens: PaintedTokens,
        highlights: Highlights,
        place: QPointF,
    ) -> bool:
        """Draw one row of a block with its top left corner at `place`; False if time was up."""
        if layout.likeness(row) is None and not layout.is_measured(row) and self._is_late():
            return self._sketch(painter, layout, row, place)
        start, end = layout.row_span(row)
        tokens = tokens.within(start, end)
        found, scale = highlights.matches, painter.device().devicePixelRatioF()
        matches = None if found is None else found.within(start, end)
        drawn = self._pixmap(layout, row, tokens, matches, scale)
        is_whole = drawn is not None
        if drawn is None:  # too late: better without the newest marks than without tokens
            drawn = self._pixmaps.get(_key(layout, row, tokens, None, scale))
        if drawn is None:
            return self._sketch(painter, layout, row, place)
        painter.drawPixmap(QPointF(place.x() + drawn.x, place.y()), drawn.pixmap)
        self._draw_pointed_out(painter, layout, row, highlights.pointed_out, place)
        self._draw_highlights(painter, layout, row, tokens, highlights, place)
        self._draw_confusables(painter, layout, row, highlights.confusables_in(start, end), place)
        return is_whole

    def _is_late(self) -> bool:
        return not self._is_first and perf_counter() > self._deadline

    def _sketch(self, painter: QPainter, layout: BlockLayout, row: int, place: QPointF) -> bool:
        painter.setPen(self._theme.span_text)
        layout.draw_row(painter, row, place.x(), place.y())
        return False

    def draw_chip(
        self,
        painter: QPainter,
        rect: QRectF,
        label: str,
        is_ringed: bool,
        is_selected: bool,
        is_hovered: bool,
    ) -> None:
        """Draw a token that was added to the text: an outline with its name in it."""
        warning = self._theme.warning
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(faded(warning, 60 if is_hovered else 24))
        painter.setPen(QPen(warning, 1.3))
        painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
        painter.setFont(self._metrics.font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)
        if is_ringed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(faded(self._theme.text, RING_ALPHA), RING_PX))
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), RADIUS_PX - 2, RADIUS_PX - 2)
        if is_selected:
            self._draw_ring(painter, rect)

    def _pixmap(
        self, layout: BlockLayout, row: int, tokens: PaintedTokens, matches: SpanWindow | None, scale: float
    ) -> _RowPixmap | None:
        """The row as it looks now, drawn unless it is too late for that."""
        key = _key(layout, row, tokens, matches, scale)
        found = self._pixmaps.get(key)
        if found is None and self._is_late():
            return None
        if found is None:
            self._is_first = False
            found = self._pixmaps[key] = self._drawn(layout, row, tokens, matches, scale)
            self._n_bytes += _n_bytes(found)
            while self._n_bytes > self._most_bytes and len(self._pixmaps) > 1:
                self._n_bytes -= _n_bytes(self._pixmaps.popitem(last=False)[1])
        self._pixmaps.move_to_end(key)
        return found

    def _drawn(
        self, layout: BlockLayout, row: int, tokens: PaintedTokens, matches: SpanWindow | None, scale: float
    ) -> _RowPixmap:
        geometry = layout.geometry(row)
        edges = np.concatenate((geometry.leading, geometry.trailing, layout.row_extent(row)))
        x = int(edges.min()) - PADDING_PX
        width = int(edges.max()) + PADDING_PX - x
        pixmap = clear_pixmap(width, self._metrics.row_height, scale, self._theme.background)
        with QPainter(pixmap) as painter:
            self._painter.draw_row(painter, layout, row, tokens, QPointF(-x, 0))
            if matches is not None:
                self._painter.draw_matches(painter, geometry, matches, QPointF(-x, 0))
        return _RowPixmap(x, pixmap)

    def _draw_highlights(
        self,
        painter: QPainter,
        layout: BlockLayout,
        row: int,
        tokens: PaintedTokens,
        highlights: Highlights,
        place: QPointF,
    ) -> None:
        start, end = layout.row_span(row)
        first = tokens.window.first_index
        hovered, selected = highlights.hovered_token - first, highlights.selected_token - first
        has_tokens = any(0 <= index < len(tokens.attributes) for index in (hovered, selected))
        has_selection = max(start, highlights.selection[0]) < min(end, highlights.selection[1])
        if not (has_tokens or has_selection) or not len((geometry := layout.geometry(row)).leading):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for left, right in row_segments(geometry, *highlights.selection):
            painter.fillRect(self._rect(left, right, place), faded(self._theme.accent, 95))
        if not has_tokens:
            return
        boxes = token_boxes(tokens.window, geometry)
        for index, draw in ((hovered, self._draw_overlay), (selected, self._draw_ring)):
            for at in np.flatnonzero(boxes.indexes == index).tolist():
                draw(painter, self._rect(float(boxes.left[at]), float(boxes.right[at]), place))

    def _draw_pointed_out(
        self, painter: QPainter, layout: BlockLayout, row: int, pointed_out: PointedOut | None, place: QPointF
    ) -> None:
        start, end = layout.row_span(row)
        if pointed_out is None or (found := pointed_out.seen_from(start, end)) is None:
            return
        row_px, window_px = self._metrics.row_height, painter.device().width()
        painter.fillRect(QRectF(0, place.y(), window_px, row_px), faded(self._theme.accent, LINE_ALPHA))
        for left, right in row_segments(layout.geometry(row), start + found.start, start + found.end):
            self._draw_ring(painter, self._rect(left, right, place))

    def _draw_confusables(
        self,
        painter: QPainter,
        layout: BlockLayout,
        row: int,
        letters: tuple[tuple[int, int], ...],
        place: QPointF,
    ) -> None:
        """Underline letters that pass for others by squares, in the colour of warnings."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        y = round(place.y()) + self._metrics.row_height - GAP_PX // 2 - SQUARE_PX
        for letter in letters:
            for left, right in row_segments(layout.geometry(row), *letter):
                first, last = round(place.x() + left), round(place.x() + right) - SQUARE_PX
                for x in range(first, last + 1, 2 * SQUARE_PX):
                    painter.fillRect(x, y, SQUARE_PX, SQUARE_PX, self._theme.warning)

    def _rect(self, left: float, right: float, place: QPointF) -> QRectF:
        height = self._metrics.row_height - GAP_PX
        return QRectF(place.x() + left, place.y() + GAP_PX / 2, right - left, height)

    def _draw_overlay(self, painter: QPainter, rect: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(faded(self._theme.text, 22))
        painter.setPen(QPen(faded(self._theme.text, 110), 1))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)

    def _draw_ring(self, painter: QPainter, rect: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.accent, 2))
        painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), RADIUS_PX + 1, RADIUS_PX + 1)


def _key(
    layout: BlockLayout, row: int, tokens: PaintedTokens, matches: SpanWindow | None, scale: float
) -> tuple[object, ...]:
    """Everything that the looks of a row follow from."""
    (start, end), text = layout.row_span(row), layout.likeness(row)
    if text is None:
        text = layout.data[start:end], layout.preedit, layout.geometry(row).leading.tobytes()
    return (*text, scale, *tokens.paint_key(start, matches))


def _n_bytes(drawn: _RowPixmap) -> int:
    return drawn.pixmap.width() * drawn.pixmap.height() * PIXEL_BYTES
