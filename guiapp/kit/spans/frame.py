"""One frame of a text: its content, its differences from the screen, and its rows as pixmaps."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from time import perf_counter
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPen, QPixmap, QRegion

from guiapp.analysis.editing.text_buffer import TextEdit
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.document.search import TextSearch
from guiapp.kit.spans.block import BlockLayout, TextMetrics
from guiapp.kit.spans.layout import ONLY_HERE, SpanSource, SpanWindow, row_segments, token_boxes
from guiapp.kit.spans.painter import GAP_PX, RADIUS_PX, RING_ALPHA, RING_PX, PaintedTokens, SpanPainter, faded
from guiapp.kit.spans.rows import MARGIN_PX, SpanRows, VisibleBlock
from guiapp.kit.widgets.painting import clear_pixmap
from guiapp.kit.widgets.theme import Theme

PIXEL_BYTES = 4
LINE_ALPHA = 34  # of the highlighted line
PADDING_PX = 24  # around the text of a row, for newlines and overhanging glyphs
SQUARE_PX = 3  # below confusable letters
KEPT_SCREENS = 3  # screens of cached row pixmaps; more would cost memory and are seldom reused
CHIP_GAP_PX = 6
DIM_ALPHA, SHADE_ALPHA = 165, 100  # over text that does not fit, and over text shared by two chunks
NO_PARTS = np.empty((0, 2), np.int64)
PaintKey = tuple[object, ...]


class PointedOut(NamedTuple):
    """The bytes [start, end) to highlight, and the line [line_start, line_end) around them."""

    start: int
    end: int
    line_start: int
    line_end: int

    def seen_from(self, start: int, end: int) -> PointedOut | None:
        """Clip to the bytes [start, end), relative to `start`; None if the line does not overlap them."""
        if self.line_end <= start or self.line_start >= end > start:
            return None
        return PointedOut(*(min(max(at, start), end) - start for at in self))


LabelledLine = tuple[QRectF, str]
"""The rectangle of a line or label in the window, and the text of the label."""
Parts = tuple[tuple[int, int], ...]
"""Byte ranges of a text, in order."""


class Divisions(NamedTuple):
    """Dividing lines before some bytes of a text, with labels, and dimmed or shaded ranges.

    cuts            int64[k], in order
    label           returns the label of a cut, by its index; "" for none
    dimmed, shaded  int64[n, 2], in order
    """

    cuts: NDArray[np.int64]
    label: Callable[[int], str]
    dimmed: NDArray[np.int64] = NO_PARTS
    shaded: NDArray[np.int64] = NO_PARTS

    @classmethod
    def at(cls, offset: int, label: str = "", end: int = 0) -> Divisions:
        """One dividing line; the text between it and `end` is dimmed."""
        dimmed = np.array([(offset, end)]) if end > offset else NO_PARTS
        return cls(np.array([offset]), lambda _: label, dimmed)

    def moved(self, edit: TextEdit) -> Divisions:
        """The divisions of the text after an edit."""

        def move(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.where(offsets > edit.start, np.maximum(offsets + edit.shift, edit.start), offsets)

        return Divisions(move(self.cuts), self.label, move(self.dimmed), move(self.shaded))

    def lines_in(self, start: int, end: int) -> list[tuple[int, str]]:
        """The cuts in the bytes [start, end], each with its label."""
        first, last = int(self.cuts.searchsorted(start)), int(self.cuts.searchsorted(end, "right"))
        return [(int(self.cuts[at]), self.label(at)) for at in range(first, last)]


def _parts_within(parts: NDArray[np.int64], start: int, end: int) -> Parts:
    """Clip ranges to the bytes [start, end), relative to `start`."""
    if not len(parts):
        return ()
    first, last = int(parts[:, 1].searchsorted(start, "right")), int(parts[:, 0].searchsorted(end))
    within = parts[first:last].tolist()  # few: Python numbers are faster
    return tuple((max(low, start) - start, min(high, end) - start) for low, high in within)


class Highlights(NamedTuple):
    """Highlights of a block, in bytes from its start, and token indexes.

    confusables     the bytes of confusable letters
    dimmed, shaded  see `Divisions`
    """

    selection: tuple[int, int]
    selected_token: int
    hovered_token: int
    pointed_out: PointedOut | None = None
    matches: SpanWindow | None = None
    confusables: Parts = ()
    dimmed: Parts = ()
    shaded: Parts = ()

    def confusables_in(self, start: int, end: int) -> Parts:
        return tuple(each for each in self.confusables if start <= each[0] < end)


class Marks(NamedTuple):
    """All highlights of the text: bytes and tokens, and lines in the window, such as the caret.

    lines        their rectangles, each with its label
    confusables  returns the confusable letters of a byte range, relative to its start
    """

    selection: tuple[int, int]
    selected_token: int
    hovered_token: int
    pointed_out: PointedOut | None
    search: TextSearch | None
    lines: tuple[LabelledLine, ...]
    confusables: Callable[[int, int], Parts] | None = None
    divisions: Divisions | None = None

    def on(self, start: int, end: int) -> Highlights:
        """The highlights of the bytes [start, end), relative to `start`."""
        selection = (self.selection[0] - start, self.selection[1] - start)
        matches: SpanWindow | None = None
        if self.search is not None and self.search.n_matches:
            matches = self.search.matches_in(start, end).relative_to(start)
        target = None if self.pointed_out is None else self.pointed_out.seen_from(start, end)
        letters = () if self.confusables is None else self.confusables(start, end)
        parts: list[Parts] = []
        if self.divisions is not None:
            parts = [_parts_within(each, start, end) for each in self.divisions[2:]]
        return Highlights(
            selection, self.selected_token, self.hovered_token, target, matches, letters, *parts
        )


class ShownBlock(NamedTuple):
    """A visible block with all its marks; offsets of tokens and highlights are relative to its first byte."""

    block: VisibleBlock
    tokens: PaintedTokens
    highlights: Highlights
    lines: tuple[LabelledLine, ...]

    def paint_key(self) -> PaintKey:
        """Compares equal for two states of one block whose rows are painted the same."""
        marks = self._marks_in(self.tokens, 0, self.block.layout.size)
        return (*marks, *self.tokens.paint_key(0, self.highlights.matches))

    def row_keys(self) -> list[PaintKey]:
        """One key for each row; equal keys are painted the same, in any block and at any position."""
        layout, matches = self.block.layout, self.highlights.matches
        keys = []
        for row in range(layout.n_rows):
            start, end = layout.row_span(row)
            tokens = self.tokens.within(start, end)
            found = None if matches is None else matches.within(start, end)
            text, marks = layout.likeness(row) or (layout, row), self._marks_in(tokens, start, end)
            keys.append((*text, *marks, *tokens.paint_key(start, found)))
        return keys

    def _marks_in(self, tokens: PaintedTokens, start: int, end: int) -> PaintKey:
        """The selection and highlights within some bytes and tokens, relative to the first."""
        first, last = (min(max(at, start), end) - start for at in self.highlights.selection)
        selection = (first, last) if first < last else None
        marked = (self.highlights.selected_token, self.highlights.hovered_token)
        indexes = (at - tokens.window.first_index for at in marked)
        target = self.highlights.pointed_out
        pointed_out = None if target is None else target.seen_from(start, end)
        letters = tuple((at - start, to - start) for at, to in self.highlights.confusables_in(start, end))
        parts = self.highlights.dimmed, self.highlights.shaded
        return (
            selection,
            pointed_out,
            letters,
            *(tuple(_overlaps(each, start, end)) for each in parts),
            *(at if 0 <= at < len(tokens.attributes) else None for at in indexes),
        )


def _overlaps(parts: Parts, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Clip ranges to the bytes [start, end), relative to `start`."""
    for low, high in parts:
        if (low := max(low, start)) < (high := min(high, end)):
            yield low - start, high - start


