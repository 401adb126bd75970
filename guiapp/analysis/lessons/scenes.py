"""What the program shows at the steps of a lesson, made by the real encoders without a window."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from guiapp.analysis.lessons.lesson import LessonStep
from guiapp.analysis.trace.debugger import Debugger, debugger_for
from guiapp.analysis.trace.recorder import estimate, record
from guiapp.core.encode.tokenizer import Tokenizer
from guiapp.core.open_model import open_model
from guiapp.core.sources.locate import cached_name, hash_of
from guiapp.core.vocabulary.quoting import quoted
from guiapp.errors import TokenloupeError

MOST_SECONDS = 5.0  # for all runs of a lesson, as estimated before they are made


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
