"""Lessons: text files (TOML) that show the real program in a sequence of states, with an explanation of each.

    title = "…"                     summary = "…"
    [[step]]
    say = "…"                       the explanation; a blank line begins a paragraph, `code` is set as code
    model = "demo:toy"              or a file, relative to the lesson's folder, or any name that opens a model
    pre = "llama-bpe"               as `--pre`; `model` to `page` default to their values in the previous step
    sha256 = "…"                    of the model's file: a check reports another one
    text = "abacb"
    encoder = "backtrack"
    parse_special = true
    page = "steps"
    break = "operation merge hit 2" the position: the first stop of a run at this breakpoint, "start" or "end"
    now = ["ab", "a", "cb"]         tokens of the piece there, or of the text at the end; a check compares
    says = "…"                      the program's sentence there; a check compares
    ask = "…"                       a question; its answer is hidden until it is revealed
    answer_is = "next"              computes the answer: a key of ANSWERS, or a breakpoint, for its sentence
    answer = "…"                    text after it, or the whole answer if nothing can be computed

A training step has `train = "bpe"`, `merges = 3` and `learned = […]` instead of model and encoder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, fields, replace
from itertools import islice
from pathlib import Path
from typing import Any

from guiapp.analysis.explain.spelling import Spelling, code
from guiapp.analysis.export.exported_run import write_chunks
from guiapp.analysis.export.html import PageStep, page
from guiapp.analysis.export.runs import TraceRun, TrainingRun
from guiapp.analysis.trace.breakpoints import absence, parse_breakpoint
from guiapp.analysis.trace.debugger import Debugger, debugger_for
from guiapp.analysis.trace.recorder import estimate, record
from guiapp.analysis.trace.trace import TraceTokens
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import begin
from guiapp.analysis.train.steps import MergeStep, Symbols, TrainingStep, merges, textbook_corpus, to_json
from guiapp.core.demo import PREFIX, resources_folder
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.files import replace_file
from guiapp.core.sources.locate import cached_name, hash_of, is_plain
from guiapp.core.text.numbers_in_words import counted, quoted
from guiapp.core.text.outside_json import (
    Fault,
    FaultyFileError,
    TomlFile,
    error_of,
    kind_fault,
    line_of,
    text_of,
    unknown_entry,
)
from guiapp.errors import TokenloupeError, not_written

MOST_SECONDS = 5.0  # estimated time for all runs of a lesson
ENDS = ("start", "end")
MOST_LISTED = 60
ENDING = ".toml"
WHAT = "lesson"
PAGES = ("steps", "training")
TRAINERS = ("bpe", "wordpiece")
INHERITED = ("model", "pre", "sha256", "text", "encoder", "parse_special", "page")
MOST_FILE_BYTES = 1 << 18
MOST_STEPS = 500
MOST_TEXT_BYTES = 5000
MOST_MERGES = 1000
MOST_TRAINED_TOKENS = 100_000  # more than any text of a lesson needs


@dataclass(frozen=True)
class LessonStep:
    """One state of the program and its explanation; the module docstring documents the fields."""

    say: str
    model: str = "demo:bpe"
    pre: str = ""
    sha256: str = ""
    text: str = ""
    encoder: str = ""
    parse_special: bool = True
    page: str = "steps"
    stop_at: str = "start"
    now: tuple[str, ...] | None = None
    says: str = ""
    ask: str = ""
    answer_is: str = ""
    answer: str = ""
    train: str = ""
    merges: int = 0
    learned: tuple[str, ...] | None = None

    @property
    def setting(self) -> str:
        """The model, pre-tokenizer and encoder of the step, or its training."""
        if self.train:
            return f"trains {self.train}"
        model = self.model if self.model.startswith(PREFIX) else Path(self.model).name
        encoder = "" if self.encoder == "fast" else self.encoder  # "fast" has no visible steps
        return f"with {' · '.join(filter(None, (model, self.pre, encoder)))}"

    def full_answer(self, computed: str) -> str:
        """The whole answer: its computed part, if any, and the text after it."""
        return f"{computed} {self.answer}".strip()

    def training(self, n_merges: int | None = None) -> list[MergeStep]:
        """The merges made by training up to this step, or the first `n_merges`."""
        wanted = self.merges if n_merges is None else n_merges
        return list(islice(merges(self.train, textbook_corpus(self.text)), wanted))


def _kind(default: object) -> type:
    """The type of an entry with this default value."""
    if default is None:
        return list
    return str if default is MISSING else type(default)


KEYS = {
    "break" if field.name == "stop_at" else field.name: _kind(field.default) for field in fields(LessonStep)
}


@dataclass(frozen=True)
class Lesson:
    """A lesson; `name` is the stem of its file if it comes with the program, else the absolute path."""

    name: str
    title: str
    summary: str
    steps: tuple[LessonStep, ...]
    path: Path
    lines: tuple[dict[str, int], ...] = ()

    def line(self, step: int, *keys: str) -> int:
        """The line of the first of `keys` in a step; steps count from 1, 0 is the head of the file."""
        return _line(self.lines, step, *keys)


def _line(lines: Sequence[dict[str, int]], step: int, *keys: str) -> int:
    return line_of(lines, step, *keys) if step < len(lines) else line_of(lines, 0, "step")  # steps in a list


def lessons_folder() -> Path:
    return resources_folder() / "lessons"


def load_each(folder: Path | None = None) -> tuple[list[Lesson], list[str]]:
    """The usable lessons of a folder, and the errors in the others."""
    return load_all(sorted((folder or lessons_folder()).glob(f"*{ENDING}")))


def load_all(paths: Iterable[Path]) -> tuple[list[Lesson], list[str]]:
    """The usable lessons among files, and the errors in the others."""
    lessons, failures = [], []
    for path in paths:
        try:
            lessons.append(load(path))
        except FaultyFileError as error:
            failures.append(str(error))
    return lessons, failures


def is_lesson_file(path: Path) -> bool:
    """Whether a file is meant to be a lesson, usable or not."""
    if path.suffix.lower() != ENDING:
        return False
    try:
        text = text_of(path, WHAT, MOST_FILE_BYTES)
    except FaultyFileError:
        return False
    return re.search(r"^\s*\[\[\s*step\s*\]\]", text, re.MULTILINE) is not None


def load(path: Path) -> Lesson:
    """Read a lesson; raises FaultyFileError for a malformed file."""
    lesson, faults, _ = read(path)
    if faults:
        raise error_of(path.name, *faults)
    return lesson


def read(path: Path) -> tuple[Lesson, list[Fault], set[int]]:
    """A lesson, the faults found without running it, and the numbers (from 1) of the steps they affect.

    Raises FaultyFileError if the file is not TOML.
    """
    file = TomlFile(path, WHAT, MOST_FILE_BYTES)
    content, lines = file.content, file.lines
    rows = content.get("step")
    faults = [Fault(_line(lines, 0, key), reason) for key, reason in _head_faults(content)]
    steps: list[LessonStep] = []
    uncertain: set[int] = set()
    has_lost_entries = False  # later steps may have been meant to inherit them
    for number, row in enumerate(rows[:MOST_STEPS] if isinstance(rows, list) else (), 1):
        before = steps[-1] if steps else LessonStep("")
        found = list(_row_faults(row))
        lost = {key for key, _ in found}
        entries = row.items() if isinstance(row, dict) else ()
        step = _step({key: value for key, value in entries if key not in lost}, before, path.parent)
        has_lost_entries = has_lost_entries or bool(lost)
        found += [] if found else step_faults(step)
        if found or has_lost_entries:
            uncertain.add(number)
        faults += [Fault(_line(lines, number, key), f"step {number}{reason}") for key, reason in found]
        steps.append(step)
    own = path.parent == lessons_folder()
    name = path.stem if own else str(path.absolute())
    title, summary = str(content.get("title")), str(content.get("summary"))
    return Lesson(name, title, summary, tuple(steps), path, tuple(lines)), faults, uncertain


def _head_faults(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key in ("title", "summary"):
        if not isinstance(content.get(key), str):
            yield key, f'there is no {key}. Add a line such as {key} = "…".'
    for key in content:
        if key not in ("title", "summary", "step"):
            yield key, f"there is an unknown entry “{quoted(key)}”. Steps begin with [[step]]."
    rows = content.get("step")
    if not isinstance(rows, list) or not rows:
        yield "step", "there are no steps. Add one under [[step]]."
    elif len(rows) > MOST_STEPS:
        yield "step", f"there are {counted(len(rows), 'step')}. A lesson has at most {MOST_STEPS}."


def _row_faults(row: Any) -> Iterator[tuple[str, str]]:
    """Invalid keys and values of a step: each key with the rest of a sentence that begins “step N”."""
    if not isinstance(row, dict) or not isinstance(row.get("say"), str):
        yield "say", ' has no text. Add a line such as say = "…".'
    for key, value in row.items() if isinstance(row, dict) else ():
        wanted = KEYS.get(key)
        if wanted is None:
            yield key, f" has {unknown_entry(key, KEYS)}"
        elif key != "say" and (kind := kind_fault(value, wanted)):
            yield key, f": “{key}” {kind}"


def _step(row: dict[str, Any], before: LessonStep, folder: Path) -> LessonStep:
    values = {"stop_at" if key == "break" else key: value for key, value in row.items()}
    for key in ("now", "learned"):
        if key in values:
            values[key] = tuple(map(str, values[key]))
    kept = {name: getattr(before, name) for name in INHERITED}
    if "model" in values:
        kept |= {"pre": "", "sha256": ""}
        values["model"] = _seen_from(folder, values["model"])
    return replace(LessonStep(""), **{**kept, **values})


def _seen_from(folder: Path, model: str) -> str:
    is_path = model and is_plain(model) and not model.startswith(PREFIX)
    return str(folder.absolute() / model) if is_path else model


def step_faults(step: LessonStep) -> Iterator[tuple[str, str]]:
    """Invalid values of a step, in the same form as `_row_faults`."""
    if step.page not in PAGES:
        yield "page", f": there is no page “{quoted(step.page)}”. Choose from: {', '.join(PAGES)}."
    if step.train and step.train not in TRAINERS:
        yield "train", f": “train” must be {' or '.join(TRAINERS)}."
    if not 0 <= step.merges <= MOST_MERGES:
        yield "merges", f": “merges” must be a number from 0 to {MOST_MERGES:,}."
    if len(step.text.encode()) > MOST_TEXT_BYTES:
        yield "text", f": the text is longer than {counted(MOST_TEXT_BYTES, 'byte')}. Shorten it."
    stops = {"break": step.stop_at}
    if step.answer_is not in ANSWERS:
        stops["answer_is"] = step.answer_is
    for key, stop in stops.items():
        if stop and stop not in ENDS:
            try:
                parse_breakpoint(stop)
            except TokenloupeError as error:
                yield key, f": {error}"
    if step.train and step.answer_is not in ("", "next"):
        yield "answer_is", ": the answer in a training step must be “next”."
    if bool(step.ask) != bool(step.answer_is or step.answer):
        where = "ask" if step.ask else "answer_is" if step.answer_is else "answer"
        yield where, " has a question without an answer, or an answer without a question."


# Positions in runs: where lessons stop, the tokens there, and the answers computed there


def position_of(debugger: Debugger, stop_at: str) -> int | None:
    """The position that a lesson names: start, end, or the first stop at its breakpoint; None if never."""
    if stop_at in ENDS:
        return 0 if stop_at == "start" else debugger.n_steps
    breakpoints = debugger.breakpoints
    debugger.set_breakpoints([parse_breakpoint(stop_at)])
    stop = debugger.stops.after(-1)
    debugger.set_breakpoints(breakpoints)
    return None if stop is None else stop[0]


def go_to_position(debugger: Debugger, stop_at: str) -> None:
    """Go to the position that a lesson names, or to the end if the run never stops there."""
    found = position_of(debugger, stop_at)
    debugger.go_to(debugger.n_steps if found is None else found)


def labels_now(debugger: Debugger) -> list[str]:
    """The labels of the tokens in the present piece, or in the whole text if there is no present piece."""
    piece, states = debugger.trace.piece_at(debugger.position), debugger.states
    tokens = states.piece_tokens(debugger.position, piece) if piece >= 0 else states.tokens(debugger.position)
    return _labels(debugger, tokens)


ANSWERS: dict[str, Callable[[Debugger], str]] = {
    "n_tokens": lambda debugger: f"{counted(len(debugger.trace.result.ids), 'token')}.",
    "tokens": lambda debugger: _listed(map(code, _labels(debugger, debugger.trace.result))),
    "ids": lambda debugger: _listed(map(str, debugger.trace.result.ids.tolist())),
    "next": lambda debugger: debugger.sentence(),
}


def computed_answer(answer_is: str, debugger: Debugger, stop_at: str) -> str | None:
    """The answer at a position of a run; None if the run never stops there.  The debugger does not move."""
    looking = copy(debugger)
    if answer_is in ANSWERS:
        go_to_position(looking, stop_at)
        return ANSWERS[answer_is](looking)
    found = position_of(looking, answer_is)
    if found is None:
        return None
    looking.go_to(found)
    return looking.sentence()


def training_answer(learned: Sequence[TrainingStep], n_merges: int) -> str:
    """A sentence about the merge after the first `n_merges`; `learned` has all merges up to it, or all."""
    if n_merges >= len(learned):
        return "Nothing: no pair occurs twice."
    return learned[n_merges].sentence(Symbols(is_byte_level=False).write)


def _labels(debugger: Debugger, tokens: TraceTokens) -> list[str]:
    return [debugger.describer.label(*token) for token in tokens.rows()]


def _listed(words: Iterable[str]) -> str:
    rest = iter(words)
    shown = list(islice(rest, MOST_LISTED))
    n_more = sum(1 for _ in rest)
    more = [f"and {n_more:,} more"] if n_more else []
    return f"{', '.join(shown + more) or 'None'}."


# Check lessons: the real encoders make each state, without a window


def check(path: Path) -> list[Fault]:
    """All faults of a lesson file; empty if it is valid and all its claims are true."""
    try:
        lesson, faults, uncertain = read(path)
    except FaultyFileError as error:
        return list(error.faults) or [Fault(1, str(error))]
    return sorted([*faults, *faults_of(lesson, uncertain)], key=lambda fault: fault.line)


def faults_of(lesson: Lesson, uncertain: Container[int] = ()) -> Iterator[Fault]:
    """The faults found by running a lesson, in the order of its steps; `uncertain` steps are not run."""
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
    training = step.training(step.merges + 1)
    learned = [merge.left + merge.right for merge in training[: step.merges]]
    if len(learned) < step.merges:
        yield "merges", f"after {len(learned):,} merges there is nothing left to learn."
    elif step.learned is not None and list(step.learned) != learned:
        yield "learned", f"“learned” must be {_as_json(learned)}."
    yield from _answer_faults(step, training_answer(training, step.merges) if step.answer_is else "")


def _claim_faults(step: LessonStep, debugger: Debugger, encoders: Iterable[str]) -> Iterator[tuple[str, str]]:
    try:
        position = position_of(debugger, step.stop_at)
        if position is None:
            yield "break", _never(step.stop_at, debugger, encoders)
            return
        debugger.go_to(position)
        answer = computed_answer(step.answer_is, debugger, step.stop_at) if step.answer_is else ""
    except TokenloupeError as error:  # for example a condition that divides by zero
        yield "break", str(error)
        return
    texts, labels = {}, {}
    for spelling in Spelling:  # a lesson may use either
        debugger.spell(spelling)
        texts[spelling], labels[spelling] = debugger.sentence(), labels_now(debugger)
    debugger.spell(Spelling.SIGNS)
    if step.now is not None and list(step.now) not in labels.values():
        yield "now", f"“now” must be {_as_json(labels[Spelling.SIGNS])}."
    if step.says and step.says not in texts.values():
        yield "says", f"“says” must be: {texts[Spelling.SIGNS]}"
    if answer is None:
        yield "answer_is", _never(step.answer_is, debugger, encoders)
        return
    if step.answer_is in ANSWERS and position == debugger.n_steps:
        yield "answer_is", "the answer is visible at the end of the run. Ask at an earlier step."
    yield from _answer_faults(step, answer)


def _answer_faults(step: LessonStep, answer: str) -> Iterator[tuple[str, str]]:
    if answer and answer.rstrip(".") in step.say:
        yield "say", f"“say” gives away the answer: {answer}"


def _never(stop_at: str, debugger: Debugger, encoders: Iterable[str]) -> str:
    why = absence(parse_breakpoint(stop_at), debugger.values, list(encoders))
    return f"the run never stops at “{stop_at}”. {why}".strip()


def _as_json(words: list[str]) -> str:
    return json.dumps(words, ensure_ascii=False)


# The models and runs for the steps of a lesson, made by the real encoders without a window


class SceneError(TokenloupeError):
    """A step cannot be shown; `key` is the faulty entry, and the message states the reason."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


