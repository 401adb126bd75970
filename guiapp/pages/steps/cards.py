"""What the parts of the Steps page are made of: cards, lines and sentences that zoom, and the gutter."""

from __future__ import annotations

import html
import re
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPen,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from guiapp.analysis.explain.spelling import parts, without_marks
from guiapp.analysis.trace.breakpoints import Breakpoint
from guiapp.core.text.visible_text import isolate
from guiapp.kit.document.document import n_units
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.layouts import STRETCH, framed, in_column, in_row
from guiapp.kit.widgets.painting import Painted, bold, in_shared_size, scaled
from guiapp.kit.widgets.shaped_texts import LEFT, RIGHT, MonoTexts, ShapedTexts
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    Theme,
    ThemeSource,
    blend,
    set_role,
)

ID_FONT_PX = 11
DOT_PX = 9
DOTS_PX = 16  # room for the dot, before the number
SPACE_PX = 12  # behind the number, with a hairline in it
EDGE_PX = 48
LARGEST = 1.5
CARD_MARGINS = MARGIN_PX - 2, GAP_PX


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


def rich_text(text: str, color: QColor) -> str:
    """Paragraphs, each with a gap below, `code` and *emphasis* as Qt's rich text."""
    emphasis = re.sub(r"\*([^*]+)\*", r"<i>\1</i>", with_code(text, color))
    paragraphs = emphasis.split("\n\n")
    return "".join(f"<p style='margin:0 0 {GAP_PX}px 0'>{paragraph}</p>" for paragraph in paragraphs)


class TextLine(Painted):
    """One line on a card, cut short where there is no room for it."""

    ground = "raised"

    def __init__(
        self, font: QFont, drawing: DrawingContext, *, is_dim: bool = False, is_right: bool = False
    ) -> None:
        super().__init__(drawing.theme_source)
        self._zoom = drawing.zoom
        self._size_px, self._font = font.pixelSize(), QFont(font)
        self._is_dim = is_dim
        self._side = RIGHT if is_right else LEFT
        self._text = ""
        self._longest = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def text(self) -> str:
        return self._text

    def show_text(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self.setAccessibleName(text)
            self.update()

    def reserve(self, longest: str) -> None:
        if longest != self._longest:
            self._longest = longest
            self._fit()

    def _on_zoom_changed(self) -> None:
        self._font.setPixelSize(self._zoom.scaled(self._size_px))
        self._fit()

    def _fit(self) -> None:
        self._texts = ShapedTexts(self._font)
        if self._longest:
            self.setFixedWidth(QFontMetrics(self._font).horizontalAdvance(self._longest) + 1)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self._font).height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        width = self.width()
        painter.setPen(theme.dim if self._is_dim else theme.text)
        shown = self._texts.elided(self._text, width)
        self._texts.draw_in(painter, 0, width, self.height() / 2, shown, self._side)


def title_line(drawing: DrawingContext, text: str = "") -> TextLine:
    font = Theme.ui_font(SMALL_FONT_PX)
    font.setWeight(QFont.Weight.DemiBold)
    line = TextLine(font, drawing, is_dim=True)
    line.show_text(text.upper())
    return line


class TextSegment(NamedTuple):
    """A part of a line, and where it begins."""

    text: str
    is_code: bool
    left: float


