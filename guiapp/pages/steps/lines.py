"""Texts that change with every step: setting one paints it anew, and moves nothing around it."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy

from guiapp.analysis.explain.code_marks import parts, without_marks
from guiapp.kit.document.document import n_units
from guiapp.kit.widgets.painting import Painted, bold, in_shared_size, scaled
from guiapp.kit.widgets.shaped_texts import LEFT, RIGHT, ShapedTexts
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, Theme
from guiapp.pages.steps.drawing import DrawingContext


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
        """Keep room for a text of that length."""
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
    """A title that looks like a heading."""
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
        """Break the sentence into lines, which takes much longer."""
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
