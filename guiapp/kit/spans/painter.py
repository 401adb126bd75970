"""The appearance of tokens in the text: backgrounds, and a mark other than colour for special tokens."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPainterPath, QPen, QPixmap, QPolygonF, QRegion

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.document.coloured_spans import CONTROL_SHADE, PLAIN_SHADE
from guiapp.kit.spans.block import BlockLayout, TextMetrics
from guiapp.kit.spans.layout import (
    COLOR_BITS,
    DIFFERS,
    FIRST_SHADE,
    ONLY_HERE,
    PIECE_END,
    SHARED,
    RowGeometry,
    SpanWindow,
    SplitCells,
    TokenBoxes,
    split_cells,
    token_boxes,
)
from guiapp.kit.widgets.painting import CENTER, clear_pixmap, outline, write
from guiapp.kit.widgets.theme import Theme

RADIUS_PX = 4.0
GAP_PX = 6  # between the spans of two rows
LANE_PX = 3  # height of the byte lane
WAVE_PX = 3.0
BRACKET_PX = 2  # the line below a match …
BRACKET_ENDS_PX = 6  # … and the height of its ends, where the match begins and ends
TOP_BRACKET_PX = 2  # the line above a token that differs …
TOP_BRACKET_ENDS_PX = 5  # … and the height of its ends
DEAR_CHIP_TOKENS = 8
CACHED_TILES = 2000
HATCH_PX = 5
QUIET_ALPHA = 102  # 40 %
RING_PX, RING_ALPHA = 1.25, 180
NARROW_RING_PX, QUIET_RING_ALPHA = 16, 100  # around one letter, which a stronger ring would cover
LINE_PX, UPRIGHT_PX = 2, 8  # a line between two tokens, and the bars at its ends
SEAM_PX = 1
PIECE_PX = 2  # by which the line after a piece extends beyond spans
OUTLINED, RING = -1, -2  # used instead of a colour
CONTROL, USER_DEFINED = Attribute.CONTROL.value, Attribute.USER_DEFINED.value
BYTE, UNKNOWN = Attribute.BYTE.value, Attribute.UNKNOWN.value
MARKED = CONTROL | USER_DEFINED | BYTE | UNKNOWN


class PaintedTokens(NamedTuple):
    """Some tokens of the text, with their attributes."""

    window: SpanWindow
    attributes: NDArray[np.uint16]

    def within(self, start: int, end: int) -> PaintedTokens:
        """The tokens that overlap or touch the bytes [start, end]."""
        window = self.window.within(start, end)
        first = window.first_index - self.window.first_index
        return PaintedTokens(window, self.attributes[first : first + len(window.ids)])

    def relative_to(self, offset: int) -> PaintedTokens:
        return self._replace(window=self.window.relative_to(offset))

    def paint_key(self, start: int, matches: SpanWindow | None = None) -> tuple[bytes, ...]:
        """Compares equal for tokens and matches that are painted the same, relative to `start`."""
        window = self.window
        columns: list[NDArray[Any]]
        columns = [window.starts - start, window.ends - start, window.tints, self.attributes]
        if matches is not None and len(matches.ids):
            columns += [matches.starts - start, matches.ends - start]
        return tuple(column.tobytes() for column in columns)


class _RowBoxes(NamedTuple):
    """The boxes of a row with edges in whole pixels, and the colours and attributes of their tokens.

    top  of the spans in the pixmap
    """

    boxes: TokenBoxes
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    top: int
    colors: NDArray[np.int64]
    tints: NDArray[np.uint16]
    attributes: NDArray[np.uint16]

    @classmethod
    def of(cls, tokens: PaintedTokens, geometry: RowGeometry, corner: QPointF) -> _RowBoxes:
        boxes = token_boxes(tokens.window, geometry)
        tints = tokens.window.tints[boxes.indexes].astype(np.uint16)
        return cls(
            boxes,
            np.rint(boxes.left + corner.x()).astype(np.int64),
            np.rint(boxes.right + corner.x()).astype(np.int64),
            int(corner.y()) + GAP_PX // 2,
            (tints & COLOR_BITS).astype(np.int64),
            tints,
            tokens.attributes[boxes.indexes],
        )


class SpanPainter:
    """Draws rows of text with their tokens, in one theme and font."""

    def __init__(self, theme: Theme, metrics: TextMetrics, shows_whitespace: bool) -> None:
        self._theme = theme
        self._metrics = metrics
        self._shows_whitespace = shows_whitespace
        self._tiles: dict[tuple[int, int, bool, bool, float], QPixmap] = {}
        self._shades = *theme.shades, *theme.origins
        self._is_light_shade = np.array([theme.text_on(fill) != theme.span_text for fill in self._shades])
        self._mark = faded(theme.text, 175)
        self._hatch = _hatch(faded(theme.text, 46), self.span_height)
        self._glyphs: dict[tuple[str, float, bool], QPixmap] = {}

    @property
    def span_height(self) -> int:
        return self._metrics.row_height - GAP_PX

    def draw_row(
        self, painter: QPainter, layout: BlockLayout, row: int, tokens: PaintedTokens, corner: QPointF
    ) -> None:
        """Draw one row of a block with its top left corner at `corner`; spans are relative to the block."""
        geometry = layout.geometry(row)
        if not len(geometry.leading):
            self._draw_text(painter, layout, row, [], [], corner)
            return
        boxes = _RowBoxes.of(tokens, geometry, corner)
        self._draw_tiles(painter, boxes)
        self._draw_markers(painter, boxes, corner)
        self._draw_rings(painter, boxes, tokens.window, geometry)
        if not geometry.is_mixed:  # in mixed directions a piece may not end at a right edge
            self._draw_piece_ends(painter, boxes)
        self._draw_differing(painter, boxes)
        if not layout.is_ascii:
            self._draw_split_cells(painter, split_cells(tokens.window, geometry), tokens, corner)
        light = self._light_area(boxes, corner)
        self._draw_text(painter, layout, row, light, self._dim_area(boxes, corner), corner)
        self._draw_glyphs(painter, layout, row, geometry, light, corner)
        self._draw_chips(painter, layout, geometry, tokens, corner)
        self._draw_inserted(painter, geometry, tokens, corner)

    def draw_matches(
        self, painter: QPainter, geometry: RowGeometry, matches: SpanWindow, corner: QPointF
    ) -> None:
        """Draw a bracket below each match in a row, open where the match continues in another row."""
        if not len(geometry.leading):
            return
        boxes = token_boxes(matches, geometry)
        bottom = round(corner.y()) + self._metrics.row_height - GAP_PX // 2 + BRACKET_PX
        sides = np.rint(np.stack((boxes.left, boxes.right)) + corner.x()).astype(np.int64).tolist()
        ends = boxes.round_left.tolist(), boxes.round_right.tolist()
        rects = []
        for left, right, opens, closes in zip(*sides, *ends, strict=True):
            rects.append(QRect(left, bottom - BRACKET_PX, right - left, BRACKET_PX))
            for x, is_end in ((left, opens), (right - BRACKET_PX, closes)):
                if is_end:
                    rects.append(QRect(x, bottom - BRACKET_ENDS_PX, BRACKET_PX, BRACKET_ENDS_PX))
        self._fill(painter, rects, self._theme.text)

    def _rect(self, left: float, right: float, corner: QPointF) -> QRectF:
        return QRectF(corner.x() + left, corner.y() + GAP_PX / 2, right - left, self.span_height)

    def _draw_text(
        self,
        painter: QPainter,
        layout: BlockLayout,
        row: int,
        light: list[QRect],
        dim: list[QRect],
        corner: QPointF,
    ) -> None:
        """Draw the characters of a row, dark in the `light` rectangles and dim in the `dim` ones."""
        if light or dim:
            rest = QRegion(QRect(0, int(corner.y()), painter.device().width(), self._metrics.row_height))
            for rects, color in ((light, self._theme.background), (dim, self._theme.dim)):
                if not rects:
                    continue
                area = QRegion()
                for rect in rects:
                    area += QRegion(rect)
                rest -= area
                painter.setClipRegion(area)
                painter.setPen(color)
                layout.draw_row(painter, row, corner.x(), corner.y())
            painter.setClipRegion(rest)
        painter.setPen(self._theme.span_text)
        layout.draw_row(painter, row, corner.x(), corner.y())
        painter.setClipping(False)

    def _dim_area(self, row: _RowBoxes, corner: QPointF) -> list[QRect]:
        """The rectangles of text that a template writes, unless only this column has it."""
        is_template = (row.colors == PLAIN_SHADE) | (row.colors == CONTROL_SHADE)
        return self._rects(row, is_template & (row.tints & ONLY_HERE == 0), corner)

    def _light_area(self, row: _RowBoxes, corner: QPointF) -> list[QRect]:
        """The light spans of a dark theme, which need dark text, left to right; not control tokens."""
        shades = row.colors - FIRST_SHADE
        is_light = (shades >= 0) & self._is_light_shade[np.maximum(shades, 0)]
        return self._rects(row, is_light & ((row.attributes & CONTROL) == 0), corner)

    def _rects(self, row: _RowBoxes, is_chosen: NDArray[np.bool_], corner: QPointF) -> list[QRect]:
        """The rectangles of some boxes, at the full height of their row, from left to right."""
        if not is_chosen.any():
            return []
        y, height = int(corner.y()), self._metrics.row_height
        runs = _joined_runs(row.left[is_chosen], row.right[is_chosen])
        return [QRect(left, y, right - left, height) for left, right in runs]

    def _draw_tiles(self, painter: QPainter, row: _RowBoxes) -> None:
        is_outlined = ((row.attributes & CONTROL) != 0) & (row.colors != CONTROL_SHADE)
        colors = np.where(is_outlined, OUTLINED, row.colors | row.tints & SHARED)
        scale, tiles = painter.device().devicePixelRatioF(), self._tiles
        looks = colors, row.right - row.left, row.boxes.round_left, row.boxes.round_right
        columns = (column.tolist() for column in (row.left, *looks))
        for x, *key in zip(*columns, strict=True):
            if key[1] > 0:
                look = (*key, scale)
                painter.drawPixmap(x, row.top, tiles.get(look) or self._tile(*look))

    def _tile(self, color: int, width: int, round_left: bool, round_right: bool, scale: float) -> QPixmap:
        """A span's background, or the ring around it, as a cached pixmap.

        Blitting is several times faster than filling rounded corners.
        """
        if len(self._tiles) >= CACHED_TILES:
            self._tiles.clear()
        tile = clear_pixmap(width, self.span_height, scale)
        is_shade = color >= 0 and color & COLOR_BITS >= FIRST_SHADE  # neighbours may have the same colour
        is_apart = is_shade and round_right and width > 2 * SEAM_PX
        whole = QRectF(0, 0, width - SEAM_PX * is_apart, self.span_height)
        with QPainter(tile) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if color in (RING, CONTROL_SHADE, CONTROL_SHADE | SHARED):
                ring = faded(
                    self._theme.text, RING_ALPHA if whole.width() > NARROW_RING_PX else QUIET_RING_ALPHA
                )
                pen = ring if color == RING else faded(self._theme.faint, 150)
                painter.setPen(QPen(pen, RING_PX if color == RING else 1))
                whole = whole.adjusted(RING_PX / 2, RING_PX / 2, -RING_PX / 2, -RING_PX / 2)
                painter.drawPath(rounded_rect(whole, round_left, round_right))
            else:
                painter.fillPath(rounded_rect(whole, round_left, round_right), self._fill_of(color))
        self._tiles[color, width, round_left, round_right, scale] = tile
        return tile

    def _fill_of(self, color: int) -> QColor:
        if color == OUTLINED:
            return faded(self._theme.control, 24)
        tint = color & COLOR_BITS
        fill = self._theme.span_color(tint) if tint < FIRST_SHADE else self._shades[tint - FIRST_SHADE]
        return faded(fill, fill.alpha() * QUIET_ALPHA // 255) if color & SHARED else fill

    def _draw_rings(
        self, painter: QPainter, row: _RowBoxes, window: SpanWindow, geometry: RowGeometry
    ) -> None:
        """Outline each token that only this column has; parts of one character share an outline."""
        is_ringed = row.tints & ONLY_HERE > 0
        if not is_ringed.any():
            return
        scale, boxes = painter.device().devicePixelRatioF(), row.boxes
        for first, last in rings_of(is_ringed, boxes, window, geometry):
            left, width = int(row.left[first]), int(row.right[last] - row.left[first])
            key = RING, width, bool(boxes.round_left[first]), bool(boxes.round_right[last])
            if width > 0:
                painter.drawPixmap(left, row.top, self._tiles.get((*key, scale)) or self._tile(*key, scale))

    def _draw_piece_ends(self, painter: QPainter, row: _RowBoxes) -> None:
        """Draw a thin line after each token that ends a piece."""
        ends = row.boxes.round_right & ((row.tints & PIECE_END) > 0)
        if ends.any():
            edges = row.right[ends].tolist()
            self._fill(painter, [piece_end(x, row.top, self.span_height) for x in edges], self._mark)

    def _draw_differing(self, painter: QPainter, row: _RowBoxes) -> None:
        """Draw a bracket above each token that the exact encoder does not produce."""
        differs = (row.tints & DIFFERS) > 0
        if not differs.any():
            return
        columns = row.left, row.right, row.boxes.round_left, row.boxes.round_right
        rects = []
        for left, right, *closed in zip(*(column[differs].tolist() for column in columns), strict=True):
            rects += top_bracket(QRect(left, row.top, right - left, 0), *closed)
        self._fill(painter, rects, self._theme.warning)

    def _draw_markers(self, painter: QPainter, row: _RowBoxes, corner: QPointF) -> None:
        is_byte = (row.attributes & BYTE) != 0
        if is_byte.any():
            self._draw_byte_marks(painter, row.boxes, is_byte, corner)
        is_special = (row.attributes & MARKED) != 0
        is_special &= ~is_byte & (row.colors != CONTROL_SHADE)  # the latter has a thin outline already
        for at in np.flatnonzero(is_special).tolist():
            boxes, attributes = row.boxes, int(row.attributes[at])
            rect = self._rect(float(boxes.left[at]), float(boxes.right[at]), corner)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(outline(self._theme, attributes))
            ends = bool(boxes.round_left[at]), bool(boxes.round_right[at])
            painter.drawPath(rounded_rect(rect.adjusted(0.7, 0.7, -0.7, -0.7), *ends))
            if attributes & UNKNOWN:
                draw_wave(painter, self._theme, rect)

    def _draw_byte_marks(
        self, painter: QPainter, boxes: TokenBoxes, is_byte: NDArray[np.bool_], corner: QPointF
    ) -> None:
        """Draw two dots at the bottom, for the two hex digits of the byte that a token represents."""
        y = round(corner.y()) + GAP_PX // 2 + self.span_height - LANE_PX - 1
        centers = ((boxes.left + boxes.right)[is_byte] / 2 + corner.x()).round().astype(np.int64).tolist()
        self._fill(painter, [dot for center in centers for dot in byte_dots(center, y)], self._mark)

    def _draw_split_cells(
        self, painter: QPainter, cells: SplitCells | None, tokens: PaintedTokens, corner: QPointF
    ) -> None:
        """Hatch characters that are split across tokens, and draw each token's segment of the byte lane."""
        if cells is None:
            return
        y = round(corner.y()) + GAP_PX // 2
        for left, right in _joined_runs(cells.torn_left + corner.x(), cells.torn_right + corner.x()):
            hatched = QRect(left, y, right - left, self.span_height)
            painter.drawTiledPixmap(hatched, self._hatch, QPoint(left % HATCH_PX, 0))
        in_lane = (tokens.attributes[cells.tokens] & BYTE) == 0
        left = np.rint(cells.left[in_lane] + corner.x()).astype(np.int64) + 1
        width = np.maximum(np.rint(cells.right[in_lane] + corner.x()).astype(np.int64) - left - 1, 1)
        y += self.span_height - LANE_PX - 1
        lanes = [QRect(x, y, w, LANE_PX) for x, w in zip(left.tolist(), width.tolist(), strict=True)]
        self._fill(painter, lanes, self._mark)

    def _fill(self, painter: QPainter, rects: list[QRect], color: QColor) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        painter.drawRects(rects)

    def _draw_glyphs(
        self,
        painter: QPainter,
        layout: BlockLayout,
        row: int,
        geometry: RowGeometry,
        light: list[QRect],
        corner: QPointF,
    ) -> None:
        if not self._shows_whitespace:
            return

        def draw(glyph: str, x: int) -> None:
            is_dark = any(rect.left() <= x < rect.right() for rect in light)
            painter.drawPixmap(x, y, self._glyph(glyph, scale, is_dark))

        first = int(np.searchsorted(layout.display.cells, geometry.start))
        n_cells = min(len(geometry.leading), len(layout.display.is_space) - first)
        cells = slice(first, first + n_cells)
        scale = painter.device().devicePixelRatioF()
        centers = (geometry.leading + geometry.trailing) / 2 - self._metrics.char_width / 2
        left = np.minimum(geometry.leading, geometry.trailing)
        y = round(corner.y())
        for mask, all_x, glyph in (
            (layout.display.is_space[cells], centers, "·"),
            (layout.display.is_tab[cells], left, "→"),
        ):
            if mask.any():
                for x in np.rint(all_x[:n_cells][mask] + corner.x()).astype(np.int64).tolist():
                    draw(glyph, x)
        if row == layout.n_rows - 1:
            for x in left[len(left) - layout.n_newlines :].tolist():
                draw("↵", round(x + corner.x()))

    def _glyph(self, glyph: str, scale: float, is_dark: bool) -> QPixmap:
        """A faint character in a cell, as a cached pixmap."""
        key = glyph, scale, is_dark
        if key not in self._glyphs:
            pixmap = clear_pixmap(round(self._metrics.char_width) + 1, self._metrics.row_height, scale)
            with QPainter(pixmap) as painter:
                painter.setFont(self._metrics.font)
                painter.setPen(faded(self._theme.background if is_dark else self._theme.text, 115))
                painter.drawText(QPointF(0, self._metrics.baseline), glyph)
            self._glyphs[key] = pixmap
        return self._glyphs[key]

    def _draw_chips(
        self,
        painter: QPainter,
        layout: BlockLayout,
        geometry: RowGeometry,
        tokens: PaintedTokens,
        corner: QPointF,
    ) -> None:
        """Draw the chips of characters without a glyph; amber if they take many tokens."""
        first = int(np.searchsorted(layout.display.cells, geometry.start))
        n_cells = min(len(geometry.leading), len(layout.display.is_space) - first)
        starts, ends = tokens.window.starts, tokens.window.ends
        for chip in layout.display.chips_in(first, first + n_cells):
            at = chip.cell - first
            left, right = float(geometry.leading[at]), float(geometry.trailing[at])
            rect = self._rect(min(left, right), max(left, right), corner).adjusted(1.5, 4.5, -1.5, -4.5)
            n_tokens = starts.searchsorted(geometry.cells[at + 1]) - ends.searchsorted(
                geometry.cells[at], side="right"
            )
            draw_chip(
                painter, self._theme, rect, chip.label, n_tokens >= DEAR_CHIP_TOKENS, self._metrics.chip_font
            )

    def _draw_inserted(
        self, painter: QPainter, geometry: RowGeometry, tokens: PaintedTokens, corner: QPointF
    ) -> None:
        """Draw a small wedge where a token without text was inserted."""
        window = tokens.window
        is_control = (tokens.attributes & CONTROL) != 0
        inside = (window.starts >= geometry.start) & (window.starts < max(geometry.end, geometry.start + 1))
        found = np.flatnonzero((window.starts == window.ends) & inside & ~is_control)
        if not len(found):
            return
        for x in (geometry.x_from(window.starts[found]) + corner.x()).tolist():
            draw_wedge(painter, self._theme, QPointF(x, corner.y()))


