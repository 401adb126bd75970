"""A training of a vocabulary, made by a process of its own, and a place in it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.trace.breakpoints import quoted
from guiapp.analysis.train.breakpoints import TRAINING_DIALECT, TrainingWalk
from guiapp.analysis.train.models import TrainingError, shortfall
from guiapp.analysis.train.record import TrainingRecord
from guiapp.analysis.train.runs import parse_start
from guiapp.analysis.train.steps import MergeStep
from guiapp.analysis.train.train_process import Finished, TrainRequest
from guiapp.core.system.processes import command_of
from guiapp.core.system.replace_file import replace_file, replacement
from guiapp.errors import not_written
from guiapp.kit.state.background import LineProcess
from guiapp.kit.state.settings import SharedSpelling
from guiapp.pages.steps.walk_model import WalkModel

COMMAND = command_of("guiapp.analysis.train.train_process")


@dataclass(frozen=True)
class TrainingWish:
    """What to train; `n_tokens` is the size of the whole vocabulary."""

    algorithm: str
    text: bytes
    n_tokens: int
    has_end_marks: bool = False


_Result = tuple[TrainingWish | None, TrainingRecord, TrainingWalk | None, Path | None, str]


class TrainingModel(WalkModel[TrainingWalk]):
    """The training that was asked for last, or, where it could not begin, the one before it.

    Signals:
        changed(): `record` has new steps, or `is_busy`, `failure`, `shortfall` or `model_file` is new.
    """

    changed = Signal()

    def __init__(
        self,
        command: tuple[str, ...] = COMMAND,
        spelling: SharedSpelling | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(TRAINING_DIALECT, parent)
        self._spelling = spelling or SharedSpelling(parent=self)
        self._spelling.changed.connect(self._on_spelling_changed)
        self._folder = tempfile.TemporaryDirectory(prefix="tokenloupe-")
        self._n_trained = 0
        self._process = LineProcess(command, self)
        self._process.told.connect(self._take)
        self._process.ended.connect(self._note_sudden_end)
        self._goal = 0
        self.wish: TrainingWish | None = None
        self.record: TrainingRecord | None = None
        self.failure, self.shortfall = "", ""
        self.model_file: Path | None = None
        self._previous: _Result | None = None  # until the present training has begun
        self.breakpoints.changed.connect(self.breakpoints_changed)
        self._runs_on = False

    # Training

    @property
    def is_busy(self) -> bool:
        return self._process.is_running

    def train(self, wish: TrainingWish, position: int = 1) -> None:
        """Train, and go to a step as soon as it is there."""
        self._process.drop()
        self.clock.pause()
        if self.record is not None:
            self._previous = self.wish, self.record, self.walk, self.model_file, self.shortfall
        self.wish, self.record, self.model_file, self.failure, self.shortfall = wish, None, None, "", ""
        self.walk, self._goal, self._runs_on = None, position, False
        self._find_hits()
        text_file = Path(self._folder.name) / "text"
        self._n_trained += 1  # what was trained before may be open, and stays what it is
        output = Path(self._folder.name) / f"trained-{self._n_trained}.gguf"
        request = TrainRequest(wish.algorithm, str(text_file), wish.n_tokens, wish.has_end_marks, str(output))
        try:
            replace_file(text_file, wish.text, is_private=True)
        except OSError as error:
            self.failure = f"{text_file} cannot be written: {error.strerror}."
            self._restore()
        else:
            self._process.start()
            self._process.send(request.line())
        self.changed.emit()
        self.position_changed.emit()

    def show(self, wish: TrainingWish, position: int) -> None:
        """Go to a step of a training, which is made first if it is another than the present one."""
        if wish != self.wish:
            self.train(wish, position)
        else:
            self._goal = position
            self.go_to(position)

    def cancel(self) -> None:
        """Stop here; the steps so far stay."""
        if self.is_busy:
            self._process.drop()
            self.failure = "Training was cancelled."
            self._restore()
            self.changed.emit()

    def _restore(self) -> None:
        """Show the training before the present one again if that ended before it began."""
        if self.record is None and self._previous is not None:
            self.wish, self.record, self.walk, self.model_file, self.shortfall = self._previous
            self._goal = 0
            self.record.spell(self._spelling.now)
            self._find_hits()
            self.position_changed.emit()

    def save(self, path: Path) -> None:
        """Write the model file, once there is one, to a place of one's choice.  Raises TrainingError."""
        assert self.model_file is not None
        try:
            with replacement(path) as new:
                copyfile(self.model_file, new)
        except OSError as error:
            raise TrainingError(not_written(path, error)) from error

    def stop(self) -> None:
        """End all work in the background, and remove what it wrote."""
        self.clock.pause()
        self._process.end()
        self._folder.cleanup()

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            if self.record is None and not line.startswith(b'{"finished"'):
                self.record = TrainingRecord(parse_start(line), self._spelling.now)
                self.walk, self._previous = TrainingWalk(self.record.values), None
            elif self.record is not None and line.startswith(b'{"kind"'):
                self.record.append(line)
            else:
                self._finish(Finished(**json.loads(line)["finished"]))
        self._find_hits()
        self.changed.emit()
        if self._runs_on:
            self.run()
        elif self.position < min(self._goal, self.n_steps):
            self.go_to(self._goal)

    def _finish(self, finished: Finished) -> None:
        self._process.drop()
        self.failure = finished.error
        if self.record is None:
            self._restore()
            return
        self.model_file = Path(finished.output) if finished.output else None
        if self.wish is not None and self.model_file is not None:
            wish, n_repeated = self.wish, self.record.n_repeated
            self.shortfall = shortfall(wish.algorithm, finished.n_tokens, wish.n_tokens, n_repeated)

    def _note_sudden_end(self, complaint: str) -> None:
        """It has ended without a last line."""
        self.failure = f"Training ended unexpectedly: {complaint}. Try again with a shorter text."
        self._restore()
        self._take([])

    def _on_spelling_changed(self) -> None:
        if self.record is not None:
            self.record.spell(self._spelling.now)
            self.changed.emit()

    # Moving

    @property
    def awaits_steps(self) -> bool:
        return self.is_busy

    def _arrived(self, walk: TrainingWalk) -> None:
        self._runs_on = False

    def run(self) -> None:
        """Go on to the next breakpoint, even if its step is still to come, or to the end."""
        super().run()
        self._runs_on = self.stopped_at is None and self.is_busy

    def toggle_breakpoint(self) -> None:
        """A breakpoint on the symbol that the present step made, or on its operation; or away with it."""
        if self.record is None or not self.position:
            return
        told = self.record.step(self.position)
        if isinstance(told, MergeStep):
            self.breakpoints.toggle(f"token {quoted(told.left + told.right)}")
        else:
            self.breakpoints.toggle(
                f"operation {self.record.values.description('operation', self.position - 1)}"
            )

    def _find_hits(self) -> None:
        """There are new steps, or none any more."""
        if self.breakpoints.rows:
            self._place(self.breakpoints.rows)
            self.breakpoints_changed.emit()
