"""Beside the steps: breakpoints, watches, and what was made so far."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QScrollArea, QWidget

from guiapp.errors import TokenloupeError
from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.layouts import STRETCH, clear, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.plain_tip import plain_tip
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.text_zoom import TextZoom
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, UNIT_PX
from guiapp.pages.steps.breakpoint_list import BreakpointList
from guiapp.pages.steps.captions import worth_name
from guiapp.pages.steps.cards import SectionTitle
from guiapp.pages.steps.drawing import Drawing
from guiapp.pages.steps.entry import EntryField
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.rows import History, NotesList

SIDE_WIDTH_PX = 320
LEAST_WIDTH_PX, WIDEST_PX = 240, 400


class SidePanel(QScrollArea):
    """Parts one below the other, with a scroll bar where there is no room for all."""

    def __init__(self, parts: list[QWidget], zoom: TextZoom) -> None:
        super().__init__()
        parts_column = in_column(*parts, STRETCH, margins=MARGIN_PX, spacing=MARGIN_PX + UNIT_PX)
        scroll_down(self, framed(parts_column, "panel"))
        self._zoom = zoom
        zoom.changed.connect(self._follow_zoom)
        self._follow_zoom()

    def _follow_zoom(self) -> None:
        """Large type needs more room, but leave most of it to the steps."""
        self.setMinimumWidth(min(WIDEST_PX, self._zoom.scaled(LEAST_WIDTH_PX)))


class TraceSide(SidePanel):
    """Breakpoints and what their messages say, watches, history."""

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
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

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
        super().__init__()
        self._model, self._zoom = model, drawing.zoom
        set_role(self, "dim")
        model.trace_changed.connect(self._follow)
        drawing.zoom.changed.connect(self._follow)
        self._follow()

    def _follow(self) -> None:
        self.setFont(self._zoom.ui_font(SMALL_FONT_PX))
        self.setText(worth_name(self._model.debugger) or " ")  # a line of its height


class WatchList(QWidget):
    """Expressions with their values at this step."""

    def __init__(self, model: StepsModel, drawing: Drawing) -> None:
        super().__init__()
        self._model = model
        zoom = self._zoom = drawing.zoom
        self.field = EntryField("rank, end - position …", drawing)
        self.field.entered.connect(self._enter)
        self._rows = in_column(spacing=0)
        self._values: list[WatchText] = []
        in_column(SectionTitle("Watch", zoom), self._rows, self.field, on=self)
        model.watches_changed.connect(self._rebuild)
        model.position_changed.connect(self._follow)
        model.trace_changed.connect(self._follow)
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
        self._follow()

    def _row(self, index: int, text: str) -> QWidget:
        name, value = set_role(WatchText(text), "dim"), WatchText()
        remove = tool_button("×", partial(self._model.remove_watch, index), name=f"Forget {text}")
        for part in (name, value, remove):
            part.setFont(self._zoom.mono_font(SMALL_FONT_PX + 1))
        self._values.append(value)
        return framed(in_row(name, STRETCH, value, remove))

    def _follow(self) -> None:
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