def rings_of(
    is_ringed: NDArray[np.bool_], boxes: TokenBoxes, window: SpanWindow, row: RowGeometry
) -> list[tuple[int, int]]:
    """The first and the last box of each ring; boxes that share a cell have one ring together."""
    ringed = np.flatnonzero(is_ringed)
    if row.is_mixed:
        return [(at, at) for at in ringed.tolist()]
    tokens = boxes.indexes[ringed]
    first_cells = np.searchsorted(row.cells, window.starts[tokens], side="right")
    last_cells = np.searchsorted(row.cells, window.ends[tokens] - 1, side="right")
    is_joined = first_cells[1:] == last_cells[:-1]
    firsts, lasts = ringed[np.append(True, ~is_joined)], ringed[np.append(~is_joined, True)]
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))


def top_bracket(box: QRect, opens: bool = True, closes: bool = True) -> list[QRect]:
    """A bracket above a box, open at a side where the token continues."""
    left, right = box.left() + opens, box.left() + box.width() - closes
    top = box.top() - TOP_BRACKET_PX
    parts = [QRect(left, top, max(right - left, 1), TOP_BRACKET_PX)]
    for x, is_end in ((left, opens), (right - TOP_BRACKET_PX, closes)):
        if is_end:
            parts.append(QRect(x, top, TOP_BRACKET_PX, TOP_BRACKET_ENDS_PX))
    return parts