def lines_between(lines: Iterable[LabelledLine], top: float, bottom: float) -> tuple[LabelledLine, ...]:
    return tuple(line for line in lines if line[0].top() < bottom and line[0].bottom() > top)


class ScreenPart(NamedTuple):
    """A band of the window at full width; equal `paint_key`s mean equal pixels."""

    top: int
    width: int
    height: int
    paint_key: PaintKey

    @property
    def rect(self) -> QRect:
        return QRect(0, self.top, self.width, self.height)


def blocks_in(area: QRegion, rows: SpanRows, spans: SpanSource, marks: Marks) -> list[ShownBlock]:
    """The blocks that touch an area of the window, from top to bottom."""
    width = area.boundingRect().right() + 1
    touched = [block for block in rows.visible() if area.intersects(_band(block.y, block.bottom, width))]
    if not touched:
        return []
    window = spans.spans_in(touched[0].start, touched[-1].start + touched[-1].layout.size)
    tokens = PaintedTokens(window, spans.attributes_of(window.ids))
    shown = []
    for block in touched:
        end = block.start + block.layout.size
        of_block = tokens.within(block.start, end).relative_to(block.start)
        lines = lines_between(marks.lines, block.y, block.bottom)
        shown.append(ShownBlock(block, of_block, marks.on(block.start, end), lines))
    return shown


