"""A trace at one step: transport, timeline, the text, the picture of the encoder, its code, and the lists."""

from __future__ import annotations

from math import ceil

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QStackedWidget, QWidget

from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.pseudo_code import STAGES, PseudoCode, code_of, pseudo_code
from guiapp.core.text.numbers_in_words import counted, percent
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import later
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.event_filters import SeenWatch
from guiapp.kit.widgets.labels import FittedLabel
from guiapp.kit.widgets.layouts import (
    AS_AROUND,
    STRETCH,
    RoomySplitter,
    WrappingRow,
    framed,
    in_column,
    in_row,
    in_splitter,
    scrolling,
)
from guiapp.kit.widgets.page_base import Actions
from guiapp.kit.widgets.painting import ShareBar
from guiapp.kit.widgets.theme import (
    GAP_PX,
    MARGIN_PX,
    UI_FONT_PX,
    UNIT_PX,
    Theme,
    blend,
    plain_label,
)
from guiapp.pages.steps.canvas import StepCanvas, text_width
from guiapp.pages.steps.cards import (
    LARGEST,
    DrawingContext,
    SentenceView,
    ZoomedView,
    card,
    title_line,
)
from guiapp.pages.steps.flow import worth_name
from guiapp.pages.steps.flow_view import FlowView
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.pictures import LATTICES, PictureView
from guiapp.pages.steps.race_view import RaceBox, RaceCard
from guiapp.pages.steps.recording import Recording
from guiapp.pages.steps.side import SIDE_WIDTH_PX, TraceSide
from guiapp.pages.steps.timeline import GranularityBox, PlayControls, Timeline, walking_buttons
from guiapp.pages.steps.walk_model import at_operations

LINE_PX = 22
SMALLEST = 0.8
INDENT_PX = 22  # after the gutter
VALUES_PX, RANGES_PX = 84, 232  # x of the columns of variables; the last is a minimum
MOST_VARIABLES = 4
GAP_LINES = 0.6  # above the variables
BAR_WIDTH_PX = 220
HINT = "The next step is hidden. Make your guess, then press Reveal."
PATIENCE_MS = 400  # until a message reports that steps are being recorded
NARROW_PX = 680  # below it, the picture is above the code
LEAST_WIDTH_PX = 480
LEAST_RACE_PX = 700  # height for two encoders, a picture and the code
LEAST_LANES_PX = 800, 600  # with bars: below the first, or instead of the code
LEAST_PRESENTED_PX = 300  # height that includes the picture


