"""The side panel of the steps: input, breakpoints, messages, watches, and the tokens made so far."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QAction, QFontMetrics, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import (
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QScrollArea,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from guiapp.analysis.trace.breakpoints import column_help
from guiapp.analysis.trace.conditions import TRACE_SCHEMA, ConditionError, Schema
from guiapp.analysis.train.record import SCHEMA
from guiapp.core.encode.catalogue import ALGORITHMS
from guiapp.errors import TokenloupeError
from guiapp.kit.session.loader import display_name
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.spans.editor import EditorLink, SpanEditor
from guiapp.kit.widgets.controls import ChoiceBox, tool_button
from guiapp.kit.widgets.event_filters import TextZoom, plain_tip
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import AS_AROUND, STRETCH, clear, framed, in_column, in_row, scroll_down
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.painting import bold
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    SMALL_FONT_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    plain_label,
    set_role,
)
from guiapp.pages.steps.canvas import RIGHT, StepCanvas, text_width
from guiapp.pages.steps.cards import DrawingContext, ZoomedView, head_row, quiet_button, section_title
from guiapp.pages.steps.flow import Made, made_so_far, worth_name
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.walk_model import TrainingModel

ABSENCE_INDENT_PX = 30  # below the title
ELIDE = Qt.TextElideMode.ElideRight
COMMON_TEMPLATES = {
    "A token is formed": 'token "…"',
    "A token matches a pattern": r"pattern ^\s[A-Z]",
    "A pair merges": 'pair "…" "…"',
}
TEMPLATES = COMMON_TEMPLATES | {
    "A range of ranks": "rank 0..500",
    "A range of scores": "score -8.5..",
    "A token that covers a byte": "byte 0",
    "A piece begins": "piece 0",
    "An operation": "operation stale",
    "First difference from an encoder": "difference greedy",
    "A condition": "rank < 500 and length > 3",
    "A condition that writes a message": "operation merge log {left} + {right}, rank {rank}",
}
TRAINING_TEMPLATES = COMMON_TEMPLATES | {
    "A range of merges": "rank 100..",
    "An operation": "operation prune",
    "A pair is rare": "count < 10",
    "A tie is broken": "ties > 0",
    "The likelihood exceeds a limit": "likelihood > -1000",
    "A condition": "length > 5 and count < 20",
}
EXAMPLES = {  # of breakpoints, by the value that steps have or the algorithm that is trained
    "rank": "rank < 500, operation merge …",
    "score": "score > -9, operation choose …",
    "unigram": "operation prune, dropped > 9 …",
    "bpe": 'token "is", count < 10 …',
    "wordpiece": 'token "is", score > 0.1 …',
}
TEXT_PX = 104  # three lines, or two below the line of the BOS token
OTHER_EXAMPLE = "length > 3, operation piece …"
ROW_PX = 24
TITLE_SIDES_PX = 24  # of a button's title
LEAST_ROWS, MOST_ROWS, MOST_NOTES = 3, 40, 8
SIDE_WIDTH_PX = 320
LEAST_WIDTH_PX, WIDEST_PX = 240, 400


class InputPanel(QWidget):
    """The window's model, encoder and text, to change them here."""

    def __init__(self, session: ModelSession, actions: Actions, drawing: DrawingContext) -> None:
        super().__init__()
        self._session = session
        choose, tip = actions["choose_model"].trigger, "Step through another model"
        self.model = set_role(TitleButton(""), "raised")
        self.model.clicked.connect(choose)
        self.model.setToolTip(tip)
        self.encoder = ChoiceBox("Encoder", {}, "The encoder whose steps are shown")
        self.encoder.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self.encoder.currentIndexChanged.connect(self._choose)
        self.editor = SpanEditor(session.document, session, drawing.theme_source, GAP_PX)
        self.editor.setFixedHeight(TEXT_PX)
        EditorLink(self.editor, session)
        for widget in (self.model, self.encoder):
            drawing.zoom.fit(widget, UI_FONT_PX)
        row = in_row((self.model, 1), self.encoder, spacing=GAP_PX)
        in_column(section_title("Text, model, encoder", drawing.zoom), self.editor, row, on=self)
        session.options_changed.connect(self._refresh)
        session.loader.model_changed.connect(self._refresh)
        self._refresh()

    def _choose(self, index: int) -> None:
        self._session.set_encoder(self.encoder.itemData(index))

    def _refresh(self) -> None:
        """Show the present choices; `fast` is listed as its reference encoder."""
        session, model, algorithm = self._session, self._session.loader.model, self._session.algorithm
        self.model.show_title("Choose a model" if model is None else display_name(model))
        with QSignalBlocker(self.encoder):
            self.encoder.clear()
            if model is None or algorithm is None:
                return
            read_as = model.tokenizer.reference_encoder
            usual = read_as(next(iter(session.encoders)))
            for name in dict.fromkeys(map(read_as, session.encoders)):
                self.encoder.addItem(name, None if name == usual else name)
                title = ALGORITHMS[name].title
                self.encoder.setItemData(self.encoder.count() - 1, title, Qt.ItemDataRole.ToolTipRole)
            self.encoder.setCurrentText(read_as(algorithm.name))


