"""What all views of a trace draw with."""

from __future__ import annotations

from typing import NamedTuple

from guiapp.widgets.shared.shaped_texts import MonoTexts
from guiapp.widgets.shared.text_zoom import TextZoom
from guiapp.widgets.shared.theme import ThemeSource


class Drawing(NamedTuple):
    """The colours, how large everything is, and the texts that any of the views has shaped."""

    theme_source: ThemeSource
    zoom: TextZoom
    texts: MonoTexts
