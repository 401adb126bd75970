"""The text as growing tokens, with the operands of the present step ringed and its result above them."""

from __future__ import annotations

from itertools import chain
from math import ceil
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QContextMenuEvent, QMouseEvent, QPen, QTransform, QWheelEvent
from PySide6.QtWidgets import QMenu

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.trace import Trace
from guiapp.core.vocabulary.attributes import Attribute
from guiapp.kit.spans.painter import faded
from guiapp.kit.widgets.event_filters import TipWatch
from guiapp.kit.widgets.painting import fill, outline
from guiapp.kit.widgets.theme import SMALL_FONT_PX, TEXT_FONT_PX, Theme, blend
from guiapp.pages.steps.canvas import CENTER, StepCanvas, boxes_in_rows, text_width
from guiapp.pages.steps.cards import DrawingContext, ZoomedView
from guiapp.pages.steps.flow import Element, ElementKind, ElementRole, Flow, flow
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.walk_model import at_bytes

TOKEN_FONT_PX, ID_FONT_PX = TEXT_FONT_PX + 2, 11
BOX_PX, FINISHED_PX = 48, 30
ABOVE_PX = 34  # room for the result of a pair
ROW_GAP_PX = 10
FLOW_ROW_PX = ABOVE_PX + BOX_PX + ROW_GAP_PX
GAP_PX, PADDING_PX = 4, 9
ID_PX = 22  # at the foot of a token's box
SMALL_DOT_PX = 7
BUBBLE_PX = 22
MOST_ROWS = 3
SHARE_OF_WINDOW, SHARE_OF_RACE = 0.25, 0.12  # for the rows of one encoder, and of each of two
CHARACTER_PX, SYMBOL_PX = 10, 57  # widths of a character of plain text and of a symbol's box
MARK_PX = 4  # the position mark at the right, if not all rows are visible
NOTHING = Flow([])
NO_TEXT_TEXT = "The text is empty."


class FlowBox(NamedTuple):
    """An element of the text with its rectangle and row."""

    element: Element
    rect: QRectF
    row: int


class FlowView(ZoomedView):
    """Paints `flow` of the model's debugger, or of its competitor in a race.

    A click on a box sets a breakpoint there.  The wheel scrolls to hidden rows, until the next step.
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
        """With `is_covered`, it shows the state before the step, and hides what the step does."""
        super().__init__("Tokens of the other encoder" if is_competitor else "Tokens at this step", drawing)
        self._model, self._is_covered = model, is_covered
        self._is_competitor = is_competitor
        self._flow = NOTHING
        self._boxes: list[FlowBox] = []
        self._n_rows = 0
        self._turned = 0  # rows scrolled by the wheel
        self._is_stale = False
        self._needed: tuple[Trace | None, float, int, bool] = (None, 0.0, 1, False)
        self._is_presented = False
        TipWatch(self, self._tip)
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
        """The boxes, in pixels of the widget."""
        transform = self._transform()
        return [box._replace(rect=transform.mapRect(box.rect)) for box in self._boxes]

    @property
    def _debugger(self) -> Debugger | None:
        return self._model.race.competitor if self._is_competitor else self._model.debugger

    def _on_zoom_changed(self) -> None:
        self._arrange()

    def set_presented(self, is_presented: bool) -> None:
        """Grow with the available room if presented, else keep one height for all steps."""
        self._is_presented = is_presented
        self._arrange()

    def showEvent(self, event: QEvent) -> None:
        if self._is_stale:
            self._refresh()

    def _refresh(self) -> None:
        self._is_stale = self._is_covered and not self.isVisible()
        if self._is_stale:
            return
        debugger = self._debugger
        self._flow = NOTHING if debugger is None else flow(debugger, self._is_covered)
        self.setAccessibleDescription(" ".join(element.text for element in self._flow.elements))
        self._arrange()

    def _n_wanted(self) -> int:
        """The number of rows to make room for, the same at all steps: panels below should not jump."""
        if self._debugger is None:
            self._needed = None, 0.0, 1, False
            return 1
        trace, width = self._debugger.trace, self._width()
        if self._needed[:2] != (trace, width):
            self._needed = trace, width, *rows_needed(trace, width)
        *_, n_needed, is_torn = self._needed
        is_race = self._model.race.is_on
        room = self.window().height() * (SHARE_OF_RACE if is_race else SHARE_OF_WINDOW)
        n_by_window = int((room / self._zoom.factor + ROW_GAP_PX) // FLOW_ROW_PX)
        if is_torn and not is_race:
            n_by_window = max(n_by_window, 2)
        return max(1, min(n_needed, n_by_window, MOST_ROWS))

    def _n_seen(self) -> int:
        return max(1, int(self.height() / self.scale + 1 + ROW_GAP_PX) // FLOW_ROW_PX)  # a pixel for rounding

    def _arrange(self) -> None:
        self._turned, n_wanted = 0, self._n_wanted()
        self.setMinimumHeight(self._zoom.scaled(height_of_rows(n_wanted)))
        most = MOST_ROWS if self._is_presented and not self._is_covered else n_wanted
        self.setMaximumHeight(self._zoom.scaled(height_of_rows(most)))
        piece = None if self._debugger is None else present_piece(self._debugger)
        self._boxes = arrange_boxes(self._flow.elements, self._width(), piece, self._n_seen())
        self._n_rows = self._boxes[-1].row + 1 if self._boxes else 0
        self.update()

    def resizeEvent(self, event: QEvent) -> None:
        self._arrange()

    def _width(self) -> float:
        return max(120.0, self.width() / self.scale - 2 * MARK_PX)

    def _transform(self) -> QTransform:
        shift = -self._first_row() * FLOW_ROW_PX
        return QTransform.fromScale(self.scale, self.scale).translate(0, shift)

    def _first_row(self) -> int:
        """The first visible row: the step's elements are visible, and the start of its piece if possible.

        Turning the wheel may hide both.
        """
        about = [box.row for box in self._boxes if box.element.role is not ElementRole.NONE]
        of_piece = [box.row for box in self._boxes if box.element.part is ElementKind.TOKEN]
        n_seen, last = self._n_seen(), max(0, self._n_rows - self._n_seen())
        first = min([*of_piece, *about], default=0) - (n_seen - 1) // 2
        if about:
            first = min(max(first, about[-1] - n_seen + 1), about[0])
        first = max(0, min(first, last))
        return max(0, min(first + self._turned, last))

    def wheelEvent(self, event: QWheelEvent) -> None:
        before, turned = self._first_row(), self._turned
        self._turned += -1 if event.angleDelta().y() > 0 else 1
        if self._first_row() == before:
            self._turned = turned
            event.ignore()  # so that the page scrolls
        self.update()

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        if not self._flow.elements:
            if self._debugger is not None:  # without one, another panel shows why
                canvas.message(area, NO_TEXT_TEXT)
            return
        first, n_seen, n_rows = self._first_row(), self._n_seen(), self._n_rows
        if n_seen < n_rows:  # a mark of which rows are visible
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
        """Draw a line where the tokens of a race begin to differ."""
        difference = self._model.race.difference
        if difference is None:
            return
        box = next((box for box in boxes if box.element.end > difference.byte), None)
        if box is not None and box.element.start >= difference.byte:
            x, middle = box.rect.left() - GAP_PX / 2, box.rect.center().y()
            pen = QPen(canvas.theme.warning, 2, Qt.PenStyle.DotLine)
            canvas.line(pen, QPointF(x, middle - BOX_PX / 2 - 4), QPointF(x, middle + BOX_PX / 2))

    def _draw_made(self, canvas: StepCanvas) -> None:
        """Draw a bracket over the step's elements, with the result above."""
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

    def _element_at(self, point: QPointF) -> Element | None:
        return next((box.element for box in self.boxes if box.rect.contains(point)), None)

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

    def _tip(self, point: QPoint) -> str:
        element, debugger = self._element_at(QPointF(point)), self._debugger
        if element is None or debugger is None:
            return ""
        data = debugger.trace.text[element.start : min(element.end, element.start + 16)]
        token = f", {element.below}" if element.below else ""
        lines = [f"{element.part.value}{token}"]
        lines.append(f"bytes {element.start:,}–{element.end:,}: {data.hex(' ').upper()}")
        return "\n".join([*lines, "Click to set a breakpoint here."])


