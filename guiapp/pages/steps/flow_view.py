"""The text as growing tokens, with what the present step joins ringed and what comes of it above."""

from __future__ import annotations

from itertools import pairwise
from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPen,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu

from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.text.visible_text import isolate
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.painter import faded
from guiapp.kit.widgets.event_filters import TipWatch
from guiapp.kit.widgets.painting import CENTER, BoxStyle, RoundedBoxes, fill, outline, write
from guiapp.kit.widgets.shaped_texts import LEFT, MonoTexts, Placed, ShapedTexts
from guiapp.kit.widgets.theme import SMALL_FONT_PX, TEXT_FONT_PX, UNIT_PX, Theme, blend
from guiapp.pages.steps.cards import ID_FONT_PX, DrawingContext, Gutter, GutterRow, ZoomedView, paint_dot
from guiapp.pages.steps.flow import LONG_TEXT_BYTES, Element, ElementKind, ElementRole, Flow, flow
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.walk_model import at_bytes

TOKEN_FONT_PX = TEXT_FONT_PX + 2
BOX_PX = 48
FINISHED_PX = 30
ABOVE_PX = 34  # room for what a pair becomes
ROW_GAP_PX = 10
FLOW_ROW_PX = ABOVE_PX + BOX_PX + ROW_GAP_PX
GAP_PX = 4
PADDING_PX = 9
TEXT_MIDDLE_PX, ID_MIDDLE_PX = (BOX_PX - 15) / 2, BOX_PX - 11  # in the box of a token
SMALL_DOT_PX = 7
MOST_OF_WINDOW = 0.23  # that the text takes at any rate, if it has two rows
MARK_PX = 4  # at the right, where there are more rows than are in sight
NO_TRACE_TEXT, NO_TEXT_TEXT = "Nothing is recorded yet.", "The text is empty."


class SeenBox(NamedTuple):
    """An element and where it is in the widget."""

    element: Element
    rect: QRectF


