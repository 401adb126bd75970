"""The breakpoints beside the steps: to set, change, switch off, remove and bring back."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QMenu, QPushButton, QSizePolicy, QToolButton, QWidget

from guiapp.analysis.trace.breakpoints import column_help
from guiapp.analysis.trace.conditions import TRACE_SCHEMA, ConditionError, Schema
from guiapp.analysis.train.breakpoints import SCHEMA
from guiapp.errors import TokenloupeError
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import TextZoom, plain_tip
from guiapp.kit.widgets.layouts import AS_AROUND, clear, in_column, in_row
from guiapp.kit.widgets.painting import bold
from guiapp.kit.widgets.theme import SMALL_FONT_PX, UI_FONT_PX, UNIT_PX, plain_label, set_role
from guiapp.pages.steps.cards import QuietButton, head_row
from guiapp.pages.steps.drawing import DrawingContext
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.training import TrainingModel

TITLE_PX = 150
ABSENCE_INDENT_PX = 30  # below the title
ELIDE = Qt.TextElideMode.ElideRight
TEMPLATES = {
    "A token is formed": 'token "…"',
    "A token matches a pattern": r"pattern ^\s[A-Z]",
    "A pair merges": 'pair "…" "…"',
    "A range of ranks": "rank 0..500",
    "A range of scores": "score -8.5..",
    "A token over a byte": "byte 0",
    "A piece begins": "piece 0",
    "An operation": "operation stale",
    "First difference from an encoder": "difference greedy",
    "A condition": "rank < 500 and length > 3",
    "A condition, with a message instead of a stop": "operation merge log {left} + {right}, rank {rank}",
}


TRAINING_TEMPLATES = {
    "A token is formed": 'token "…"',
    "A token matches a pattern": r"pattern ^\s[A-Z]",
    "A pair merges": 'pair "…" "…"',
    "A range of merges": "rank 100..",
    "An operation": "operation prune",
    "A pair is rarer than that": "count < 10",
    "Ties decide": "ties > 0",
    "The likelihood is above a bound": "likelihood > -1000",
    "A condition": "length > 5 and count < 20",
}


class BreakpointList(QWidget):
    """One line for each: on or off, what it is, how often it is hit; a click on it edits it.

    For steps of encoding, or for those of a training.
    """

    def __init__(self, model: StepsModel | TrainingModel, drawing: DrawingContext) -> None:
        super().__init__()
        is_training = isinstance(model, TrainingModel)
        self._model = model
        self._drawing = drawing
        theme_source, zoom, _ = drawing
        self._edited: tuple[int, str] | None = None  # where it stood, and its title
        self._shown: list[BreakpointRow] = []
        self.add_button = QuietButton("+ add", zoom)
        self.add_button.setAccessibleName("Add a breakpoint")
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.add_button.setMenu(self._menu(TRAINING_TEMPLATES if is_training else TEMPLATES))
        example = 'token "is", count < 10 …' if is_training else "rank < 500, operation stale …"
        self.field = EntryField(example, drawing, SCHEMA if is_training else TRACE_SCHEMA)
        self.field.entered.connect(self._enter)
        self.removed = RemovedNotice(model, zoom)
        self._rows = in_column(spacing=0)
        head = head_row("Breakpoints", self.add_button, zoom)
        in_column(head, self._rows, self.removed, self.field, on=self)
        model.breakpoints_changed.connect(self._refresh)
        model.position_changed.connect(self._mark_stopped)
        theme_source.changed.connect(self._refresh)
        zoom.changed.connect(self._refresh)
        self._refresh()

    def _menu(self, templates: dict[str, str]) -> QMenu:
        menu = QMenu(self)
        for title, template in templates.items():
            action = QAction(title, menu)
            action.triggered.connect(partial(self.begin, template))
            menu.addAction(action)
        return menu

    @property
    def row_widgets(self) -> list[BreakpointRow]:
        """What is shown, in order."""
        return self._shown

    def begin(self, template: str) -> None:
        """Put a template into the line, ready to be changed."""
        self._edited = None
        self.field.line.setText(template)
        self.field.line.setFocus()
        if "…" in template:
            self.field.line.setSelection(template.index("…"), 1)

    def edit(self, index: int) -> None:
        """Put a breakpoint into the line to change it."""
        title = self._model.breakpoints.rows[index].title
        self.begin(title)
        self._edited = index, title

    def _edited_index(self) -> int | None:
        """Where the breakpoint stands now that is in the line; None for a new one, or if it was removed."""
        if self._edited is None:
            return None
        index, title = self._edited
        titles = [row.title for row in self._model.breakpoints.rows]
        if titles[index : index + 1] == [title]:
            return index
        return titles.index(title) if title in titles else None

    def _enter(self, text: str) -> None:
        index = self._edited_index()
        try:
            if index is None:
                self._model.breakpoints.add(text)
            else:
                self._model.breakpoints.change(index, text)
        except TokenloupeError as error:
            self.field.show_error(error)
            return
        self._edited = None
        self.field.line.clear()
        self.field.clear_error()

    def _refresh(self) -> None:
        clear(self._rows)
        self._shown = []
        counts = [len(found) for found in self._model.hits]
        for index in range(len(self._model.breakpoints.rows)):
            absence = self._model.absence(index) if isinstance(self._model, StepsModel) else ""
            row = BreakpointRow(self._model, index, counts[index], self._drawing, absence)
            row.edit_requested.connect(self.edit)
            self._rows.addWidget(row)
            self._shown.append(row)
        self._mark_stopped()

    def _mark_stopped(self) -> None:
        stopped_at = self._model.stopped_at
        for row, breakpoint_ in zip(self.row_widgets, self._model.breakpoints.rows, strict=True):
            row.set_stopped(stopped_at is not None and stopped_at.title == breakpoint_.title)


class BreakpointRow(QWidget):
    """One breakpoint.

    Signals:
        edit_requested(int): a click asked to change the breakpoint of this index.
    """

    edit_requested = Signal(int)

    def __init__(
        self,
        model: StepsModel | TrainingModel,
        index: int,
        n_hits: int,
        drawing: DrawingContext,
        absence: str = "",
    ) -> None:
        super().__init__()
        self._model = model
        self._index = index
        breakpoint_, theme, zoom = model.breakpoints.rows[index], drawing.theme_source.theme, drawing.zoom
        sign, change = ("●", "Switch off") if breakpoint_.is_enabled else ("○", "Switch on")
        self.switch = tool_button(sign, self._switch, name=change)
        color = theme.warning if breakpoint_.log else theme.bad
        self.switch.setStyleSheet(f"color: {color.name()}; padding: 2px 0px")
        self.label = set_role(TitleButton(breakpoint_.title), "quiet")
        self.label.setToolTip(plain_tip(f"{breakpoint_.title}\nClick to change it."))
        self.label.setFont(zoom.mono_font(SMALL_FONT_PX + 1))
        self.label.clicked.connect(self._edit)
        self.hits = set_role(QLabel(f"{n_hits:,}" if breakpoint_.is_enabled else "off"), "dim")
        self.hits.setToolTip("how often it is hit")
        self.remove = tool_button("×", self._remove, name="Remove the breakpoint")
        self.absence = QLabel(absence, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.absence.setFont(zoom.ui_font(SMALL_FONT_PX))
        self.absence.setIndent(zoom.scaled(ABSENCE_INDENT_PX))
        for other in (self.switch, self.hits, self.remove):
            other.setFont(zoom.ui_font(UI_FONT_PX))
        self.absence.setStyleSheet(f"color: {theme.warning.name()}")
        line = in_row(self.switch, (self.label, 1), self.hits, self.remove, spacing=UNIT_PX)
        in_column(line, self.absence, on=self, spacing=0)
        self.absence.setVisible(bool(absence))  # once it has a parent: else it would be a window
        color = theme.text if breakpoint_.is_enabled else theme.faint
        self.label.setStyleSheet(f"color: {color.name()}; padding: 5px 2px; text-align: left")

    def set_stopped(self, is_stopped: bool) -> None:
        """Whether the last run ended at it."""
        self.label.setFont(bold(self.label.font(), is_stopped))

    def _switch(self) -> None:
        breakpoints = self._model.breakpoints
        breakpoints.enable(self._index, not breakpoints.rows[self._index].is_enabled)

    def _edit(self) -> None:
        self.edit_requested.emit(self._index)

    def _remove(self) -> None:
        self._model.breakpoints.remove(self._index)


class TitleButton(QPushButton):
    """A button that shows as much of its title as there is room for."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self.setAccessibleName(title)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setText(QFontMetrics(self.font()).elidedText(self._title, ELIDE, self.width() - 2 * UNIT_PX))

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self.font()).height() + 3 * UNIT_PX)


