"""The boxes that tokens and text stand in while they are encoded: laid out in rows, and painted."""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.painter import faded
from guiapp.kit.widgets.painting import BoxStyle, RoundedBoxes, outline
from guiapp.kit.widgets.shaped_texts import LEFT, MonoTexts, Placed, ShapedTexts
from guiapp.kit.widgets.theme import SMALL_FONT_PX, TEXT_FONT_PX, Theme, blend
from guiapp.pages.steps.flow import Element, ElementKind, ElementRole
from guiapp.pages.steps.gutter import ID_FONT_PX, GutterRow

TOKEN_FONT_PX = TEXT_FONT_PX + 2
BOX_PX = 48
FINISHED_PX = 30
ABOVE_PX = 34  # room for what a pair becomes
ROW_GAP_PX = 10
FLOW_ROW_PX = ABOVE_PX + BOX_PX + ROW_GAP_PX
GAP_PX = 4
PADDING_PX = 9
TEXT_MIDDLE_PX, ID_MIDDLE_PX = (BOX_PX - 15) / 2, BOX_PX - 11  # in the box of a token


def height_of_rows(n_rows: int) -> int:
    """There are gaps between rows, but none below the last."""
    return n_rows * FLOW_ROW_PX - ROW_GAP_PX


def rows_within(height: float) -> int:
    """How many whole rows there is room for, one at least; a pixel may be lost by rounding."""
    return max(1, int(height + 1 + ROW_GAP_PX) // FLOW_ROW_PX)


class FlowBox(NamedTuple):
    """An element with its place, in which row; plain numbers, since there are many at every step."""

    element: Element
    left: int
    top: int
    width: int
    height: int
    row: int

    @property
    def rect(self) -> QRectF:
        return QRectF(self.left, self.top, self.width, self.height)


class FlowLayout(NamedTuple):
    """The boxes in rows, and how high they are together, with the next row where there are more."""

    boxes: list[FlowBox]
    rows: list[GutterRow]
    height: float


class BoxTexts:
    """What stands in and over boxes, in four sizes."""

    def __init__(self, texts: MonoTexts) -> None:
        self.token = texts.of(TOKEN_FONT_PX)
        self.text = texts.of(TEXT_FONT_PX)
        self.made = texts.of(SMALL_FONT_PX + 1)
        self.id = texts.of(ID_FONT_PX)

    def of(self, part: ElementKind) -> ShapedTexts:
        return self.token if part is ElementKind.TOKEN else self.text


def arrange_boxes(
    elements: list[Element], width: float, texts: BoxTexts, n_seen: int | None = None, n_more: int = 0
) -> FlowLayout:
    """Rows of boxes from left to right; each row keeps room above for what a pair becomes.

    With `n_seen` the rows end behind those that show so many around what the step is about, and `n_more`: to
    measure what is not seen takes as long.
    """
    boxes: list[FlowBox] = []
    firsts: list[int] = []  # the number of the box that a row begins with
    marked = next((at for at, element in enumerate(elements) if element.role is not ElementRole.NONE), 0)
    n_needed, n_unseen = None, 0
    x = top = 0
    for number, element in enumerate(elements):
        size = min(_width_of(element, texts), int(width))
        if not firsts or (x > 0 and x + size > width):
            if len(firsts) == n_needed:
                n_unseen = 1
                break
            x, top = 0, len(firsts) * FLOW_ROW_PX + ABOVE_PX
            firsts.append(number)
        height = BOX_PX if element.part is ElementKind.TOKEN else FINISHED_PX
        boxes.append(FlowBox(element, x, top + (BOX_PX - height) // 2, size, height, len(firsts) - 1))
        x += size + GAP_PX
        if number == marked and n_seen is not None:
            n_needed = n_more + max(n_seen, len(firsts) + n_seen // 2)
    rows = [_gutter_row(boxes[first:last]) for first, last in pairwise([*firsts, len(boxes)])]
    return FlowLayout(boxes, rows, height_of_rows(max(1, len(rows) + n_unseen)))


def _gutter_row(boxes: list[FlowBox]) -> GutterRow:
    end = max(box.element.end for box in boxes)
    return GutterRow(boxes[0].element.start, end, boxes[0].top + boxes[0].height / 2)


def _width_of(element: Element, texts: BoxTexts) -> int:
    """Whole pixels: boxes of the same width look the same."""
    inner = texts.of(element.part).width(element.text)
    if element.part is ElementKind.TOKEN:
        return ceil(max(max(inner, 26.0) + 2 * PADDING_PX, texts.id.width(element.below) + GAP_PX))
    is_boxed = element.part is not ElementKind.TEXT or element.role is not ElementRole.NONE
    return ceil(max(inner, 6.0) + (2 * PADDING_PX if is_boxed else 0))


class BoxStyles:
    """How the kinds of boxes look: finished tokens as on other pages, what the step is about with a ring."""

    def __init__(self, theme: Theme) -> None:
        about = blend(theme.raised, theme.accent, 0.30)
        self.theme = theme
        dotted = outline(theme, Attribute.USER_DEFINED)
        self.control = BoxStyle(faded(theme.warning, 24), outline(theme, Attribute.CONTROL), 5)
        self.user_defined = [BoxStyle(color, dotted, 5) for color in theme.span_colors]
        self.finished = [BoxStyle(color, None, 5) for color in theme.span_colors]
        self.about = BoxStyle(about, QPen(theme.accent, 2.2), 6)
        self.about_text = BoxStyle(about, QPen(theme.accent, 2.2, Qt.PenStyle.DashLine), 6)
        self.token = BoxStyle(blend(theme.raised, theme.line, 0.5), QPen(theme.line, 1), 6)

    def of(self, element: Element) -> BoxStyle | None:
        """None for text that waits."""
        if element.part is ElementKind.FINISHED:
            return self.finished[element.color % len(self.finished)]
        if element.part is ElementKind.CONTROL:
            return self.control
        if element.part is ElementKind.USER_DEFINED:
            return self.user_defined[element.color % len(self.user_defined)]
        if element.role is not ElementRole.NONE:
            return self.about_text if element.part is ElementKind.TEXT else self.about
        return self.token if element.part is ElementKind.TOKEN else None


class BoxPainter:
    """Paints boxes with what stands in them."""

    def __init__(self, texts: BoxTexts) -> None:
        self._texts = texts
        self._boxes = RoundedBoxes()
        self._styles: BoxStyles | None = None

    def paint(self, painter: QPainter, theme: Theme, boxes: list[FlowBox], ratio: float) -> None:
        """`ratio` is how many pixels of the screen a unit of the layout takes.

        All texts of a colour follow each other: choosing a pen takes as long as drawing a short text.
        """
        if self._styles is None or self._styles.theme is not theme:
            self._styles = BoxStyles(theme)
        tokens: list[FlowBox] = []
        finished: list[Placed] = []
        waiting: list[Placed] = []
        for box in boxes:
            element, left, top, width, height, _ = box
            look = self._styles.of(element)
            if look is None:
                waiting.append((left, 0, top + height / 2, element.text))
                continue
            self._boxes.draw_at(painter, (left, top, width, height), look, ratio)
            if element.part is ElementKind.TOKEN:
                tokens.append(box)
            else:
                finished.append((left, width, top + height / 2, element.text))
        painter.setPen(theme.faint)
        self._texts.text.draw_all(painter, waiting, LEFT)
        painter.setPen(theme.span_text)
        self._texts.text.draw_all(painter, finished)
        self._paint_tokens(painter, theme, tokens)

    def _paint_tokens(self, painter: QPainter, theme: Theme, tokens: list[FlowBox]) -> None:
        """What is written in the boxes of this piece, in the painter's pen, and the ids below."""
        texts = [(box.left, box.width, box.top + TEXT_MIDDLE_PX, box.element.text) for box in tokens]
        self._texts.token.draw_all(painter, texts)
        painter.setPen(theme.dim)
        ids = [(box.left, box.width, box.top + ID_MIDDLE_PX, box.element.below) for box in tokens]
        self._texts.id.draw_all(painter, ids)
