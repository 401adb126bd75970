"""The algorithm in a few lines with a gutter, the present one marked, and what its variables are."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPixmap

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.pseudo_code import STAGES, PseudoCode, code_of, pseudo_code
from guiapp.core.text.visible_text import isolate
from guiapp.kit.widgets.painting import clear_pixmap
from guiapp.kit.widgets.shaped_texts import LEFT
from guiapp.kit.widgets.theme import UI_FONT_PX, Theme, blend
from guiapp.pages.steps.breakpoints import at_operations
from guiapp.pages.steps.cards import LARGEST
from guiapp.pages.steps.drawing import DrawingContext, ZoomedView
from guiapp.pages.steps.gutter import paint_mark
from guiapp.pages.steps.model import StepsModel

LINE_PX = 22
SMALLEST = 0.8
INDENT_PX = 22  # behind the gutter
VALUES_PX, PLACES_PX = 84, 232  # where the columns of the variables begin, at least for the last
MOST_VARIABLES = 4
GAP_LINES = 0.6  # above the variables
MOST_PICTURES = 4
N_LINES = 16  # room for any code with its variables: all are shown in the same size


class CodeView(ZoomedView):
    """Follows the model's debugger; a click on a line sets breakpoints at what it does, or removes them."""

    ground = "raised"

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__("Pseudo-code", drawing)
        self._model = model
        self._code_texts = drawing.texts.of(UI_FONT_PX)
        self._hovered = -1
        self._pictures: dict[object, QPixmap] = {}
        self.setToolTip("Click on a line for a breakpoint at what it does.")
        self.setMouseTracking(True)
        model.position_changed.connect(self._refresh)
        model.breakpoints_changed.connect(self.update)
        model.trace_changed.connect(self._fit)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(420, self._zoom.scaled(15 * LINE_PX))

    def present(self) -> tuple[PseudoCode, int]:
        """The lines and the one that is carried out, -1 for none."""
        debugger = self._model.debugger
        if debugger is None or debugger.position >= debugger.n_steps:
            return STAGES, -1
        return pseudo_code(debugger.trace, debugger.position)

    def _on_zoom_changed(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Be large enough for all lines that this trace will show."""
        debugger = self._model.debugger
        code = STAGES if debugger is None else code_of(debugger.trace)
        metrics = QFontMetrics(Theme.mono_font(UI_FONT_PX))
        widths = map(metrics.horizontalAdvance, (*STAGES.lines, *code.lines))
        self.setMinimumWidth(2 * INDENT_PX + max(widths))
        n_lines = max(len(STAGES.lines), len(code.lines)) + GAP_LINES + MOST_VARIABLES
        self.setMinimumHeight(round(n_lines * LINE_PX * self._smallest))
        self._refresh()

    def _refresh(self) -> None:
        code, line = self.present()
        self.setAccessibleDescription(code.lines[line].strip() if line >= 0 else "done")
        self.update()

    def line_rect(self, number: int) -> QRectF:
        """Where a line of the code lies."""
        height = LINE_PX * self._scale(self._n_lines())
        return QRectF(0, number * height, self.width(), height)

    def _line_at(self, place: QPointF) -> int:
        """The line of the code at a place that does something; -1 for none."""
        code, _ = self.present()
        lines = (number for number in range(len(code.lines)) if self.line_rect(number).contains(place))
        number = next(lines, -1)
        return number if code.operations_of(number) else -1

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        code, _ = self.present()
        if event.button() is Qt.MouseButton.LeftButton and (line := self._line_at(event.position())) >= 0:
            self._model.breakpoints.toggle_operations(code.operations_of(line))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self._line_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.update()

    def _n_lines(self) -> float:
        """Of the code and its variables, with the gap between them."""
        debugger = self._model.debugger
        n_variables = 0 if debugger is None else len(variables(debugger))
        return len(self.present()[0].lines) + GAP_LINES + n_variables

    def _scale(self, n_lines: float) -> float:
        """Larger where there is room for any code, smaller where there is none for this one."""
        zoom, widest = self._zoom.factor, self.width() / self.minimumWidth()
        wanted = min(zoom, widest)
        larger = min(LARGEST * zoom, widest, self.height() / (N_LINES * LINE_PX))
        if larger > wanted:
            return larger
        return min(wanted, max(self._smallest, self.height() / (n_lines * LINE_PX)))

    @property
    def _smallest(self) -> float:
        """Large type stays large: the page scrolls then."""
        zoom = self._zoom.factor
        return zoom if zoom > 1 else SMALLEST * zoom

    def paint(self, painter: QPainter, theme: Theme) -> None:
        debugger = self._model.debugger
        if debugger is None:
            return
        names = variables(debugger)
        code, present = self.present()
        scale = self._scale(len(code.lines) + GAP_LINES + len(names))
        painter.drawPixmap(0, 0, self._lines_picture(code, scale))
        painter.scale(scale, scale)
        width = self.width() / scale
        if present >= 0:
            top = present * LINE_PX
            painter.fillRect(QRectF(0, top, width, LINE_PX), blend(theme.raised, theme.accent, 0.26))
            painter.fillRect(QRectF(0, top, 3, LINE_PX), theme.accent)
            painter.setPen(theme.text)
            self._code_texts.draw_in(painter, INDENT_PX, 0, top + LINE_PX / 2, code.lines[present], LEFT)
        self._paint_gutter(painter, code)
        row = QRectF(INDENT_PX, (len(code.lines) + GAP_LINES) * LINE_PX, width - INDENT_PX, LINE_PX)
        self._paint_variables(painter, row, names)

    def _lines_picture(self, code: PseudoCode, scale: float) -> QPixmap:
        """The lines as they are where none is carried out: those of pieces and around them, drawn once."""
        theme, ratio = self._theme_source.theme, self.devicePixelRatio()
        key = theme.name, code.title, self.width(), self.height(), scale, ratio
        if key not in self._pictures:
            picture = clear_pixmap(self.width(), self.height(), ratio, theme.raised)
            with QPainter(picture) as painter:
                painter.scale(scale, scale)
                painter.setPen(theme.dim)
                for number, line in enumerate(code.lines):
                    middle = (number + 0.5) * LINE_PX
                    self._code_texts.draw_in(painter, INDENT_PX, 0, middle, line, LEFT)
            if len(self._pictures) >= MOST_PICTURES:
                self._pictures.clear()
            self._pictures[key] = picture
        return self._pictures[key]

    def _paint_gutter(self, painter: QPainter, code: PseudoCode) -> None:
        """The breakpoints at lines, and what a click on the one under the pointer would do."""
        rows = [row for row in self._model.breakpoints.rows if row.kind == "operation"]
        for number in range(len(code.lines)):
            if not rows and number != self._hovered:
                continue
            middle = QPointF(INDENT_PX / 2 + 1, (number + 0.5) * LINE_PX)
            found = at_operations(rows, code.operations_of(number))
            paint_mark(painter, self._theme_source.theme, middle, found, number == self._hovered)

    def _paint_variables(self, painter: QPainter, row: QRectF, names: list[tuple[str, str, str]]) -> None:
        """Three columns; places are left out where the values leave no room for them."""
        texts, theme = self._code_texts, self._theme_source.theme
        places_px = max([PLACES_PX, *(VALUES_PX + texts.width(value) + INDENT_PX for _, value, _ in names)])
        has_room = all(places_px + texts.width(place) <= row.width() for _, _, place in names)
        left, middle, room = row.left(), row.center().y(), row.width() - VALUES_PX
        dim, values = [], []
        for number, (name, value, place) in enumerate(names):
            y = middle + number * LINE_PX
            dim.append((left, 0, y, name))
            if has_room and place:
                dim.append((left + places_px, 0, y, place))
            values.append((left + VALUES_PX, 0, y, texts.elided(value, room)))
        painter.setPen(theme.dim)
        texts.draw_all(painter, dim, LEFT)
        painter.setPen(theme.text)
        texts.draw_all(painter, values, LEFT)


def variables(debugger: Debugger) -> list[tuple[str, str, str]]:
    """Name, value and place of what the present step works with."""
    if debugger.position >= debugger.n_steps:
        return []
    columns, step = debugger.trace.columns, debugger.position
    start, end = int(columns.position[step]), int(columns.end[step])
    middle = int(columns.right_position[step])
    places = {"left": (start, middle), "right": (middle, end), "result": (start, end)}
    found = []
    for name, (first, last) in places.items():
        token_id = int(getattr(columns, name)[step])
        if token_id >= 0 or (name != "result" and middle >= 0):
            text = isolate(debugger.describer.label(token_id, first, last))
            number = f" ({token_id})" if 0 <= token_id < len(debugger.vocabulary) else ""
            found.append((name, f"{text}{number}", f"bytes {first:,}–{last:,}"))
    if (worth := debugger.describer.worth(step)) != "nan":
        found.append(("rank" if debugger.trace.reference_name in ("heap", "scan") else "score", worth, ""))
    return found