class TraceView(RoomySplitter):
    """Shows the trace of the model's debugger, or why there is none."""

    def __init__(
        self,
        model: StepsModel,
        session: ModelSession,
        actions: Actions,
        drawing: DrawingContext,
        *walked: QWidget,
    ) -> None:
        """`walked` shows the model, encoder and text to step through, if the user chooses them."""
        super().__init__(Qt.Orientation.Horizontal)
        self._model, self._session = model, session
        theme_source, zoom, controls = drawing
        self._theme_source, self._zoom = theme_source, zoom
        self.timeline = Timeline(model, drawing.of_controls)
        self.flow = FlowView(model, drawing)
        self.picture = PictureView(model, drawing)
        self.code = CodeView(model, drawing)
        self.side = TraceSide(model, drawing.of_controls, [*walked])
        self.race_card = RaceCard(model, actions["race_parting"], drawing)
        self.recording = RecordingPanel(model.recording, session)
        self.cover = FlowView(model, drawing, is_covered=True)
        self._is_covered = self._is_presented = self._is_plain = False
        self._has_input, self._first = bool(walked), 0
        self.sentence = SentenceView(drawing)
        self.number = controls.fit(FittedLabel(is_needed=True), UI_FONT_PX, Theme.mono_font)
        self._title, self._picture_title = title_line(drawing), title_line(drawing)
        self._code_title = title_line(drawing)
        boxes = GranularityBox(model), RaceBox(model, session)
        self.boxes = framed(in_row(*boxes, margins=(0, 0, MARGIN_PX, 0), spacing=GAP_PX))
        self._main = QStackedWidget()
        self._waits = later(self, PATIENCE_MS, self._show_waiting)
        self._reveals = later(self, 0, self._scroll_to_flow)
        play = PlayControls(model.clock, actions["debug_play"], controls)
        self._transport = WrappingRow([*walking_buttons(actions, controls, self.timeline), play])
        self._build_layout()
        for signal in (model.position_changed, model.recording.changed):
            signal.connect(self._refresh)
        model.race.changed.connect(self._turn)
        model.trace_changed.connect(self._begin)
        for slot in (self._turn, self._refresh):
            zoom.changed.connect(slot)
        theme_source.changed.connect(self._refresh)
        self.splitterMoved.connect(self._turn)
        SeenWatch(self, model.watch)
        self._begin()

    def set_covered(self, is_covered: bool) -> None:
        """Show only the state before the step, and hide what the step does."""
        if self._is_covered and not is_covered:
            self._reveals.start()
        self._is_covered = is_covered
        self._hide_side()
        self._refresh()

    def set_plain(self, is_plain: bool) -> None:
        """Leave out the code and the side panel, for beginners."""
        if is_plain != self._is_plain:
            self._is_plain = is_plain
            self._hide_side()
            self._make_room_for_race()

    def set_presented(self, is_presented: bool, has_buttons: bool) -> None:
        """Show the steps without the code and the side panel, and the picture only if there is room."""
        self._is_presented = is_presented
        height = QSizePolicy.Policy.Ignored if is_presented else QSizePolicy.Policy.Preferred
        self.picture.setSizePolicy(QSizePolicy.Policy.Preferred, height)
        self._transport.setHidden(is_presented and not has_buttons)
        for flow in (self.flow, self.race_card.flow, self.cover):
            flow.set_presented(is_presented)
        self._hide_side()
        self._turn()

    def _scroll_to_flow(self) -> None:
        """Keep the text of the step visible in a low window."""
        self._area.ensureVisible(0, self._flow_card.geometry().bottom(), 0, 0)

    def _hide_side(self) -> None:
        self.side.setHidden(self._is_covered or self._is_presented or self._is_plain)

    def _build_layout(self) -> None:
        head = framed(in_row((self._title, 1), self.number))
        flow = card([head, self.flow, self.sentence], self.flow)
        for upper in (flow, self.race_card):
            upper.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._picture_card = card([self._picture_title, self.picture], self.picture)
        self.code_card = card([self._code_title, self.code], self.code)
        self._lower = in_row((self._picture_card, 1), (self.code_card, 2), spacing=GAP_PX + UNIT_PX)
        cards = (flow, 3), (self.race_card, 2), (framed(self._lower), 4)
        parts = self._transport, self.timeline, *cards
        self._column = in_column(*parts, margins=(MARGIN_PX, 0, MARGIN_PX, GAP_PX), spacing=GAP_PX)
        self._flow_card, self._area = flow, scrolling(framed(self._column), LEAST_WIDTH_PX)
        self._main.addWidget(self._area)
        hint = self._zoom.fit(plain_label("dim", wraps=True), UI_FONT_PX)
        hint.setText(HINT)
        cover = card([self.cover, hint], self.cover)
        covered = in_column((STRETCH, 1), cover, (STRETCH, 2), margins=(MARGIN_PX, 0, MARGIN_PX, GAP_PX))
        self._main.addWidget(scrolling(framed(covered), 0))
        self._left = framed(in_column(self.recording, (self._main, 1)))
        in_splitter(self._left, self.side, on=self, sizes=(1100, SIDE_WIDTH_PX))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        """Put picture and code side by side if there is room, else above each other; a race comes first."""
        self._make_room_for_race()
        is_narrow = not self._is_presented and self._left.width() < NARROW_PX * max(1.0, self._zoom.factor)
        directions, has_race = QHBoxLayout.Direction, self._lower.indexOf(self.race_card) >= 0
        below = directions.BottomToTop if has_race else directions.TopToBottom
        self._lower.setDirection(below if is_narrow else directions.LeftToRight)

    def _make_room_for_race(self) -> None:
        """Show the other encoder below the first; in a low window, instead of the code.

        A presentation shows both encoders alone.
        """
        is_bare, is_race = self._is_presented, self._model.race.is_on
        height = self._left.height() / max(1.0, self._zoom.factor)
        is_inside = (is_bare or height < LEAST_RACE_PX) and is_race
        self.race_card.make_room(is_bare or height >= LEAST_LANES_PX[is_inside])
        self.code_card.setHidden(is_bare or is_inside or self._is_plain)
        self._picture_card.setHidden(is_bare and (is_race or height < LEAST_PRESENTED_PX))
        if is_inside != (self._lower.indexOf(self.race_card) >= 0):
            if is_inside:
                self._lower.addWidget(self.race_card, 2)
            else:
                self._column.insertWidget(self._column.count() - 1, self.race_card, 2)
            policy = QSizePolicy.Policy.Preferred if is_inside else QSizePolicy.Policy.Maximum
            self.race_card.setSizePolicy(QSizePolicy.Policy.Preferred, policy)

    def _begin(self) -> None:
        """Make room for the longest sentences of the new trace."""
        if (debugger := self._model.debugger) is not None:
            self._first = debugger.position if self._has_input else 0
            columns, tell = debugger.trace.columns, debugger.describer.sentence
            by_length = np.argsort(columns.position - columns.end, kind="stable")
            _, longest = np.unique(columns.operation[by_length], return_index=True)  # of each operation
            steps = by_length[longest].tolist()
            self.sentence.expect([f"{_lead(debugger, step)} {tell(step)}" for step in steps])
        self._refresh()

    def _show_waiting(self) -> None:
        self._waits.stop()
        self._main.hide()
        self.recording.show_alone(True)

    def _refresh(self) -> None:
        model = self._model
        debugger = model.debugger
        if debugger is None:
            if model.recording.failure or self._session.tokenizer is None:
                self._show_waiting()
            elif not self.isVisible():
                self._waits.stop()
                self._main.show()
                self.recording.show_alone(False)
            elif not self._main.isHidden() and not self._waits.isActive():
                is_first = not self.number.whole_text  # while the user types, the old steps stay visible
                self._main.setUpdatesEnabled(is_first)
                self._waits.start()
            return
        self._waits.stop()
        self.recording.show_alone(False)
        self._main.setCurrentIndex(int(self._is_covered))
        self._main.setUpdatesEnabled(True)
        self._main.show()
        self._lower.setStretch(0, 3 if debugger.trace.reference_name in LATTICES else 2)
        self._title.set_texts([_capitals(title) for title in model.titles])
        self._picture_title.set_texts([_capitals(self.picture.title)])
        self._code_title.set_texts([f"WHAT {debugger.trace.reference_name.upper()} DOES"])
        at, number = model.position, f"step {model.position:,} of {model.n_steps:,}"
        is_first = 0 < at == self._first and not self._is_presented and self._left.width() >= NARROW_PX
        hint = [f"⇤ {counted(at, 'step')} prepared the text · {number}"] if is_first else []
        self.number.set_texts([*hint, number])
        self.sentence.show_sentence(debugger.sentence(), _lead(debugger, at) if at < model.n_steps else "")