def _band(top: float, bottom: float, width: int) -> QRect:
    return QRect(0, int(top), width, int(bottom) - int(top))


class Screen:
    """What each part of a window showed when it was last painted."""

    def __init__(self) -> None:
        self._parts: set[ScreenPart] = set()
        self._row_keys: dict[BlockLayout, tuple[PaintKey, list[PaintKey]]] = {}  # of the visible blocks

    def parts_of(
        self, blocks: Sequence[ShownBlock], rows: SpanRows, outer_key: PaintKey, window: QRect
    ) -> list[ScreenPart]:
        """The rows of some blocks, and the bands above the first and below the last block (`outer_key`)."""
        row_px, visible = rows.metrics.row_height, rows.visible()
        if not visible:  # the window has no height
            return []
        bands = [(0.0, visible[0].y, outer_key), (visible[-1].bottom, float(window.height()), outer_key)]
        known, layouts = self._row_keys, (block.layout for block in visible)
        self._row_keys = {layout: known[layout] for layout in layouts if layout in known}
        for shown in blocks:
            top = shown.block.y
            for paint_key in self._row_keys_of(shown):
                bottom = top + row_px
                lines = lines_between(shown.lines, top, bottom)
                bands.append(
                    (top, bottom, (*paint_key, top, *((rect.getRect(), words) for rect, words in lines)))
                )
                top = bottom
        parts = []
        for top, bottom, paint_key in bands:
            rect = _band(top, bottom, window.width()) & window
            if not rect.isEmpty():
                parts.append(ScreenPart(rect.top(), window.width(), rect.height(), paint_key))
        return parts

    def _row_keys_of(self, shown: ShownBlock) -> list[PaintKey]:
        """The block's row keys, cached while it is unchanged: a key press changes one visible block."""
        layout, key = shown.block.layout, shown.paint_key()
        known = self._row_keys.get(layout)
        if known is None or known[0] != key:
            known = self._row_keys[layout] = key, shown.row_keys()
        return known[1]

    def forget(self) -> None:
        """Mark everything as unpainted, as after scrolling pixels."""
        self._parts.clear()

    def differing(self, parts: Iterable[ScreenPart]) -> list[QRect]:
        """The rectangles of parts that have changed or are unknown."""
        return [part.rect for part in parts if part not in self._parts]

    def note(self, parts: Iterable[ScreenPart], touched: QRegion, painted: QRegion) -> None:
        """Record a frame: the parts that it touched, and the area that now shows them."""
        kept = {part for part in self._parts if not touched.intersects(part.rect)}
        for part in parts:
            if part in self._parts or QRegion(part.rect).subtracted(painted).isEmpty():
                kept.add(part)
        self._parts = kept


