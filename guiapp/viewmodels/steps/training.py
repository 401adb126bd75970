"""A training of a vocabulary, made by a process of its own, and a place in it."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.core.system.processes import command_of
from guiapp.core.trace.breakpoints import Breakpoint, quoted
from guiapp.core.trace.stops import Stops, without_once
from guiapp.core.training.models import shortfall
from guiapp.core.training.record import TrainingRecord
from guiapp.core.training.runs import parse_start
from guiapp.core.training.stops import TRAINING_DIALECT, TrainingValues
from guiapp.core.training.telling import ToldMerge
from guiapp.core.training.train_process import Finished, TrainRequest
from guiapp.viewmodels.processes import LineProcess
from guiapp.viewmodels.steps.breakpoints import StepBreakpoints
from guiapp.viewmodels.steps.clock import StepClock

COMMAND = command_of("guiapp.core.training.train_process")


@dataclass(frozen=True)
class TrainingWish:
    """What to train; `n_tokens` is the size of the whole vocabulary."""

    algorithm: str
    text: bytes
    n_tokens: int
    has_end_marks: bool = False


class TrainingModel(QObject):
    """The training that was asked for last.

    Signals:
        changed(): `record` has new steps, or `is_busy`, `failure`, `shortfall` or `model_file` is new.
        position_changed(): `position` is new.
        breakpoints_changed(): the rows of `breakpoints` or their hits are new.
    """

    changed = Signal()
    position_changed = Signal()
    breakpoints_changed = Signal()

    def __init__(self, command: tuple[str, ...] = COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = tempfile.TemporaryDirectory(prefix="tokenloupe-")
        self._process = LineProcess(command, self)
        self._process.told.connect(self._take)
        self._process.ended.connect(self._note_sudden_end)
        self._goal = 0
        self.wish: TrainingWish | None = None
        self.record: TrainingRecord | None = None
        self.position = 0
        self.failure, self.shortfall = "", ""
        self.model_file: Path | None = None
        self.breakpoints = StepBreakpoints(self._place, self, TRAINING_DIALECT)
        self.breakpoints.changed.connect(self.breakpoints_changed)
        self.stopped_at: Breakpoint | None = None
        self._stops = Stops((), TrainingValues(), {}, TRAINING_DIALECT)
        self._runs_on = False
        self.clock = StepClock(self)
        self.clock.ticked.connect(self._play_on)

    # Training

    @property
    def is_busy(self) -> bool:
        return self._process.is_running

    @property
    def n_steps(self) -> int:
        return 0 if self.record is None else self.record.n_steps

    def train(self, wish: TrainingWish, position: int = 1) -> None:
        """Train, and go to a step as soon as it is there."""
        self._process.end()
        self.clock.pause()
        self.wish, self.record, self.model_file, self.failure, self.shortfall = wish, None, None, "", ""
        self.position, self._goal, self._runs_on, self.stopped_at = 0, position, False, None
        self._look_for_hits()
        text_file = Path(self._folder.name) / "text"
        text_file.write_bytes(wish.text)
        output = Path(self._folder.name) / "trained.gguf"
        request = TrainRequest(wish.algorithm, str(text_file), wish.n_tokens, wish.has_end_marks, str(output))
        self._process.start()
        self._process.say(request.line())
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
            self._process.end()
            self.failure = "Training was cancelled: there is no model file."
            self.changed.emit()

    def save(self, path: Path) -> bool:
        """Write the model file to a place of one's choice; whether that worked."""
        if self.model_file is None:
            return False
        try:
            shutil.copyfile(self.model_file, path)
        except OSError:
            return False
        return True

    def stop(self) -> None:
        """End all work in the background, and remove what it wrote."""
        self.clock.pause()
        self._process.end()
        self._folder.cleanup()

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            if self.record is None and not line.startswith(b'{"finished"'):
                self.record = TrainingRecord(parse_start(line))
            elif self.record is not None and line.startswith(b'{"kind"'):
                self.record.append(line)
            else:
                self._finish(Finished(**json.loads(line)["finished"]))
        self._look_for_hits()
        self.changed.emit()
        if self._runs_on:
            self.run()
        elif self.position < min(self._goal, self.n_steps):
            self.go_to(self._goal)

    def _finish(self, finished: Finished) -> None:
        self._process.end()
        self.failure = finished.error
        self.model_file = Path(finished.output) if finished.output else None
        if self.wish is not None and self.record is not None and self.model_file is not None:
            wish, n_repeated = self.wish, self.record.n_repeated
            self.shortfall = shortfall(wish.algorithm, finished.n_tokens, wish.n_tokens, n_repeated)

    def _note_sudden_end(self, complaint: str) -> None:
        """It has ended without a last line."""
        self.failure = f"Training ended unexpectedly: {complaint}. Try again with a shorter text."
        self._take([])

    # Moving

    def go_to(self, position: int) -> None:
        """Show what there was after so many steps."""
        self._runs_on = False
        self._arrive(position, None)

    def run(self) -> None:
        """Go on to the next breakpoint, even if its step is still to come, or to the end."""
        stop = self._stops.after(self.position - 1)
        self._runs_on = stop is None and self.is_busy
        self._arrive_at_stop(stop, self.n_steps)

    def reverse(self) -> None:
        """Go back to the previous breakpoint, or to the start."""
        self._runs_on = False
        self._arrive_at_stop(self._stops.before(self.position - 1), 0)

    def _arrive_at_stop(self, stop: tuple[int, int] | None, otherwise: int) -> None:
        if stop is None:
            self._arrive(otherwise, None)
            return
        rows = list(self.breakpoints.rows)
        stopped_at = rows[stop[1]]
        if stopped_at.once:
            rows[stop[1]] = without_once(stopped_at)
            self._place(rows)
            self.breakpoints.note(tuple(rows))
        self._arrive(stop[0] + 1, stopped_at)

    def _arrive(self, position: int, stopped_at: Breakpoint | None) -> None:
        before = self.position, self.stopped_at
        self.position, self.stopped_at = max(0, min(position, self.n_steps)), stopped_at
        if (self.position, self.stopped_at) != before:
            self.position_changed.emit()

    def step(self) -> None:
        self.go_to(self.position + 1)

    def back(self) -> None:
        self.go_to(self.position - 1)

    def restart(self) -> None:
        self.go_to(0)

    def to_end(self) -> None:
        self.go_to(self.n_steps)

    def toggle_play(self) -> None:
        """Take a step now and then, to the end; from the end, start anew."""
        if self.clock.is_playing:
            self.clock.pause()
            return
        if self.position >= self.n_steps:
            self.restart()
        self.clock.play()

    def _play_on(self) -> None:
        stop = self._stops.after(self.position - 1)
        if stop is not None and stop[0] == self.position:
            self._arrive_at_stop(stop, self.position)
            self.clock.pause()
            return
        self.step()
        if self.position >= self.n_steps and not self.is_busy:
            self.clock.pause()

    # Breakpoints

    @property
    def hits(self) -> list[NDArray[np.int64]]:
        """The positions at which each breakpoint is hit: behind the step that it is about."""
        return [found + 1 for found in self._stops.hits]

    def toggle_breakpoint(self) -> None:
        """A breakpoint on the symbol that the present step made, or on its operation; or away with it."""
        if self.record is None or not self.position:
            return
        told = self.record.step(self.position)
        if isinstance(told, ToldMerge):
            self.breakpoints.toggle(f"token {quoted(told.left + told.right)}")
        else:
            self.breakpoints.toggle(f"operation {self.record.values.told('operation', self.position - 1)}")

    def _place(self, rows: Sequence[Breakpoint]) -> None:
        values = TrainingValues() if self.record is None else self.record.values
        self._stops = Stops(rows, values, {}, TRAINING_DIALECT)

    def _look_for_hits(self) -> None:
        """There are new steps, or none any more."""
        if self.breakpoints.rows:
            self._place(self.breakpoints.rows)
            self.breakpoints_changed.emit()