class SentenceView(Painted):
    """A sentence with `code` in it, on a card; it grows by lines, and shrinks only when it is told to.

    A word before it says when that happens.
    """

    ground = "raised"

    def __init__(self, drawing: DrawingContext, name: str = "What happens") -> None:
        super().__init__(drawing.theme_source, name)
        self._zoom = drawing.zoom
        self._zoom.changed.connect(self._on_zoom_changed)
        self._text = self._lead = ""
        self._line: list[TextSegment] = []  # what there is in a single line
        self._lines = QTextLayout()  # what there is where that is too long
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._on_zoom_changed()
        drawing.theme_source.changed.connect(self._arrange)

    def text(self) -> str:
        """The sentence without the signs around its code."""
        return without_marks(self._text)

    def show_sentence(self, sentence: str, lead: str = "") -> None:
        if (sentence, lead) != (self._text, self._lead):
            self._text, self._lead = sentence, lead
            self.setAccessibleDescription(without_marks(self._whole))
            self._arrange()

    @property
    def _whole(self) -> str:
        return f"{self._lead} {self._text}" if self._lead else self._text

    def _on_zoom_changed(self) -> None:
        self._font = self._zoom.ui_font(UI_FONT_PX + 2)
        self._shared, self._factor = in_shared_size(self._font)
        self._plain, self._code = ShapedTexts(self._font), ShapedTexts(_code_font(self._font))
        self.forget_height()

    def forget_height(self) -> None:
        """Be one line high again, or as high as the present sentence needs."""
        self.setFixedHeight(ceil(QFontMetricsF(self._font).height()) + 2)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != event.size().width():
            self.forget_height()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.setPen(theme.dim)
        if not self._line:
            with scaled(painter, self._factor):
                self._lines.draw(painter, QPointF())
        for text, is_code, left in self._line:
            painter.setPen(theme.text if is_code else theme.dim)
            (self._code if is_code else self._plain).draw_on(painter, left, self._plain.ascent, text)

    def _arrange(self) -> None:
        self._line = self._in_one_line()
        if not self._line:
            self._break()
        self.update()

    def _in_one_line(self) -> list[TextSegment]:
        """The parts side by side, as in most sentences; none where they need more room than a plain line."""
        line, right = [], 0.0
        for text, is_code in parts(self._whole):
            texts = self._code if is_code else self._plain
            line.append(TextSegment(text, is_code, right))
            right += texts.width(text)
            if right > self.width() or texts.is_high(text):
                return []
        return line

    def _break(self) -> None:
        self._lines = QTextLayout(without_marks(self._whole), self._shared)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self._lines.setTextOption(option)
        self._lines.setFormats(self._code_formats())
        self._lines.beginLayout()
        y = 0.0
        while (line := self._lines.createLine()).isValid():
            line.setLineWidth(self.width() / self._factor)
            line.setPosition(QPointF(0, y))
            y += line.height()
        self._lines.endLayout()
        self.setFixedHeight(max(self.height(), ceil(y * self._factor)))

    def _code_formats(self) -> list[QTextLayout.FormatRange]:
        look = QTextCharFormat()
        look.setFont(_code_font(self._shared))
        look.setForeground(self._theme_source.theme.text)
        ranges, end = [], 0
        for text, is_code in parts(self._whole):
            start, end = end, end + n_units(text)
            if is_code:
                stretch = QTextLayout.FormatRange()
                stretch.start, stretch.length, stretch.format = start, end - start, look
                ranges.append(stretch)
        return ranges


def _code_font(base: QFont) -> QFont:
    return bold(Theme.mono_font(base.pixelSize()))


class GutterRow(NamedTuple):
    """A row of boxes: the bytes [start, end) that stand in it, and the height at which it has its middle."""

    start: int
    end: int
    middle: float


class Gutter:
    """Painted left of the text, as wide as the largest number needs, in whole pixels as what is beside it."""

    def __init__(self) -> None:
        self._numbers = ShapedTexts(Theme.mono_font(ID_FONT_PX))
        self.width = 0

    def fit(self, n_bytes: int) -> None:
        """Make room for the numbers of a text of that size."""
        self.width = DOTS_PX + ceil(self._numbers.width(f"{n_bytes:,}")) + SPACE_PX

    def paint(
        self, painter: QPainter, theme: Theme, row: GutterRow, matches: list[Breakpoint], is_hovered: bool
    ) -> None:
        painter.setPen(theme.faint)
        room = self.width - DOTS_PX - SPACE_PX
        self._numbers.draw_in(painter, DOTS_PX, room, row.middle, f"{row.start:,}", RIGHT)
        painter.setPen(theme.line)
        edge = self.width - SPACE_PX / 2
        painter.drawLine(QPointF(edge, row.middle - EDGE_PX / 2), QPointF(edge, row.middle + EDGE_PX / 2))
        paint_mark(painter, theme, QPointF(DOTS_PX / 2 - 1, row.middle), matches, is_hovered)


def paint_mark(
    painter: QPainter, theme: Theme, middle: QPointF, matches: list[Breakpoint], is_hovered: bool
) -> None:
    """What stands in a gutter: a dot, or a faint one that says what a click would do."""
    if matches:
        paint_dot(painter, theme, middle, matches)
    elif is_hovered:
        paint_circle(painter, middle, blend(theme.raised, theme.bad, 0.45))


def paint_dot(
    painter: QPainter, theme: Theme, middle: QPointF, matches: list[Breakpoint], size: float = DOT_PX
) -> None:
    """The sign of breakpoints: a ring where all are off, in another colour where they only note something."""
    stopping = [row for row in matches if not row.log]
    color = theme.bad if stopping else theme.warning
    paint_circle(painter, middle, color, size, is_filled=any(row.is_enabled for row in matches))


def paint_circle(
    painter: QPainter, middle: QPointF, color: QColor, size: float = DOT_PX, *, is_filled: bool = True
) -> None:
    painter.setPen(Qt.PenStyle.NoPen if is_filled else QPen(color, 1.4))
    painter.setBrush(color if is_filled else Qt.BrushStyle.NoBrush)
    painter.drawEllipse(middle, size / 2, size / 2)