def _lead(debugger: Debugger, step: int) -> str:
    """The words before the sentence about the next step."""
    return {"merge": "Next: merge", "done": ""}.get(debugger.trace.operation(step), "Next:")


def _capitals(title: str) -> str:
    """Put a title into capitals, except the text in quotes."""
    head, quote, rest = title.partition("“")
    return head.upper() + quote + rest


class RecordingPanel(QWidget):
    """Shows the progress of the recording, why there is none, or which part is recorded; with buttons to act.

    Above steps it is hidden if the whole text is recorded.
    """

    def __init__(self, recording: Recording, session: ModelSession) -> None:
        super().__init__()
        self._recording, self._session = recording, session
        self._is_alone = False
        self.message = plain_label("dim", wraps=True)
        self.bar = ShareBar("Progress of the recording", BAR_WIDTH_PX)
        self.cancel = tool_button("Cancel", recording.cancel, role="raised")
        self.part = tool_button("Record a part", recording.record_part, role="raised")
        self.selection = tool_button("Record the selection", recording.record_selection, role="raised")
        self.everything = tool_button("Record the whole text", recording.record_all, role="raised")
        buttons = self.cancel, self.part, self.selection, self.everything
        margins = MARGIN_PX, 0
        in_row((self.message, 1), self.bar, *buttons, on=self, margins=margins, spacing=AS_AROUND)
        for signal in (
            recording.changed,
            session.statistics_changed,
            session.document.selection_changed,
            session.loader.loading_changed,
        ):
            signal.connect(self._refresh)

    def show_alone(self, is_alone: bool) -> None:
        """Show why there are no steps (`is_alone`), or which part of the text is recorded."""
        self._is_alone = is_alone
        self._refresh()

    def _refresh(self) -> None:
        recording, is_alone = self._recording, self._is_alone
        is_waiting = is_alone and recording.is_busy
        has_choice = not is_waiting and (bool(recording.failure) or not is_alone)
        self.setVisible(is_alone or recording.is_part)
        centre, left = Qt.AlignmentFlag.AlignCenter, Qt.AlignmentFlag.AlignVCenter
        self.message.setAlignment(centre if is_alone else left)
        self.message.setText(self._state() if is_alone else self._part())
        self.bar.setVisible(is_waiting)
        self.bar.show_share(recording.progress)
        self.cancel.setVisible(is_waiting)
        self.everything.setVisible(has_choice)
        cost = recording.cost
        self.everything.setToolTip(f"About {cost.seconds:,.0f} s and {cost.size_bytes / 1e6:,.0f} MB")
        self.selection.setVisible(has_choice and recording.is_long)
        self.part.setVisible(has_choice and recording.is_long and is_alone)
        self.selection.setEnabled(self._session.document.has_selection)

    def _state(self) -> str:
        recording = self._recording
        if recording.is_busy:
            return f"Recording every decision: {percent(recording.progress)}"
        if recording.failure:
            return recording.failure
        if self._session.tokenizer is None and self._session.loader.loading_name is None:
            return "Open a model to see the steps of its tokenizer here."
        return "Preparing …"

    def _part(self) -> str:
        recording, document = self._recording, self._session.document
        part = f"{recording.text_start:,}–{recording.text_end:,}"
        return f"Shown: bytes {part} of {document.size:,}, encoded separately"