class StepsSidePanel(QScrollArea):
    """A column of parts that scrolls if it is too high."""

    def __init__(self, parts: list[QWidget], zoom: TextZoom) -> None:
        super().__init__()
        *first, last = parts  # the last one takes the remaining room
        parts_column = in_column(*first, (last, 1), margins=MARGIN_PX, spacing=MARGIN_PX + UNIT_PX)
        scroll_down(self, framed(parts_column, "panel"))
        self._zoom = zoom
        zoom.changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def _on_zoom_changed(self) -> None:
        """Widen the panel for large type, but leave most of the room to the steps."""
        self.setMinimumWidth(min(WIDEST_PX, self._zoom.scaled(LEAST_WIDTH_PX)))


class TraceSide(StepsSidePanel):
    """Input, breakpoints and their messages, watches, history."""

    def __init__(self, model: StepsModel, drawing: DrawingContext, walked: list[QWidget]) -> None:
        self._model = model
        self.breakpoints = BreakpointList(model, drawing)
        self.watches = WatchList(model, drawing)
        self.history = StepRows("Made so far", "No tokens yet. Step forward.", self._made, model, drawing)
        self.messages = StepRows("Messages of log points", "", self._messages, model, drawing)
        self.messages.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clear_button = quiet_button("clear", drawing.zoom)
        self.clear_button.setAccessibleName("Clear the messages")
        self.clear_button.clicked.connect(model.forget_notes)
        self._worth = drawing.zoom.fit(set_role(QLabel(), "dim"), SMALL_FONT_PX)
        messages_head = head_row("Messages", self.clear_button, drawing.zoom)
        self.notes = framed(in_column(messages_head, self.messages, spacing=GAP_PX))
        made_head = head_row("Step · made so far", self._worth, drawing.zoom)
        made = framed(in_column(made_head, (self.history, 1), spacing=GAP_PX))
        super().__init__([*walked, self.breakpoints, self.notes, self.watches, made], drawing.zoom)
        self._is_lesson = not walked
        for changed in (model.breakpoints_changed, model.watches_changed):
            changed.connect(self._hide_unused)
        self._hide_unused()
        model.position_changed.connect(self.history.refresh)
        model.notes_changed.connect(self._show_messages)
        model.trace_changed.connect(self._show_worth)
        self._show_messages()
        self._show_worth()

    @property
    def is_brief(self) -> bool:
        """Whether only the history is shown: in lessons, unless a breakpoint or a watch is set."""
        return self._is_lesson and not self._model.breakpoints.rows and not self._model.watches

    def _hide_unused(self) -> None:
        for part in (self.breakpoints, self.watches):
            part.setHidden(self.is_brief)

    def _made(self) -> list[Made]:
        debugger = self._model.debugger
        return [] if debugger is None else made_so_far(debugger, MOST_ROWS)

    def _messages(self) -> list[Made]:
        return [Made(step, text, "") for step, text in self._model.notes[-MOST_NOTES:]]

    def _show_messages(self) -> None:
        self.messages.refresh()
        self.messages.fit_rows(max(1, len(self.messages.entries)))
        self.notes.setVisible(bool(self._model.notes))

    def _show_worth(self) -> None:
        """Show the name of the numbers at the right of the list, and examples of entries that use it."""
        worth = worth_name(self._model.debugger)
        self._worth.setText(worth or " ")  # keeps the height of the line
        self.breakpoints.field.line.setPlaceholderText(EXAMPLES.get(worth, OTHER_EXAMPLE))
        watched = worth if worth in EXAMPLES else "length"
        self.watches.field.line.setPlaceholderText(f"{watched}, end - position …")


