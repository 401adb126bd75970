"""Takes the program through a lesson: its models and texts, the places in their traces, the answers."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from PySide6.QtCore import QObject, Signal

from guiapp.core.editing.options import Options
from guiapp.core.lessons.lesson import Lesson, LessonError, LessonStep, go_to_place, load_each
from guiapp.core.system.outside_json import read_json
from guiapp.viewmodels.models.loader import OpenModel
from guiapp.viewmodels.settings import Settings
from guiapp.viewmodels.steps.model import StepsModel
from guiapp.viewmodels.steps.training import TrainingModel, TrainingWish
from guiapp.viewmodels.workspace import Workspace

MOST_TOKENS = 100_000  # more than any text of a lesson needs


@dataclass(frozen=True, eq=False)
class Scene:
    """What the window showed before a lesson."""

    text: bytes
    model: OpenModel | None
    options: Options
    rival: str


class LessonPlayer(QObject):
    """The lesson under way, if there is one.

    Signals:
        changed(): `lesson`, `step` or `is_revealed` is new.
    """

    changed = Signal()

    def __init__(
        self, workspace: Workspace, steps: StepsModel, settings: Settings, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._steps = steps
        self._settings = settings
        self._before: Scene | None = None
        self._returning_to: OpenModel | None = None
        self.training = TrainingModel(parent=self)
        self.lesson: Lesson | None = None
        self.number = 0
        self.is_revealed = False
        steps.trace_changed.connect(self._go_to_place)

    @cached_property
    def _found(self) -> tuple[list[Lesson], list[str]]:
        return load_each()

    @property
    def lessons(self) -> list[Lesson]:
        """All lessons whose files can be used."""
        return self._found[0]

    @property
    def failures(self) -> list[str]:
        """What is wrong with the other files, to show as it stands."""
        return self._found[1]

    def reached(self, lesson: Lesson) -> int:
        """The step to resume at, 0 for the start."""
        number = self._progress().get(lesson.name, 0)
        return number if 0 <= number < len(lesson.steps) - 1 else 0

    @property
    def suggested(self) -> Lesson | None:
        """The lesson to go on with: the one begun last, or the one behind it where that was finished."""
        if not self.lessons:
            return None
        name, number = next(reversed(self._progress().items()), ("", 0))
        at = next((at for at, lesson in enumerate(self.lessons) if lesson.name == name), 0)
        is_finished = name == self.lessons[at].name and number >= len(self.lessons[at].steps) - 1
        return self.lessons[(at + 1) % len(self.lessons) if is_finished else at]

    @property
    def step(self) -> LessonStep | None:
        return None if self.lesson is None else self.lesson.steps[self.number]

    @property
    def is_ready(self) -> bool:
        """Whether the program is where the present step wants it."""
        step = self.step
        if step is None:
            return True
        if step.train:
            return not self.training.is_busy
        return self._steps.recording.is_settled and self._is_recorded(step)

    def begin(self, name: str, number: int | None = None) -> None:
        """Start a lesson at a step, or where it was left the last time; LessonError if there is none."""
        lesson = next((lesson for lesson in self.lessons if lesson.name == name), None)
        if lesson is None:
            names = ", ".join(lesson.name for lesson in self.lessons)
            raise LessonError(f"There is no lesson “{name}”. There are: {names}.")
        if self.lesson is None:
            workspace = self._workspace
            rival = self._steps.race.encoder
            self._before = Scene(workspace.document.text(), self._own_model(), workspace.options, rival)
            self._steps.race.choose("")
        self.lesson = lesson
        self._show(self.reached(lesson) if number is None else min(number, len(lesson.steps) - 1))

    def _own_model(self) -> OpenModel | None:
        """The model to come back to: while the one from before the last lesson is still opened, that one."""
        loader, before = self._workspace.loader, self._returning_to
        return before if before is not None and loader.loading_name == before.name else loader.model

    def go_on(self) -> None:
        """The next step; behind the last one the lesson is over."""
        if self.lesson is None:
            return
        if self.number + 1 < len(self.lesson.steps):
            self._show(self.number + 1)
        else:
            self.leave()

    def go_back(self) -> None:
        if self.lesson is not None and self.number > 0:
            self._show(self.number - 1)

    def reveal(self) -> None:
        """Show the answer."""
        if self.step is not None and self.step.ask and not self.is_revealed:
            self.is_revealed = True
            self.changed.emit()

    def leave(self) -> None:
        """End the lesson, and bring back the text, the model and the options from before it."""
        before = self._before
        if self.lesson is None or before is None:
            return
        self.lesson = self._before = None
        workspace = self._workspace
        workspace.show_text(before.text)
        self._return_to(before.model)
        workspace.set_parse_special(before.options.parse_special)
        workspace.set_encoder(before.options.encoder)
        self._steps.race.choose(before.rival)
        self.changed.emit()

    def _return_to(self, model: OpenModel | None) -> None:
        loader = self._workspace.loader
        self._returning_to = model
        if model is not None and loader.model is not model:
            loader.open(model.name, model.tokenizer.vocabulary.chosen_pre or None)
        else:
            loader.cancel()  # the lesson's

    def _show(self, number: int) -> None:
        self.number, self.is_revealed = number, False
        self._keep()
        step = self.step
        assert step is not None
        if step.train:
            wish = TrainingWish(step.train, step.text.encode(), MOST_TOKENS, has_end_marks=True)
            self.training.show(wish, step.merges)
        else:
            self._set_scene(step)
        self.changed.emit()

    def _set_scene(self, step: LessonStep) -> None:
        workspace, loader = self._workspace, self._workspace.loader
        opened = None if loader.model is None else loader.model.name
        if (loader.loading_name or opened) != step.model:
            loader.open(step.model)
        if workspace.document.text() != step.text.encode():
            workspace.show_text(step.text.encode())
        workspace.set_parse_special(step.parse_special)
        if step.encoder != (workspace.options.encoder or ""):
            workspace.set_encoder(step.encoder or None)
        self._go_to_place()

    def _go_to_place(self) -> None:
        """Go to the step's place once its text is recorded with its encoder."""
        step, debugger = self.step, self._steps.debugger
        if step is None or step.train or debugger is None or not self._is_recorded(step):
            return
        go_to_place(debugger, step.place)
        self._steps.refresh()

    def _is_recorded(self, step: LessonStep) -> bool:
        """Whether the trace is that of the step's text, model and encoder."""
        debugger = self._steps.debugger
        if debugger is None or debugger.trace.text != step.text.encode():
            return False
        path = debugger.vocabulary.path
        if path is None or path.stem != step.model.removeprefix("demo:"):
            return False
        return not step.encoder or debugger.trace.encoder == step.encoder

    def stop(self) -> None:
        """End all work in the background."""
        self.training.stop()

    def _progress(self) -> dict[str, int]:
        try:
            progress = read_json(self._settings.lessons or "{}")
        except ValueError:
            return {}
        return progress if isinstance(progress, dict) else {}

    def _keep(self) -> None:
        assert self.lesson is not None
        progress = self._progress()
        progress.pop(self.lesson.name, None)  # the one begun last is the last
        self._settings.lessons = json.dumps({**progress, self.lesson.name: self.number})
