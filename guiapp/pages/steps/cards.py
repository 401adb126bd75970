"""What the parts of the Steps page are made of: views, lines and sentences that zoom, on cards."""

from __future__ import annotations

import html
import re
from abc import abstractmethod
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QResizeEvent, QTextDocument
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from guiapp.analysis.explain.spelling import parts, without_marks
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.painting import LEFT, RIGHT, Painted, elided, write
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    Theme,
    ThemeSource,
    set_role,
)
from guiapp.pages.steps.canvas import StepCanvas

LARGEST = 1.5
CARD_MARGINS = MARGIN_PX - 2, GAP_PX


class DrawingContext(NamedTuple):
    """The colours, and how large everything is."""

    theme_source: ThemeSource
    zoom: TextZoom


class ZoomedView(Painted):
    """A part of the page that grows with its text; the wheel zooms over it.

    natural  the size from which on it grows with the room that it has
    """

    ground = "raised"
    natural: QSize | None = None

    def __init__(self, name: str, drawing: DrawingContext) -> None:
        super().__init__(drawing.theme_source, name)
        self._zoom = drawing.zoom
        self._zoom.watch(self)
        self._zoom.changed.connect(self._on_zoom_changed)

    @property
    def scale(self) -> float:
        """How many pixels a unit of what it draws takes; never fewer than its text should have."""
        zoom = self._zoom.factor
        if self.natural is None:
            return zoom
        room = min(self.width() / self.natural.width(), self.height() / self.natural.height())
        return max(zoom, min(LARGEST * zoom, room))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        scale = self.scale
        painter.scale(scale, scale)
        self.draw(StepCanvas(painter, theme), QRectF(0, 0, self.width() / scale, self.height() / scale))

    @abstractmethod
    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        """Draw all that there is to see, in units."""

    def _on_zoom_changed(self) -> None:
        self.update()


def section_title(text: str, zoom: TextZoom) -> QLabel:
    """A heading that grows with the text of the page."""
    label = set_role(QLabel(text.upper()), "dim")
    label.setAccessibleName(text)
    return zoom.fit(label, SMALL_FONT_PX, heading_font)


def heading_font(size_px: int) -> QFont:
    font = Theme.ui_font(size_px)
    font.setWeight(QFont.Weight.DemiBold)
    return font


def quiet_button(text: str, zoom: TextZoom) -> QToolButton:
    """A word to click on that grows with the text of the page."""
    button = set_role(QToolButton(), "quiet")
    button.setText(text)
    return zoom.fit(button, UI_FONT_PX)


def head_row(text: str, button: QWidget, zoom: TextZoom) -> QHBoxLayout:
    return in_row(section_title(text, zoom), STRETCH, button)


def card(widgets: list[QWidget], stretched: QWidget) -> QFrame:
    """Widgets one below the other on a card; one of them takes the room that is left."""
    placed = [(widget, int(widget is stretched)) for widget in widgets]
    return framed(in_column(*placed, margins=CARD_MARGINS, spacing=GAP_PX), "card")


def with_code(text: str, color: QColor) -> str:
    """Rich text whose `quoted` parts are set in bold monospace."""
    style = f"font-family:'{Theme.mono_font().family()}'; color:{color.name()}"
    pieces = ((html.escape(part.text, quote=False), part.is_code) for part in parts(text))
    return "".join(
        f'<b style="{style}">{isolate(piece)}</b>' if is_code else piece for piece, is_code in pieces
    )


def rich_text(text: str, color: QColor) -> str:
    """Paragraphs, each with a gap below, `code` and *emphasis* as Qt's rich text."""
    emphasis = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", with_code(text, color))
    paragraphs = emphasis.split("\n\n")
    return "".join(f"<p style='margin:0 0 {GAP_PX}px 0'>{paragraph}</p>" for paragraph in paragraphs)


class TextLine(ZoomedView):
    """A heading, or a number at the right, cut short where there is no room for it."""

    def __init__(self, drawing: DrawingContext, *, is_number: bool = False) -> None:
        super().__init__("", drawing)
        self._is_number = is_number
        self._font = Theme.mono_font(UI_FONT_PX) if is_number else heading_font(SMALL_FONT_PX)
        self._text = self._longest = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        return self._text

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()

    def reserve(self, longest: str) -> None:
        """Be as wide as the longest text that will come."""
        if longest != self._longest:
            self._longest = longest
            self._on_zoom_changed()

    def _on_zoom_changed(self) -> None:
        if self._longest:
            width = QFontMetrics(self._font).horizontalAdvance(self._longest) + 1
            self.setFixedWidth(ceil(width * self.scale))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, ceil((QFontMetrics(self._font).height() + 2) * self.scale))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        color, side = (canvas.theme.text, RIGHT) if self._is_number else (canvas.theme.dim, LEFT)
        write(canvas.painter, area, elided(self._text, self._font, area.width()), color, side, self._font)


def title_line(drawing: DrawingContext, text: str = "") -> TextLine:
    line = TextLine(drawing)
    line.show_text(text.upper())
    return line


class SentenceView(Painted):
    """A sentence with `code` in it, on a card; it grows by lines, and shrinks only when it is told to.

    A label would have all of the page laid out again at each step.
    """

    ground = "raised"

    def __init__(self, drawing: DrawingContext, name: str = "What happens") -> None:
        super().__init__(drawing.theme_source, name)
        self._zoom = drawing.zoom
        self._sentence = self._lead = ""
        self._document = QTextDocument(self, documentMargin=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        drawing.zoom.changed.connect(self.forget_height)
        drawing.theme_source.changed.connect(self._refresh)
        self.forget_height()

    def text(self) -> str:
        """The sentence without the signs around its code."""
        return without_marks(self._sentence)

    def show_sentence(self, sentence: str, lead: str = "") -> None:
        """Show it behind a word that says when that happens."""
        if (sentence, lead) != (self._sentence, self._lead):
            self._sentence, self._lead = sentence, lead
            self._refresh()

    def forget_height(self) -> None:
        """Be one line high again, or as high as the present sentence needs."""
        font = self._zoom.ui_font(UI_FONT_PX + 2)
        self._document.setDefaultFont(font)
        self.setFixedHeight(QFontMetrics(font).height() + 2)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != event.size().width():
            self.forget_height()

    def _refresh(self) -> None:
        theme = self._theme_source.theme
        whole = f"{self._lead} {self._sentence}" if self._lead else self._sentence
        self.setAccessibleDescription(without_marks(whole))
        words = with_code(whole, theme.text)
        self._document.setHtml(f'<p style="margin:0; color:{theme.dim.name()}">{words}</p>')
        self._document.setTextWidth(self.width())
        self.setFixedHeight(max(self.height(), ceil(self._document.size().height())))
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        self._document.drawContents(painter)
