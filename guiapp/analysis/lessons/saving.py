"""Lessons saved: as a copy to change, or as a page that steps in a browser, made by the real encoders."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from guiapp.analysis.export.exported_run import write_chunks
from guiapp.analysis.export.html import PageStep, page
from guiapp.analysis.export.runs import TraceRun, TrainingRun
from guiapp.analysis.lessons.checking import faults_of
from guiapp.analysis.lessons.lesson import MOST_MERGES, MOST_TRAINED_TOKENS, Lesson, LessonStep
from guiapp.analysis.lessons.places import computed_answer, go_to_place, training_answer
from guiapp.analysis.lessons.scenes import Scenes
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.core.system.outside_toml import error_of
from guiapp.core.system.replace_file import replace_file
from guiapp.errors import TokenloupeError, not_written


def save_lesson(lesson: Lesson, path: Path) -> None:
    """As a page if the name of the file ends like one, else a copy; raises TokenloupeError."""
    try:
        if path.suffix.lower() == ".html":
            write_chunks(lesson_page(lesson), path, len(lesson.steps))
        elif path.resolve() != lesson.path.resolve():
            replace_file(path, lesson.path.read_bytes())
    except OSError as error:
        raise TokenloupeError(not_written(path, error)) from error


def lesson_page(lesson: Lesson) -> Iterator[str]:
    """The page in chunks, to step through or to print; raises FaultyFileError where a check finds a fault."""
    if faults := tuple(faults_of(lesson)):
        raise error_of(lesson.path.name, *faults)
    scenes = Scenes()
    shown = (_page_step(lesson, number, scenes) for number in range(len(lesson.steps)))
    return page(lesson.title, lesson.summary, shown)


def _page_step(lesson: Lesson, number: int, scenes: Scenes) -> PageStep:
    step = lesson.steps[number]
    state, computed = _training_state(step) if step.train else _state(step, scenes)
    place = f"{number + 1} of {len(lesson.steps)} · {step.setting}"
    return state._replace(
        place=place if step.ask else f"{place} · {state.place}",  # which may say what happens next
        say=step.say,
        ask=step.ask,
        answer=step.full_answer(computed),
    )


def _state(step: LessonStep, scenes: Scenes) -> tuple[PageStep, str]:
    debugger = scenes.debugger(step)
    go_to_place(debugger, step.place)
    computed = computed_answer(step.answer_is, debugger, step.place) if step.answer_is else ""
    return TraceRun(debugger).page_step(debugger.position), computed or ""


def _training_state(step: LessonStep) -> tuple[PageStep, str]:
    run = begin(step.train, step.text, MOST_TRAINED_TOKENS, True)
    record, told = TrainingRecord(run.start), list(islice(run.steps(), MOST_MERGES + 1))
    for merge in told:
        record.append(to_json(merge).encode())
    state = TrainingRun(record).page_step(min(step.merges, record.n_steps))
    if step.ask:  # what led here answers nothing
        state = state._replace(sentence="")
    return state, training_answer(told, step.merges) if step.answer_is else ""
