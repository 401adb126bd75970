"""Lessons checked and saved: each state is made by the real encoders, without a window."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from itertools import islice
from pathlib import Path

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.export.exported_run import write_chunks
from guiapp.analysis.export.page import PageStep, page
from guiapp.analysis.export.trace_run import TraceRun
from guiapp.analysis.export.training_run import TrainingRun
from guiapp.analysis.lessons.lesson import (
    ANSWERS,
    MOST_MERGES,
    MOST_TRAINED_TOKENS,
    Lesson,
    LessonStep,
    computed_answer,
    go_to_place,
    labels_now,
    place_of,
    read,
    training_answer,
)
from guiapp.analysis.trace.breakpoints import absence, parse_breakpoint
from guiapp.analysis.trace.cost import estimate
from guiapp.analysis.trace.debugger import Debugger
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.reports import debugger_for
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import to_json
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import cached_name, hash_of
from guiapp.core.system.outside_toml import Fault, FaultyFileError, error_of
from guiapp.core.system.replace_file import replace_file
from guiapp.core.vocabulary.quoting import quoted
from guiapp.errors import TokenloupeError, not_written

MOST_SECONDS = 5.0  # for all runs of a lesson, as estimated before they are made


def check(path: Path) -> list[Fault]:
    """All that is wrong with a lesson file, none where it can be used and says nothing untrue."""
    try:
        lesson, faults, uncertain = read(path)
    except FaultyFileError as error:
        return list(error.faults) or [Fault(1, str(error))]
    return sorted([*faults, *faults_of(lesson, uncertain)], key=lambda fault: fault.line)


def faults_of(lesson: Lesson, uncertain: Container[int] = ()) -> Iterator[Fault]:
    """What does not hold when a lesson is run, in the order of its steps; `uncertain` ones are not run."""
    scenes = Scenes()
    for number, step in enumerate(lesson.steps, 1):
        for key, reason in _faults(step, scenes, number not in uncertain):
            yield Fault(lesson.line(number, key), f"step {number}: {reason}")


def _faults(step: LessonStep, scenes: Scenes, is_run: bool) -> Iterator[tuple[str, str]]:
    if step.train:
        yield from _training_faults(step) if is_run else ()
        return
    found = list(scenes.faults(step))
    yield from found
    if found or not is_run:
        return
    try:
        tokenizer, debugger = scenes.tokenizer(step), scenes.debugger(step)
    except SceneError as error:
        yield error.key, str(error)
        return
    yield from _claim_faults(step, debugger, tokenizer.encoders)


def _training_faults(step: LessonStep) -> Iterator[tuple[str, str]]:
    told = step.training(step.merges + 1)
    learned = [merge.left + merge.right for merge in told[: step.merges]]
    if len(learned) < step.merges:
        yield "merges", f"after {len(learned):,} merges there is nothing left to learn."
    elif step.learned is not None and list(step.learned) != learned:
        yield "learned", f"“learned” is not what is learned: {_listed(learned)}."
    yield from _answer_faults(step, training_answer(told, step.merges) if step.answer_is else "")


def _claim_faults(step: LessonStep, debugger: Debugger, encoders: Iterable[str]) -> Iterator[tuple[str, str]]:
    try:
        place = place_of(debugger, step.place)
        if place is None:
            yield "break", _never(step.place, debugger, encoders)
            return
        debugger.go_to(place)
        answer = computed_answer(step.answer_is, debugger, step.place) if step.answer_is else ""
    except TokenloupeError as error:  # a condition that divides by zero, and the like
        yield "break", str(error)
        return
    told, labels = {}, {}
    for spelling in Spelling:  # a lesson may be written in either
        debugger.spell(spelling)
        told[spelling], labels[spelling] = debugger.sentence(), labels_now(debugger)
    debugger.spell(Spelling.SIGNS)
    if step.now is not None and list(step.now) not in labels.values():
        yield "now", f"“now” is not what is there: {_listed(labels[Spelling.SIGNS])}."
    if step.says and step.says not in told.values():
        yield "says", f"“says” is not what the program says: {told[Spelling.SIGNS]}"
    if answer is None:
        yield "answer_is", _never(step.answer_is, debugger, encoders)
        return
    if step.answer_is in ANSWERS and place == debugger.n_steps:
        yield "answer_is", "the answer is on the screen at the end. Ask at an earlier place."
    yield from _answer_faults(step, answer)


def _answer_faults(step: LessonStep, answer: str) -> Iterator[tuple[str, str]]:
    if answer and answer.rstrip(".") in step.say:
        yield "say", f"“say” tells the answer to the question beside it: {answer}"


def _never(place: str, debugger: Debugger, encoders: Iterable[str]) -> str:
    why = absence(parse_breakpoint(place), debugger.values, list(encoders))
    return f"the run never stops at “{place}”. {why}".strip()


def _listed(words: list[str]) -> str:
    return json.dumps(words, ensure_ascii=False)


# What the program shows at the steps of a lesson, made by the real encoders without a window


class SceneError(TokenloupeError):
    """A step that cannot be shown; `key` is the entry that is to blame, and the message says why."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class Scenes:
    """Models and runs, one after the other; what a step has in common with the one before is made once.

    No server is asked: of a model from the web, what was fetched before is taken.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._opened: tuple[tuple[str, str], Tokenizer] | None = None
        self._run: tuple[tuple[object, ...], Debugger] | None = None
        self._hashes: dict[str, str] = {}

    def tokenizer(self, step: LessonStep) -> Tokenizer:
        """Of the step's model; raises SceneError."""
        wanted = step.model, step.pre
        if self._opened is None or self._opened[0] != wanted:
            try:
                self._opened = wanted, open_model(cached_name(step.model), step.pre or None)
            except TokenloupeError as error:
                raise SceneError("model", str(error)) from error
        return self._opened[1]

    def faults(self, step: LessonStep) -> Iterator[tuple[str, str]]:
        """What a step names that does not exist, or is another file: the entry, and a sentence."""
        try:
            tokenizer = self.tokenizer(step)
        except SceneError as error:
            yield error.key, str(error)
            return
        if step.sha256 and (found := self._hash(tokenizer, step.model)) not in ("", step.sha256.lower()):
            yield "sha256", f"{quoted(Path(step.model).name)} is another file: its sha256 is {found}."
        if step.encoder and step.encoder not in tokenizer.encoders:
            known = ", ".join(tokenizer.encoders)
            yield "encoder", f"This model has no encoder “{step.encoder}”. It has: {known}."

    def debugger(self, step: LessonStep) -> Debugger:
        """The run of a step that trains nothing and has no `faults`, somewhere in it; raises SceneError."""
        tokenizer = self.tokenizer(step)
        wanted = (step.model, step.pre, step.text, step.encoder, step.parse_special)
        if self._run is None or self._run[0] != wanted:
            encoder = step.encoder or next(iter(tokenizer.encoders))
            self._spend(tokenizer, encoder, len(step.text.encode()))
            trace = record(tokenizer, step.text, encoder, True, step.parse_special)
            self._run = wanted, debugger_for(tokenizer, trace)
        return self._run[1]

    def _spend(self, tokenizer: Tokenizer, encoder: str, n_bytes: int) -> None:
        is_one_piece = True  # it may be, whatever the model: a text without spaces
        self._seconds += estimate(tokenizer.reference_encoder(encoder), is_one_piece, n_bytes).seconds
        if self._seconds > MOST_SECONDS:
            raise SceneError(
                "text",
                f"up to here the runs take about {self._seconds:,.0f} s, and those of a lesson may take "
                f"{MOST_SECONDS:,.0f} s. Take shorter texts.",
            )

    def _hash(self, tokenizer: Tokenizer, model: str) -> str:
        if model not in self._hashes:
            self._hashes[model] = hash_of(tokenizer, model)
        return self._hashes[model]


# Lessons saved: as a copy to change, or as a page that steps in a browser, made by the real encoders


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