class CodeView(ZoomedView):
    """The pseudo-code of the present step; a click on a line toggles breakpoints on its operations."""

    usual = QSize(420, 15 * LINE_PX)

    def __init__(self, model: StepsModel, drawing: DrawingContext) -> None:
        super().__init__("Pseudo-code", drawing)
        self._model = model
        self.setToolTip("Click a line to set a breakpoint on its operation.")
        model.position_changed.connect(self._refresh)
        model.breakpoints_changed.connect(self.update)
        model.trace_changed.connect(self._on_zoom_changed)
        self._on_zoom_changed()

    def present(self) -> tuple[PseudoCode, int]:
        """The lines and the number of the current one, -1 for none."""
        debugger = self._model.debugger
        if debugger is None:
            return STAGES, -1
        if debugger.trace.piece_at(debugger.position) < 0:  # the picture shows the stages
            return code_of(debugger.trace), -1
        return pseudo_code(debugger.trace, debugger.position)

    def _on_zoom_changed(self) -> None:
        """Make room for all lines that this trace can show."""
        debugger = self._model.debugger
        code = STAGES if debugger is None else code_of(debugger.trace)
        self.setMinimumWidth(ceil(2 * INDENT_PX + max(map(text_width, (*STAGES.lines, *code.lines)))))
        self._n_lines = max(len(STAGES.lines), len(code.lines)) + GAP_LINES + MOST_VARIABLES
        self.setMinimumHeight(round(self._n_lines * LINE_PX * self._smallest))
        self._refresh()

    def _refresh(self) -> None:
        code, line = self.present()
        self.setAccessibleDescription(code.lines[line].strip() if line >= 0 else "done")
        self.update()

    def line_rect(self, number: int) -> QRectF:
        """The rectangle of a line, in pixels of the widget."""
        height = LINE_PX * self.scale
        return QRectF(0, number * height, self.width(), height)

    def _line_at(self, point: QPointF) -> int:
        """The line of code at a position; -1 if there is none or it has no operations."""
        code, _ = self.present()
        number = int(point.y() // self.line_rect(0).height())
        return number if 0 <= number < len(code.lines) and code.operations_of(number) else -1

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        code, _ = self.present()
        if event.button() is Qt.MouseButton.LeftButton and (line := self._line_at(event.position())) >= 0:
            self._model.breakpoints.toggle_operations(code.operations_of(line))

    @property
    def scale(self) -> float:
        """As large as leaves room for all code and variables of this trace; the same at all steps."""
        by_height = max(self._smallest, self.height() / (self._n_lines * LINE_PX))
        return min(LARGEST * self._zoom.factor, self.width() / self.minimumWidth(), by_height)

    @property
    def _smallest(self) -> float:
        """Large type does not shrink: the page scrolls instead."""
        zoom = self._zoom.factor
        return zoom if zoom > 1 else SMALLEST * zoom

    def draw(self, canvas: StepCanvas, area: QRectF) -> None:
        debugger, theme = self._model.debugger, canvas.theme
        if debugger is None:
            return
        code, present = self.present()
        breakpoints = self._model.breakpoints.rows
        for number, line in enumerate(code.lines):
            row = QRectF(0, number * LINE_PX, area.width(), LINE_PX)
            if number == present:
                canvas.painter.fillRect(row, blend(theme.raised, theme.accent, 0.26))
                canvas.painter.fillRect(QRectF(0, row.top(), 3, LINE_PX), theme.accent)
            color = theme.text if number == present else theme.dim
            canvas.write(row.adjusted(INDENT_PX, 0, 0, 0), line, color)
            matches = at_operations(breakpoints, code.operations_of(number))
            if matches:
                canvas.breakpoint_dot(QPointF(INDENT_PX / 2 + 1, row.center().y()), matches)
        top = (len(code.lines) + GAP_LINES) * LINE_PX
        _draw_variables(
            canvas, QRectF(INDENT_PX, top, area.width() - INDENT_PX, LINE_PX), variables(debugger)
        )


def _draw_variables(canvas: StepCanvas, row: QRectF, names: list[tuple[str, str, str]]) -> None:
    """Draw three columns; omit the byte ranges if the values leave no room for them."""
    ranges_px = max([RANGES_PX, *(VALUES_PX + text_width(value) + INDENT_PX for _, value, _ in names)])
    has_room = all(ranges_px + text_width(byte_range) <= row.width() for _, _, byte_range in names)
    for name, value, byte_range in names:
        canvas.write(row, name, canvas.theme.dim)
        canvas.write(row.adjusted(VALUES_PX, 0, 0, 0), value)
        if has_room:
            canvas.write(row.adjusted(ranges_px, 0, 0, 0), byte_range, canvas.theme.dim)
        row = row.translated(0, LINE_PX)


def variables(debugger: Debugger) -> list[tuple[str, str, str]]:
    """Name, value and byte range of each operand of the present step."""
    if debugger.position >= debugger.n_steps:
        return []
    columns, step = debugger.trace.columns, debugger.position
    start, end = int(columns.position[step]), int(columns.end[step])
    middle = int(columns.right_position[step])
    ranges = {"left": (start, middle), "right": (middle, end), "result": (start, end)}
    found = []
    for name, (first, last) in ranges.items():
        token_id = int(getattr(columns, name)[step])
        if token_id >= 0 or (name != "result" and middle >= 0):
            text = debugger.describer.label(token_id, first, last)
            number = f" (id {token_id})" if 0 <= token_id < len(debugger.vocabulary) else ""
            found.append((name, f"{text}{number}", f"bytes {first:,}–{last:,}"))
    if (worth := debugger.describer.worth(step)) != "nan":
        found.append((worth_name(debugger), worth, ""))
    return found
