"""What the parts of the Steps page look alike in: cards, and sentences with code in them."""

from __future__ import annotations

import html
import re

from PySide6.QtCore import QSize
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QWidget

from guiapp.analysis.explain.code_marks import parts
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UI_FONT_PX, Theme, set_role

LARGEST = 1.5
CARD_MARGINS = MARGIN_PX - 2, GAP_PX


class SectionTitle(QLabel):
    """A heading that grows with the text of the page."""

    def __init__(self, text: str, zoom: TextZoom) -> None:
        super().__init__(text.upper())
        self._zoom = zoom
        set_role(self, "heading")
        self.setAccessibleName(text)
        zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def _on_zoom_changed(self) -> None:
        self.setStyleSheet(f"font-size: {self._zoom.scaled(SMALL_FONT_PX)}px")


class QuietButton(QToolButton):
    """A word to click on that grows with the text of the page."""

    def __init__(self, text: str, zoom: TextZoom) -> None:
        super().__init__()
        self._zoom = zoom
        self.setText(text)
        set_role(self, "quiet")
        zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def _on_zoom_changed(self) -> None:
        self.setFont(self._zoom.ui_font(UI_FONT_PX))


def head_row(text: str, button: QWidget, zoom: TextZoom) -> QHBoxLayout:
    """A heading, and a button at the far end of its line."""
    return in_row(SectionTitle(text, zoom), STRETCH, button)


def card(widgets: list[QWidget], stretched: QWidget) -> QFrame:
    """Widgets one below the other on a card; one of them takes the room that is left."""
    parts = [(widget, int(widget is stretched)) for widget in widgets]
    return framed(in_column(*parts, margins=CARD_MARGINS, spacing=GAP_PX), "card")


def enlargement(size: QSize, natural: QSize, zoom: float = 1.0) -> float:
    """How much a picture grows in the room that it has; it is never smaller than its text should be."""
    room = min(size.width() / natural.width(), size.height() / natural.height())
    return max(zoom, min(LARGEST * zoom, room))


def with_code(text: str, color: QColor) -> str:
    """Rich text whose `quoted` parts are set in bold monospace."""
    style = f"font-family:'{Theme.mono_font().family()}'; color:{color.name()}"
    pieces = ((html.escape(part.text, quote=False), part.is_code) for part in parts(text))
    return "".join(
        f'<b style="{style}">{isolate(piece)}</b>' if is_code else piece for piece, is_code in pieces
    )


def rich_text(text: str, color: QColor, gap_px: int = GAP_PX) -> str:
    """Paragraphs, each with a gap below, `code` and *emphasis* as Qt's rich text."""
    emphasis = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", with_code(text, color))
    paragraphs = emphasis.split("\n\n")
    return "".join(f"<p style='margin:0 0 {gap_px}px 0'>{paragraph}</p>" for paragraph in paragraphs)
