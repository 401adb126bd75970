"""Models of walks through encodings and trainings, with breakpoints and a clock."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import copyfile
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal

from guiapp.analysis.trace.breakpoints import Breakpoint, Dialect, Walk, parse_breakpoint, quoted
from guiapp.analysis.trace.conditions import unquoted
from guiapp.analysis.train.models import TrainingError, shortfall
from guiapp.analysis.train.record import TRAINING_DIALECT, TrainingRecord, TrainingWalk
from guiapp.analysis.train.runs import Finished, TrainRequest, parse_start
from guiapp.analysis.train.steps import MergeStep
from guiapp.core.processes import command_of
from guiapp.core.sources.files import replacement
from guiapp.errors import TokenloupeError, not_written
from guiapp.kit.state.background import LineProcess
from guiapp.kit.state.settings import SharedSpelling

COMMAND = command_of("guiapp.analysis.train.runs")
Rows = tuple[Breakpoint, ...]
SPEEDS = (1, 2, 5, 10, 30)  # steps a second
AnyWalk = TypeVar("AnyWalk", bound=Walk)


class WalkModel(QObject, Generic[AnyWalk]):
    """A walk, its breakpoints, and a clock that plays it.

    walk  None while there are no steps

    Signals:
        position_changed(): `position` is new.
        breakpoints_changed(): the rows of `breakpoints` or their hits are new.
    """

    position_changed = Signal()
    breakpoints_changed = Signal()

    def __init__(self, dialect: Dialect | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.walk: AnyWalk | None = None
        self.breakpoints = StepBreakpoints(self._set_breakpoints, self, dialect)
        self.clock = StepClock(self)
        self.clock.timeout.connect(self._play_on)

    @property
    def position(self) -> int:
        return 0 if self.walk is None else self.walk.position

    @property
    def n_steps(self) -> int:
        return 0 if self.walk is None else self.walk.n_steps

    @property
    def awaits_steps(self) -> bool:
        return False

    @property
    def stopped_at(self) -> Breakpoint | None:
        """The breakpoint that ended the last run."""
        return None if self.walk is None else self.walk.stopped_at

    @property
    def hits(self) -> list[NDArray[np.int64]]:
        """The positions at which each breakpoint is hit."""
        if self.walk is None:
            return [np.empty(0, np.int64) for _ in self.breakpoints.rows]
        return self.walk.stops.hits

    def _set_breakpoints(self, rows: Sequence[Breakpoint]) -> None:
        if self.walk is not None:
            self.walk.set_breakpoints(rows)

    # Moving

    def go_to(self, position: int) -> None:
        self._moved(lambda walk: walk.go_to(position))

    def step(self) -> None:
        self.go_to(self.position + 1)

    def back(self) -> None:
        self.go_to(self.position - 1)

    def into(self) -> None:
        self.step()

    def over(self) -> None:
        """Make a larger step, if the walk has any."""
        self.step()

    def back_over(self) -> None:
        self.back()

    def out(self) -> None:
        self.to_end()

    def run(self) -> None:
        self._moved(lambda walk: walk.run())

    def reverse(self) -> None:
        self._moved(lambda walk: walk.reverse())

    def restart(self) -> None:
        self.go_to(0)

    def to_end(self) -> None:
        self.go_to(self.n_steps)

    def _moved(self, move: Callable[[AnyWalk], object]) -> None:
        walk = self.walk
        if walk is None:
            return
        before, rows = (walk.position, walk.stopped_at), walk.breakpoints
        move(walk)
        self._arrived(walk)
        if walk.breakpoints != rows:  # one was for a single hit
            self.breakpoints.keep(walk.breakpoints)
        if (walk.position, walk.stopped_at) != before or walk.stopped_at is not None:
            self.position_changed.emit()

    def _arrived(self, walk: AnyWalk) -> None:
        """Called after a move of the walk, before the signals."""

    # Playing

    def play(self) -> None:
        """Take steps by the clock, up to where a run would stop; at the end, start again."""
        if self.walk is None and not self.awaits_steps:
            return
        if self.position >= self.n_steps:
            self.restart()
        self.clock.play()

    def toggle_play(self) -> None:
        if self.clock.is_playing:
            self.clock.pause()
        else:
            self.play()

    def _play_on(self) -> None:
        if self.position < self.n_steps:
            self._advance()
        is_over = self.position >= self.n_steps and not self.awaits_steps
        if is_over or self.stopped_at is not None:
            self.clock.pause()

    def _advance(self) -> None:
        self._moved(lambda walk: walk.until(walk.position + 1))


class StepClock(QTimer):
    """A timer that times out for each step while it plays.

    Signals:
        changed(): `is_playing` or `speed` is new.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.speed = SPEEDS[2]  # steps a second

    @property
    def is_playing(self) -> bool:
        return self.isActive()

    def set_speed(self, steps_per_s: int) -> None:
        self.speed = steps_per_s
        self.setInterval(1000 // steps_per_s)
        self.changed.emit()

    def play(self) -> None:
        self.start(1000 // self.speed)
        self.changed.emit()

    def pause(self) -> None:
        if self.isActive():
            self.stop()
            self.changed.emit()


def at_bytes(rows: Iterable[Breakpoint], start: int, end: int) -> list[Breakpoint]:
    """The breakpoints at bytes [start, end) of the text."""
    stretch = range(start, max(end, start + 1))
    return [row for row in rows if row.kind == "byte" and int(row.value) in stretch]


def at_operations(rows: Iterable[Breakpoint], names: Sequence[str]) -> list[Breakpoint]:
    return [row for row in rows if row.kind == "operation" and unquoted(row.value) in names]


class StepBreakpoints(QObject):
    """The breakpoints of a walk, with undo and redo.

    `apply` puts breakpoints into the debugger, and raises TokenloupeError if they are invalid there.
    `dialect` defines their conditions; None for steps of encoding.

    Signals:
        changed(): `rows` or `removed` is new.
    """

    changed = Signal()

    def __init__(
        self,
        apply: Callable[[Sequence[Breakpoint]], None],
        parent: QObject | None = None,
        dialect: Dialect | None = None,
    ) -> None:
        super().__init__(parent)
        self._apply = apply
        self._dialect = dialect
        self.rows: Rows = ()
        self._undone: list[Rows] = []
        self._done: list[Rows] = []
        self.removed: Breakpoint | None = None

    def add(self, text: str) -> None:
        """Add a breakpoint; raises BreakpointError or ConditionError."""
        self._set((*self.rows, parse_breakpoint(text, self._dialect)))

    def change(self, index: int, text: str) -> None:
        """Replace a breakpoint; raises BreakpointError or ConditionError, and then the old one stays."""
        row = replace(parse_breakpoint(text, self._dialect), is_enabled=self.rows[index].is_enabled)
        self._exchange_row(index, row)

    def _exchange_row(self, index: int, row: Breakpoint) -> None:
        self._set((*self.rows[:index], row, *self.rows[index + 1 :]))

    def remove(self, index: int) -> None:
        """Remove a breakpoint; it is `removed` until the next change."""
        self._set((*self.rows[:index], *self.rows[index + 1 :]), self.rows[index])

    def enable(self, index: int, is_enabled: bool) -> None:
        self._exchange_row(index, replace(self.rows[index], is_enabled=is_enabled))

    def toggle(self, text: str) -> None:
        titles = [row.title for row in self.rows]
        if text in titles:
            self.remove(titles.index(text))
        else:
            self.add(text)

    def toggle_bytes(self, start: int, end: int) -> None:
        """Set a breakpoint at the first of bytes [start, end), or remove all that are in the range."""
        self._toggle_all(at_bytes(self.rows, start, end), [f"byte {start}"])

    def toggle_operations(self, names: Sequence[str]) -> None:
        """Set a breakpoint at each of these operations, or remove all that are at one of them."""
        self._toggle_all(at_operations(self.rows, names), [f"operation {name}" for name in names])

    def _toggle_all(self, old: list[Breakpoint], new: list[str]) -> None:
        if old:
            self._set(tuple(row for row in self.rows if row not in old), old[0])
        else:
            self._set((*self.rows, *(parse_breakpoint(text, self._dialect) for text in new)))

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def undo(self) -> None:
        if self._done:
            self._undone.append(self.rows)
            self.fit(self._done.pop())

    def redo(self) -> None:
        if self._undone:
            self._done.append(self.rows)
            self.fit(self._undone.pop())

    def exchange(self, rows: Rows) -> None:
        self._done.append(self.rows)
        self._undone.clear()
        self.fit(rows)

    def forget(self) -> None:
        """Remove all breakpoints, and the undo history."""
        self._done.clear()
        self._undone.clear()
        self.fit(())

    def fit(self, rows: Rows) -> None:
        """Replace all breakpoints; disable those that are invalid in the present text."""
        fitted: list[Breakpoint] = []
        for row in rows:
            try:
                self._apply([*fitted, row])
                fitted.append(row)
            except TokenloupeError:
                fitted.append(replace(row, is_enabled=False))
        self._apply(fitted)
        self.keep(tuple(fitted))

    def _set(self, rows: Rows, removed: Breakpoint | None = None) -> None:
        self._apply(rows)
        self._done.append(self.rows)
        self._undone.clear()
        self.keep(rows, removed)

    def keep(self, rows: Rows, removed: Breakpoint | None = None) -> None:
        """Store breakpoints that the debugger already has."""
        self.rows, self.removed = rows, removed
        self.changed.emit()


@dataclass(frozen=True)
class TrainingWish:
    """Settings of a training; `n_tokens` is the size of the whole vocabulary."""

    algorithm: str
    text: bytes
    n_tokens: int
    has_end_marks: bool = False


class TrainingModel(WalkModel[TrainingWalk]):
    """The latest training; the previous one stays until the new one has begun.

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
        self._asked: TrainingWish | None = None
        self._has_begun = False  # whether the training of `_asked` has begun
        self.wish: TrainingWish | None = None
        self.record: TrainingRecord | None = None
        self.failure, self.shortfall = "", ""
        self.model_file: Path | None = None
        self.breakpoints.changed.connect(self.breakpoints_changed)
        self._runs_on = False

    # Training

    @property
    def is_busy(self) -> bool:
        return self._process.is_running

    def train(self, wish: TrainingWish, position: int = 1) -> None:
        """Train, and go to a step as soon as it is available."""
        self._process.drop()
        self.clock.pause()
        self._asked, self._has_begun, self.failure = wish, False, ""
        self._goal, self._runs_on = position, False
        self._n_trained += 1  # earlier results may be open, so their files are not overwritten
        output = Path(self._folder.name) / f"trained-{self._n_trained}.gguf"
        text = wish.text.decode("utf-8", "replace")
        request = TrainRequest(wish.algorithm, text, wish.n_tokens, wish.has_end_marks, str(output))
        self._process.start()
        self._process.send(request.line())
        self.changed.emit()

    def show(self, wish: TrainingWish, position: int) -> None:
        """Go to a step of a training; start the training first if it is not the present one."""
        if wish != (self._asked if self.is_busy else self.wish):
            self.train(wish, position)
        else:
            self._goal = position
            self.go_to(position)

    def cancel(self) -> None:
        """Stop training; the steps so far stay."""
        if self.is_busy:
            self._process.drop()
            self.failure = "Training was cancelled."
            self.changed.emit()

    def save(self, path: Path) -> None:
        """Copy the model file, which must exist, to `path`.  Raises TrainingError."""
        assert self.model_file is not None
        try:
            with replacement(path) as new:
                copyfile(self.model_file, new)
        except OSError as error:
            raise TrainingError(not_written(path, error)) from error

    def stop(self) -> None:
        self.clock.pause()
        self._process.end()
        self._folder.cleanup()

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            if line.startswith(b'{"finished"'):
                self._finish(Finished(**json.loads(line)["finished"]))
            elif not self._has_begun or self.record is None:
                self._begin(line)
            else:
                self.record.append(line)
        self._find_hits()
        self.changed.emit()
        if self._runs_on:
            self.run()
        elif self._has_begun and self.position < min(self._goal, self.n_steps):
            self.go_to(self._goal)

    def _begin(self, line: bytes) -> None:
        self._has_begun, self.wish, self.model_file, self.shortfall = True, self._asked, None, ""
        self.record = TrainingRecord(parse_start(line), self._spelling.now)
        self.walk = TrainingWalk(self.record.values)
        self.position_changed.emit()

    def _finish(self, finished: Finished) -> None:
        self._process.drop()
        self.failure = finished.error
        if not self._has_begun or self.record is None:
            return
        self.model_file = Path(finished.output) if finished.output else None
        if self.wish is not None and self.model_file is not None:
            wish, n_repeated = self.wish, self.record.n_repeated
            self.shortfall = shortfall(wish.algorithm, finished.n_tokens, wish.n_tokens, n_repeated)

    def _note_sudden_end(self, complaint: str) -> None:
        self.failure = f"Training ended unexpectedly: {complaint}. Try again with a shorter text."
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
        """Go on to the next breakpoint, even if its step is not trained yet, or to the end."""
        super().run()
        self._runs_on = self.stopped_at is None and self.is_busy

    def toggle_breakpoint(self) -> None:
        """Toggle a breakpoint on the symbol that the present step made, or else on its operation."""
        if self.record is None or not self.position:
            return
        step = self.record.step(self.position)
        if isinstance(step, MergeStep):
            self.breakpoints.toggle(f"token {quoted(step.left + step.right)}")
        else:
            operation = self.record.values.description("operation", self.position - 1)
            self.breakpoints.toggle(f"operation {operation}")

    def _find_hits(self) -> None:
        if self.breakpoints.rows:
            self._set_breakpoints(self.breakpoints.rows)
            self.breakpoints_changed.emit()
