"""What all parts of the Steps page draw with."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.shaped_texts import MonoTexts
from guiapp.kit.widgets.theme import ThemeSource


class DrawingContext(NamedTuple):
    """The colours, how large everything is, and the texts that any of the views has shaped."""

    theme_source: ThemeSource
    zoom: TextZoom
    texts: MonoTexts


class ZoomedView(Painted):
    """A part of the page that grows with its text; the wheel zooms over it."""

    def __init__(self, name: str, drawing: DrawingContext) -> None:
        super().__init__(drawing.theme_source, name)
        self._zoom, self._texts = drawing.zoom, drawing.texts
        self._zoom.watch(self)
        self._zoom.changed.connect(self._on_zoom_changed)

    def _on_zoom_changed(self) -> None:
        self.update()
