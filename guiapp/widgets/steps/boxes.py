"""The boxes that tokens and text stand in while they are encoded: laid out in rows, and painted."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from guiapp.viewmodels.steps.pictures import Element, Part, Role
from guiapp.widgets.rounded_boxes import RoundedBoxes
from guiapp.widgets.shaped_texts import CENTER, LEFT, ShapedTexts
from guiapp.widgets.steps.gutter import ID_FONT_PX, GutterRow
from guiapp.widgets.style_sheet import blend
from guiapp.widgets.theme import SMALL_FONT_PX, TEXT_FONT_PX, Theme

TOKEN_FONT_PX = TEXT_FONT_PX + 2
BOX_PX = 48
FINISHED_PX = 30
ABOVE_PX = 40  # room for what a pair becomes
ROW_GAP_PX = 10
FLOW_ROW_PX = ABOVE_PX + BOX_PX + ROW_GAP_PX
GAP_PX = 4
PADDING_PX = 9


class Box(NamedTuple):
    """An element with its place, in which row."""

    element: Element
    rect: QRectF
    row: int


class FlowLayout(NamedTuple):
    """All boxes in rows, and how high they are together."""

    boxes: list[Box]
    rows: list[GutterRow]
    height: float


class BoxTexts:
    """What stands in and over boxes, in four sizes."""

    def __init__(self) -> None:
        self.token = ShapedTexts(Theme.mono_font(TOKEN_FONT_PX))
        self.text = ShapedTexts(Theme.mono_font(TEXT_FONT_PX))
        self.made = ShapedTexts(Theme.mono_font(SMALL_FONT_PX + 1))
        self.id = ShapedTexts(Theme.mono_font(ID_FONT_PX))

    def of(self, part: Part) -> ShapedTexts:
        return self.token if part is Part.TOKEN else self.text


def lay_out(elements: list[Element], width: float, texts: BoxTexts, n_seen: int | None = None) -> FlowLayout:
    """Rows of boxes from left to right; each row keeps room above for what a pair becomes.

    With `n_seen` the rows end behind those that show so many around what the step is about, and one more.
    """
    boxes: list[Box] = []
    rows: list[GutterRow] = []
    marked = next((at for at, element in enumerate(elements) if element.role is not Role.NONE), 0)
    n_needed = None
    x = 0
    for number, element in enumerate(elements):
        size = min(_width_of(element, texts), int(width))
        if not rows or (x > 0 and x + size > width):
            if len(rows) == n_needed:
                break
            x = 0
            rows.append(
                GutterRow(element.start, element.end, len(rows) * FLOW_ROW_PX + ABOVE_PX + BOX_PX / 2)
            )
        height = BOX_PX if element.part is Part.TOKEN else FINISHED_PX
        rect = QRectF(x, rows[-1].middle - height / 2, size, height)
        boxes.append(Box(element, rect, len(rows) - 1))
        rows[-1] = rows[-1]._replace(end=max(rows[-1].end, element.end))
        x += size + GAP_PX
        if number == marked and n_seen is not None:
            n_needed = 1 + max(n_seen, len(rows) + n_seen // 2)
    return FlowLayout(boxes, rows, max(1, len(rows)) * FLOW_ROW_PX)


def _width_of(element: Element, texts: BoxTexts) -> int:
    """Whole pixels: boxes of the same width look the same."""
    inner = texts.of(element.part).width(element.text)
    if element.part is Part.TOKEN:
        return ceil(max(max(inner, 26.0) + 2 * PADDING_PX, texts.id.width(element.below) + GAP_PX))
    is_boxed = element.part is Part.FINISHED or element.role is not Role.NONE
    return ceil(max(inner, 6.0) + (2 * PADDING_PX if is_boxed else 0))


class BoxPainter:
    """Paints boxes: finished tokens are coloured, and what the step is about has a ring."""

    def __init__(self, texts: BoxTexts) -> None:
        self._texts = texts
        self._boxes = RoundedBoxes()
        self._fills: tuple[Theme, QColor, QColor] | None = None

    def _fills_of(self, theme: Theme) -> tuple[QColor, QColor]:
        """Behind what the step is about, and behind other tokens; mixed once for each theme."""
        if self._fills is None or self._fills[0] is not theme:
            about, other = blend(theme.raised, theme.accent, 0.30), blend(theme.raised, theme.line, 0.5)
            self._fills = theme, about, other
        return self._fills[1:]

    def paint(self, painter: QPainter, theme: Theme, box: Box, ratio: float) -> None:
        """`ratio` is how many pixels of the screen a unit of the layout takes."""
        element, rect, _ = box
        if element.part is Part.FINISHED:
            self._boxes.draw(painter, rect, theme.span_color(element.color), None, 5, ratio)
        elif element.role is not Role.NONE:
            style = Qt.PenStyle.DashLine if element.part is Part.TEXT else Qt.PenStyle.SolidLine
            fill = self._fills_of(theme)[0]
            self._boxes.draw(painter, rect, fill, QPen(theme.accent, 2.2, style), 6, ratio)
        elif element.part is Part.TOKEN:
            fill = self._fills_of(theme)[1]
            self._boxes.draw(painter, rect, fill, QPen(theme.line, 1), 6, ratio)
        self._paint_text(painter, theme, element, rect)

    def _paint_text(self, painter: QPainter, theme: Theme, element: Element, rect: QRectF) -> None:
        texts = self._texts.of(element.part)
        if element.part is not Part.TOKEN or not element.below:
            is_faint = element.part is Part.TEXT and element.role is Role.NONE
            painter.setPen(theme.faint if is_faint else theme.span_text)
            texts.draw(painter, rect, element.text, LEFT if is_faint else CENTER)
            return
        x, y, width = rect.x(), rect.y(), rect.width()
        painter.setPen(theme.span_text)
        texts.draw(painter, QRectF(x, y, width, BOX_PX - 15), element.text)
        painter.setPen(theme.dim)
        self._texts.id.draw(painter, QRectF(x, y + BOX_PX - 19, width, 16), element.below)
