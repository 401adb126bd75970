"""The text as growing tokens, with what the present step joins ringed and what comes of it above."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QHelpEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QTransform,
)
from PySide6.QtWidgets import QMenu, QToolTip, QWidget

from guiapp.core.explain.visible_text import isolate
from guiapp.core.trace.debugger import Debugger
from guiapp.viewmodels.step_breakpoints import at_bytes
from guiapp.viewmodels.step_pictures import Element, Flow, Part, Role, flow
from guiapp.viewmodels.steps_model import StepsModel
from guiapp.widgets.shaped_texts import CENTER, LEFT, ShapedTexts
from guiapp.widgets.step_gutter import ID_FONT_PX, Gutter, GutterRow, gutter_rows, paint_dot
from guiapp.widgets.style_sheet import blend
from guiapp.widgets.text_zoom import TextZoom
from guiapp.widgets.theme import SMALL_FONT_PX, TEXT_FONT_PX, UNIT_PX, Theme, ThemeSource

TOKEN_FONT_PX = TEXT_FONT_PX + 2
BOX_PX = 48
FINISHED_PX = 30
ABOVE_PX = 40  # room for what a pair becomes
ROW_GAP_PX = 10
FLOW_ROW_PX = ABOVE_PX + BOX_PX + ROW_GAP_PX
GAP_PX = 4
PADDING_PX = 9
SMALL_DOT_PX = 7
EMPTY_TEXT = "Nothing is recorded yet."


class Box(NamedTuple):
    """An element with its place."""

    element: Element
    rect: QRectF


class FlowLayout(NamedTuple):
    """All boxes in rows, and how high they are together."""

    boxes: list[Box]
    height: float


def lay_out(
    elements: list[Element],
    width: float,
    text_width: Callable[[str], float],
    id_width: Callable[[str], float],
) -> FlowLayout:
    """Rows of boxes from left to right; each row keeps room above for what a pair becomes."""
    boxes: list[Box] = []
    x, y = 0.0, float(ABOVE_PX)
    for element in elements:
        is_token = element.part is Part.TOKEN
        padding = 0 if element.part is Part.TEXT and element.role is Role.NONE else PADDING_PX
        size = max(text_width(element.text), 26.0 if is_token else 6.0) + 2 * padding
        if is_token:
            size = max(size, id_width(element.below))
        size = min(size, width)
        if x > 0 and x + size > width:
            x, y = 0.0, y + FLOW_ROW_PX
        height = BOX_PX if is_token else FINISHED_PX
        boxes.append(Box(element, QRectF(x, y + (BOX_PX - height) / 2, size, height)))
        x += size + GAP_PX
    return FlowLayout(boxes, y + BOX_PX + ROW_GAP_PX)


class FlowView(QWidget):
    """Paints `flow` of the model's debugger; a click on a box, or beside a row, sets a breakpoint there."""

    def __init__(
        self,
        model: StepsModel,
        theme_source: ThemeSource,
        zoom: TextZoom | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._theme_source = theme_source
        self._zoom = zoom or TextZoom(self)
        self._flow = Flow([], "", "", False, False)
        self._layout = FlowLayout([], 0)
        self._texts = BoxTexts()
        self._gutter = Gutter()
        self._rows: list[GutterRow] = []
        self._hovered: GutterRow | None = None
        self._most_px = 0  # the height that this trace needed so far: panels below should not jump
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Tokens at this step")
        self.setMouseTracking(True)
        theme_source.changed.connect(self.update)
        self._zoom.watch(self)
        self._zoom.changed.connect(self._follow_zoom)
        model.trace_changed.connect(self._forget_height)
        for signal in (model.position_changed, model.trace_changed, model.breakpoints_changed):
            signal.connect(self._follow)
        self._follow()

    @property
    def boxes(self) -> list[Box]:
        """What is painted, with places in this widget."""
        placed = self._placed()
        return [Box(element, placed.mapRect(rect)) for element, rect in self._layout.boxes]

    @property
    def gutter_rows(self) -> list[GutterRow]:
        """What stands in the gutter, with places in this widget."""
        placed = self._placed()
        return [row._replace(middle=placed.map(QPointF(0, row.middle)).y()) for row in self._rows]

    @property
    def gutter_width(self) -> float:
        return self._gutter.width * self._zoom.factor

    @property
    def _debugger(self) -> Debugger | None:
        return self._model.debugger

    def sizeHint(self) -> QSize:
        return QSize(600, self._zoom.scaled(2 * FLOW_ROW_PX))

    def _follow_zoom(self) -> None:
        self._forget_height()
        self._arrange()

    def _follow(self) -> None:
        debugger = self._debugger
        self._flow = Flow([], "", "", False, False) if debugger is None else flow(debugger)
        self._gutter.fit(0 if debugger is None else len(debugger.trace.text))
        self.setAccessibleDescription(" ".join(element.text for element in self._flow.elements))
        self._arrange()

    def _forget_height(self) -> None:
        self._most_px = 0

    def _arrange(self) -> None:
        width = max(120.0, self._width())
        self._layout = lay_out(self._flow.elements, width, self._texts.token.width, self._texts.id.width)
        self._rows, self._hovered = gutter_rows(self._layout.boxes), None
        self._most_px = max(self._most_px, int(self._layout.height))
        self.setMinimumHeight(self._zoom.scaled(FLOW_ROW_PX))
        self.setMaximumHeight(max(self.minimumHeight(), self._zoom.scaled(self._most_px)))
        self.update()

    def resizeEvent(self, event: QEvent) -> None:
        self._arrange()

    def _width(self) -> float:
        """What there is for boxes, beside the gutter."""
        return self.width() / self._zoom.factor - self._gutter.width

    def _placed(self) -> QTransform:
        """From places of the layout to those in this widget."""
        scale = self._zoom.factor
        return QTransform.fromScale(scale, scale).translate(self._gutter.width, self._shift())

    def _shift(self) -> float:
        """How far the rows are moved so that what the step is about is in sight, and the first row whole."""
        tops = [rect.center().y() for element, rect in self._layout.boxes if element.role is not Role.NONE]
        n_seen = max(1, int(self.height() / self._zoom.factor) // FLOW_ROW_PX)
        n_rows = int(self._layout.height // FLOW_ROW_PX)
        row = int(tops[0] // FLOW_ROW_PX) if tops else 0
        first = max(0, min(row - (n_seen - 1) // 2, n_rows - n_seen))
        return -float(first * FLOW_ROW_PX)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme = self._theme_source.theme
        painter.fillRect(event.rect(), theme.raised)
        if not self._flow.elements:
            painter.setPen(theme.dim)
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, EMPTY_TEXT)
            return
        shift = self._shift()
        scale = self._zoom.factor
        end = max(self.height() / scale, FLOW_ROW_PX) - shift
        painter.scale(scale, scale)
        painter.translate(0, shift)
        breakpoints = [row for row in self._model.breakpoints.rows if row.kind == "byte"]
        for row in self._rows:
            if -shift <= row.middle <= end:
                found = at_bytes(breakpoints, row.start, row.end)
                self._gutter.paint(painter, theme, row, found, row == self._hovered)
        painter.translate(self._gutter.width, 0)
        for box in self._layout.boxes:
            if box.rect.bottom() <= end and box.rect.bottom() >= -shift:
                _paint_box(painter, theme, self._texts, box)
                if found := at_bytes(breakpoints, box.element.start, box.element.end):
                    corner = box.rect.topLeft() + QPointF(SMALL_DOT_PX / 2 - 1, SMALL_DOT_PX / 2 - 3)
                    paint_dot(painter, theme, corner, found, SMALL_DOT_PX)
        self._paint_made(painter, theme)

    def _paint_made(self, painter: QPainter, theme: Theme) -> None:
        """A bracket over what the step is about, and what becomes of it."""
        rects = [rect for element, rect in self._layout.boxes if element.role is not Role.NONE]
        if not rects or not self._flow.made:
            return
        first = rects[0]
        same_row = [rect for rect in rects if rect.center().y() == first.center().y()]
        left, right, top = same_row[0].left() + 5, same_row[-1].right() - 5, first.top() - 3
        path = QPainterPath(QPointF(left, top))
        path.lineTo(left, top - 6)
        path.lineTo(right, top - 6)
        path.lineTo(right, top)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(theme.accent, 1.6))
        painter.drawPath(path)
        painter.setFont(Theme.mono_font(SMALL_FONT_PX + 1))
        text = f"{isolate(self._flow.made)}  {self._flow.made_below}"
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * PADDING_PX
        x = max(0.0, min((left + right - width) / 2, self._width() - width))
        bubble = QRectF(x, top - 6 - 24, width, 22)
        painter.setBrush(theme.accent)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.drawRoundedRect(bubble, 6, 6)
        painter.setPen(theme.on_accent)
        painter.drawText(bubble, Qt.AlignmentFlag.AlignCenter, text)

    def _element_at(self, place: QPointF) -> Element | None:
        return next((element for element, rect in self.boxes if rect.contains(place)), None)

    def _row_at(self, place: QPointF) -> GutterRow | None:
        """The row whose place in the gutter that is."""
        inner = self._placed().inverted()[0].map(place)
        near = FLOW_ROW_PX / 2
        if inner.x() >= 0:
            return None
        return next((row for row in self._rows if abs(row.middle - inner.y()) <= near), None)

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
        if element.below.isdecimal():
            text = f"token {element.below}"
            menu.addAction("Break when this token is formed", lambda: breakpoints.toggle(text))
        menu.exec(event.globalPos())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._show_tip(event.pos(), event.globalPos())
            return True
        return super().event(event)

    def _show_tip(self, place: QPoint, global_place: QPoint) -> None:
        element, row = self._element_at(QPointF(place)), self._row_at(QPointF(place))
        debugger = self._debugger
        if row is not None:
            tip = f"from byte {row.start:,}\nClick for a breakpoint here."
            QToolTip.showText(global_place, tip, self)
            return
        if element is None or debugger is None:
            QToolTip.hideText()
            return
        data = debugger.trace.text[element.start : min(element.end, element.start + 4 * UNIT_PX)]
        token = f", id {element.below}" if element.below else ""
        spelled = data.hex(" ").upper()
        QToolTip.showText(
            global_place,
            f"{element.part.value}{token}\nbytes {element.start:,}–{element.end:,}: {spelled}\n"
            "Click for a breakpoint here.",
            self,
        )


class BoxTexts:
    """What stands in boxes, in three sizes."""

    def __init__(self) -> None:
        self.token = ShapedTexts(Theme.mono_font(TOKEN_FONT_PX))
        self.text = ShapedTexts(Theme.mono_font(TEXT_FONT_PX))
        self.id = ShapedTexts(Theme.mono_font(ID_FONT_PX))


def _paint_box(painter: QPainter, theme: Theme, texts: BoxTexts, box: Box) -> None:
    element, rect = box
    is_now = element.role is not Role.NONE
    painter.setPen(Qt.PenStyle.NoPen)
    if element.part is Part.FINISHED:
        painter.setBrush(theme.span_color(element.color))
        painter.drawRoundedRect(rect, 5, 5)
    elif element.part is Part.TOKEN or is_now:
        fill = blend(theme.raised, theme.accent, 0.30) if is_now else blend(theme.raised, theme.line, 0.5)
        style = Qt.PenStyle.DashLine if element.part is Part.TEXT else Qt.PenStyle.SolidLine
        painter.setPen(QPen(theme.accent, 2.2, style) if is_now else QPen(theme.line, 1))
        painter.setBrush(fill)
        painter.drawRoundedRect(rect.adjusted(1, 1, -1, -1), 6, 6)
    _paint_text(painter, theme, texts, box)


def _paint_text(painter: QPainter, theme: Theme, texts: BoxTexts, box: Box) -> None:
    element, rect = box
    is_faint = element.part is Part.TEXT and element.role is Role.NONE
    painter.setPen(theme.faint if is_faint else theme.span_text)
    upper = QRectF(rect)
    if element.below and element.part is Part.TOKEN:
        upper.setBottom(rect.bottom() - 15)
    size = texts.token if element.part is Part.TOKEN else texts.text
    size.draw(painter, upper, element.text, LEFT if is_faint else CENTER)
    if element.below and element.part is Part.TOKEN:
        painter.setPen(theme.dim)
        lower = QRectF(rect.left() - 10, rect.bottom() - 19, rect.width() + 20, 16)
        texts.id.draw(painter, lower, element.below)


class RivalFlowView(FlowView):
    """The same for the encoder that runs beside."""

    def __init__(
        self,
        model: StepsModel,
        theme_source: ThemeSource,
        zoom: TextZoom | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(model, theme_source, zoom, parent)
        self.setAccessibleName("Tokens of the other encoder")
        model.race.changed.connect(self._follow)

    @property
    def _debugger(self) -> Debugger | None:
        return self._model.race.rival