def shading(theme: Theme) -> QBrush:
    """The pattern over text shared by two chunks; hatching, since a plain fill looks like a selection."""
    return QBrush(faded(theme.text, SHADE_ALPHA), Qt.BrushStyle.BDiagPattern)


class ChipBox(NamedTuple):
    """An added token, its label, whether only this column has it, and the rectangle of its chip."""

    token: int
    label: str
    is_ringed: bool
    rect: QRectF


class AddedTokenRows:
    """The control tokens added before and after the text, such as BOS and EOS, in separate rows.

    leading, trailing  (token, label, whether it has a ring)
    """

    def __init__(self, spans: SpanSource) -> None:
        self._spans = spans
        self.leading: list[tuple[int, str, bool]] = []
        self.trailing: list[tuple[int, str, bool]] = []

    def read(self, size: int) -> None:
        """Find the added tokens of a text of `size` bytes."""
        self.leading = self._added_at(0, 0, min(size, 1))
        self.trailing = self._added_at(size, max(size - 1, 0), size) if size else []

    def _added_at(self, offset: int, start: int, end: int) -> list[tuple[int, str, bool]]:
        window = self._spans.spans_in(start, end)
        is_control = (self._spans.attributes_of(window.ids) & Attribute.CONTROL.value) != 0
        here = (window.starts == offset) & (window.ends == offset) & is_control
        is_ringed = window.tints.astype(np.uint16) & ONLY_HERE > 0
        return [
            (window.first_index + at, self._spans.label_of(int(window.ids[at])), bool(is_ringed[at]))
            for at in np.flatnonzero(here).tolist()
        ]

    def chips(self, rows: SpanRows, left: float, height: int) -> list[ChipBox]:
        """The chips visible in a window of some height, from x = `left` on."""
        row_px = rows.metrics.row_height
        sizes = QFontMetricsF(rows.metrics.font)
        chips = []
        for tokens, y in ((self.leading, MARGIN_PX - rows.scroll_y), (self.trailing, rows.text_end_y)):
            x = left
            for index, label, is_ringed in tokens if -row_px < y < height else ():
                rect = QRectF(x, y + 2, sizes.horizontalAdvance(label) + 12, row_px - 4)
                chips.append(ChipBox(index, label, is_ringed, rect))
                x = rect.right() + CHIP_GAP_PX
        return chips


_RowPixmap = tuple[int, QPixmap]
"""The x of a row's pixmap, and the pixmap."""


class _Row(NamedTuple):
    """A row of a block with all that determines its pixels; bytes are relative to the block's start."""

    layout: BlockLayout
    number: int
    tokens: PaintedTokens
    matches: SpanWindow | None
    scale: float

    def key(self) -> PaintKey:
        """Compares equal for rows that look the same."""
        layout, (start, end) = self.layout, self.layout.row_span(self.number)
        text = layout.likeness(self.number)
        if text is None:
            text = layout.data[start:end], layout.preedit, layout.geometry(self.number).leading.tobytes()
        return (*text, self.scale, *self.tokens.paint_key(start, self.matches))

    def segments(self, start: int, end: int) -> list[tuple[float, float]]:
        """The left and right edges of the bytes [start, end)."""
        return row_segments(self.layout.geometry(self.number), start, end)


