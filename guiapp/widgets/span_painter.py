"""How tokens look in the text: backgrounds, and for everything special a sign that is no colour."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from guiapp.core.vocab.vocabulary import Attribute
from guiapp.viewmodels.token_layout import (
    RowGeometry,
    SpanWindow,
    SplitCell,
    TokenBoxes,
    split_cells,
    stretches,
    token_boxes,
)
from guiapp.widgets.span_block import BlockLayout, TextMetrics
from guiapp.widgets.theme import Theme

RADIUS_PX = 4.0
GAP_PX = 6  # between the spans of two rows
LANE_PX = 3  # height of the byte lane
WAVE_PX = 3.0
CACHED_TILES = 2000
MARKED = Attribute.CONTROL | Attribute.USER_DEFINED | Attribute.BYTE | Attribute.UNKNOWN


class Tokens(NamedTuple):
    """The tokens of a block, offsets counted from its first byte, and what is special about them."""

    window: SpanWindow
    attributes: NDArray[np.uint16]
    selected: int
    hovered: int

    def of_block(self, start: int, end: int) -> Tokens:
        window = self.window.within(start, end)
        first = window.first_index - self.window.first_index
        attributes = self.attributes[first : first + len(window.ids)]
        return Tokens(window.relative_to(start), attributes, self.selected, self.hovered)


class SpanPainter:
    """Draws rows of text with their tokens for one theme and one font."""

    def __init__(self, theme: Theme, metrics: TextMetrics, shows_whitespace: bool) -> None:
        self._theme = theme
        self._metrics = metrics
        self._shows_whitespace = shows_whitespace
        self._tiles: dict[tuple[int, int, bool, bool, float], QPixmap] = {}
        self._glyphs: dict[tuple[str, float], QPixmap] = {}

    @property
    def span_height(self) -> int:
        return self._metrics.row_height - GAP_PX

    def draw_row(
        self,
        painter: QPainter,
        layout: BlockLayout,
        row: int,
        tokens: Tokens,
        selection: tuple[int, int],
        place: QPointF,
    ) -> None:
        """Draw one row of a block with its top left corner at `place`."""
        geometry = layout.geometry(row)
        has_text = len(geometry.leading) > 0
        if has_text:
            boxes = token_boxes(tokens.window, geometry)
            special = (tokens.attributes[boxes.indexes] & MARKED.value) != 0
            self._draw_tiles(painter, boxes, special, tokens, place)
            self._draw_selection(painter, stretches(geometry, *selection), place)
            self._draw_signs(painter, boxes, special, tokens, place)
            if not layout.display.is_even.all():
                self._draw_split_cells(painter, split_cells(tokens.window, geometry), tokens, place)
        painter.setPen(self._theme.span_text)
        layout.draw_row(painter, row, place.x(), place.y())
        if has_text:
            self._draw_glyphs(painter, layout, row, geometry, place)
            self._draw_chips(painter, layout, geometry, place)
            self._draw_marked(painter, boxes, tokens, place)
        self._draw_inserted(painter, geometry, tokens, place)

    def draw_chip(
        self, painter: QPainter, rect: QRectF, label: str, is_selected: bool, is_hovered: bool
    ) -> None:
        """Draw a token that was added to the text: an outline with its name in it."""
        warning = self._theme.warning
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(_faded(warning, 60 if is_hovered else 24))
        painter.setPen(QPen(warning, 1.3))
        painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
        painter.setFont(self._metrics.font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)
        if is_selected:
            self._draw_ring(painter, rect)

    def _rect(self, left: float, right: float, place: QPointF) -> QRectF:
        return QRectF(place.x() + left, place.y() + GAP_PX / 2, right - left, self.span_height)

    def _draw_tiles(
        self,
        painter: QPainter,
        boxes: TokenBoxes,
        special: NDArray[np.bool_],
        tokens: Tokens,
        place: QPointF,
    ) -> None:
        colors = (boxes.indexes + tokens.window.first_index) % len(self._theme.span_colors)
        is_control = special & ((tokens.attributes[boxes.indexes] & Attribute.CONTROL.value) != 0)
        left = np.rint(boxes.left + place.x()).astype(np.int64)
        width = np.rint(boxes.right + place.x()).astype(np.int64) - left
        colors[is_control] = -1
        y = int(place.y()) + GAP_PX // 2
        scale = painter.device().devicePixelRatioF()
        keys = zip(
            colors.tolist(),
            width.tolist(),
            boxes.round_left.tolist(),
            boxes.round_right.tolist(),
            strict=True,
        )
        tiles = self._tiles
        for x, key in zip(left.tolist(), keys, strict=True):
            if key[1] > 0:
                tile = tiles.get((*key, scale)) or self._tile(*key, scale)
                painter.drawPixmap(x, y, tile)

    def _tile(self, color: int, width: int, round_left: bool, round_right: bool, scale: float) -> QPixmap:
        """A span's background, drawn once: blitting is several times as fast as filling round corners."""
        if len(self._tiles) >= CACHED_TILES:
            self._tiles.clear()
        tile = _clear_pixmap(width, self.span_height, scale)
        fill = _faded(self._theme.warning, 24) if color < 0 else self._theme.span_colors[color]
        painter = QPainter(tile)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(_rounded(QRectF(0, 0, width, self.span_height), round_left, round_right), fill)
        painter.end()
        self._tiles[color, width, round_left, round_right, scale] = tile
        return tile

    def _draw_selection(self, painter: QPainter, parts: list[tuple[float, float]], place: QPointF) -> None:
        for left, right in parts:
            painter.fillRect(self._rect(left, right, place), _faded(self._theme.accent, 105))

    def _draw_signs(
        self,
        painter: QPainter,
        boxes: TokenBoxes,
        special: NDArray[np.bool_],
        tokens: Tokens,
        place: QPointF,
    ) -> None:
        for at in np.flatnonzero(special).tolist():
            attributes = int(tokens.attributes[boxes.indexes[at]])
            rect = self._rect(float(boxes.left[at]), float(boxes.right[at]), place)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            if attributes & Attribute.CONTROL:
                self._outline(painter, boxes, at, rect, QPen(self._theme.warning, 1.3))
            elif attributes & Attribute.USER_DEFINED:
                pen = QPen(self._theme.text, 1.4, Qt.PenStyle.DotLine, Qt.PenCapStyle.RoundCap)
                self._outline(painter, boxes, at, rect, pen)
            if attributes & Attribute.UNKNOWN:
                self._draw_wave(painter, rect)
            if attributes & Attribute.BYTE:
                self._draw_byte_mark(painter, rect)

    def _outline(self, painter: QPainter, boxes: TokenBoxes, at: int, rect: QRectF, pen: QPen) -> None:
        painter.setPen(pen)
        rect = rect.adjusted(0.7, 0.7, -0.7, -0.7)
        painter.drawPath(_rounded(rect, bool(boxes.round_left[at]), bool(boxes.round_right[at])))

    def _draw_wave(self, painter: QPainter, rect: QRectF) -> None:
        painter.setPen(QPen(self._theme.bad, 1.5))
        steps = max(2, round(rect.width() / WAVE_PX))
        points = [
            QPointF(rect.left() + step * rect.width() / steps, rect.bottom() - 1 - (step % 2) * WAVE_PX)
            for step in range(steps + 1)
        ]
        painter.drawPolyline(QPolygonF(points))

    def _draw_byte_mark(self, painter: QPainter, rect: QRectF) -> None:
        """Two dots at the bottom, for the two hex digits of the byte that the token stands for."""
        dot = QRectF(0, rect.bottom() - LANE_PX - 1, LANE_PX, LANE_PX)
        for x in (-0.5 - LANE_PX, 0.5):
            painter.fillRect(dot.translated(rect.center().x() + x, 0), _faded(self._theme.text, 190))

    def _draw_split_cells(
        self, painter: QPainter, cells: list[SplitCell], tokens: Tokens, place: QPointF
    ) -> None:
        for cell in cells:
            left, right = sorted((cell.leading, cell.trailing))
            rect = self._rect(left, right, place)
            if cell.in_character:
                self._draw_hatch(painter, rect)
            self._draw_lane(painter, cell, tokens, place, rect.bottom() - LANE_PX - 1)

    def _draw_hatch(self, painter: QPainter, rect: QRectF) -> None:
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(rect)
        painter.setPen(QPen(_faded(self._theme.text, 55), 1))
        height = rect.height()
        first = int((rect.left() - height) // 5) * 5
        painter.drawLines(
            [QLineF(x, rect.bottom(), x + height, rect.top()) for x in range(first, int(rect.right()) + 5, 5)]
        )
        painter.restore()

    def _draw_lane(
        self, painter: QPainter, cell: SplitCell, tokens: Tokens, place: QPointF, y: float
    ) -> None:
        """One segment a token below the character that they share; dotted for byte tokens."""
        width = cell.trailing - cell.leading
        for token, start, end in cell.shares:
            if tokens.attributes[token] & Attribute.BYTE:
                continue
            left, right = sorted((cell.leading + start * width, cell.leading + end * width))
            segment = QRectF(place.x() + left + 0.75, y, max(right - left - 1.5, 1), LANE_PX)
            painter.fillRect(segment, _faded(self._theme.text, 165))

    def _draw_glyphs(
        self, painter: QPainter, layout: BlockLayout, row: int, geometry: RowGeometry, place: QPointF
    ) -> None:
        if not self._shows_whitespace:
            return
        first = int(np.searchsorted(layout.display.cells, geometry.start))
        n_cells = min(len(geometry.leading), len(layout.display.is_space) - first)
        cells = slice(first, first + n_cells)
        scale = painter.device().devicePixelRatioF()
        centers = (geometry.leading + geometry.trailing) / 2 - self._metrics.char_width / 2
        left = np.minimum(geometry.leading, geometry.trailing)
        y = round(place.y())
        for mask, places, glyph in (
            (layout.display.is_space[cells], centers, "·"),
            (layout.display.is_tab[cells], left, "→"),
        ):
            if mask.any():
                pixmap = self._glyph(glyph, scale)
                for x in np.rint(places[:n_cells][mask] + place.x()).astype(np.int64).tolist():
                    painter.drawPixmap(x, y, pixmap)
        if layout.ends_line and row == layout.n_rows - 1:
            painter.drawPixmap(round(float(left[-1]) + place.x()), y, self._glyph("↵", scale))

    def _glyph(self, glyph: str, scale: float) -> QPixmap:
        """A faint character in a cell of its own."""
        if (glyph, scale) not in self._glyphs:
            pixmap = _clear_pixmap(round(self._metrics.char_width) + 1, self._metrics.row_height, scale)
            painter = QPainter(pixmap)
            painter.setFont(self._metrics.font)
            painter.setPen(_faded(self._theme.text, 115))
            painter.drawText(QPointF(0, self._metrics.baseline), glyph)
            painter.end()
            self._glyphs[glyph, scale] = pixmap
        return self._glyphs[glyph, scale]

    def _draw_chips(
        self, painter: QPainter, layout: BlockLayout, geometry: RowGeometry, place: QPointF
    ) -> None:
        """Draw the hex digits of bytes and characters that have no picture."""
        first = int(np.searchsorted(layout.display.cells, geometry.start))
        n_cells = min(len(geometry.leading), len(layout.display.is_space) - first)
        for chip in layout.display.chips:
            if first <= chip.cell < first + n_cells:
                left = float(geometry.leading[chip.cell - first])
                right = float(geometry.trailing[chip.cell - first])
                rect = self._rect(min(left, right), max(left, right), place).adjusted(1.5, 4.5, -1.5, -4.5)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setBrush(_faded(self._theme.background, 120))
                painter.setPen(QPen(_faded(self._theme.text, 110), 1))
                painter.drawRoundedRect(rect, 3, 3)
                painter.setFont(self._metrics.chip_font)
                painter.setPen(self._theme.span_text)
                painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, chip.label)

    def _draw_marked(self, painter: QPainter, boxes: TokenBoxes, tokens: Tokens, place: QPointF) -> None:
        """Draw what the selected and the hovered token wear."""
        for index, draw in ((tokens.hovered, self._draw_veil), (tokens.selected, self._draw_ring)):
            for at in np.flatnonzero(boxes.indexes == index - tokens.window.first_index).tolist():
                draw(painter, self._rect(float(boxes.left[at]), float(boxes.right[at]), place))

    def _draw_veil(self, painter: QPainter, rect: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(_faded(self._theme.text, 22))
        painter.setPen(QPen(_faded(self._theme.text, 110), 1))
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)

    def _draw_ring(self, painter: QPainter, rect: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.accent, 2))
        painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), RADIUS_PX + 1, RADIUS_PX + 1)

    def _draw_inserted(
        self, painter: QPainter, geometry: RowGeometry, tokens: Tokens, place: QPointF
    ) -> None:
        """Draw a small wedge where a token came from no text at all."""
        window = tokens.window
        is_control = (tokens.attributes & Attribute.CONTROL.value) != 0
        inside = (window.starts >= geometry.start) & (window.starts < max(geometry.end, geometry.start + 1))
        found = np.flatnonzero((window.starts == window.ends) & inside & ~is_control)
        if not len(found) or not len(geometry.leading):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.dim)
        for x in (geometry.x_from(window.starts[found]) + place.x()).tolist():
            top = place.y()
            painter.drawPolygon(QPolygonF([QPointF(x - 3, top), QPointF(x + 3, top), QPointF(x, top + 5)]))


def _faded(color: QColor, alpha: int) -> QColor:
    faded = QColor(color)
    faded.setAlpha(alpha)
    return faded


def _clear_pixmap(width: int, height: int, scale: float) -> QPixmap:
    pixmap = QPixmap(max(1, round(width * scale)), max(1, round(height * scale)))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    return pixmap


def _rounded(rect: QRectF, round_left: bool, round_right: bool) -> QPainterPath:
    """A rectangle whose corners are round where the token begins or ends, square where it goes on."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    path.addRoundedRect(rect, RADIUS_PX, RADIUS_PX)
    half = rect.width() / 2
    if not round_left:
        path.addRect(QRectF(rect.left(), rect.top(), half, rect.height()))
    if not round_right:
        path.addRect(QRectF(rect.center().x(), rect.top(), half, rect.height()))
    return path.simplified() if not (round_left and round_right) else path
