"""The Steps page: a debugger for the tokenization of the text, training, and lessons on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QKeySequence, QPainter, QPen, QShortcut
from PySide6.QtWidgets import QApplication, QMessageBox, QSplitter, QStackedWidget, QWidget

from guiapp.analysis.export.exported_run import ExportedRun
from guiapp.analysis.export.runs import TraceRun, TrainingRun, write_apart
from guiapp.analysis.sessions.session_file import SessionFile
from guiapp.analysis.trace.breakpoints import Breakpoint
from guiapp.analysis.trace.trace import StepKey
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.session.model_session import ComparedModels, ModelSession
from guiapp.kit.spans.legend import Draw, LegendEntry, line, ringed, token
from guiapp.kit.spans.token_menu import TokenMenu
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.controls import SegmentedTabs, tool_button
from guiapp.kit.widgets.event_filters import TextZoom
from guiapp.kit.widgets.file_dialogs import ask_to_save, with_ending
from guiapp.kit.widgets.layouts import WrappingRow, framed, in_column, in_row, scrolling
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.notices import announce, copy_text
from guiapp.kit.widgets.page_base import Actions, Page, PageSetting, UndoSteps
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, SMALL_FONT_PX, TEXT_FONT_PX, Theme, ThemeSource
from guiapp.pages.steps.canvas import CENTER, CandidateStatus, StepCanvas
from guiapp.pages.steps.cards import DrawingContext
from guiapp.pages.steps.flow import Edge
from guiapp.pages.steps.lesson_player import LessonPlayer
from guiapp.pages.steps.lessons import OWN_TEXT, AddedStepBar, LessonBar, LessonList
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.pictures import draw_arc
from guiapp.pages.steps.side import InputPanel
from guiapp.pages.steps.timeline import paint_fork
from guiapp.pages.steps.trace_view import HINT, TraceView
from guiapp.pages.steps.training_view import TrainingStage, TrainingView
from guiapp.pages.steps.walk_model import TrainingModel

ENCODE, TRAIN, LESSONS = range(3)
PRESENTED_SHARE, RACE_SHARE = 0.9, 0.8  # of a presentation's type size, so that all parts are visible
FORMATS = {
    ".html": "Page to step through in a browser, or to print (*.html)",
    ".json": "JSON (*.json)",
    ".svg": "Drawing (*.svg)",
}
ON_KEYS = ("Space", "Right", "Down", "PgDown", "Return", "Enter")
BACK_KEYS = ("Backspace", "Left", "Up", "PgUp")
ONCE_KEYS = ("Space", "Return", "Enter", "Backspace")
"""Keys that do not repeat while held down; arrow keys do."""

WALKS: dict[str, Callable[[StepsModel | TrainingModel], None]] = {
    "debug_run": lambda walk: walk.run(),
    "debug_reverse": lambda walk: walk.reverse(),
    "debug_step": lambda walk: walk.step(),
    "debug_back": lambda walk: walk.back(),
    "debug_into": lambda walk: walk.into(),
    "debug_over": lambda walk: walk.over(),
    "debug_back_over": lambda walk: walk.back_over(),
    "debug_out": lambda walk: walk.out(),
    "debug_restart": lambda walk: walk.restart(),
    "debug_end": lambda walk: walk.to_end(),
    "debug_play": lambda walk: walk.toggle_play(),
    "debug_breakpoint": lambda walk: walk.toggle_breakpoint(),
}


def _status(status: CandidateStatus) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        canvas, is_winner = StepCanvas(painter, theme), status is CandidateStatus.WINNER
        canvas.status_box(box, status)
        is_out, color = status is CandidateStatus.OUT, status.text(theme)
        canvas.write(box, "on", color, CENTER, SMALL_FONT_PX, is_bold=is_winner, is_struck=is_out)
        if is_winner:
            canvas.badge(box.topLeft() + QPointF(box.height() / 2, box.height() / 2))

    return draw


def _arc(kind: str, is_left: bool = False) -> Draw:
    def draw(painter: QPainter, theme: Theme, box: QRectF) -> None:
        start, end = box.bottomLeft() + QPointF(6, 0), box.bottomRight() - QPointF(6, 0)
        draw_arc(StepCanvas(painter, theme), Edge(0, 1, "", kind, is_left), start, end, box.height())

    return draw


def _breakpoint(**values: Any) -> Draw:
    matches = [Breakpoint("byte", "0", **values)]
    return lambda painter, theme, box: StepCanvas(painter, theme).breakpoint_dot(box.center(), matches)


LEGEND = (
    LegendEntry(token("word", ringed(lambda theme: QPen(theme.accent, 2))), "Token of this step"),
    LegendEntry(
        token("word", ringed(lambda theme: QPen(theme.accent, 2, Qt.PenStyle.DashLine))),
        "Text of this step, not a token yet",
    ),
    LegendEntry(_status(CandidateStatus.WINNER), "Wins this step"),
    LegendEntry(_status(CandidateStatus.NOW), "Examined, not taken"),
    LegendEntry(_status(CandidateStatus.OUT), "Stale or dropped"),
    LegendEntry(_arc("way"), "Last token of the best path to a position"),
    LegendEntry(_arc("now"), "The token of this step, on the first pass"),
    LegendEntry(_arc("worse"), "The same, but a better path is known"),
    LegendEntry(_arc("chosen", is_left=True), "Chosen: the best path is read from end to start"),
    LegendEntry(
        lambda painter, theme, box: paint_fork(painter, theme, box.center()),
        "In the timeline of a race: the current difference; lines: all differences",
    ),
    LegendEntry(
        line(lambda theme: QPen(theme.warning, 2, Qt.PenStyle.DotLine), is_upright=True),
        "Tokens of a race differ from here on",
    ),
    LegendEntry(_breakpoint(), "Breakpoint, and where it stops a run"),
    LegendEntry(_breakpoint(is_enabled=False), "Breakpoint that is turned off"),
    LegendEntry(_breakpoint(log="…"), "Breakpoint that only writes a message"),
)


class StepsPage(Page):
    """Three modes: the steps of an encoder, the steps of a trainer, and lessons on both.

    A lesson leaves the user's open text and model alone; it ends when the user opens another one while the
    lesson is visible.
    """

    legend = {"In the steps": LEGEND, **Page.legend}

    def __init__(
        self,
        model: StepsModel,
        player: LessonPlayer,
        compared: ComparedModels,
        actions: Actions,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        self.model = model
        self._is_presented = False
        self._text_px = TEXT_FONT_PX
        self.player = player
        session = self._session = compared.sessions[0]
        self._actions = actions
        self._mode = ENCODE
        self._has_lesson = False
        self._presented_keys: list[QShortcut] = []
        self.modes = SegmentedTabs(("Encode", "Train", "Lessons"))
        self._zoom = TextZoom(self)
        self._controls = TextZoom(self)
        drawing = self._drawing = DrawingContext(theme_source, self._zoom, self._controls)
        self.lesson_bar = LessonBar(player, actions, drawing)
        self.input = InputPanel(session, actions, drawing.of_controls)
        self.trace = TraceView(model, session, actions, drawing, self.input)
        training = TrainingModel(spelling=session.spelling, parent=self)
        self.training = TrainingView(training, compared, actions, drawing)
        self.export = ExportBar(self.shown_run, theme_source)
        self.lessons = LessonList(player, self._zoom, self.present)
        self.added = AddedStepBar(self.lessons)
        self.lesson_training = TrainingStage(player.training, actions, drawing)
        self._lesson_part = framed(in_column(self.lesson_bar, margins=(MARGIN_PX, 0)))
        self._stack = QStackedWidget()
        self._build_layout()
        self._connect(actions)
        self._share_breakpoints()
        session.text.left.connect(self._show_opened)
        session.loader.loading_changed.connect(self._on_loading_changed)
        self.modes.chosen.connect(self._choose)
        self._zoom.stepped.connect(partial(_step_zoom, actions))
        player.changed.connect(self._on_player_changed)
        for steps in (model, player.steps):
            steps.race.changed.connect(self._fit_zoom)
        self._refresh()

    @property
    def panels(self) -> list[QWidget]:
        if self._mode == TRAIN:
            training = self.training
            return [training.stage.scrubber, training.form.algorithm, training.breakpoints.field.line]
        if self._mode == LESSONS and self.player.lesson is None:
            return [self.lessons.first_choice]
        if self._is_covered:
            return [self.lesson_bar.buttons["lesson_reveal"]]
        if isinstance(self._shown, TrainingModel):
            return [self.lesson_training.scrubber]
        trace = self.trace if self._mode == ENCODE else self.lesson_trace
        text = [self.input.editor] if trace is self.trace else []
        side = trace.side
        lines = [] if side.is_brief else [side.breakpoints.field.line, side.watches.field.line]
        return [trace.timeline, *text, *lines]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"steps": self.trace, "training": self.training}

    @property
    def is_ready(self) -> bool:
        model = self.model
        if self._mode == TRAIN:
            return not self.training.model.is_busy
        if self._mode == LESSONS:
            return self.player.is_ready and self.player.steps.race.is_ready
        if model.debugger is None:
            return bool(model.recording.failure)
        return model.race.is_ready

    @property
    def undo_steps(self) -> UndoSteps:
        return UndoSteps(partial(self._take_back, "undo"), partial(self._take_back, "redo"))

    def _take_back(self, name: str) -> None:
        """Undo or redo a change of breakpoints; or of the text, if it has focus or no breakpoint changed."""
        shown, editor = self._shown, self.input.editor
        has_changed = shown is not None and getattr(shown.breakpoints, f"can_{name}")
        if self._mode == ENCODE and (editor.hasFocus() or not has_changed):
            getattr(editor, name)()
        elif shown is not None:
            getattr(shown.breakpoints, name)()

    @property
    def lesson_setting(self) -> str:
        step = self.player.step if self._mode == LESSONS else None
        return "" if step is None else step.setting

    @property
    def figures(self) -> list[str] | None:
        return ["Lesson", OWN_TEXT] if self.lesson_setting else None

    def begin(self, competitor: str, lesson: str) -> None:
        """Begin a race, and a lesson at one of its steps ("name:3"); "" for none."""
        if lesson:
            name, _, number = lesson.partition(":")
            self.player.begin(name, max(0, int(number or 1) - 1))
        if competitor and isinstance(self._shown, StepsModel):
            self._shown.race.choose(competitor)

    def race_with(self, competitor: ModelSession, offset: int | None = None) -> None:
        """Show where the model and another one begin to differ, from byte `offset` of the text on."""
        self.modes.choose(ENCODE)
        self.model.race_with(competitor, offset)

    def show_lessons(self) -> None:
        self.modes.choose(LESSONS)

    def present(self) -> None:
        self._actions["present"].setChecked(True)

    def present_lesson(self) -> None:
        self.show_lessons()
        self.present()

    def set_presented(self, is_presented: bool) -> None:
        """Show only what an audience reads, and let the keys of remote controls step."""
        self._is_presented = is_presented
        suggested = self.player.suggested
        if is_presented and self._shown is None and self.isVisible() and suggested is not None:
            self.player.begin(suggested.name)
        if self._shown is not None:
            self._shown.clock.pause()
        self._refresh()

    def _add_keys(self, actions: Actions) -> None:
        slots = dict.fromkeys(ON_KEYS, self._go_on) | dict.fromkeys(BACK_KEYS, self._go_back)
        names = {"Home": "debug_restart", "End": "debug_end", "P": "debug_play"}
        for key, slot in (slots | {key: actions[name].trigger for key, name in names.items()}).items():
            shortcut = QShortcut(QKeySequence(key), self)
            shortcut.activated.connect(slot)
            shortcut.setAutoRepeat(key not in ONCE_KEYS)
            self._presented_keys.append(shortcut)

    def _go_on(self) -> None:
        """Make one step; in a lesson, reveal the answer, or go to the next step if there is one."""
        player = self.player
        if self._mode != LESSONS:
            self._move(WALKS["debug_step"])
        elif player.step is not None and player.step.ask and not player.is_revealed:
            player.reveal()
        else:
            player.go_to(player.number + 1)

    def _go_back(self) -> None:
        if self._mode == LESSONS:
            self.player.go_back()
        else:
            self._move(WALKS["debug_back"])

    def begin_training(self, wish: str) -> None:
        """Train as specified by a word such as "bpe:300", or "bpe:300:k" to show step k; "" for nothing."""
        if wish:
            self.modes.choose(TRAIN)
            self.training.begin(wish)

    def stop_at(self, text: str) -> None:
        """Set a breakpoint and run to its first hit; "" for none."""
        model = self._shown
        if text and isinstance(model, StepsModel):
            model.restart()
            model.breakpoints.add(text)
            model.run()

    def resume(self, left: SessionFile) -> None:
        self.modes.choose(ENCODE)
        self.model.resume(left)

    def stop_where_formed(self, token_id: int, offset: int) -> None:
        """Stop where the token at a byte of the text is formed, once the steps are recorded."""
        self.modes.choose(ENCODE)
        self.model.stop_where_formed(token_id, offset)

    def go_where(self, step_key: StepKey) -> None:
        """Show a step of the encoder over bytes of the text, once the steps are recorded."""
        self.modes.choose(ENCODE)
        self.model.go_where(step_key)

    def stop(self) -> None:
        self.model.stop()
        self.training.stop()
        self.player.stop()
        self.lessons.stop()
        self.export.stop()

    def set_text_size(self, size_px: int) -> None:
        """Enlarge what a lecture room should read by the same factor as the text of other pages."""
        self._text_px = size_px
        self._fit_zoom()

    def _fit_zoom(self) -> None:
        """Fit the type; a presented race has room for both encoders."""
        has_two = isinstance(self._shown, StepsModel) and self._shown.race.is_on
        share = (RACE_SHARE if has_two else PRESENTED_SHARE) if self._is_presented else 1
        factor = self._text_px / TEXT_FONT_PX * share
        self._zoom.set_factor(factor)
        self._controls.set_factor(factor if self._is_presented else 1)

    def _build_layout(self) -> None:
        lesson_training = framed(
            in_column(self.lesson_training, margins=(MARGIN_PX, 0, MARGIN_PX, MARGIN_PX))
        )
        self._lesson_training_area = scrolling(lesson_training, 0)
        for shown in (self.trace, self.training, self.lessons, self._lesson_training_area):
            self._stack.addWidget(shown)
        action = self._actions["present"]
        tip = f"Show full screen, in large type ({action.shortcut().toString()}); Esc leaves"
        self.present_button = tool_button("Present", action.trigger, role="quiet", tip=tip)
        add = self._actions["lesson_add"].trigger
        self.add_button = tool_button("Add to lesson…", add, role="quiet", tip="Add this step to a lesson")
        self._head = in_row(self.add_button, self.present_button, self.trace.boxes)
        head = WrappingRow([self.modes], framed(self._head))
        parts = head, self.export, self.added, self._lesson_part, (self._stack, 1)
        in_column(*parts, on=self, margins=(0, GAP_PX, 0, 0))

    @cached_property
    def lesson_trace(self) -> TraceView:
        """The view of encoders in lessons; made when first needed, as that takes a while."""
        player = self.player
        trace = TraceView(player.steps, player.session, self._actions, self._drawing)
        trace.restoreState(self.trace.saveState())
        self._stack.addWidget(trace)
        self._head.addWidget(trace.boxes)
        return trace

    def _connect(self, actions: Actions) -> None:
        for name, move in WALKS.items():
            actions[name].triggered.connect(partial(self._move, move))
        slots: dict[str, Callable[[], object]] = {
            "lesson_present": self.present_lesson,
            "debug_caret": self._to_caret,
            "race_parting": self._to_difference,
            "debug_copy": self.export.copy_json,
            "debug_save": self.export.ask_and_save,
            "lesson_copy": self._copy_lesson,
            "lesson_add": self._add_to_lesson,
        }
        for name, slot in slots.items():
            actions[name].triggered.connect(slot)
        self._add_keys(actions)

    def _share_breakpoints(self) -> None:
        breakpoints = self.training.model.breakpoints
        breakpoints.fit(self.model.training_breakpoints)
        breakpoints.changed.connect(self._keep_breakpoints)

    def _keep_breakpoints(self) -> None:
        self.model.keep_training_breakpoints(self.training.model.breakpoints.rows)

    def _move(self, move: Callable[[StepsModel | TrainingModel], None]) -> None:
        if self._is_covered:
            announce(self, HINT)
        elif (shown := self._shown) is not None:
            move(shown)

    def _copy_lesson(self) -> None:
        if self._mode == LESSONS and self.player.lesson is not None:
            self.lessons.ask_and_save(self.player.lesson)

    def _add_to_lesson(self) -> None:
        """Add the visible step, also of a lesson; steps of trainings must be written by hand."""
        shown, session = self._shown, self._session if self._mode == ENCODE else self.player.session
        model = session.loader.model
        if isinstance(shown, StepsModel) and shown.debugger is not None and model is not None:
            self.added.ask_and_add(shown.debugger, model.name, session.options.parse_special)
        else:
            self.added.show_message("Only steps of an encoder can be added. Choose Encode and step to one.")

    def _to_caret(self) -> None:
        """Go to the caret; only the user's own text has one, not lessons."""
        if self._mode == ENCODE:
            self.model.to_caret()

    def _to_difference(self) -> None:
        if isinstance(shown := self._shown, StepsModel) and not self._is_covered:
            shown.to_difference()

    @property
    def _is_covered(self) -> bool:
        return self._mode == LESSONS and self.player.is_covered

    @property
    def _shown(self) -> StepsModel | TrainingModel | None:
        """The visible encoding or training; None in the list of lessons."""
        if self._mode == ENCODE:
            return self.model
        if self._mode == TRAIN:
            return self.training.model
        step, player = self.player.step, self.player
        if step is None:
            return None
        return player.training if step.train else player.steps

    def shown_run(self) -> ExportedRun | None:
        shown = self._shown
        if isinstance(shown, TrainingModel):
            return None if shown.record is None else TrainingRun(shown.record, shown.position)
        return None if shown is None or shown.debugger is None else TraceRun(shown.debugger)

    def _on_loading_changed(self) -> None:
        if self._session.loader.loading_name is not None:
            self._show_opened()

    def _show_opened(self) -> None:
        """Leave a visible lesson, as the user has opened another model or text."""
        if self._mode == LESSONS and self.player.lesson is not None and self.isVisible():
            self.modes.choose(ENCODE)
            self.player.leave()

    def _choose(self, mode: int) -> None:
        self._mode = mode
        self._refresh()
        if mode == LESSONS and QApplication.focusWidget() not in self.modes.findChildren(QWidget):
            self._take_focus()

    def _on_player_changed(self) -> None:
        has_lesson, self._has_lesson = self._has_lesson, self.player.lesson is not None
        if self._has_lesson and not has_lesson:
            self.modes.choose(LESSONS)
        self._refresh()
        if has_lesson and not self._has_lesson and self._is_presented:
            self._actions["present"].setChecked(False)
        if self._has_lesson or has_lesson:
            self._take_focus()

    def _take_focus(self) -> None:
        """Focus the part that takes keys: in a lesson arrow keys step, in the list Return begins one."""
        if not self.isVisible():
            return
        if self._stack.currentWidget() is self.lessons:
            self.lessons.offer()
        else:
            self.panels[0].setFocus()

    def _refresh(self) -> None:
        view = self._view()
        if view is self.lessons:
            self.lessons.fill()
        elif self._mode == LESSONS and isinstance(view, TraceView):
            view.set_covered(self.player.is_covered)
            view.set_plain(self.player.step is not None and not self.player.step.encoder)
        self.lesson_training.set_covered(self.player.is_covered)
        self._lesson_part.setVisible(self._mode == LESSONS and self.player.lesson is not None)
        self._stack.setCurrentWidget(view)
        self._fit_zoom()
        is_bare = self._is_presented
        self.modes.setHidden(is_bare)
        self.present_button.setHidden(is_bare or self._mode == LESSONS)  # each lesson has its own
        self.add_button.setHidden(is_bare or self._mode != ENCODE)
        self.lesson_bar.present_button.setHidden(is_bare)
        for trace in self._stack.findChildren(TraceView, options=Qt.FindChildOption.FindDirectChildrenOnly):
            trace.boxes.setVisible(trace is view and not is_bare)
            trace.set_presented(is_bare, has_buttons=trace is self.trace)
        self.training.set_presented(is_bare)
        for key in self.lesson_bar.keys:
            key.setEnabled(not is_bare)
        for shortcut in self._presented_keys:
            shortcut.setEnabled(is_bare and self._shown is not None)
        self.setFocusProxy(self.panels[0])
        self.figures_changed.emit()

    def _view(self) -> QWidget:
        if self._mode != LESSONS:
            return self.trace if self._mode == ENCODE else self.training
        step = self.player.step
        if step is None:
            return self.lessons
        return self._lesson_training_area if step.train else self.lesson_trace