class RowPixmaps:
    """Draws rows of text, and caches them as pixmaps."""

    def __init__(self, theme: Theme, metrics: TextMetrics, shows_whitespace: bool) -> None:
        self._theme = theme
        self._metrics = metrics
        self._painter = SpanPainter(theme, metrics, shows_whitespace)
        self._dim, self._shade = QBrush(faded(theme.background, DIM_ALPHA)), shading(theme)
        self._pixmaps: OrderedDict[PaintKey, _RowPixmap] = OrderedDict()
        self._last_keys: WeakKeyDictionary[BlockLayout, dict[int, PaintKey]] = WeakKeyDictionary()
        self._n_bytes = self._most_bytes = 0
        self._deadline = inf
        self._is_first = True

    def begin_frame(self, most_ms: float, size: QSize, scale: float) -> None:
        """Start a frame: draw new rows for `most_ms`, at least one; then reuse old pixmaps or sketch."""
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
        corner: QPointF,
    ) -> bool:
        """Draw one row with its top left corner at `corner`; False if there was no time to draw it fully."""
        if layout.likeness(row) is None and not layout.is_measured(row) and self._is_late():
            return self._sketch(painter, layout, row, corner)
        start, end = layout.row_span(row)
        matches = None if highlights.matches is None else highlights.matches.within(start, end)
        whole = _Row(layout, row, tokens.within(start, end), matches, painter.device().devicePixelRatioF())
        drawn = self._pixmap(whole)
        is_whole = drawn is not None
        if drawn is None:  # too late: a row without the newest marks is better than one without tokens
            drawn = self._pixmaps.get(whole._replace(matches=None).key())
        if drawn is None:
            drawn = self._pixmaps.get(self._last_keys.get(layout, {}).get(row, ()))
        if drawn is None:
            return self._sketch(painter, layout, row, corner)
        (x, pixmap), row_px = drawn, self._metrics.row_height
        painter.drawPixmap(QPointF(corner.x() + x, corner.y()), pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for parts, veil in ((highlights.dimmed, self._dim), (highlights.shaded, self._shade)):
            for low, high in _overlaps(parts, start, end):
                for left, right in whole.segments(start + low, start + high):
                    painter.setBrushOrigin(corner)  # the pattern moves with its row
                    painter.fillRect(QRectF(corner.x() + left, corner.y(), right - left, row_px), veil)
        if highlights.pointed_out is not None and highlights.pointed_out.seen_from(start, end) is not None:
            self._draw_pointed_out(painter, whole, highlights.pointed_out, corner)
        self._draw_highlights(painter, whole, highlights, corner)
        for letter in highlights.confusables_in(start, end):
            self._draw_confusable(painter, whole.segments(*letter), corner)
        return is_whole

    def _is_late(self) -> bool:
        return not self._is_first and perf_counter() > self._deadline

    def _sketch(self, painter: QPainter, layout: BlockLayout, row: int, corner: QPointF) -> bool:
        painter.setPen(self._theme.span_text)
        layout.draw_row(painter, row, corner.x(), corner.y())
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
        """Draw a token that was added to the text: an outline around its label."""
        control = self._theme.control
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(faded(control, 60 if is_hovered else 24))
        painter.setPen(QPen(control, 1.3))
        painter.drawRoundedRect(rect, RADIUS_PX, RADIUS_PX)
        painter.setFont(self._metrics.font)
        painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, label)
        if is_ringed:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(faded(self._theme.text, RING_ALPHA), RING_PX))
            painter.drawRoundedRect(rect.adjusted(2, 2, -2, -2), RADIUS_PX - 2, RADIUS_PX - 2)
        if is_selected:
            self._draw_ring(painter, rect)

    def _pixmap(self, row: _Row) -> _RowPixmap | None:
        """The row's current pixmap, drawn if needed; None if it is too late for that."""
        key = row.key()
        found = self._pixmaps.get(key)
        if found is None and self._is_late():
            return None
        if found is None:
            self._is_first = False
            found = self._pixmaps[key] = self._drawn(row)
            self._n_bytes += _n_bytes(found[1])
            while self._n_bytes > self._most_bytes and len(self._pixmaps) > 1:
                self._n_bytes -= _n_bytes(self._pixmaps.popitem(last=False)[1][1])
        self._pixmaps.move_to_end(key)
        self._last_keys.setdefault(row.layout, {})[row.number] = key
        return found

    def _drawn(self, row: _Row) -> _RowPixmap:
        geometry = row.layout.geometry(row.number)
        edges = np.concatenate((geometry.leading, geometry.trailing, row.layout.row_extent(row.number)))
        x = int(edges.min()) - PADDING_PX
        width = int(edges.max()) + PADDING_PX - x
        pixmap = clear_pixmap(width, self._metrics.row_height, row.scale, self._theme.background)
        with QPainter(pixmap) as painter:
            self._painter.draw_row(painter, row.layout, row.number, row.tokens, QPointF(-x, 0))
            if row.matches is not None:
                self._painter.draw_matches(painter, geometry, row.matches, QPointF(-x, 0))
        return x, pixmap

    def _draw_highlights(self, painter: QPainter, row: _Row, highlights: Highlights, corner: QPointF) -> None:
        start, end = row.layout.row_span(row.number)
        tokens, first = row.tokens, row.tokens.window.first_index
        hovered, selected = highlights.hovered_token - first, highlights.selected_token - first
        has_tokens = any(0 <= index < len(tokens.attributes) for index in (hovered, selected))
        has_selection = max(start, highlights.selection[0]) < min(end, highlights.selection[1])
        if not (has_tokens or has_selection) or not len(
            (geometry := row.layout.geometry(row.number)).leading
        ):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for left, right in row_segments(geometry, *highlights.selection):
            painter.fillRect(self._rect(left, right, corner), faded(self._theme.accent, 95))
        if not has_tokens:
            return
        boxes = token_boxes(tokens.window, geometry)
        for index, draw in ((hovered, self._draw_overlay), (selected, self._draw_ring)):
            for at in np.flatnonzero(boxes.indexes == index).tolist():
                draw(painter, self._rect(float(boxes.left[at]), float(boxes.right[at]), corner))

    def _draw_pointed_out(self, painter: QPainter, row: _Row, what: PointedOut, corner: QPointF) -> None:
        row_px, window_px = self._metrics.row_height, painter.device().width()
        painter.fillRect(QRectF(0, corner.y(), window_px, row_px), faded(self._theme.accent, LINE_ALPHA))
        for left, right in row.segments(what.start, what.end):
            self._draw_ring(painter, self._rect(left, right, corner))

    def _draw_confusable(
        self, painter: QPainter, segments: list[tuple[float, float]], corner: QPointF
    ) -> None:
        """Underline a confusable letter with squares in the warning colour."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        y = round(corner.y()) + self._metrics.row_height - GAP_PX // 2 - SQUARE_PX
        for left, right in segments:
            first, last = round(corner.x() + left), round(corner.x() + right) - SQUARE_PX
            for x in range(first, last + 1, 2 * SQUARE_PX):
                painter.fillRect(x, y, SQUARE_PX, SQUARE_PX, self._theme.warning)

    def _rect(self, left: float, right: float, corner: QPointF) -> QRectF:
        height = self._metrics.row_height - GAP_PX
        return QRectF(corner.x() + left, corner.y() + GAP_PX / 2, right - left, height)

    def _draw_overlay(self, painter: QPainter, rect: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(faded(self._theme.text, 44))
        painter.setPen(Qt.PenStyle.NoPen)  # outlines of tokens have other meanings
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS_PX, RADIUS_PX)

    def _draw_ring(self, painter: QPainter, rect: QRectF) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self._theme.accent, 2))
        painter.drawRoundedRect(rect.adjusted(-1, -1, 1, 1), RADIUS_PX + 1, RADIUS_PX + 1)


def _n_bytes(pixmap: QPixmap) -> int:
    return pixmap.width() * pixmap.height() * PIXEL_BYTES