def height_of_rows(n_rows: int) -> int:
    """Height in units: there are gaps between rows, but none below the last."""
    return n_rows * FLOW_ROW_PX - ROW_GAP_PX


def rows_needed(trace: Trace, width: float) -> tuple[int, bool]:
    """About how many rows the text needs at most, and whether a piece needs two before any merge."""
    n_symbols = np.diff(np.append(trace.pieces.first_cell, np.int32(len(trace.cells.start))))
    all_px = CHARACTER_PX * len(trace.text) + 2 * PADDING_PX * len(trace.result.ids)
    all_px += SYMBOL_PX * int(n_symbols.max(initial=1))
    in_rows = SYMBOL_PX * n_symbols / width
    n_rows = ceil(all_px / width)
    return n_rows + (n_rows > 1), bool(np.any((in_rows > 1) & (in_rows <= 2)))


def present_piece(debugger: Debugger) -> tuple[int, int] | None:
    """The start of the step's piece in the text, and the number of symbols that it began with."""
    trace = debugger.trace
    if (piece := trace.piece_at(debugger.position)) < 0:
        return None
    return int(trace.pieces.start[piece]), len(trace.cells.start[trace.piece_cells(piece)])


def arrange_boxes(
    elements: list[Element], width: float, piece: tuple[int, int] | None = None, n_seen: int = 1
) -> list[FlowBox]:
    """Arrange boxes in rows from left to right, with room above each row for the result of a pair.

    Rows break so that all of `piece` is in `n_seen` rows, if that fits, and all elements of the step are in
    one row, if that fits.
    """
    widths = [min(_width_of(element), width) for element in elements]
    groups, first = [[each] for each in widths], 0
    if piece is not None and (n_seen == 1 or SYMBOL_PX * piece[1] > width):
        about = [at for at, element in enumerate(elements) if element.role is not ElementRole.NONE]
        if about and sum(widths[about[0] : about[-1] + 1]) + GAP_PX * len(about) <= width:
            groups[about[0] : about[-1] + 1] = [widths[about[0] : about[-1] + 1]]
        begin = next((at for at, element in enumerate(elements) if element.start >= piece[0]), 0)
        room = n_seen * width - SYMBOL_PX * (piece[1] + n_seen - 1)
        first = begin if room >= 0 else 0
        while first > 0 and (room := room - widths[first - 1] - GAP_PX) >= 0:
            first -= 1
    boxes = []
    upper = boxes_in_rows(groups[:first], width, GAP_PX, GAP_PX)
    n_upper = upper[-1][-1][1] + 1 if upper else 0
    lower = boxes_in_rows(groups[first:], width, GAP_PX, GAP_PX)
    positions = [*chain(*upper), *((x, row + n_upper) for x, row in chain(*lower))]
    for element, size, (x, row) in zip(elements, widths, positions, strict=True):
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
    """Background and outline of boxes; None as background for the colour of the token.

    Finished tokens look as on other pages; the step's elements are ringed, dashed if not a token yet.
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
