"""The Steps page: a debugger for the tokenization of the text, training, and lessons on both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QSplitter, QStackedWidget, QWidget

from guiapp.core.export.exported_run import ExportedRun
from guiapp.core.export.trace_run import TraceRun
from guiapp.core.export.training_run import TrainingRun
from guiapp.viewmodels.steps.lesson_player import LessonPlayer
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.steps.training import TrainingModel
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.shared.layouts import framed, in_column, in_row
from guiapp.widgets.shared.segments import Segments
from guiapp.widgets.shared.shaped_texts import MonoTexts
from guiapp.widgets.shared.text_zoom import TextZoom
from guiapp.widgets.shared.theme import GAP_PX, MARGIN_PX, TEXT_FONT_PX, ThemeSource
from guiapp.widgets.shared.wrapping_row import scrolling
from guiapp.widgets.steps.drawing import Drawing
from guiapp.widgets.steps.export import ExportBar
from guiapp.widgets.steps.lesson_bar import LessonBar
from guiapp.widgets.steps.lessons import LessonList
from guiapp.widgets.steps.trace_view import TraceView
from guiapp.widgets.steps.training import TrainingStage, TrainingView
from guiapp.widgets.window.actions import Actions
from guiapp.widgets.window.pages import Page, PageSetting

ENCODE, TRAIN, LESSONS = range(3)
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


class StepsPage(Page):
    """Three modes: what the encoder does, what a trainer does, and lessons that lead through both."""

    def __init__(
        self,
        model: StepsModel,
        player: LessonPlayer,
        workspace: Workspace,
        actions: Actions,
        theme_source: ThemeSource,
    ) -> None:
        super().__init__()
        self.model = model
        self.player = player
        self._workspace = workspace
        self._mode = ENCODE
        self._has_lesson = False
        self.modes = Segments(("Encode", "Train", "Lessons"))
        self._zoom = TextZoom(self)
        drawing = Drawing(theme_source, self._zoom, MonoTexts())
        self.lesson_bar = LessonBar(player, actions, drawing)
        self.trace = TraceView(model, workspace, actions, drawing)
        self.training = TrainingView(TrainingModel(parent=self), workspace, actions, drawing)
        self.export = ExportBar(self.shown_run, self.grab, theme_source)
        self.lessons = LessonList(player, self._zoom)
        self.lesson_training = TrainingStage(player.training, actions, drawing)
        self._lesson_part = framed(in_column(self.lesson_bar, margins=(MARGIN_PX, 0)))
        self._stack = QStackedWidget()
        self._lay_out()
        self._connect(actions)
        self._share_breakpoints()
        self.modes.chosen.connect(self._choose)
        self._zoom.stepped.connect(partial(_step_zoom, actions))
        player.changed.connect(self._follow_player)
        self._follow()

    @property
    def panels(self) -> list[QWidget]:
        if self._mode == TRAIN:
            training = self.training
            return [training.stage.scrubber, training.form.algorithm, training.breakpoints.field.line]
        if self._mode == LESSONS and self.player.lesson is None:
            return [self.lessons.first_choice]
        if self._shown_training is not None:
            return [self.lesson_training.scrubber]
        side = self.trace.side
        return [self.trace.timeline, side.breakpoints.field.line, side.watches.field.line]

    @property
    def splitters(self) -> Mapping[str, QSplitter]:
        return {"steps": self.trace, "training": self.training}

    @property
    def is_ready(self) -> bool:
        model = self.model
        if self._mode == TRAIN:
            return not self.training.is_busy
        if model.debugger is None:
            return model.recording.cost is not None or bool(model.recording.failure)
        return self.player.is_ready and model.race.is_ready

    def begin(self, rival: str, lesson: str) -> None:
        """Begin a race, and a lesson at a step of it ("name:3"), where they are not empty."""
        if lesson:
            name, _, number = lesson.partition(":")
            self.player.begin(name, max(0, int(number or 1) - 1))
        if rival:
            self.model.race.choose(rival)

    def begin_training(self, wish: str) -> None:
        """Train what a word says, such as "bpe:300", and show what there is after step k with "bpe:300:k"."""
        if wish:
            self.modes.choose(TRAIN)
            self.training.begin(wish)

    def stop_at(self, place: str) -> None:
        """Set a breakpoint and run to its first hit, where it is not empty."""
        if place:
            self.model.restart()
            self.model.breakpoints.add(place)
            self.model.run()

    def stop(self) -> None:
        self.model.stop()
        self.training.stop()
        self.player.stop()
        self.export.stop()

    def set_text_size(self, size_px: int) -> None:
        """Show what a lecture room should read as much larger as the text elsewhere."""
        self._zoom.set_factor(size_px / TEXT_FONT_PX)

    def showEvent(self, event: QEvent) -> None:
        self.model.watch(True)

    def hideEvent(self, event: QEvent) -> None:
        self.model.watch(False)

    def _lay_out(self) -> None:
        lesson_training = framed(
            in_column(self.lesson_training, margins=(MARGIN_PX, 0, MARGIN_PX, MARGIN_PX))
        )
        for shown in (
            self.trace,
            self.training,
            self.lessons,
            scrolling(lesson_training, 0),
        ):
            self._stack.addWidget(shown)
        head = in_row((self.modes, 1), self.trace.boxes)
        in_column(head, self.export, self._lesson_part, (self._stack, 1), on=self, margins=(0, GAP_PX, 0, 0))
        self.setFocusProxy(self.trace.timeline)

    def _connect(self, actions: Actions) -> None:
        model = self.model
        for name, move in WALKS.items():
            actions[name].triggered.connect(partial(self._move, move))
        slots: dict[str, Callable[[], object]] = {
            "debug_caret": model.to_caret,
            "debug_copy": self.export.copy_markdown,
            "debug_copy_json": self.export.copy_json,
            "debug_save": self.export.ask_and_save,
        }
        for name, slot in slots.items():
            actions[name].triggered.connect(slot)
        for view, breakpoints in (
            (self.trace, model.breakpoints),
            (self.training, self.training.model.breakpoints),
        ):
            for keys, change in (("Ctrl+Z", breakpoints.undo), ("Ctrl+Shift+Z", breakpoints.redo)):
                shortcut = QShortcut(QKeySequence(keys), view)
                shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
                shortcut.activated.connect(change)

    def _share_breakpoints(self) -> None:
        """Those of trainings are remembered with the others."""
        breakpoints = self.training.model.breakpoints
        breakpoints.fit(self.model.training_breakpoints)
        breakpoints.changed.connect(self._keep_breakpoints)

    def _keep_breakpoints(self) -> None:
        self.model.keep_training_breakpoints(self.training.model.breakpoints.rows)

    def _move(self, move: Callable[[StepsModel | TrainingModel], None]) -> None:
        """Move through what is shown."""
        move(self._shown_training or self.model)

    @property
    def _shown_training(self) -> TrainingModel | None:
        """The training in sight."""
        if self._mode == TRAIN:
            return self.training.model
        step = self.player.step
        return self.player.training if self._mode == LESSONS and step is not None and step.train else None

    def shown_run(self) -> ExportedRun | None:
        """What of the page can be copied and saved."""
        training = self._shown_training
        if training is not None:
            return None if training.record is None else TrainingRun(training.record, training.position)
        return None if self.model.debugger is None else TraceRun(self.model.debugger)

    def _choose(self, mode: int) -> None:
        self._mode = mode
        if mode == LESSONS:
            self.lessons.fill()
        self._follow()
        if mode == LESSONS and QApplication.focusWidget() not in self.modes.findChildren(QWidget):
            self._take_focus()

    def _follow_player(self) -> None:
        """A lesson that begins is shown."""
        has_lesson, self._has_lesson = self._has_lesson, self.player.lesson is not None
        if self._has_lesson and not has_lesson:
            self.modes.choose(LESSONS)
        self._follow()
        if self._has_lesson or has_lesson:
            self._take_focus()

    def _take_focus(self) -> None:
        """Let keys go on with the lessons: in a lesson the arrow keys step, in the list Return begins one."""
        if not self.isVisible():
            return
        if self.player.lesson is None:
            self.lessons.offer()
        else:
            self.panels[0].setFocus()

    def _follow(self) -> None:
        step = self.player.step
        is_lesson = self._mode == LESSONS and step is not None
        self._lesson_part.setVisible(is_lesson)
        if self._mode == TRAIN:
            self._stack.setCurrentIndex(1)
        elif self._mode == LESSONS and step is None:
            self._stack.setCurrentIndex(2)
        else:
            self._stack.setCurrentIndex(0 if self._shown_training is None else 3)
        self.trace.boxes.setVisible(self._stack.currentWidget() is self.trace)


def _step_zoom(actions: Actions, steps: int) -> None:
    actions["zoom_in" if steps > 0 else "zoom_out"].trigger()


def make_page(setting: PageSetting) -> StepsPage:
    model = StepsModel(setting.workspace, setting.settings)
    player = LessonPlayer(setting.workspace, model, setting.settings)
    return StepsPage(model, player, setting.workspace, setting.actions, setting.theme_source)
