"""Texts that change with every step: setting one paints it anew, and moves nothing around it."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from guiapp.core.explain.code_marks import parts, without_marks
from guiapp.widgets.text_zoom import TextZoom
from guiapp.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, Theme, ThemeSource

VCENTER = Qt.AlignmentFlag.AlignVCenter


class TextLine(QWidget):
    """One line on a card, cut short where there is no room for it."""

    def __init__(
        self,
        font: QFont,
        theme_source: ThemeSource,
        zoom: TextZoom,
        parent: QWidget | None = None,
        *,
        is_dim: bool = False,
        is_right: bool = False,
    ) -> None:
        super().__init__(parent)
        self._theme_source = theme_source
        self._zoom = zoom
        self._size_px, self._font = font.pixelSize(), QFont(font)
        self._is_dim = is_dim
        self._side = Qt.AlignmentFlag.AlignRight if is_right else Qt.AlignmentFlag.AlignLeft
        self._text = ""
        self._longest = ""
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme_source.changed.connect(self.update)
        zoom.changed.connect(self._follow_zoom)
        self._follow_zoom()

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

    def _follow_zoom(self) -> None:
        self._font.setPixelSize(self._zoom.scaled(self._size_px))
        self._fit()

    def _fit(self) -> None:
        if self._longest:
            self.setFixedWidth(QFontMetrics(self._font).horizontalAdvance(self._longest) + 1)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self._font).height() + 2)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._theme_source.theme
        painter.fillRect(event.rect(), theme.raised)
        painter.setFont(self._font)
        painter.setPen(theme.dim if self._is_dim else theme.text)
        shown, metrics = self._text, painter.fontMetrics()
        if metrics.horizontalAdvance(shown) > self.width():
            shown = metrics.elidedText(shown, Qt.TextElideMode.ElideRight, self.width())
        painter.drawText(self.rect(), VCENTER | self._side, shown)


def title_line(theme_source: ThemeSource, zoom: TextZoom, text: str = "") -> TextLine:
    """A title that looks like a heading."""
    font = Theme.ui_font(SMALL_FONT_PX)
    font.setWeight(QFont.Weight.DemiBold)
    line = TextLine(font, theme_source, zoom, is_dim=True)
    line.show_text(text.upper())
    return line


class SentenceView(QWidget):
    """A sentence with `code` in it, on a card; it grows by lines, and shrinks only when it is told to."""

    def __init__(
        self, theme_source: ThemeSource, zoom: TextZoom | None = None, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme_source = theme_source
        self._zoom = zoom or TextZoom(self)
        self._zoom.changed.connect(self.forget_height)
        self._text = ""
        self._lines = QTextLayout()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("What happens")
        self.forget_height()
        theme_source.changed.connect(self._arrange)

    def text(self) -> str:
        """The sentence without the signs around its code."""
        return without_marks(self._text)

    def show_sentence(self, sentence: str) -> None:
        if sentence != self._text:
            self._text = sentence
            self.setAccessibleDescription(self.text())
            self._arrange()

    def forget_height(self) -> None:
        """Be one line high again, or as high as the present sentence needs."""
        self._font = self._zoom.ui_font(UI_FONT_PX + 2)
        self.setFixedHeight(ceil(QFontMetricsF(self._font).height()) + 2)
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        if event.oldSize().width() != event.size().width():
            self.forget_height()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        theme = self._theme_source.theme
        painter.fillRect(event.rect(), theme.raised)
        painter.setPen(theme.dim)
        self._lines.draw(painter, QPointF())

    def _arrange(self) -> None:
        """Break the sentence into lines."""
        self._lines = QTextLayout(self.text(), self._font)
        option = QTextOption(Qt.AlignmentFlag.AlignLeft)
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTextDirection(Qt.LayoutDirection.LeftToRight)
        self._lines.setTextOption(option)
        self._lines.setFormats(self._code_formats())
        self._lines.beginLayout()
        y = 0.0
        while (line := self._lines.createLine()).isValid():
            line.setLineWidth(self.width())
            line.setPosition(QPointF(0, y))
            y += line.height()
        self._lines.endLayout()
        if ceil(y) > self.height():
            self.setFixedHeight(ceil(y))
        self.update()

    def _code_formats(self) -> list[QTextLayout.FormatRange]:
        look = QTextCharFormat()
        font = Theme.mono_font(self._font.pixelSize())
        font.setBold(True)
        look.setFont(font)
        look.setForeground(self._theme_source.theme.text)
        ranges, end = [], 0
        for text, is_code in parts(self._text):
            start, end = end, end + _utf16_length(text)
            if is_code:
                stretch = QTextLayout.FormatRange()
                stretch.start, stretch.length, stretch.format = start, end - start, look
                ranges.append(stretch)
        return ranges


def _utf16_length(text: str) -> int:
    """Qt counts in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
