"""What walking through an encoding and through a training have in common, as the window shows it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from guiapp.analysis.trace.breakpoints import Breakpoint, Dialect
from guiapp.analysis.trace.walk import Walk
from guiapp.pages.steps.breakpoints import StepBreakpoints
from guiapp.pages.steps.clock import StepClock

AnyWalk = TypeVar("AnyWalk", bound=Walk)


class WalkModel(QObject, Generic[AnyWalk]):
    """A walk, its breakpoints, and a clock that plays it.

    walk  None while there are no steps

    Signals:
        position_changed(): the place among the steps is new.
        breakpoints_changed(): the rows of `breakpoints` or their hits are new.
    """

    position_changed = Signal()
    breakpoints_changed = Signal()

    def __init__(self, dialect: Dialect | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.walk: AnyWalk | None = None
        self.breakpoints = StepBreakpoints(self._place, self, dialect)
        self.clock = StepClock(self)
        self.clock.ticked.connect(self._play_on)

    @property
    def position(self) -> int:
        return 0 if self.walk is None else self.walk.position

    @property
    def n_steps(self) -> int:
        return 0 if self.walk is None else self.walk.n_steps

    @property
    def awaits_steps(self) -> bool:
        """Whether more steps are on their way."""
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

    def _place(self, rows: Sequence[Breakpoint]) -> None:
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
        """The smallest step."""
        self.step()

    def over(self) -> None:
        """A larger step, where there are any."""
        self.step()

    def back_over(self) -> None:
        self.back()

    def out(self) -> None:
        """Finish what is under way."""
        self.to_end()

    def run(self) -> None:
        """Go on to the next breakpoint, or to the end."""
        self._moved(lambda walk: walk.run())

    def reverse(self) -> None:
        """Go back to the previous breakpoint, or to the start."""
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
        if walk.breakpoints != rows:  # one was for once only
            self.breakpoints.note(walk.breakpoints)
        if (walk.position, walk.stopped_at) != before or walk.stopped_at is not None:
            self.position_changed.emit()

    def _arrived(self, walk: AnyWalk) -> None:
        """The walk may be somewhere else; nobody has been told yet."""

    # Playing

    def play(self) -> None:
        """Take a step now and then, to where a run would stop; from the end, start anew."""
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
        """A step of a run."""
        self._moved(lambda walk: walk.until(walk.position + 1))
