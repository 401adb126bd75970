"""Links views side by side, which zoom, scroll and mark white space together, and marks their differences."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QAction, QPainter, QPaintEvent
from PySide6.QtWidgets import QScrollBar

from guiapp.analysis.compare.id_changes import IdChange, IdChanges, counterpart, counterparts
from guiapp.kit.document.document import TextDocument
from guiapp.kit.spans.frame import PointedOut
from guiapp.kit.spans.layout import SpanWindow
from guiapp.kit.spans.painter import faded
from guiapp.kit.spans.source import TokenizedText
from guiapp.kit.spans.view import SpanView
from guiapp.kit.widgets.theme import ThemeSource

TICK_PX = 2
MOST_PX, LEAST_PX = 8, 2  # length of a tick
TICK_ALPHA = 190


class LinkedViews(QObject):
    """A growing group of linked views.

    views       all views, including hidden ones
    is_linking  whether views are being changed to follow another one
    """

    def __init__(
        self,
        whitespace: QAction,
        sync: Callable[[SpanView, SpanView], None] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`sync(leader, view)` scrolls `view` to the position of `leader`."""
        super().__init__(parent)
        self.views: list[SpanView] = []
        self._whitespace = whitespace
        self._sync = sync
        self._font_px = 0
        self.is_linking = False
        whitespace.toggled.connect(self._show_whitespace)

    def add(self, view: SpanView, frame_ms: float) -> None:
        """Link a view, which paints new rows of the text for at most `frame_ms` at a time."""
        self.views.append(view)
        view.set_frame_time(frame_ms)
        view.set_shows_whitespace(self._whitespace.isChecked())
        if self._font_px:
            view.set_font_px(self._font_px)
        view.zoom_changed.connect(partial(self._on_zoom_changed, view))
        view.scrolled.connect(partial(self.scroll_with, view))

    def set_font_px(self, size_px: int) -> None:
        self._font_px = size_px
        self.is_linking, was_linking = True, self.is_linking
        for view in self.views:
            view.set_font_px(size_px)
        self.is_linking = was_linking

    def scroll_with(self, leader: SpanView) -> None:
        """Scroll all other views to the position of `leader`."""
        if self._sync is not None and not self.is_linking and leader.isVisible():
            self.is_linking = True
            for view in self.views:
                if view is not leader and view.isVisible():
                    self._sync(leader, view)
            self.is_linking = False

    def show_at(self, view: SpanView, offset: int, y: float) -> None:
        """Scroll only one view; see `SpanView.show_at`."""
        self.is_linking = True
        view.show_at(offset, y)
        self.is_linking = False

    def _on_zoom_changed(self, zoomed: SpanView) -> None:
        if not self.is_linking:
            self.set_font_px(zoomed.font_px)

    def _show_whitespace(self, shows_whitespace: bool) -> None:
        for view in self.views:
            view.set_shows_whitespace(shows_whitespace)


def pointed_out(document: TextDocument, start: int, end: int) -> PointedOut:
    """A span to point out, with the lines that it overlaps."""
    first, last = (document.line_of(offset) for offset in (start, max(end - 1, start)))
    return PointedOut(start, end, document.line_span(first)[0], document.line_span(last)[1])


def map_changes(view: SpanView, side: MarkedSpans, theme_source: ThemeSource) -> None:
    """Mark in the scroll bar of a view where the two texts differ."""
    bar = view.verticalScrollBar()
    if not isinstance(bar, MapBar):
        bar = MapBar(theme_source)
        view.setVerticalScrollBar(bar)
    offsets = side.change_offsets
    bar.show_ticks(view.rows.shares_of(offsets), np.ones(len(offsets), np.int64))


# A scroll bar that is also a map, with ticks where columns of tokens differ


class MapBar(QScrollBar):
    """A scroll bar with ticks at `fractions` of the whole height, from 0 at the top."""

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._theme_source = theme_source
        self.fractions: NDArray[np.float64] = np.zeros(0)
        self._weights: NDArray[np.int64] = np.zeros(0, np.int64)
        self.setAccessibleName("Position in the text")
        theme_source.changed.connect(self.update)

    def show_ticks(self, fractions: NDArray[np.float64], weights: NDArray[np.int64]) -> None:
        """Show ticks at fractions of the text, 0 (top) to 1; the sum of weights sets the length of a tick."""
        self.fractions, self._weights = fractions, weights
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), self._theme_source.theme.background)
        super().paintEvent(event)
        if not len(self.fractions):
            return
        ticks = (self.fractions * (self.height() - TICK_PX)).astype(np.int64) // TICK_PX
        weights = np.bincount(ticks, self._weights)
        lengths = np.maximum(np.rint(MOST_PX * weights / weights.max()), LEAST_PX).astype(np.int64)
        with QPainter(self) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(faded(self._theme_source.theme.warning, TICK_ALPHA))
            for tick in np.flatnonzero(weights).tolist():
                length = int(lengths[tick])
                painter.drawRect(QRect(self.width() - length - 1, tick * TICK_PX, length, TICK_PX))