def draw_upright(painter: QPainter, x: float, top: float, height: float, color: QColor) -> None:
    """Draw a line between two tokens; bars at its ends distinguish it from the caret."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    bar = QRectF(x - UPRIGHT_PX / 2, top, UPRIGHT_PX, LINE_PX)
    for part in (QRectF(x - LINE_PX / 2, top, LINE_PX, height), bar, bar.translated(0, height - LINE_PX)):
        painter.fillRect(part, color)


def piece_end(right: int, top: int, height: int) -> QRect:
    """A thin line at the right end of a token, longer than the token is high."""
    return QRect(right - 1, top - PIECE_PX, 1, height + 2 * PIECE_PX)


def byte_dots(x: int, y: int) -> list[QRect]:
    """Two dots below a token that represents a byte."""
    return [QRect(left, y, 2, LANE_PX) for left in (x - 3, x)]


def draw_wedge(painter: QPainter, theme: Theme, top: QPointF) -> None:
    """Mark the position of an added token without text."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.dim)
    painter.drawPolygon(QPolygonF([top - QPointF(3, 0), top + QPointF(3, 0), top + QPointF(0, 5)]))


def draw_chip(
    painter: QPainter, theme: Theme, rect: QRectF, label: str, is_expensive: bool, font: QFont
) -> None:
    """Draw a chip with the hex digits of invisible characters, in amber if they take many tokens."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setBrush(theme.warning if is_expensive else faded(theme.background, 120))
    painter.setPen(Qt.PenStyle.NoPen if is_expensive else QPen(faded(theme.text, 110), 1))
    painter.drawRoundedRect(rect, 3, 3)
    write(painter, rect, label, theme.background if is_expensive else theme.span_text, CENTER, font)


def draw_torn(painter: QPainter, theme: Theme, rect: QRect) -> None:
    """Draw the mark of a character that two tokens share, for a legend: hatching, and a bar for each."""
    painter.drawTiledPixmap(rect, _hatch(faded(theme.text, 46), rect.height()))
    width = rect.width() // 2
    for at in (0, 1):
        bar = QRect(rect.left() + at * width + 1, rect.bottom() - LANE_PX, width - 2, LANE_PX)
        painter.fillRect(bar, faded(theme.text, 175))


def draw_roofed(painter: QPainter, theme: Theme, box: QRectF) -> None:
    """Draw a token with the mark of one that differs, for a legend."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.fillPath(rounded_rect(box, True, True), theme.span_color(0))
    for part in top_bracket(box.toRect()):
        painter.fillRect(part, theme.warning)