class RemovedNotice(QWidget):
    """Says which breakpoint was just removed, and brings it back."""

    def __init__(self, model: StepsModel | TrainingModel, zoom: TextZoom) -> None:
        super().__init__()
        self._model = model
        self._zoom = zoom
        self.label = plain_label("dim")
        self.label.setMinimumWidth(0)
        self.undo = tool_button("Undo", model.breakpoints.undo, role="raised", tip="Ctrl+Z", name="Undo")
        in_row((self.label, 1), self.undo, on=self, spacing=AS_AROUND)
        model.breakpoints.changed.connect(self._refresh)
        zoom.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        removed = self._model.breakpoints.removed
        self.setVisible(removed is not None)
        for part in (self.label, self.undo):
            part.setFont(self._zoom.ui_font(UI_FONT_PX))
        if removed is not None:
            title = QFontMetrics(self.label.font()).elidedText(removed.title, ELIDE, TITLE_PX)
            self.label.setText(f"Removed {title}")
            self.label.setToolTip(plain_tip(removed.title))


class EntryField(QWidget):
    """A line to type an entry into, with what is wrong about it below.

    Signals:
        entered(str): Return was pressed.
    """

    entered = Signal(str)

    def __init__(self, placeholder: str, drawing: DrawingContext, schema: Schema = TRACE_SCHEMA) -> None:
        super().__init__()
        _, self._zoom, _ = drawing
        self.line = QLineEdit()
        self.line.setPlaceholderText(placeholder)
        self.line.setToolTip(column_help(schema))
        self.line.returnPressed.connect(self._enter)
        self.line.textEdited.connect(self.clear_error)
        self.error = plain_label("bad", wraps=True)
        self.error.setMinimumWidth(1)  # a long word is cut off rather than all beside it
        self.error.hide()
        in_column(self.line, self.error, on=self, spacing=UNIT_PX)
        self._zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def show_error(self, error: TokenloupeError) -> None:
        """Say what is wrong, and put the cursor there."""
        self.error.setText(str(error))
        self.error.show()
        if isinstance(error, ConditionError):
            start = max(0, self.line.text().find(error.condition))
            self.line.setCursorPosition(start + error.position)

    def clear_error(self) -> None:
        self.error.hide()

    def _on_zoom_changed(self) -> None:
        self.line.setFont(self._zoom.mono_font(SMALL_FONT_PX + 1))
        self.error.setFont(self._zoom.ui_font(SMALL_FONT_PX))

    def _enter(self) -> None:
        self.entered.emit(self.line.text())