class FlowView(ZoomedView):
    """Paints `flow` of the model's debugger, or of the encoder that runs beside.

    A click on a box, or beside a row, sets a breakpoint there.  The wheel shows rows that are out of sight,
    until the next step.
    """

    ground = "raised"

    def __init__(self, model: StepsModel, drawing: DrawingContext, *, is_competitor: bool = False) -> None:
        super().__init__("Tokens of the other encoder" if is_competitor else "Tokens at this step", drawing)
        self._model = model
        self._is_competitor = is_competitor
        self._flow = Flow([], "", "", False, False)
        self._layout = FlowLayout([], [], 0)
        self._box_texts = BoxTexts(drawing.texts)
        self._boxes = BoxPainter(self._box_texts)
        self._gutter = Gutter()
        self._hovered: GutterRow | None = None
        self._turned = 0  # rows, by the wheel
        self._most_px = 0  # the height that this trace needed so far: panels below should not jump
        self.setMouseTracking(True)
        TipWatch(self, self._tip)
        model.trace_changed.connect(self._forget_height)
        model.breakpoints_changed.connect(self._refresh)
        if is_competitor:
            model.race.changed.connect(self._refresh)  # with each of its steps
        else:
            model.position_changed.connect(self._refresh)
            model.trace_changed.connect(self._refresh)
            model.race.changed.connect(self.update)
        self._refresh()

    @property
    def boxes(self) -> list[SeenBox]:
        placed = self._placed()
        return [SeenBox(box.element, placed.mapRect(box.rect)) for box in self._layout.boxes]

    @property
    def gutter_rows(self) -> list[GutterRow]:
        placed = self._placed()
        return [row._replace(middle=placed.map(QPointF(0, row.middle)).y()) for row in self._layout.rows]

    @property
    def _debugger(self) -> Debugger | None:
        return self._model.race.competitor if self._is_competitor else self._model.debugger

    @property
    def _has_own_ids(self) -> bool:
        shown, walked = self._debugger, self._model.debugger
        return shown is not None and walked is not None and shown.vocabulary is walked.vocabulary

    def sizeHint(self) -> QSize:
        return QSize(600, self._zoom.scaled(height_of_rows(2)))

    def _on_zoom_changed(self) -> None:
        self._forget_height()
        self._arrange()

    def _refresh(self) -> None:
        debugger = self._debugger
        self._flow = Flow([], "", "", False, False) if debugger is None else flow(debugger)
        self._gutter.fit(0 if debugger is None else len(debugger.trace.text))
        self.setAccessibleDescription(" ".join(element.text for element in self._flow.elements))
        self._arrange()

    def _forget_height(self) -> None:
        """Long texts come to need three rows: the room is there at once, so that nothing moves then."""
        self._most_px = height_of_rows(3) if self._is_long() else 0

    def _is_long(self) -> bool:
        debugger = self._debugger
        return debugger is not None and len(debugger.trace.text) > LONG_TEXT_BYTES

    def _n_seen(self) -> int:
        return rows_within(self.height() / self._zoom.factor)

    def _arrange(self) -> None:
        self._hovered, self._turned = None, 0
        self._update_layout()
        self._most_px = max(self._most_px, int(self._layout.height))
        two_rows = self._zoom.scaled(min(self._most_px, height_of_rows(2)))
        is_alone = not self._model.race.is_on
        has_room = is_alone and two_rows <= self.window().height() * MOST_OF_WINDOW
        self.setMinimumHeight(two_rows if has_room else self._zoom.scaled(height_of_rows(1)))
        self.setMaximumHeight(max(self.minimumHeight(), self._zoom.scaled(self._most_px)))
        self.update()

    def _update_layout(self) -> None:
        width = max(120.0, self._width())
        n_seen = self._n_seen() if self._is_long() else None
        self._layout = arrange_boxes(
            self._flow.elements, width, self._box_texts, n_seen, max(0, self._turned)
        )

    def resizeEvent(self, event: QEvent) -> None:
        self._arrange()

    def _width(self) -> float:
        return self.width() / self._zoom.factor - self._gutter.width - 2 * MARK_PX

    def _placed(self) -> QTransform:
        scale = self._zoom.factor
        return QTransform.fromScale(scale, scale).translate(self._gutter.width, self._shift())

    def _shift(self) -> float:
        return -float(self._first_row() * FLOW_ROW_PX)

    def _first_row(self) -> int:
        """The first in sight: what the step is about is, too, as long as nobody turns the wheel."""
        row = next((box.row for box in self._layout.boxes if box.element.role is not ElementRole.NONE), 0)
        last = max(0, len(self._layout.rows) - self._n_seen())
        first = max(0, min(row - (self._n_seen() - 1) // 2, last))
        return max(0, min(first + self._turned, last))

    def wheelEvent(self, event: QWheelEvent) -> None:
        before, turned = self._first_row(), self._turned
        self._turned += -1 if event.angleDelta().y() > 0 else 1
        self._update_layout()
        if self._first_row() == before:
            self._turned = turned
            event.ignore()  # then the page scrolls
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if not self._flow.elements:
            reason = NO_TRACE_TEXT if self._debugger is None else NO_TEXT_TEXT
            write(painter, self.rect(), reason, theme.dim, CENTER)
            return
        shift = self._shift()
        scale = self._zoom.factor
        first = int(-shift // FLOW_ROW_PX)
        seen = range(first, first + self._n_seen())
        painter.scale(scale, scale)
        painter.translate(0, shift)
        breakpoints = [row for row in self._model.breakpoints.rows if row.kind == "byte"]
        for number, row in enumerate(self._layout.rows):
            if number in seen:
                found = at_bytes(breakpoints, row.start, row.end)
                self._gutter.paint(painter, theme, row, found, row == self._hovered)
        painter.translate(self._gutter.width, 0)
        boxes = [box for box in self._layout.boxes if box.row in seen]
        self._boxes.paint(painter, theme, boxes, scale * self.devicePixelRatio())
        for box in boxes if breakpoints else ():
            if found := at_bytes(breakpoints, box.element.start, box.element.end):
                corner = box.rect.topLeft() + QPointF(SMALL_DOT_PX / 2 - 1, SMALL_DOT_PX / 2 - 3)
                paint_dot(painter, theme, corner, found, SMALL_DOT_PX)
        self._paint_difference(painter, theme, boxes)
        self._paint_made(painter, theme)
        self._paint_mark(painter, theme)

    def _paint_mark(self, painter: QPainter, theme: Theme) -> None:
        """Which of the rows are in sight, where that is not all; of long texts only some are laid out."""
        n_rows, n_seen = len(self._layout.rows), self._n_seen()
        if n_seen < n_rows and not self._is_long():
            painter.resetTransform()
            share = self.height() / n_rows
            place = QRectF(self.width() - MARK_PX, self._first_row() * share, MARK_PX, n_seen * share)
            fill(painter, place, theme.line, MARK_PX / 2)

    def _paint_difference(self, painter: QPainter, theme: Theme, boxes: list[FlowBox]) -> None:
        difference = self._model.race.difference
        if difference is None:
            return
        box = next((box for box in boxes if box.element.end > difference.byte), None)
        if box is None or box.element.start < difference.byte:
            return
        x, middle = box.left - GAP_PX / 2, box.top + box.height / 2
        painter.setPen(QPen(theme.warning, 2, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(x, middle - BOX_PX / 2 - 4), QPointF(x, middle + BOX_PX / 2))

    def _paint_made(self, painter: QPainter, theme: Theme) -> None:
        """A bracket over what the step is about, and what becomes of it."""
        boxes = [box for box in self._layout.boxes if box.element.role is not ElementRole.NONE]
        if not boxes or not self._flow.made:
            return
        same_row = [box.rect for box in boxes if box.row == boxes[0].row]
        left, right, top = same_row[0].left() + 5, same_row[-1].right() - 5, same_row[0].top() - 3
        path = QPainterPath(QPointF(left, top))
        path.lineTo(left, top - 6)
        path.lineTo(right, top - 6)
        path.lineTo(right, top)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.accent, 1.6))
        painter.drawPath(path)
        text = f"{isolate(self._flow.made)}  {self._flow.made_below}"
        width = self._box_texts.made.width(text) + 2 * PADDING_PX
        x = max(0.0, min((left + right - width) / 2, self._width() - width))
        bubble = QRectF(x, top - 6 - 24, width, 22)
        painter.setBrush(theme.accent)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(bubble, 6, 6)
        painter.setPen(theme.on_accent)
        self._box_texts.made.draw(painter, bubble, text)

    def _element_at(self, place: QPointF) -> Element | None:
        return next((box.element for box in self.boxes if box.rect.contains(place)), None)

    def _row_at(self, place: QPointF) -> GutterRow | None:
        inner = self._placed().inverted()[0].map(place)
        near = FLOW_ROW_PX / 2
        if inner.x() >= 0:
            return None
        return next((row for row in self._layout.rows if abs(row.middle - inner.y()) <= near), None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        place = event.position()
        clicked = self._row_at(place) or self._element_at(place)
        if clicked is not None and event.button() is Qt.MouseButton.LeftButton:
            self._model.breakpoints.toggle_bytes(clicked.start, clicked.end)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._row_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(None)

    def _hover(self, row: GutterRow | None) -> None:
        if row != self._hovered:
            self._hovered = row
            self.update()

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        element = self._element_at(QPointF(event.pos()))
        if element is None:
            return
        menu = QMenu(self)
        menu.addAction("Run to here", lambda: self._model.to_byte(element.start))
        breakpoints = self._model.breakpoints
        menu.addAction("Break at this byte", lambda: breakpoints.toggle_bytes(element.start, element.end))
        if element.below.isdecimal() and self._has_own_ids:
            text = f"token {element.below}"
            menu.addAction("Break when this token is formed", lambda: breakpoints.toggle(text))
        menu.exec(event.globalPos())

    def _tip(self, place: QPoint) -> str:
        element, row = self._element_at(QPointF(place)), self._row_at(QPointF(place))
        debugger = self._debugger
        if row is not None:
            return f"from byte {row.start:,}\nClick for a breakpoint here."
        if element is None or debugger is None:
            return ""
        data = debugger.trace.text[element.start : min(element.end, element.start + 4 * UNIT_PX)]
        token = f", id {element.below}" if element.below else ""
        lines = [f"{element.part.value}{token}"]
        lines.append(f"bytes {element.start:,}–{element.end:,}: {data.hex(' ').upper()}")
        return "\n".join([*lines, "Click for a breakpoint here."])


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
        self.control = BoxStyle(faded(theme.control, 24), outline(theme, Attribute.CONTROL), 5)
        self.user_defined = [BoxStyle(color, dotted, 5) for color in theme.span_colors]
        self.finished = [BoxStyle(color, None, 5) for color in theme.span_colors]
        self.about = BoxStyle(about, QPen(theme.accent, 2.2), 6)
        self.about_text = BoxStyle(about, QPen(theme.accent, 2.2, Qt.PenStyle.DashLine), 6)
        self.token = BoxStyle(blend(theme.raised, theme.line, 0.5), QPen(theme.line, 1), 6)

    def of(self, element: Element) -> BoxStyle | None:
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
        texts = [(box.left, box.width, box.top + TEXT_MIDDLE_PX, box.element.text) for box in tokens]
        self._texts.token.draw_all(painter, texts)
        painter.setPen(theme.dim)
        ids = [(box.left, box.width, box.top + ID_MIDDLE_PX, box.element.below) for box in tokens]
        self._texts.id.draw_all(painter, ids)
