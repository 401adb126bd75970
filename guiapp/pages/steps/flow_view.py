"""The text as growing tokens, with what the present step joins ringed and what comes of it above."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QMouseEvent, QPen, QTransform, QWheelEvent
from PySide6.QtWidgets import QMenu

from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.painter import faded
from guiapp.kit.widgets.event_filters import TipWatch
from guiapp.kit.widgets.painting import fill, outline
from guiapp.kit.widgets.theme import SMALL_FONT_PX, TEXT_FONT_PX, Theme, blend
from guiapp.pages.steps.canvas import CENTER, StepCanvas, boxes_in_rows, text_width
from guiapp.pages.steps.cards import DrawingContext, ZoomedView
from guiapp.pages.steps.flow import LONG_TEXT_BYTES, Element, ElementKind, ElementRole, Flow, flow
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.walk_model import at_bytes

TOKEN_FONT_PX, ID_FONT_PX = TEXT_FONT_PX + 2, 11
BOX_PX, FINISHED_PX = 48, 30
ABOVE_PX = 34  # room for what a pair becomes
ROW_GAP_PX = 10
FLOW_ROW_PX = ABOVE_PX + BOX_PX + ROW_GAP_PX
GAP_PX, PADDING_PX = 4, 9
ID_PX = 22  # at the foot of a token's box
SMALL_DOT_PX = 7
BUBBLE_PX = 22
MOST_OF_WINDOW = 0.23  # that the text takes at any rate, if it has two rows
MARK_PX = 4  # at the right, where there are more rows than are in sight
NOTHING = Flow([])
NO_TEXT_TEXT = "The text is empty."


class FlowBox(NamedTuple):
    """An element of the text, where it is, and in which row."""

    element: Element
    rect: QRectF
    row: int


class FlowView(ZoomedView):
    """Paints `flow` of the model's debugger, or of the encoder that runs beside.

    A click on a box sets a breakpoint there.  The wheel shows rows that are out of sight,
    until the next step.
    """

    usual = QSize(600, 2 * FLOW_ROW_PX - ROW_GAP_PX)

    def __init__(
        self,
        model: StepsModel,
        drawing: DrawingContext,
        *,
        is_competitor: bool = False,
        is_covered: bool = False,
    ) -> None:
        """With `is_covered`, it shows what there is, and nothing of what happens then."""
        super().__init__("Tokens of the other encoder" if is_competitor else "Tokens at this step", drawing)
        self._model, self._is_covered = model, is_covered
        self._is_competitor = is_competitor
        self._flow = NOTHING
        self._boxes: list[FlowBox] = []
        self._n_rows = 0
        self._turned = 0  # rows, by the wheel
        self._most_px = 0  # the height that this trace needed so far: panels below should not jump
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
    def boxes(self) -> list[FlowBox]:
        """In pixels of the widget."""
        placed = self._placed()
        return [box._replace(rect=placed.mapRect(box.rect)) for box in self._boxes]

    @property
    def _debugger(self) -> Debugger | None:
        return self._model.race.competitor if self._is_competitor else self._model.debugger

    def _on_zoom_changed(self) -> None:
        self._forget_height()
        self._arrange()

    def _refresh(self) -> None:
        debugger = self._debugger
        self._flow = NOTHING if debugger is None else flow(debugger, self._is_covered)
        self.setAccessibleDescription(" ".join(element.text for element in self._flow.elements))
        self._arrange()

    def _forget_height(self) -> None:
        """Long texts come to need three rows: the room is there at once, so that nothing moves then."""
        debugger = self._debugger
        is_long = debugger is not None and len(debugger.trace.text) > LONG_TEXT_BYTES
        self._most_px = height_of_rows(3) if is_long else 0

    def _n_seen(self) -> int:
        return max(1, int(self.height() / self.scale + 1 + ROW_GAP_PX) // FLOW_ROW_PX)  # a pixel may be lost

    def _arrange(self) -> None:
        self._turned = 0
        self._boxes = arrange_boxes(self._flow.elements, max(120.0, self._width()))
        self._n_rows = self._boxes[-1].row + 1 if self._boxes else 0
        self._most_px = max(self._most_px, height_of_rows(max(1, self._n_rows)))
        two_rows = self._zoom.scaled(min(self._most_px, height_of_rows(2)))
        is_alone = not self._model.race.is_on
        has_room = is_alone and two_rows <= self.window().height() * MOST_OF_WINDOW
        self.setMinimumHeight(two_rows if has_room else self._zoom.scaled(height_of_rows(1)))
        self.setMaximumHeight(max(self.minimumHeight(), self._zoom.scaled(self._most_px)))
        self.update()

    def resizeEvent(self, event: QEvent) -> None:
        self._arrange()

    def _width(self) -> float:
        return self.width() / self.scale - 2 * MARK_PX

    def _placed(self) -> QTransform:
        shift = -self._first_row() * FLOW_ROW_PX
        return QTransform.fromScale(self.scale, self.scale).translate(0, shift)

    def _first_row(self) -> int:
        """The first in sight: what the step is about is, too, as long as nobody turns the wheel."""
        row = next((box.row for box in self._boxes if box.element.role is not ElementRole.NONE), 0)
        last = max(0, self._n_rows - self._n_seen())
        first = max(0, min(row - (self._n_seen() - 1) // 2, last))
        return max(0, min(first + self._turned, last))

    def wheelEvent(self, event: QWheelEvent) -> None:
        before, turned = self._first_row(), self._turned
        self._turned += -1 if event.angleDelta().y() > 0 else 1
        if self._first_row() == before:
            self._turned = turned
            event.ignore()  # then the page scrolls
        self.update()

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        if not self._flow.elements:
            if self._debugger is not None:  # else what records it says so
                canvas.message(area, NO_TEXT_TEXT)
            return
        first, n_seen, n_rows = self._first_row(), self._n_seen(), self._n_rows
        if n_seen < n_rows:  # which of the rows are in sight
            share = area.height() / n_rows
            mark = QRectF(area.right() - MARK_PX, first * share, MARK_PX, n_seen * share)
            fill(canvas.painter, mark, canvas.theme.line, MARK_PX / 2)
        canvas.painter.translate(0, -first * FLOW_ROW_PX)
        breakpoints = [row for row in self._model.breakpoints.rows if row.kind == "byte"]
        boxes = [box for box in self._boxes if first <= box.row < first + n_seen]
        styles = box_styles(canvas.theme)
        for box in boxes:
            _draw_box(canvas, box, styles)
            if breakpoints and (matches := at_bytes(breakpoints, box.element.start, box.element.end)):
                corner = box.rect.topLeft() + QPointF(SMALL_DOT_PX / 2 - 1, SMALL_DOT_PX / 2 - 3)
                canvas.breakpoint_dot(corner, matches, SMALL_DOT_PX)
        self._draw_difference(canvas, boxes)
        self._draw_made(canvas)

    def _draw_difference(self, canvas: StepCanvas, boxes: list[FlowBox]) -> None:
        """A line in a race, where the tokens begin to differ."""
        difference = self._model.race.difference
        if difference is None:
            return
        box = next((box for box in boxes if box.element.end > difference.byte), None)
        if box is not None and box.element.start >= difference.byte:
            x, middle = box.rect.left() - GAP_PX / 2, box.rect.center().y()
            pen = QPen(canvas.theme.warning, 2, Qt.PenStyle.DotLine)
            canvas.line(pen, QPointF(x, middle - BOX_PX / 2 - 4), QPointF(x, middle + BOX_PX / 2))

    def _draw_made(self, canvas: StepCanvas) -> None:
        """A bracket over what the step is about, and what becomes of it."""
        boxes = [box for box in self._boxes if box.element.role is not ElementRole.NONE]
        if not boxes or not self._flow.made:
            return
        same_row = [box.rect for box in boxes if box.row == boxes[0].row]
        first, last = same_row[0].topLeft() + QPointF(5, -3), same_row[-1].topRight() + QPointF(-5, -3)
        rise = QPointF(0, 6)
        canvas.line(QPen(canvas.theme.accent, 1.6), first, first - rise, last - rise, last)
        text = f"{self._flow.made}  {self._flow.made_below}"
        width = text_width(text, SMALL_FONT_PX + 1) + 2 * PADDING_PX
        left = max(0.0, min((first.x() + last.x() - width) / 2, self._width() - width))
        bubble = QRectF(left, first.y() - 6 - BUBBLE_PX - 2, width, BUBBLE_PX)
        canvas.box(bubble, canvas.theme.accent)
        canvas.write(bubble, text, canvas.theme.on_accent, CENTER, SMALL_FONT_PX + 1)

    def _element_at(self, place: QPointF) -> Element | None:
        return next((box.element for box in self.boxes if box.rect.contains(place)), None)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        clicked = self._element_at(event.position())
        if clicked is not None and event.button() is Qt.MouseButton.LeftButton:
            self._model.breakpoints.toggle_bytes(clicked.start, clicked.end)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        element, model = self._element_at(QPointF(event.pos())), self._model
        if element is None:
            return
        menu = QMenu(self)
        menu.addAction("Run to here", lambda: model.to_byte(element.start))
        breakpoints = model.breakpoints
        menu.addAction("Break at this byte", lambda: breakpoints.toggle_bytes(element.start, element.end))
        shown, walked = self._debugger, model.debugger
        has_own_ids = shown is not None and walked is not None and shown.vocabulary is walked.vocabulary
        if element.below.startswith("id") and has_own_ids:
            text = element.below.replace("id", "token")
            menu.addAction("Break when this token is formed", lambda: breakpoints.toggle(text))
        menu.exec(event.globalPos())

    def _tip(self, place: QPoint) -> str:
        element, debugger = self._element_at(QPointF(place)), self._debugger
        if element is None or debugger is None:
            return ""
        data = debugger.trace.text[element.start : min(element.end, element.start + 16)]
        token = f", {element.below}" if element.below else ""
        lines = [f"{element.part.value}{token}"]
        lines.append(f"bytes {element.start:,}–{element.end:,}: {data.hex(' ').upper()}")
        return "\n".join([*lines, "Click to set a breakpoint here."])


def height_of_rows(n_rows: int) -> int:
    """There are gaps between rows, but none below the last."""
    return n_rows * FLOW_ROW_PX - ROW_GAP_PX


def arrange_boxes(elements: list[Element], width: float) -> list[FlowBox]:
    """Rows of boxes from left to right; each row keeps room above for what a pair becomes."""
    widths = [min(_width_of(element), width) for element in elements]
    boxes = []
    places = boxes_in_rows([[each] for each in widths], width, GAP_PX, GAP_PX)
    for element, size, ((x, row),) in zip(elements, widths, places, strict=True):
        height = BOX_PX if element.part is ElementKind.TOKEN else FINISHED_PX
        top = row * FLOW_ROW_PX + ABOVE_PX + (BOX_PX - height) / 2
        boxes.append(FlowBox(element, QRectF(x, top, size, height), row))
    return boxes


def _width_of(element: Element) -> float:
    if element.part is ElementKind.TOKEN:
        inner = max(text_width(element.text, TOKEN_FONT_PX), 26.0)
        return ceil(max(inner + 2 * PADDING_PX, text_width(element.below, ID_FONT_PX) + 3 * GAP_PX))
    is_boxed = element.part is not ElementKind.TEXT or element.role is not ElementRole.NONE
    return ceil(max(text_width(element.text, TEXT_FONT_PX), 6.0) + (2 * PADDING_PX if is_boxed else 0))


Styles = dict[ElementKind | ElementRole, tuple[QColor | None, QPen | None]]


def box_styles(theme: Theme) -> Styles:
    """Ground and line of boxes; no ground where it is the colour of the token.

    Finished tokens are as on other pages; what the step is about has a ring, dashed where it is no token yet.
    """
    about = blend(theme.raised, theme.accent, 0.30)
    return {
        ElementKind.FINISHED: (None, None),
        ElementKind.CONTROL: (faded(theme.control, 24), outline(theme, Attribute.CONTROL)),
        ElementKind.USER_DEFINED: (None, outline(theme, Attribute.USER_DEFINED)),
        ElementKind.TOKEN: (blend(theme.raised, theme.line, 0.5), QPen(theme.line, 1)),
        ElementRole.LEFT: (about, QPen(theme.accent, 2.2)),
        ElementRole.OVER: (about, QPen(theme.accent, 2.2, Qt.PenStyle.DashLine)),
    }


def _draw_box(canvas: StepCanvas, box: FlowBox, styles: Styles) -> None:
    theme, element = canvas.theme, box.element
    is_token, is_text = element.part is ElementKind.TOKEN, element.part is ElementKind.TEXT
    if is_text and element.role is ElementRole.NONE:
        canvas.write(box.rect, element.text, theme.faint, size_px=TEXT_FONT_PX)
        return
    key: ElementKind | ElementRole = element.part
    if (is_token or is_text) and element.role is not ElementRole.NONE:
        key = ElementRole.OVER if is_text else ElementRole.LEFT
    ground, line = styles[key]
    canvas.box(box.rect, ground or theme.span_color(element.color), line)
    if is_token:
        upper, lower = box.rect.adjusted(0, 4, 0, 4 - ID_PX), box.rect.adjusted(0, BOX_PX - ID_PX, 0, 0)
        canvas.write(upper, element.text, theme.span_text, CENTER, TOKEN_FONT_PX)
        canvas.write(lower, element.below, theme.dim, CENTER, ID_FONT_PX)
    else:
        canvas.write(box.rect, element.text, theme.span_text, CENTER, TEXT_FONT_PX)
