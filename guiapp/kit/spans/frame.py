"""What one frame of a text is made of, and what of it differs from what is on screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QRegion

from guiapp.kit.document.search import TextSearch
from guiapp.kit.spans.painter import PaintedTokens
from guiapp.kit.spans.row_pixmaps import Highlights, PointedOut
from guiapp.kit.spans.rows import SpanRows, VisibleBlock
from guiapp.kit.tokens.layout import SpanSource, SpanWindow

PaintKey = tuple[object, ...]


class Marks(NamedTuple):
    """What lies on the text: bytes and tokens of all of it, and upright lines in the window, as the caret.

    confusables  gives the letters of a stretch that pass for others, as bytes counted from its start
    """

    selection: tuple[int, int]
    selected_token: int
    hovered_token: int
    pointed_out: PointedOut | None
    search: TextSearch | None
    lines: tuple[QRectF | None, ...]
    confusables: Callable[[int, int], tuple[tuple[int, int], ...]] | None = None

    def on(self, start: int, end: int) -> Highlights:
        """Those of the bytes [start, end), counted from `start`."""
        selection = (self.selection[0] - start, self.selection[1] - start)
        matches: SpanWindow | None = None
        if self.search is not None and self.search.n_matches:
            matches = self.search.matches_in(start, end).relative_to(start)
        place = None if self.pointed_out is None else self.pointed_out.seen_from(start, end)
        letters = () if self.confusables is None else self.confusables(start, end)
        return Highlights(selection, self.selected_token, self.hovered_token, place, matches, letters)


class ShownBlock(NamedTuple):
    """A block that shows, with all that lies on it; tokens and highlights count from its first byte."""

    block: VisibleBlock
    tokens: PaintedTokens
    highlights: Highlights
    lines: tuple[QRectF, ...]

    def row_keys(self) -> list[PaintKey]:
        """Equal for two rows that are painted alike, of whatever blocks and wherever that is."""
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
        """What is selected and pointed at within some bytes and tokens, counted from the first of them."""
        first, last = (min(max(at, start), end) - start for at in self.highlights.selection)
        selection = (first, last) if first < last else None
        marked = (self.highlights.selected_token, self.highlights.hovered_token)
        indexes = (at - tokens.window.first_index for at in marked)
        place = self.highlights.pointed_out
        pointed_out = None if place is None else place.seen_from(start, end)
        letters = tuple((at - start, to - start) for at, to in self.highlights.confusables_in(start, end))
        return (
            selection,
            pointed_out,
            letters,
            *(at if 0 <= at < len(tokens.attributes) else None for at in indexes),
        )


class ScreenPart(NamedTuple):
    """A stretch of the window over its whole width, and what all in it follows from."""

    top: int
    width: int
    height: int
    paint_key: PaintKey

    @property
    def rect(self) -> QRect:
        return QRect(0, self.top, self.width, self.height)


def blocks_in(area: QRegion, rows: SpanRows, spans: SpanSource, marks: Marks) -> list[ShownBlock]:
    """The blocks that touch an area of the window, from the top down."""
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
        lines = tuple(
            line for line in marks.lines if line is not None and block.y <= line.top() < block.bottom
        )
        shown.append(ShownBlock(block, of_block, marks.on(block.start, end), lines))
    return shown


def parts_of(
    blocks: Sequence[ShownBlock], rows: SpanRows, outer_key: PaintKey, window: QRect
) -> list[ScreenPart]:
    """The rows of some blocks, and what is above the first row and below the last one, like `outer_key`."""
    row_px, visible = rows.metrics.row_height, rows.visible()
    if not visible:  # the window has no height
        return []
    bands = [(0.0, visible[0].y, outer_key), (visible[-1].bottom, float(window.height()), outer_key)]
    for shown in blocks:
        top = shown.block.y
        for paint_key in shown.row_keys():
            bottom = top + row_px
            lines = (line.getRect() for line in shown.lines if top <= line.top() < bottom)
            bands.append((top, bottom, (*paint_key, top, *lines)))
            top = bottom
    parts = []
    for top, bottom, paint_key in bands:
        rect = _band(top, bottom, window.width()) & window
        if not rect.isEmpty():
            parts.append(ScreenPart(rect.top(), window.width(), rect.height(), paint_key))
    return parts


def _band(top: float, bottom: float, width: int) -> QRect:
    return QRect(0, int(top), width, int(bottom) - int(top))


class Screen:
    """What the parts of a window looked like when they were painted last."""

    def __init__(self) -> None:
        self._parts: set[ScreenPart] = set()

    def forget(self) -> None:
        """Count nothing as painted, as after pixels were moved."""
        self._parts.clear()

    def differing(self, parts: Iterable[ScreenPart]) -> list[QRect]:
        """Where those lie that look different now, or are not known."""
        return [part.rect for part in parts if part not in self._parts]

    def note(self, parts: Iterable[ScreenPart], touched: QRegion, painted: QRegion) -> None:
        """Follow a frame: the parts that it touched, and the area that now looks as they say."""
        kept = {part for part in self._parts if not touched.intersects(part.rect)}
        for part in parts:
            if part in self._parts or QRegion(part.rect).subtracted(painted).isEmpty():
                kept.add(part)
        self._parts = kept