def draw_wave(painter: QPainter, theme: Theme, rect: QRectF) -> None:
    """Underline a token that is not in the vocabulary."""
    painter.setPen(QPen(theme.bad, 1.5))
    steps = max(2, round(rect.width() / WAVE_PX))
    points = [
        QPointF(rect.left() + step * rect.width() / steps, rect.bottom() - 1 - (step % 2) * WAVE_PX)
        for step in range(steps + 1)
    ]
    painter.drawPolyline(QPolygonF(points))


def _hatch(color: QColor, height: int) -> QPixmap:
    """A strip of slanted lines, to tile horizontally."""
    scale = 2.0  # fine enough for any screen
    strip = clear_pixmap(HATCH_PX, height, scale)
    with QPainter(strip) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color, 1))
        first = -height // HATCH_PX * HATCH_PX
        painter.drawLines([QLineF(x, height, x + height, 0) for x in range(first, 2 * HATCH_PX, HATCH_PX)])
    return strip


def _joined_runs(
    left: NDArray[np.int64] | NDArray[np.float64], right: NDArray[np.int64] | NDArray[np.float64]
) -> list[tuple[int, int]]:
    """Merge touching ranges, in whole pixels from left to right."""
    if not len(left):
        return []
    left, right = np.sort(np.rint(left)), np.sort(np.rint(right))
    apart = left[1:] > right[:-1]
    starts = left[np.append(True, apart)].astype(np.int64).tolist()
    ends = right[np.append(apart, True)].astype(np.int64).tolist()
    return list(zip(starts, ends, strict=True))


def faded(color: QColor, alpha: int) -> QColor:
    """A colour with an opacity from 0 to 255."""
    faded = QColor(color)
    faded.setAlpha(alpha)
    return faded


def rounded_rect(rect: QRectF, round_left: bool, round_right: bool) -> QPainterPath:
    """A rectangle with round corners where the token begins or ends, and square ones where it continues."""
    size = 2 * RADIUS_PX
    corner = QRectF(rect.topLeft(), QSizeF(size, size))
    beyond_left, beyond_top = rect.right() - size, rect.bottom() - size
    path = QPainterPath(QPointF(rect.center().x(), rect.top()))
    for point, top_left, angle, is_round in (
        (rect.topRight(), QPointF(beyond_left, rect.top()), 90, round_right),
        (rect.bottomRight(), QPointF(beyond_left, beyond_top), 0, round_right),
        (rect.bottomLeft(), QPointF(rect.left(), beyond_top), 270, round_left),
        (rect.topLeft(), rect.topLeft(), 180, round_left),
    ):
        if is_round:
            corner.moveTopLeft(top_left)
            path.arcTo(corner, angle, -90)
        else:
            path.lineTo(point)
    path.closeSubpath()
    return path