class WatchList(QWidget):
    """Expressions with their values at this step."""

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__()
        self._model = model
        self._zoom = drawing.zoom
        self.field = EntryField(drawing, model.add_watch)
        self._rows = in_column(spacing=0)
        self._values: list[FittedLabel] = []
        in_column(section_title("Watch", drawing.zoom), self._rows, self.field, on=self)
        model.watches_changed.connect(self._rebuild)
        model.position_changed.connect(self._refresh)
        model.trace_changed.connect(self._refresh)
        self._rebuild()

    @property
    def shown_values(self) -> list[str]:
        return [label.whole_text for label in self._values]

    def _rebuild(self) -> None:
        clear(self._rows)
        self._values = []
        for index, text in enumerate(self._model.watches):
            name, value = set_role(FittedLabel(elides=True), "dim"), FittedLabel(elides=True)
            name.set_texts([text])
            remove = tool_button("×", partial(self._model.remove_watch, index), name=f"Forget {text}")
            for part in (name, value, remove):
                self._zoom.fit(part, SMALL_FONT_PX + 1, Theme.mono_font)
            self._values.append(value)
            self._rows.addWidget(framed(in_row(name, STRETCH, value, remove)))
        self._refresh()

    def _refresh(self) -> None:
        for label, watch in zip(self._values, self._model.watches, strict=True):
            label.set_texts([self._model.watch_value(watch)])


