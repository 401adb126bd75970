"""Plays a lesson: its models and texts, the positions in their traces, the answers.

Lessons have their own session and debugger, so they leave the user's open text and model alone.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.lessons.lesson import (
    MOST_TRAINED_TOKENS,
    Lesson,
    LessonStep,
    computed_answer,
    go_to_position,
    load,
    load_all,
    load_each,
    training_answer,
)
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.sources.locate import cached_name, is_another, is_cached, is_fetched
from guiapp.core.text.numbers_in_words import quoted
from guiapp.errors import TokenloupeError
from guiapp.kit.session.loader import OpenModel
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.state.settings import Settings
from guiapp.pages.steps.lesson_progress import LessonProgress, is_lesson_path
from guiapp.pages.steps.model import StepsModel
from guiapp.pages.steps.recording import TraceRecorder
from guiapp.pages.steps.walk_model import TrainingModel, TrainingWish


class LessonPlayer(QObject):
    """The current lesson, if there is one.

    session, steps, training  used by lessons only
    note                      why the lesson's text may not match its steps, "" for none

    Signals:
        changed(): `lesson`, `step`, `is_revealed`, `failure` or `note` is new.
    """

    changed = Signal()

    def __init__(self, settings: Settings, recorder: TraceRecorder | None = None) -> None:
        super().__init__()
        self._progress = LessonProgress(settings)
        self.session = ModelSession(TextSession(), spelling=settings.spelling)
        self.steps = StepsModel(self.session, recorder=recorder, parent=self)
        self.training = TrainingModel(spelling=settings.spelling, parent=self)
        self.lesson: Lesson | None = None
        self.number = 0
        self.is_revealed = False
        self.failure = ""
        self.note = ""
        self._pre = ""
        self._allowed: set[str] = set()  # models that the user allowed to fetch
        self._comparing = LatestJob[str](self, self._show_note, self._show_note)
        self.steps.trace_changed.connect(self._go_to_position)
        self.session.loader.failed.connect(self._fail)
        self.session.loader.refused_changed.connect(self._on_refused_changed)
        self.session.loader.model_changed.connect(self._check_encoder)
        self.session.loader.model_changed.connect(self._compare_file)

    @cached_property
    def _loaded(self) -> tuple[list[Lesson], list[str]]:
        ours, failures = load_each()
        known = [Path(name) for name in reversed(self._progress.numbers) if is_lesson_path(name)]
        theirs, more = load_all(path for path in known if path.is_file())
        return ours + theirs, failures + more

    @property
    def lessons(self) -> list[Lesson]:
        """All valid lessons: the built-in ones, then the user's own, newest first."""
        return self._loaded[0]

    @property
    def failures(self) -> list[str]:
        """Messages about invalid lesson files, to show unchanged."""
        return self._loaded[1]

    def reached(self, lesson: Lesson) -> int:
        return self._progress.reached(lesson.name, len(lesson.steps))

    def is_finished(self, lesson: Lesson) -> bool:
        return self._progress.is_finished(lesson.name, len(lesson.steps))

    @property
    def suggested(self) -> Lesson | None:
        """The lesson to go on with: the one begun last, or the next one if that is finished."""
        if not self.lessons:
            return None
        name, number = next(reversed(self._progress.numbers.items()), ("", 0))
        at = next((at for at, lesson in enumerate(self.lessons) if lesson.name == name), 0)
        is_finished = name == self.lessons[at].name and number >= len(self.lessons[at].steps) - 1
        return self.lessons[(at + 1) % len(self.lessons) if is_finished else at]

    @property
    def step(self) -> LessonStep | None:
        return None if self.lesson is None else self.lesson.steps[self.number]

    @property
    def is_covered(self) -> bool:
        """Whether the step is hidden, as it would answer the question."""
        return self.step is not None and bool(self.step.answer_is) and not self.is_revealed

    @property
    def answer(self) -> str:
        """The answer to the question of the present step, as far as it is known."""
        step, debugger = self.step, self.steps.debugger
        if step is None:
            return ""
        computed: str | None = ""
        if step.train and step.answer_is:
            computed = training_answer(step.training(step.merges + 1), step.merges)
        elif step.answer_is and debugger is not None and self._is_recorded(step):
            try:
                computed = computed_answer(step.answer_is, debugger, step.stop_at)
            except TokenloupeError as error:
                computed = str(error)
        return step.full_answer(computed or "")

    @property
    def is_ready(self) -> bool:
        step = self.step
        if step is None:
            return True
        if step.train:
            return not self.training.is_busy
        return self.steps.recording.is_up_to_date and self._is_recorded(step)

    def open(
        self,
        path: Path,
        may_fetch: Callable[[list[str]], bool] = lambda models: False,
        number: int | None = None,
    ) -> bool:
        """Begin a lesson from a file as it is now, and return whether it began; raises FaultyFileError.

        Models that must come from the web are fetched if `may_fetch` returns True; else nothing begins.
        """
        opened = load(path)
        models = {step.model for step in opened.steps if not step.train and is_fetched(step.model)}
        on_web = sorted(model for model in models - self._allowed if not is_cached(model))
        if on_web and not may_fetch(on_web):
            return False
        self._allowed.update(on_web)
        lessons = self.lessons
        numbers = {lesson.name: at for at, lesson in enumerate(lessons)}
        at = numbers.get(opened.name, len(lessons))
        lessons[at : at + 1] = [opened]
        self.begin(opened.name, number)
        return True

    def begin(self, name: str, number: int | None = None) -> None:
        """Start a lesson at a step, or resume it; raises TokenloupeError if there is no such lesson."""
        lesson = next((lesson for lesson in self.lessons if lesson.name == name), None)
        if lesson is None:
            names = ", ".join(lesson.name for lesson in self.lessons)
            raise TokenloupeError(f"There is no lesson “{name}”. Lessons: {names}.")
        self.steps.forget()
        self.training.breakpoints.forget()
        self.lesson = lesson
        self._show(self.reached(lesson) if number is None else min(number, len(lesson.steps) - 1))

    def go_on(self) -> None:
        """Go to the next step; after the last one, end the lesson."""
        if self.lesson is None:
            return
        if self.number + 1 < len(self.lesson.steps):
            self._show(self.number + 1)
        else:
            self.leave()

    def go_back(self) -> None:
        self.go_to(self.number - 1)

    def go_to(self, number: int) -> None:
        if self.lesson is not None and 0 <= number < len(self.lesson.steps) and number != self.number:
            self._show(number)

    def reveal(self) -> None:
        if self.step is not None and self.step.ask and not self.is_revealed:
            self.is_revealed = True
            self.changed.emit()

    def leave(self) -> None:
        if self.lesson is not None:
            self.lesson = None
            self.changed.emit()

    def _show(self, number: int) -> None:
        self.number, self.is_revealed, self.failure, self.note = number, False, "", ""
        for walk in (self.steps, self.training):
            walk.clock.pause()  # playing would reveal the answer
        assert self.lesson is not None
        self._progress.keep(self.lesson.name, number, len(self.lesson.steps))
        step = self.step
        assert step is not None
        if step.train:
            wish = TrainingWish(step.train, step.text.encode(), MOST_TRAINED_TOKENS, has_end_marks=True)
            self.training.show(wish, step.merges)
        else:
            self._set_scene(step)
        self.changed.emit()

    def _set_scene(self, step: LessonStep) -> None:
        session, loader = self.session, self.session.loader
        opened = None if loader.model is None else loader.model.name
        if (loader.loading_name or opened) != (name := self._name_of(step)) or self._pre != step.pre:
            self._pre = step.pre
            loader.open(name, step.pre or None)
        if session.document.text() != step.text.encode():
            session.document.set_text(step.text.encode())
        session.set_parse_special(step.parse_special)
        session.set_encoder(step.encoder or None)
        self._check_encoder()
        self._compare_file()
        self._go_to_position()

    def _model_of(self, step: LessonStep | None) -> OpenModel | None:
        model = self.session.loader.model
        if step is None or step.train or model is None or model.name != self._name_of(step):
            return None
        return model

    def _name_of(self, step: LessonStep) -> str:
        return step.model if step.model in self._allowed else cached_name(step.model)

    def _go_to_position(self) -> None:
        step, debugger = self.step, self.steps.debugger
        if step is None or step.train or debugger is None or not self._is_recorded(step):
            return
        try:
            go_to_position(debugger, step.stop_at)
        except TokenloupeError as error:  # such as a condition that divides by zero
            self._fail(step.model, str(error))
        self.steps.refresh()
        if self.is_revealed:
            self.changed.emit()

    def _is_recorded(self, step: LessonStep) -> bool:
        debugger = self.steps.debugger
        if debugger is None or debugger.trace.text != step.text.encode():
            return False
        model = self._model_of(step)
        if model is None or model.tokenizer.vocabulary is not debugger.vocabulary:
            return False
        return not step.encoder or debugger.trace.encoder == step.encoder

    def stop(self) -> None:
        self._comparing.wait()
        self.training.stop()
        self.steps.stop()
        self.session.close()

    def _on_refused_changed(self) -> None:
        if (refused := self.session.loader.refused) is not None:
            self._fail(refused.name, refused.reason)

    def _check_encoder(self) -> None:
        """Report an encoder that the model does not have: nothing would be recorded."""
        step = self.step
        if step is not None and self._model_of(step) and step.encoder not in ("", *self.session.encoders):
            known = ", ".join(self.session.encoders)
            self._fail(step.model, f"This model has no encoder “{step.encoder}”. It has: {known}.")

    def _compare_file(self) -> None:
        """Warn if the model is not the file that the lesson was written for."""
        step, model = self.step, self._model_of(self.step)
        self._comparing.cancel()
        if step is not None and step.sha256 and model is not None:
            self._comparing.start(partial(_file_warning, step, model.tokenizer))

    def _show_note(self, note: str) -> None:
        if note != self.note:
            self.note = note
            self.changed.emit()

    def _fail(self, name: str, message: str) -> None:
        self.failure = message
        self.changed.emit()


def _file_warning(step: LessonStep, tokenizer: Tokenizer, _: Progress) -> str:
    if not is_another(tokenizer, step.model, step.sha256):
        return ""
    name = quoted(Path(step.model).name)
    return f"{name} is not the file that this lesson was written for. Its text may not match the steps."
