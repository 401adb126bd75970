"""Read-only texts in several colours, always literal, and labels that shorten to fit."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QTextEdit

from guiapp.kit.widgets.event_filters import plain_tip
from guiapp.kit.widgets.theme import READABLE, set_role

TEXT_MARGIN_PX = 2  # accents of capital letters extend above the line
ISOLATES = str.maketrans("", "", "\u2068\u2069")


class Span(NamedTuple):
    text: str
    color: QColor
    background: QColor | None = None
    is_bold: bool = False


class StyledText(QTextEdit):
    """A few lines, as high as the text up to `most_lines`; scrollable beyond that."""

    def __init__(self, font: QFont, most_lines: int = 6, name: str = "") -> None:
        super().__init__()
        self._most_lines = most_lines
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setFont(font)
        self.document().setDocumentMargin(TEXT_MARGIN_PX)
        self.setFrameShape(QFrame.Shape.NoFrame)
        set_role(self, "plain")
        self.setTextInteractionFlags(READABLE)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTabChangesFocus(True)

    def set_spans(self, spans: Iterable[Span]) -> None:
        self.clear()
        cursor = self.textCursor()
        for span in spans:
            style = QTextCharFormat()
            style.setForeground(span.color)
            if span.background is not None:
                style.setBackground(span.background)
            if span.is_bold:
                style.setFontWeight(QFont.Weight.Bold)
            cursor.insertText(span.text, style)
        self.moveCursor(QTextCursor.MoveOperation.Start)
        self._fit()

    def set_font(self, font: QFont) -> None:
        self.setFont(font)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave Ctrl and the wheel to the parent, which zooms all its texts together."""
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            event.ignore()
        else:
            super().wheelEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self._set_height()
        width = self.viewport().width()
        if self.document().textWidth() > width:  # Qt ignores the nested resize that a new scroll bar causes
            self.document().setTextWidth(width)
            self._set_height()

    def _set_height(self) -> None:
        height, most = ceil(self.document().size().height()), ceil(self._most_px())
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            policy.ScrollBarAlwaysOff if height <= most else policy.ScrollBarAsNeeded
        )
        self.setFixedHeight(min(height, most))

    def _most_px(self) -> float:
        """The height of `most_lines` lines; lines with characters from other fonts are higher."""
        layout, block, left = self.document().documentLayout(), self.document().begin(), self._most_lines
        while block.isValid():
            lines = block.layout()
            if lines.lineCount() >= left:
                last = lines.lineAt(left - 1)
                top = layout.blockBoundingRect(block).top()
                return top + last.y() + last.height() + TEXT_MARGIN_PX
            left -= lines.lineCount()
            block = block.next()
        return layout.documentSize().height()


class FittedLabel(QLabel):
    """A label with alternative texts; shows the first that fits, and asks for room for the first.

    tip  more text for the tool tip

    With `is_needed`, its minimum width fits the last text; with `elides`, the last text is elided.  It paints
    its text itself: each `QLabel.setText` triggers a layout of all widgets around it.
    """

    def __init__(self, is_needed: bool = False, elides: bool = False) -> None:
        super().__init__()
        self._is_needed, self._elides = is_needed, elides
        self._texts = [""]
        self._shown = self.tip = ""
        self._room_px = (0, 0)
        self.elide_mode = Qt.TextElideMode.ElideRight

    def text(self) -> str:
        return self._shown

    @property
    def whole_text(self) -> str:
        return self._texts[0]

    def set_texts(self, texts: list[str]) -> None:
        """Set the alternatives, most informative first; the first is the tool tip if it does not fit."""
        if texts == self._texts:
            return
        self._texts = texts
        room_px = self._least_px(), self._width_of(self.whole_text)
        if room_px != self._room_px:
            self._room_px = room_px
            self.updateGeometry()
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(self._width_of(self.whole_text), self._height_px())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._least_px(), self._height_px())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.updateGeometry()
            self._fit()

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).drawText(self.contentsRect(), self.alignment().value, self._shown)

    def _fit(self) -> None:
        room = self.width()
        last = self._texts[-1] if self._is_needed else ""  # the layout will make room for it
        if self._elides:
            last = self.fontMetrics().elidedText(self._texts[-1], self.elide_mode, room)
        self._shown = next((text for text in self._texts if self._width_of(text) <= room), last)
        self.setAccessibleName(self._shown)
        lines = ["" if self._shown == self.whole_text else self.whole_text, self.tip]
        self.setToolTip(plain_tip("\n".join(filter(None, lines))))
        self.update()

    def _height_px(self) -> int:
        """The height of a line in its font: Qt's label has no text here."""
        return max(super().sizeHint().height(), self.fontMetrics().height())

    def _least_px(self) -> int:
        return self._width_of(self._texts[-1]) if self._is_needed else 0

    def _width_of(self, text: str) -> int:
        return self.fontMetrics().horizontalAdvance(text)
