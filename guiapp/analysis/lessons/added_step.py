"""Append steps of a run to a lesson file, and undo that."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from guiapp.analysis.lessons.lesson import LessonStep, load, step_faults
from guiapp.analysis.trace.debugger import Debugger
from guiapp.core.sources.files import replace_file
from guiapp.core.text.outside_json import FaultyFileError
from guiapp.errors import TokenloupeError, not_written


class AddedStep(NamedTuple):
    """The content of a lesson file before a step was added (None if there was no file), and after it."""

    path: Path
    before: bytes | None
    after: bytes
    number: int

    def take_back(self) -> None:
        """Restore the file; raises TokenloupeError if it has changed since."""
        try:
            if self.path.read_bytes() != self.after:
                raise TokenloupeError(
                    f"{self.path.name} has changed since then. Remove the step in an editor."
                )
            if self.before is None:
                self.path.unlink()
            else:
                replace_file(self.path, self.before)
        except OSError as error:
            raise TokenloupeError(not_written(self.path, error)) from error


def step_at(debugger: Debugger, model: str, parse_special: bool, say: str) -> LessonStep:
    """The present step of a run as a lesson step; raises TokenloupeError if the text is not UTF-8."""
    trace, position = debugger.trace, debugger.position
    try:
        text = trace.text.decode()
    except UnicodeDecodeError as error:
        raise TokenloupeError("A lesson must be UTF-8, and this text is not. Choose another text.") from error
    stop_at = "end" if position >= debugger.n_steps else "start"
    if 0 < position < debugger.n_steps:
        operations = trace.columns.operation[: position + 1]
        n_hits = int((operations == operations[-1]).sum())
        stop_at = f"operation {trace.operation(position)}" + (f" hit {n_hits}" if n_hits > 1 else "")
    pre = debugger.vocabulary.chosen_pre
    return LessonStep(say, model, pre, "", text, trace.encoder, parse_special, stop_at=stop_at)


def add_step(path: Path, step: LessonStep) -> AddedStep:
    """Append a step to a lesson file, or create the file with it.

    Raises TokenloupeError if the file is not a valid lesson, or would not be one then; the file is unchanged.
    """
    if fault := next(step_faults(step), None):
        raise TokenloupeError(f"This step cannot be added to a lesson{fault[1]}")
    rows: dict[str, str | bool] = {"say": step.say, "model": step.model, "pre": step.pre, "text": step.text}
    rows |= {"encoder": step.encoder, "parse_special": step.parse_special, "break": step.stop_at}
    entry = "\n[[step]]\n" + "".join(f"{key} = {_toml(value)}\n" for key, value in rows.items())
    try:
        before = path.read_bytes() if path.exists() else None
        number = 1 if before is None else len(load(path).steps) + 1
        head = f'title = {_toml(path.stem)}\nsummary = ""\n'.encode() if before is None else before + b"\n"
        added = AddedStep(path, before, head + entry.encode(), number)
        replace_file(path, added.after)
    except OSError as error:
        raise TokenloupeError(not_written(path, error)) from error
    try:
        load(path)
    except FaultyFileError:
        added.take_back()
        raise
    return added


def _toml(value: str | bool) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
