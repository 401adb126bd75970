"""Building blocks of the Steps page: views, lines and sentences that zoom, on cards."""

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
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.painting import Painted
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
    """The colours, and the zoom of the steps and of titles and controls, which grow only in presentations."""

    theme_source: ThemeSource
    zoom: TextZoom
    controls: TextZoom

    @property
    def of_controls(self) -> DrawingContext:
        """For parts that are as large as controls throughout."""
        return self._replace(zoom=self.controls)


class ZoomedView(Painted):
    """A part of the page that grows with its text; the wheel zooms over it.

    natural   beyond this size it grows with the available room; None for never
    usual     its size hint before zooming
    least_px  its minimum height before zooming
    is_fixed  whether its height never changes
    """

    ground = "raised"
    natural: QSize | None = None
    usual = QSize()
    least_px = 0
    is_fixed = False

    def __init__(self, name: str, drawing: DrawingContext) -> None:
        super().__init__(drawing.theme_source, name)
        self._zoom = drawing.zoom
        if self.is_fixed:
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._zoom.watch(self)
        self._zoom.changed.connect(self._on_zoom_changed)

    def sizeHint(self) -> QSize:
        return QSize(self.usual.width(), self._zoom.scaled(self.usual.height()))

    @property
    def scale(self) -> float:
        """Pixels for each unit drawn; at least as many as the text size asks for."""
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
        """Draw the whole picture, in units."""

    def _on_zoom_changed(self) -> None:
        self.setMinimumHeight(self._zoom.scaled(self.least_px))
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
    """A flat button whose label grows with the text of the page."""
    return zoom.fit(tool_button(text), UI_FONT_PX)


def head_row(text: str, button: QWidget, zoom: TextZoom) -> QHBoxLayout:
    return in_row(section_title(text, zoom), STRETCH, button)


def card(widgets: list[QWidget], stretched: QWidget) -> QFrame:
    """Put widgets one below the other on a card; `stretched` takes the remaining room."""
    items = [(widget, int(widget is stretched)) for widget in widgets]
    return framed(in_column(*items, margins=CARD_MARGINS, spacing=GAP_PX), "card")


def with_code(text: str, color: QColor) -> str:
    """Return rich text whose `quoted` parts are in bold monospace."""
    style = f"font-family:'{Theme.mono_font().family()}'; color:{color.name()}"
    pieces = ((html.escape(part.text, quote=False), part.is_code) for part in parts(text))
    return "".join(
        f'<b style="{style}">{isolate(piece)}</b>' if is_code else piece for piece, is_code in pieces
    )


def rich_text(text: str, color: QColor) -> str:
    """Return Qt's rich text of paragraphs with `code` and *emphasis*, each with a gap below."""
    emphasis = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", with_code(text, color))
    paragraphs = emphasis.split("\n\n")
    return "".join(f"<p style='margin:0 0 {GAP_PX}px 0'>{paragraph}</p>" for paragraph in paragraphs)


def title_line(drawing: DrawingContext, text: str = "") -> FittedLabel:
    """A heading that is elided if there is no room for it."""
    label = drawing.controls.fit(set_role(FittedLabel(elides=True), "dim"), SMALL_FONT_PX, heading_font)
    label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    label.set_texts([text.upper()])
    return label


class SentenceView(Painted):
    """A sentence with `code` in it, as high as the highest of the expected sentences.

    A label would make Qt lay out the whole page again at each step.
    """

    ground = "raised"

    def __init__(self, drawing: DrawingContext, name: str = "What happens") -> None:
        super().__init__(drawing.theme_source, name)
        self._zoom = drawing.zoom
        self._sentence = self._lead = ""
        self._expected: list[str] = []
        self._document = QTextDocument(self, documentMargin=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        drawing.zoom.changed.connect(self.forget_height)
        drawing.theme_source.changed.connect(self._refresh)
        self.forget_height()

    def text(self) -> str:
        """The sentence without the backquotes around its code."""
        return without_marks(self._sentence)

    def show_sentence(self, sentence: str, lead: str = "") -> None:
        """Show a sentence after a lead such as “Next:”, joined into one sentence."""
        if lead:
            sentence = sentence[:1].lower() + sentence[1:]
        if (sentence, lead) != (self._sentence, self._lead):
            self._sentence, self._lead = sentence, lead
            self._refresh()

    def expect(self, sentences: list[str]) -> None:
        """Make room for these sentences, so that nothing moves when they are shown."""
        if sentences != self._expected:
            self._expected = sentences
            self.forget_height()

    def forget_height(self) -> None:
        """Fit the height to the expected and the present sentence; other sentences enlarge it later."""
        font = self._zoom.ui_font(UI_FONT_PX + 2)
        self._document.setDefaultFont(font)
        self.setFixedHeight(QFontMetrics(font).height() + 2)
        for sentence in self._expected:
            self._lay_out(sentence)
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != event.size().width():
            self.forget_height()

    def _refresh(self) -> None:
        whole = f"{self._lead} {self._sentence}" if self._lead else self._sentence
        self.setAccessibleDescription(without_marks(whole))
        self._lay_out(whole)
        self.update()

    def _lay_out(self, sentence: str) -> None:
        theme = self._theme_source.theme
        words = with_code(sentence, theme.text)
        self._document.setHtml(f'<p style="margin:0; color:{theme.dim.name()}">{words}</p>')
        self._document.setTextWidth(self.width())
        self.setFixedHeight(max(self.height(), ceil(self._document.size().height())))

    def paint(self, painter: QPainter, theme: Theme) -> None:
        self._document.drawContents(painter)
