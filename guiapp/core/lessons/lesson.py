"""Lessons: data files that take the real program through a sequence of states, with words to each.

    title = "…"                     summary = "…"
    [[step]]
    say = "…"                       what is told; a blank line begins a paragraph, `code` is set as code
    model = "demo:toy"              these five stay as they were in the step before
    text = "abacb"
    encoder = "backtrack"
    parse_special = true
    page = "steps"
    break = "operation merge hit 2" the place: where a run with this breakpoint stops first; "start" or "end"
    now = ["ab", "a", "cb"]         the tokens of the piece there, of the text at the end: a test checks them
    says = "…"                      what the program says there: likewise
    ask = "…"                       a question, and what is revealed then
    answer = "…"

A step about training has, instead of model and encoder, `train = "bpe"`, `merges = 3` and `learned = […]`.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from guiapp.core.demo import resources_folder
from guiapp.core.errors import TokenloupeError
from guiapp.core.trace.breakpoints import parse_breakpoint
from guiapp.core.trace.debugger import Debugger
from guiapp.core.training.telling import ToldMerge, merges, textbook_corpus

PAGES = ("steps", "training")
TYPE_NAMES: dict[type, str] = {
    str: 'a text in quotes, such as "abc"',
    bool: "true or false",
    int: "a whole number, such as 3",
    list: 'a list of texts, such as ["a", "b"]',
}
INHERITED = ("model", "text", "encoder", "parse_special", "page")


class LessonError(TokenloupeError):
    """A lesson file that cannot be used; the message says where and why."""


@dataclass(frozen=True)
class LessonStep:
    """One state of the program, and what is said about it; the module says what the fields mean."""

    say: str
    model: str = "demo:bpe"
    text: str = ""
    encoder: str = ""
    parse_special: bool = True
    page: str = "steps"
    place: str = "start"
    now: tuple[str, ...] = ()
    says: str = ""
    ask: str = ""
    answer: str = ""
    train: str = ""
    merges: int = 0
    learned: tuple[str, ...] = ()

    def training(self) -> list[ToldMerge]:
        """The merges that training has made at this step."""
        return list(islice(merges(self.train, textbook_corpus(self.text)), self.merges))


@dataclass(frozen=True)
class Lesson:
    """A lesson; `name` is that of its file."""

    name: str
    title: str
    summary: str
    steps: tuple[LessonStep, ...]


def lessons_folder() -> Path:
    return resources_folder() / "lessons"


def load_each(folder: Path | None = None) -> tuple[list[Lesson], list[str]]:
    """The lessons of a folder whose files can be used, and what is wrong with the others."""
    lessons, failures = [], []
    for path in sorted((folder or lessons_folder()).glob("*.toml")):
        try:
            lessons.append(load(path))
        except LessonError as error:
            failures.append(str(error))
    return lessons, failures


def load(path: Path) -> Lesson:
    """One lesson; raises LessonError for a file that is malformed."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LessonError(f"{path.name} is no valid TOML: {error}.") from error
    except OSError as error:
        raise LessonError(f"{path.name} cannot be read: {error.strerror}.") from error
    for key in ("title", "summary"):
        if not isinstance(content.get(key), str):
            raise LessonError(f'{path.name} has no {key}. Add a line such as {key} = "…".')
    rows = content.get("step")
    if not isinstance(rows, list) or not rows:
        raise LessonError(f"{path.name} has no steps. Add one under [[step]].")
    steps: list[LessonStep] = []
    for number, row in enumerate(rows, 1):
        steps.append(_step(f"{path.name}, step {number}", row, steps[-1] if steps else LessonStep("")))
    return Lesson(path.stem, content["title"], content["summary"], tuple(steps))


def _step(place: str, row: Any, before: LessonStep) -> LessonStep:
    if not isinstance(row, dict) or not isinstance(row.get("say"), str):
        raise LessonError(f'{place} says nothing. Add a line such as say = "…".')
    values: dict[str, Any] = {("place" if key == "break" else key): value for key, value in row.items()}
    types: dict[str, type] = {field.name: type(field.default) for field in fields(LessonStep)} | {"say": str}
    names = {key: "break" if key == "place" else key for key in types}
    known = ", ".join(names.values())
    for key, value in values.items():
        if key not in types:
            raise LessonError(f"{place} has an unknown entry “{key}”. There are: {known}.")
        wanted = list if types[key] is tuple else types[key]
        if type(value) is not wanted:
            raise LessonError(f"{place}: “{names[key]}” must be {TYPE_NAMES[wanted]}.")
        if wanted is list:
            values[key] = tuple(map(str, values[key]))
    kept = {name: getattr(before, name) for name in INHERITED}
    step = replace(LessonStep(""), **{**kept, **values})
    if step.page not in PAGES:
        raise LessonError(f"{place}: there is no page “{step.page}”. There are: {', '.join(PAGES)}.")
    if step.place not in ("start", "end"):
        try:
            parse_breakpoint(step.place)
        except TokenloupeError as error:
            raise LessonError(f"{place}: {error}") from error
    return step


def go_to_place(debugger: Debugger, place: str) -> None:
    """Go where a lesson wants to be: the start, the end, or the first stop at its own breakpoint."""
    if place in ("start", "end"):
        debugger.go_to(0 if place == "start" else debugger.n_steps)
        return
    breakpoints = debugger.breakpoints
    debugger.set_breakpoints([parse_breakpoint(place)])
    stop = debugger.stops.after(-1)
    debugger.set_breakpoints(breakpoints)
    debugger.go_to(debugger.n_steps if stop is None else stop[0])