class ExportBar(SavingBar):
    """Shows the progress and the outcome of saving steps.

    `run` returns the run that is on the page.
    """

    def __init__(self, run: Callable[[], ExportedRun | None], theme_source: ThemeSource) -> None:
        self.saving = FileSaving()
        super().__init__(self.saving, theme_source)
        self.saving.setParent(self)
        self._run = run

    def copy_json(self) -> None:
        if (run := self._run()) is not None:
            copy_text(self, run.step_json(), "the step as JSON")

    def ask_and_save(self) -> None:
        run = self._run()
        if run is None or (path := ask_to_save(self, "Save steps", "steps.html", FORMATS)) is None:
            return
        choices = run.choices(path.suffix.lower())
        if (title := choose_steps(self, choices)) is not None:
            self.save(path, choices[title])

    def save(self, path: Path, steps: range | None = None) -> None:
        """Save all or some steps, in the format of the file's extension."""
        if (run := self._run()) is not None:
            written = run.steps if steps is None else steps
            self.saving.write(partial(write_apart, run, with_ending(path, FORMATS), written))

    def stop(self) -> None:
        self.saving.close()


def choose_steps(parent: QWidget, choices: Mapping[str, range]) -> str | None:
    """Ask which part of the run to save; None if cancelled."""
    box = QMessageBox(QMessageBox.Icon.Question, "Save steps", "Which steps should be saved?", parent=parent)
    buttons = {
        box.addButton(f"{title}: {counted(len(steps), 'step')}", QMessageBox.ButtonRole.AcceptRole): title
        for title, steps in choices.items()
    }
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.exec()
    box.deleteLater()
    return next((title for button, title in buttons.items() if button is box.clickedButton()), None)


def _step_zoom(actions: Actions, steps: int) -> None:
    actions["zoom_in" if steps > 0 else "zoom_out"].trigger()


def make_page(setting: PageSetting) -> StepsPage:
    model = StepsModel(setting.session, setting.settings)
    player = LessonPlayer(setting.settings)
    page = StepsPage(model, player, setting.compared, setting.actions, setting.theme_source)
    TokenMenu(page.input.editor, setting.session, setting.requests)
    return page