# Two texts in tokens: which tokens both have, and the corresponding positions


class TextPair(Protocol):
    """Two texts in tokens whose changes are shown."""

    @property
    def outcome(self) -> IdChanges: ...

    @property
    def is_shown(self) -> bool:
        """Whether there is a second text that has tokens."""


class MarkedSpans(TokenizedText):
    """The tokens of a source, marked by whether the other side has them as well.

    side  0 for the first list of tokens, 1 for the second, which takes its colours from `reference`
    """

    def __init__(
        self,
        source: TokenizedText,
        pair: TextPair,
        parent: QObject,
        side: int = 0,
        reference: MarkedSpans | None = None,
    ) -> None:
        super().__init__(source.document, source, source.spelling, parent=parent)
        self.side = side
        self._source = source
        self._pair = pair
        self._reference = reference

    def spans_in(self, start: int, end: int) -> SpanWindow:
        window = self._source.spans_in(start, end)
        if not self._pair.is_shown:
            return window
        is_changed = self.is_changed(window)
        if self._reference is not None:
            rows, kept = self._pair.outcome.rows, np.flatnonzero(~is_changed)
            tints = window.tints.copy()
            tints[kept] = self._reference.tints_of(counterparts(rows, self.side, window.first_index + kept))
            window = window._replace(tints=tints)
        return window.marked(~is_changed, is_changed)

    def tints_of(self, indexes: NDArray[np.int64]) -> NDArray[np.uint8]:
        """The colours of the tokens at ascending `indexes`."""
        first, end = (int(indexes[0]), int(indexes[-1]) + 1) if len(indexes) else (0, 0)
        tints = self.tokens.between(first, end).tints
        positions = np.minimum(indexes - first, len(tints) - 1)
        outcome: NDArray[np.uint8] = tints[positions] if len(tints) else np.zeros(len(indexes), np.uint8)
        return outcome

    def is_changed(self, window: SpanWindow) -> NDArray[np.bool_]:
        """bool[k]: True for the tokens that the other side does not have."""
        starts, ends = self._pair.outcome.rows[:, 2 * self.side : 2 * self.side + 2].T
        indexes = np.arange(window.first_index, window.first_index + len(window.ids))
        n_begun, n_ended = (each.searchsorted(indexes, side="right") for each in (starts, ends))
        is_changed: NDArray[np.bool_] = n_begun > n_ended
        return is_changed

    def byte_span(self, change: IdChange) -> tuple[int, int]:
        """The bytes of a change on this side; empty if the change affects only the other side."""
        first, end = change[2 * self.side : 2 * self.side + 2]
        start = self.offset_of(first)
        return start, self.tokens.span(end - 1)[1] if first < end <= len(self.tokens) else start

    @property
    def change_offsets(self) -> NDArray[np.int64]:
        """int64[n]: the bytes where changes begin."""
        rows = self._pair.outcome.rows if self._pair.is_shown else self._pair.outcome.rows[:0]
        firsts = rows[:, 2 * self.side]
        inside = firsts < len(self.tokens)
        offsets = np.full(len(rows), self.document.size)
        offsets[inside] = self.tokens.starts_of(firsts[inside])
        return offsets

    @property
    def common_end(self) -> int:
        """The byte at which the common prefix of tokens ends."""
        return self.offset_of(self._pair.outcome.n_common)

    def offset_of(self, index: int) -> int:
        return self.tokens.span(index)[0] if index < len(self.tokens) else self.document.size

    def counterpart_offset(self, other: MarkedSpans, offset: int) -> int:
        """The offset in the other text that corresponds to `offset` in this one."""
        index = self.tokens.first_ending_after(offset)
        there = counterpart(self._pair.outcome.rows, self.side, index)
        start = other.offset_of(there)
        within = max(offset - self.offset_of(index), 0)
        return min(start + within, other.offset_of(there + 1))


class ChangeSpans:
    """The changes as `Differences` of the text of one side."""

    def __init__(self, side: MarkedSpans, outcome: IdChanges) -> None:
        self._side, self._rows = side, outcome.rows

    def __len__(self) -> int:
        return len(self._rows)

    def span(self, index: int) -> tuple[int, int]:
        return self._side.byte_span(IdChange._make(self._rows[index].tolist()))

    def first_from(self, offset: int) -> int:
        return bisect_left(range(len(self)), offset, key=lambda index: self.span(index)[0])

    def ids(self, first: int, last: int) -> NDArray[np.int32]:
        """The kinds, which are all the same."""
        return np.zeros(last - first, np.int32)