class StepRows(ZoomedView):
    """A list of steps: number, token or message, value.

    nothing  text for an empty list
    present  returns the entries, the newest last
    """

    ground = "panel"

    def __init__(
        self,
        name: str,
        nothing: str,
        present: Callable[[], list[Made]],
        model: StepsModel,
        drawing: DrawingContext,
    ) -> None:
        super().__init__(name, drawing)
        self._model, self._nothing, self._present = model, nothing, present
        self.least_px = LEAST_ROWS * ROW_PX
        self.entries: list[Made] = []
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        model.trace_changed.connect(self.refresh)
        self._on_zoom_changed()
        self.refresh()

    def fit_rows(self, n_rows: int) -> None:
        """Make room for `n_rows`."""
        self.least_px = n_rows * ROW_PX
        self._on_zoom_changed()

    def sizeHint(self) -> QSize:
        return QSize(0, self.minimumHeight())

    @property
    def shown(self) -> list[Made]:
        """The last entries, as many as there is room for."""
        return self.entries[-max(1, round(self.height() / self.scale) // ROW_PX) :]

    def refresh(self) -> None:
        self.entries = self._present()
        description = "; ".join(entry.text for entry in self.entries)
        self.setAccessibleDescription(description or self._nothing)
        self.update()

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        theme, size_px = canvas.theme, SMALL_FONT_PX + 1
        row = QRectF(0, 0, area.width(), ROW_PX)
        if not self.entries:
            canvas.write(row, self._nothing, theme.faint, size_px=size_px)
        left = text_width(f"{self._model.n_steps:,}", size_px) + GAP_PX
        for entry in self.shown:
            canvas.write(row, f"{entry.step:,}", theme.faint, size_px=size_px)
            worth_px = canvas.write(row, entry.worth, theme.dim, RIGHT, size_px)
            room = row.adjusted(left, 0, -worth_px - GAP_PX * bool(entry.worth), 0)
            color = theme.text if entry is self.entries[-1] else theme.dim
            canvas.write(room, entry.text, color, size_px=size_px)
            row.translate(0, ROW_PX)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        index = int(event.position().y() / self.scale // ROW_PX)
        if 0 <= index < len(self.shown):
            self._model.go_to(self.shown[index].step)


class BreakpointList(QWidget):
    """The breakpoints, one a line: on or off, title, number of hits; a click on a title edits it.

    They stop at steps of an encoder, or of a training.
    """

    def __init__(self, model: StepsModel | TrainingModel, drawing: DrawingContext) -> None:
        super().__init__()
        is_training = isinstance(model, TrainingModel)
        self._model = model
        self._drawing = drawing
        theme_source, zoom, _ = drawing
        self._edited: tuple[int, str] | None = None  # the index it had, and its title
        self.row_widgets: list[BreakpointRow] = []  # in order
        self.add_button = quiet_button("+ add", zoom)
        self.add_button.setAccessibleName("Add a breakpoint")
        self.add_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.add_button.setMenu(self._menu(TRAINING_TEMPLATES if is_training else TEMPLATES))
        self.field = EntryField(drawing, self._enter, SCHEMA if is_training else TRACE_SCHEMA)
        self.removed = RemovedNotice(model, zoom)
        self._rows = in_column(spacing=0)
        head = head_row("Breakpoints", self.add_button, zoom)
        in_column(head, self._rows, self.removed, self.field, on=self)
        model.breakpoints_changed.connect(self._refresh)
        model.position_changed.connect(self._mark_stopped)
        theme_source.changed.connect(self._refresh)
        self._refresh()

    def _menu(self, templates: dict[str, str]) -> QMenu:
        menu = QMenu(self)
        for title, template in templates.items():
            action = QAction(title, menu)
            action.triggered.connect(partial(self.begin, template))
            menu.addAction(action)
        return menu

    def begin(self, template: str) -> None:
        """Put a template into the line, ready to be edited."""
        self._edited = None
        self.field.line.setText(template)
        self.field.line.setFocus()
        if "…" in template:
            self.field.line.setSelection(template.index("…"), 1)

    def edit(self, index: int, *_: object) -> None:
        title = self._model.breakpoints.rows[index].title
        self.begin(title)
        self._edited = index, title

    def _edited_index(self) -> int | None:
        """The present index of the breakpoint being edited; None if it is new or was removed."""
        if self._edited is None:
            return None
        index, title = self._edited
        titles = [row.title for row in self._model.breakpoints.rows]
        if titles[index : index + 1] == [title]:
            return index
        return titles.index(title) if title in titles else None

    def _enter(self, text: str) -> None:
        index = self._edited_index()
        if index is None:
            self._model.breakpoints.add(text)
        else:
            self._model.breakpoints.change(index, text)
        self._edited = None

    def _refresh(self) -> None:
        clear(self._rows)
        self.row_widgets = []
        for index, matches in enumerate(self._model.hits):
            absence = self._model.absence(index) if isinstance(self._model, StepsModel) else ""
            row = BreakpointRow(self._model, index, len(matches), self._drawing, absence)
            row.label.clicked.connect(partial(self.edit, index))
            self._rows.addWidget(row)
            self.row_widgets.append(row)
        self._mark_stopped()

    def _mark_stopped(self) -> None:
        stopped_at = self._model.stopped_at
        for row, breakpoint_ in zip(self.row_widgets, self._model.breakpoints.rows, strict=True):
            row.set_stopped(stopped_at is not None and stopped_at.title == breakpoint_.title)


class BreakpointRow(QWidget):
    """One breakpoint; its `label` emits `clicked` to edit it."""

    def __init__(
        self,
        model: StepsModel | TrainingModel,
        index: int,
        n_hits: int,
        drawing: DrawingContext,
        absence: str = "",
    ) -> None:
        super().__init__()
        breakpoint_, theme, zoom = model.breakpoints.rows[index], drawing.theme_source.theme, drawing.zoom
        is_on = breakpoint_.is_enabled
        sign, change = ("●", "Turn off") if is_on else ("○", "Turn on")
        self.switch = tool_button(sign, partial(model.breakpoints.enable, index, not is_on), name=change)
        color = theme.warning if breakpoint_.log else theme.bad
        self.switch.setStyleSheet(f"color: {color.name()}; padding: 2px 0px")
        self.label = set_role(TitleButton(breakpoint_.title), "quiet")
        self.label.setToolTip(plain_tip(f"{breakpoint_.title}\nClick to edit it."))
        zoom.fit(self.label, SMALL_FONT_PX + 1, Theme.mono_font)
        self.hits = set_role(QLabel(f"{n_hits:,}" if is_on else "off"), "dim")
        self.hits.setToolTip("number of hits")
        self.remove = tool_button("×", partial(model.breakpoints.remove, index), name="Remove the breakpoint")
        self.absence = QLabel(absence, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        zoom.fit(self.absence, SMALL_FONT_PX)
        self.absence.setIndent(zoom.scaled(ABSENCE_INDENT_PX))
        for other in (self.switch, self.hits, self.remove):
            zoom.fit(other, UI_FONT_PX)
        self.absence.setStyleSheet(f"color: {theme.warning.name()}")
        line = in_row(self.switch, (self.label, 1), self.hits, self.remove, spacing=UNIT_PX)
        in_column(line, self.absence, on=self, spacing=0)
        self.absence.setVisible(bool(absence))  # now that it has a parent: without one it would be a window
        color = theme.text if is_on else theme.faint
        self.label.setStyleSheet(f"color: {color.name()}; padding: 5px 2px; text-align: left")

    def set_stopped(self, is_stopped: bool) -> None:
        self.label.setFont(bold(self.label.font(), is_stopped))


class TitleButton(QPushButton):
    """A button that elides its title."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.show_title(title)

    def show_title(self, title: str) -> None:
        self._title = title
        self.setAccessibleName(title)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self.setText(QFontMetrics(self.font()).elidedText(self._title, ELIDE, self.width() - TITLE_SIDES_PX))

    def sizeHint(self) -> QSize:
        return QSize(0, QFontMetrics(self.font()).height() + 3 * UNIT_PX)


class RemovedNotice(QWidget):
    """Shows which breakpoint was just removed, with a button to undo that."""

    def __init__(self, model: StepsModel | TrainingModel, zoom: TextZoom) -> None:
        super().__init__()
        self._model = model
        self.label = zoom.fit(set_role(FittedLabel(elides=True), "dim"), UI_FONT_PX)
        self.undo = tool_button("Undo", model.breakpoints.undo, role="raised", tip="Ctrl+Z", name="Undo")
        in_row((self.label, 1), zoom.fit(self.undo, UI_FONT_PX), on=self, spacing=AS_AROUND)
        model.breakpoints.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        removed = self._model.breakpoints.removed
        self.setVisible(removed is not None)
        if removed is not None:
            self.label.set_texts([f"Removed {removed.title}"])


class EntryField(QWidget):
    """A line to type an entry into, with its error below.

    `enter` is called with the entry on Return, and raises TokenloupeError if the entry is invalid.
    """

    def __init__(
        self, drawing: DrawingContext, enter: Callable[[str], None], schema: Schema = TRACE_SCHEMA
    ) -> None:
        super().__init__()
        self._take = enter
        self.error = drawing.zoom.fit(plain_label("bad", wraps=True), SMALL_FONT_PX)
        self.line = QLineEdit()
        drawing.zoom.fit(self.line, SMALL_FONT_PX + 1, Theme.mono_font)
        self.line.setToolTip(column_help(schema))
        self.line.returnPressed.connect(self._enter)
        self.line.textEdited.connect(self.error.hide)
        self.error.setMinimumWidth(1)  # clips a long word rather than widening the panel
        self.error.hide()
        in_column(self.line, self.error, on=self, spacing=UNIT_PX)

    def _enter(self) -> None:
        try:
            self._take(self.line.text())
        except TokenloupeError as error:
            self._show_error(error)
        else:
            self.line.clear()
            self.error.hide()

    def _show_error(self, error: TokenloupeError) -> None:
        self.error.setText(str(error))
        self.error.show()
        if isinstance(error, ConditionError):
            start = max(0, self.line.text().find(error.condition))
            self.line.setCursorPosition(start + error.position)
