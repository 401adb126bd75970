"""Views side by side that zoom, scroll and mark white space as one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from guiapp.kit.document.document import TextDocument
from guiapp.kit.side_by_side.map_bar import MapBar
from guiapp.kit.side_by_side.marks import MarkedSpans
from guiapp.kit.spans.frame import PointedOut
from guiapp.kit.spans.view import SpanView
from guiapp.kit.widgets.theme import ThemeSource


class LinkedViews(QObject):
    """Some views, to which more may come.

    views       all of them, those that are hidden, too
    is_linking  one of them is followed by the others just now
    """

    def __init__(
        self,
        whitespace: QAction,
        sync: Callable[[SpanView, SpanView], None] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """`sync` scrolls its second view to where its first one was scrolled to."""
        super().__init__(parent)
        self.views: list[SpanView] = []
        self._whitespace = whitespace
        self._sync = sync
        self._font_px = 0
        self.is_linking = False
        whitespace.toggled.connect(self._show_whitespace)

    def add(self, view: SpanView, frame_ms: float) -> None:
        """Paint rows of the text that are new for `frame_ms` at a time."""
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
        """Have all others show what one of them shows."""
        if self._sync is not None and not self.is_linking and leader.isVisible():
            self.is_linking = True
            for view in self.views:
                if view is not leader and view.isVisible():
                    self._sync(leader, view)
            self.is_linking = False

    def place(self, view: SpanView, offset: int, y: float) -> None:
        """Scroll one of them, and leave the others where they are; see `SpanView.place`."""
        self.is_linking = True
        view.place(offset, y)
        self.is_linking = False

    def _on_zoom_changed(self, zoomed: SpanView) -> None:
        if not self.is_linking:
            self.set_font_px(zoomed.font_px)

    def _show_whitespace(self, shows_whitespace: bool) -> None:
        for view in self.views:
            view.set_shows_whitespace(shows_whitespace)


def pointed_out(document: TextDocument, start: int, end: int) -> PointedOut:
    """A span, and all lines that it is in."""
    first, last = (document.line_of(offset) for offset in (start, max(end - 1, start)))
    return PointedOut(start, end, document.line_span(first)[0], document.line_span(last)[1])


def map_changes(view: SpanView, side: MarkedSpans, theme_source: ThemeSource) -> None:
    """Mark in the scroll bar of a view where the other text differs from its own."""
    bar = view.verticalScrollBar()
    if not isinstance(bar, MapBar):
        bar = MapBar(theme_source)
        view.setVerticalScrollBar(bar)
    offsets = side.change_offsets
    bar.show_places(view.rows.shares_of(offsets), np.ones(len(offsets), np.int64))
