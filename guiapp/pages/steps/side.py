"""Beside the steps: breakpoints, watches, and what was made so far."""

from __future__ import annotations

from abc import abstractmethod
from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from guiapp.errors import TokenloupeError
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import TextZoom, plain_tip
from guiapp.kit.widgets.layouts import STRETCH, clear, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.painting import Painted
from guiapp.kit.widgets.shaped_texts import LEFT, RIGHT
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme, set_role
from guiapp.pages.steps.breakpoint_list import BreakpointList, EntryField
from guiapp.pages.steps.captions import worth_name
from guiapp.pages.steps.cards import QuietButton, SectionTitle, head_row
from guiapp.pages.steps.drawing import DrawingContext
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.tries import Made, made_so_far

ROW_PX = 24
SIDE_WIDTH_PX = 320
LEAST_WIDTH_PX, WIDEST_PX = 240, 400


class StepsSidePanel(QScrollArea):
    """Parts one below the other, with a scroll bar where there is no room for all."""

    def __init__(self, parts: list[QWidget], zoom: TextZoom) -> None:
        super().__init__()
        parts_column = in_column(*parts, STRETCH, margins=MARGIN_PX, spacing=MARGIN_PX + UNIT_PX)
        scroll_down(self, framed(parts_column, "panel"))
        self._zoom = zoom
        zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def _on_zoom_changed(self) -> None:
        """Large type needs more room, but leave most of it to the steps."""
        self.setMinimumWidth(min(WIDEST_PX, self._zoom.scaled(LEAST_WIDTH_PX)))


class TraceSide(StepsSidePanel):
    """Breakpoints and what their messages say, watches, history."""

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        self.breakpoints = BreakpointList(model, drawing)
        self.watches = WatchList(model, drawing)
        self.history = History(model, drawing)
        self.notes = NotesList(model, drawing)
        made = framed(
            in_column(
                in_row(SectionTitle("Made so far", drawing.zoom), STRETCH, WorthTitle(model, drawing)),
                self.history,
                spacing=GAP_PX,
            )
        )
        super().__init__([self.breakpoints, self.notes, self.watches, made], drawing.zoom)


class WorthTitle(QLabel):
    """What the numbers at the right of the list below are."""

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__()
        self._model, self._zoom = model, drawing.zoom
        set_role(self, "dim")
        model.trace_changed.connect(self._refresh)
        drawing.zoom.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self.setFont(self._zoom.ui_font(SMALL_FONT_PX))
        self.setText(worth_name(self._model.debugger) or " ")  # a line of its height


class WatchList(QWidget):
    """Expressions with their values at this step."""

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__()
        self._model = model
        zoom = self._zoom = drawing.zoom
        self.field = EntryField("rank, end - position …", drawing)
        self.field.entered.connect(self._enter)
        self._rows = in_column(spacing=0)
        self._values: list[WatchText] = []
        in_column(SectionTitle("Watch", zoom), self._rows, self.field, on=self)
        model.watches_changed.connect(self._rebuild)
        model.position_changed.connect(self._refresh)
        model.trace_changed.connect(self._refresh)
        zoom.changed.connect(self._rebuild)
        self._rebuild()

    @property
    def shown_values(self) -> list[str]:
        """The values as they are read."""
        return [label.text() for label in self._values]

    def _enter(self, text: str) -> None:
        try:
            self._model.add_watch(text)
        except TokenloupeError as error:
            self.field.show_error(error)
            return
        self.field.line.clear()
        self.field.clear_error()

    def _rebuild(self) -> None:
        clear(self._rows)
        self._values = []
        for index, text in enumerate(self._model.watches):
            self._rows.addWidget(self._row(index, text))
        self._refresh()

    def _row(self, index: int, text: str) -> QWidget:
        name, value = set_role(WatchText(text), "dim"), WatchText()
        remove = tool_button("×", partial(self._model.remove_watch, index), name=f"Forget {text}")
        for part in (name, value, remove):
            part.setFont(self._zoom.mono_font(SMALL_FONT_PX + 1))
        self._values.append(value)
        return framed(in_row(name, STRETCH, value, remove))

    def _refresh(self) -> None:
        for label, value in zip(self._values, self._model.watch_values(), strict=True):
            label.setText(value)