class Scenes:
    """Models and runs for one step after another; a model or run equal to the previous one is reused.

    No server is asked: for a model from the web, the cached file is used.
    """

    def __init__(self) -> None:
        self._seconds = 0.0
        self._opened: tuple[tuple[str, str], Tokenizer] | None = None
        self._run: tuple[tuple[object, ...], Debugger] | None = None
        self._hashes: dict[str, str] = {}

    def tokenizer(self, step: LessonStep) -> Tokenizer:
        """The tokenizer of the step's model; raises SceneError."""
        wanted = step.model, step.pre
        if self._opened is None or self._opened[0] != wanted:
            try:
                self._opened = wanted, open_model(cached_name(step.model), step.pre or None)
            except TokenloupeError as error:
                raise SceneError("model", str(error)) from error
        return self._opened[1]

    def faults(self, step: LessonStep) -> Iterator[tuple[str, str]]:
        """Faults of entries that name a missing or different file or encoder: the key and a sentence."""
        try:
            tokenizer = self.tokenizer(step)
        except SceneError as error:
            yield error.key, str(error)
            return
        if step.sha256 and (found := self._hash(tokenizer, step.model)) not in ("", step.sha256.lower()):
            yield "sha256", f"{quoted(Path(step.model).name)} is a different file: its sha256 is {found}."
        if step.encoder and step.encoder not in tokenizer.encoders:
            known = ", ".join(tokenizer.encoders)
            yield "encoder", f"This model has no encoder “{step.encoder}”. It has: {known}."

    def debugger(self, step: LessonStep) -> Debugger:
        """The run of a step without training and `faults`, at any position; raises SceneError."""
        tokenizer = self.tokenizer(step)
        wanted = (step.model, step.pre, step.text, step.encoder, step.parse_special)
        if self._run is None or self._run[0] != wanted:
            encoder = step.encoder or next(iter(tokenizer.encoders))
            self._spend(tokenizer, encoder, len(step.text.encode()))
            trace = record(tokenizer, step.text, encoder, True, step.parse_special)
            self._run = wanted, debugger_for(tokenizer, trace)
        return self._run[1]

    def _spend(self, tokenizer: Tokenizer, encoder: str, n_bytes: int) -> None:
        is_one_piece = True  # the worst case for any model: a text without spaces
        self._seconds += estimate(tokenizer.reference_encoder(encoder), is_one_piece, n_bytes).seconds
        if self._seconds > MOST_SECONDS:
            raise SceneError(
                "text",
                f"the runs up to here take about {self._seconds:,.0f} s, but all runs of a lesson may take "
                f"only {MOST_SECONDS:,.0f} s. Use shorter texts.",
            )

    def _hash(self, tokenizer: Tokenizer, model: str) -> str:
        if model not in self._hashes:
            self._hashes[model] = hash_of(tokenizer, model)
        return self._hashes[model]


