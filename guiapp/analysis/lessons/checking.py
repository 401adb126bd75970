"""Whether a lesson says anything untrue: each of its states is made by the real encoders and compared."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator
from pathlib import Path

from guiapp.analysis.explain.spelling import Spelling
from guiapp.analysis.lessons.lesson import Lesson, LessonStep, read
from guiapp.analysis.lessons.places import ANSWERS, computed_answer, labels_now, place_of, training_answer
from guiapp.analysis.lessons.scenes import SceneError, Scenes
from guiapp.analysis.trace.breakpoints import absence, parse_breakpoint
from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.text.outside_json import Fault, FaultyFileError
from guiapp.errors import TokenloupeError


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
