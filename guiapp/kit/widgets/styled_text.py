"""Read-only text in several colours that can be selected and copied, and is never taken for markup."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QFont, QResizeEvent, QTextCharFormat, QTextCursor, QTextOption, QWheelEvent
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from guiapp.kit.widgets.style_sheet import READABLE, set_role

TEXT_MARGIN_PX = 2  # signs over capital letters reach above the line
ISOLATES = str.maketrans("", "", "\u2068\u2069")


class Span(NamedTuple):
    """A stretch of text in one style."""

    text: str
    color: QColor
    background: QColor | None = None
    is_bold: bool = False


class StyledText(QTextEdit):
    """A few lines, as high as their text up to `most_lines`, scrolled beyond that."""

    def __init__(self, font: QFont, most_lines: int = 6, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._most_lines = most_lines
        self.setReadOnly(True)
        self.setFont(font)
        self.document().setDocumentMargin(TEXT_MARGIN_PX)
        self.setFrameShape(QFrame.Shape.NoFrame)
        set_role(self, "plain")
        self.setTextInteractionFlags(READABLE)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTabChangesFocus(True)

    def set_spans(self, spans: Iterable[Span]) -> None:
        """Show these stretches one after another."""
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
        """Show the same text in another font."""
        self.setFont(font)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Ctrl is for what is around: all its texts grow alike."""
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
        if self.document().textWidth() > width:  # Qt drops the resize that a scroll bar makes within another
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
        """The height of as many lines as may be shown; those with characters from other fonts are higher."""
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