class WatchText(QLabel):
    """One line, cut short where there is no room for it; its tip has all of it."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text, textFormat=Qt.TextFormat.PlainText)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        place = self.contentsRect()
        shown = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, place.width())
        self.setToolTip("" if shown == self.text() else plain_tip(self.text()))
        QPainter(self).drawText(place, self.alignment().value, shown)


# Lists of steps beside the present one; a click goes to one of them


class StepRows(Painted):
    """One line for each: its number, what it made or says, what that is worth."""

    ground = "panel"
    nothing = ""  # said where there are none

    def __init__(self, name: str, n_rows: int, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__(drawing.theme_source, name)
        self._model = model
        self._zoom = drawing.zoom
        self._texts = drawing.texts.of(SMALL_FONT_PX + 1)
        self._n_rows = n_rows
        self.entries: list[Made] = []
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        model.trace_changed.connect(self.refresh)
        self._zoom.changed.connect(self._fit)
        self._fit()

    @abstractmethod
    def present(self) -> list[Made]:
        """What to show, the newest last."""

    def _fit(self) -> None:
        self.setFixedHeight(self._zoom.scaled(self._n_rows * ROW_PX))
        self.update()

    def refresh(self) -> None:
        self.entries = self.present()
        told = "; ".join(entry.text for entry in self.entries)
        self.setAccessibleDescription(told or self.nothing)
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        texts, scale = self._texts, self._zoom.factor
        painter.scale(scale, scale)
        width = self.width() / scale
        if not self.entries:
            painter.setPen(theme.faint)
            texts.draw_in(painter, 0, width, ROW_PX / 2, texts.elided(self.nothing, width), LEFT)
            return
        self._paint_entries(painter, theme, width)

    def _paint_entries(self, painter: QPainter, theme: Theme, width: float) -> None:
        texts, middles = self._texts, [(number + 0.5) * ROW_PX for number in range(len(self.entries))]
        rows = list(zip(self.entries, middles, strict=True))
        left = texts.width(f"{self._model.n_steps:,}") + GAP_PX
        painter.setPen(theme.faint)
        texts.draw_all(painter, [(0, 0, middle, f"{entry.step:,}") for entry, middle in rows], LEFT)
        painter.setPen(theme.dim)
        texts.draw_all(painter, [(0, width, middle, entry.worth) for entry, middle in rows], RIGHT)
        shown = []
        for entry, middle in rows:
            room = width - left - (texts.width(entry.worth) + GAP_PX if entry.worth else 0)
            shown.append((left, 0, middle, texts.elided(entry.text, room)))
        texts.draw_all(painter, shown[:-1], LEFT)
        painter.setPen(theme.text)
        texts.draw_all(painter, shown[-1:], LEFT)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = int(event.position().y() / self._zoom.factor // ROW_PX)
        if 0 <= index < len(self.entries):
            self._model.go_to(self.entries[index].step)


class History(StepRows):
    """What the last steps made."""

    N_ROWS = 10
    nothing = "Nothing is made yet. Step on."

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__("Made so far", self.N_ROWS, model, drawing)
        model.position_changed.connect(self.refresh)
        self.refresh()

    def present(self) -> list[Made]:
        debugger = self._model.debugger
        return [] if debugger is None else made_so_far(debugger, self.N_ROWS)


class Notes(StepRows):
    """The last messages of log points."""

    N_ROWS = 8

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__("Messages of log points", self.N_ROWS, model, drawing)
        model.notes_changed.connect(self.refresh)
        self.refresh()

    def present(self) -> list[Made]:
        found = [Made(step, text, "") for step, text in self._model.notes[-self.N_ROWS :]]
        self._n_rows = max(1, len(found))
        self._fit()
        return found


class NotesList(QWidget):
    """Shown once there are messages; they can be thrown away."""

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__()
        self._model = model
        self.rows = Notes(model, drawing)
        self.clear_button = QuietButton("clear", drawing.zoom)
        self.clear_button.setAccessibleName("Throw the messages away")
        self.clear_button.clicked.connect(model.forget_notes)
        in_column(head_row("Messages", self.clear_button, drawing.zoom), self.rows, on=self)
        model.notes_changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self.setVisible(bool(self._model.notes))