# Save lessons: as a copy to change, or as a page to step through in a browser


def save_lesson(lesson: Lesson, path: Path) -> None:
    """Save a lesson as a page if `path` ends in .html, else as a copy; raises TokenloupeError."""
    try:
        if path.suffix.lower() == ".html":
            write_chunks(lesson_page(lesson), path, len(lesson.steps))
        elif path.resolve() != lesson.path.resolve():
            replace_file(path, lesson.path.read_bytes())
    except OSError as error:
        raise TokenloupeError(not_written(path, error)) from error


def lesson_page(lesson: Lesson) -> Iterator[str]:
    """The page in chunks, to step through or to print; raises FaultyFileError if the lesson has faults."""
    if faults := tuple(faults_of(lesson)):
        raise error_of(lesson.path.name, *faults)
    scenes = Scenes()
    shown = (_page_step(lesson, number, scenes) for number in range(len(lesson.steps)))
    return page(lesson.title, lesson.summary, shown)


def _page_step(lesson: Lesson, number: int, scenes: Scenes) -> PageStep:
    step = lesson.steps[number]
    state, computed = _training_state(step) if step.train else _state(step, scenes)
    position = f"{number + 1} of {len(lesson.steps)} · {step.setting}"
    return state._replace(
        # `state.position` may reveal the answer
        position=position if step.ask else f"{position} · {state.position}",
        say=step.say,
        ask=step.ask,
        answer=step.full_answer(computed),
    )


def _state(step: LessonStep, scenes: Scenes) -> tuple[PageStep, str]:
    debugger = scenes.debugger(step)
    go_to_position(debugger, step.stop_at)
    computed = computed_answer(step.answer_is, debugger, step.stop_at) if step.answer_is else ""
    return TraceRun(debugger).page_step(debugger.position), computed or ""


def _training_state(step: LessonStep) -> tuple[PageStep, str]:
    run = begin(step.train, step.text, MOST_TRAINED_TOKENS, True)
    record, steps = TrainingRecord(run.start), list(islice(run.steps(), MOST_MERGES + 1))
    for merge in steps:
        record.append(to_json(merge).encode())
    state = TrainingRun(record).page_step(min(step.merges, record.n_steps))
    if step.ask:  # the sentence about the previous merge does not answer the question
        state = state._replace(sentence="")
    return state, training_answer(steps, step.merges) if step.answer_is else ""
