"""What is said below the picture: in large type, smaller where it would not fit, with room for an answer."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QPainter,
    QPalette,
    QTextDocument,
    QTextOption,
)

from guiapp.viewmodels.presentation.deck import Words
from guiapp.widgets.shared.theme import Theme
from guiapp.widgets.steps.cards import rich_text

SAY_PX, ASK_PX, ANSWER_PX, MORE_PX = 44, 64, 44, 36
GAP_PX, SAY_GAP_PX = 34, 18
BALANCE_PX = 8
TARGET = QSizeF(470, 88)  # that shows the answer
SCALES = (1.0, 0.92, 0.84, 0.77, 0.7, 0.64, 0.58, 0.52, 0.47, 0.42)


class Paragraph(NamedTuple):
    """A text laid out, and where it stands."""

    document: QTextDocument
    place: QRectF
    color: QColor


class Column(NamedTuple):
    """All that is said, as high as it needs; `target` is what people click for the answer."""

    paragraphs: list[Paragraph]
    height: float
    target: QRectF | None


def lay_out_words(words: Words, theme: Theme, middle: float, width: float, most: float) -> Column:
    """From 0 down around the middle of a screen, in the largest type that needs no more height."""
    column = _laid_out(words, theme, middle, width, 1.0)
    for scale in SCALES[1:]:
        if column.height <= most:
            break
        column = _laid_out(words, theme, middle, width, scale)
    return column


def _laid_out(words: Words, theme: Theme, middle: float, width: float, scale: float) -> Column:
    paragraphs: list[Paragraph] = []
    y, target = 0.0, None
    rows = [(paragraph, SAY_PX, theme.dim) for paragraph in words.say.split("\n\n")]
    n_said = len(rows)
    rows += (words.ask, ASK_PX, theme.text), (words.answer, ANSWER_PX, theme.text)
    for row, (text, size_px, color) in enumerate([*rows, (words.more, MORE_PX, theme.dim)]):
        is_bold, is_answer = row == n_said, row == n_said + 1 and words.ask != ""
        if not text and not is_answer:
            continue
        y += (GAP_PX if size_px != SAY_PX or is_answer else SAY_GAP_PX) * scale if y else 0
        document = _document(text, theme, max(1, round(size_px * scale)), width, is_bold)
        height = document.size().height()
        if is_answer:
            height = max(height, TARGET.height())
        place = QRectF(middle - document.textWidth() / 2, y, document.textWidth(), height)
        if is_answer and words.awaits_answer:
            target = QRectF(QPointF(middle - TARGET.width() / 2, y), TARGET)
        else:
            paragraphs.append(Paragraph(document, place, color))
        y += height
    return Column(paragraphs, y, target)


def _document(text: str, theme: Theme, size_px: int, width: float, is_bold: bool) -> QTextDocument:
    font = Theme.ui_font(size_px)
    font.setBold(is_bold)
    document = QTextDocument()
    document.setDocumentMargin(0)
    document.setDefaultFont(font)
    option = QTextOption(Qt.AlignmentFlag.AlignHCenter)
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    document.setDefaultTextOption(option)
    document.setHtml(rich_text(text, theme.text, 0))
    document.setTextWidth(width)
    _balance(document)
    return document


def _balance(document: QTextDocument) -> None:
    """Make the lines about equally long: the narrowest column that needs no more of them."""
    height, least, most = document.size().height(), document.textWidth() / 2, document.textWidth()
    while most - least > BALANCE_PX:
        middle = (least + most) / 2
        document.setTextWidth(middle)
        is_wide_enough = document.size().height() <= height
        least, most = (least, middle) if is_wide_enough else (middle, most)
    document.setTextWidth(most)


def paint_words(painter: QPainter, column: Column, top: float) -> None:
    for document, place, color in column.paragraphs:
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, color)
        painter.save()
        painter.translate(place.left(), top + place.top())
        document.documentLayout().draw(painter, context)
        painter.restore()
