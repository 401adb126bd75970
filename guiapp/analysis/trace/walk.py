"""Walks through the steps of an encoding or of a training, forwards and backwards, from stop to stop."""

from __future__ import annotations

from collections.abc import Sequence

from guiapp.analysis.trace.breakpoints import TRACE_DIALECT, Breakpoint, Dialect
from guiapp.analysis.trace.conditions import Values
from guiapp.analysis.trace.stops import Stops, without_once
from guiapp.analysis.trace.trace import Tokens


class Walk:
    """A place among steps, and the breakpoints that runs stop at.

    position     how many steps are taken: 0 to n_steps
    breakpoints  in the order in which they were set
    stopped_at   the breakpoint that ended the last run, None where another thing did
    log          messages of the log points that the last step or run passed, with their steps
    log_limit    how many of them are kept, the last ones; all of them where it is None
    """

    dialect: Dialect = TRACE_DIALECT
    lag = 0  # a run stops so many positions behind the number of the step that a breakpoint is about

    def __init__(self, values: Values) -> None:
        self._columns = values
        self._ends: dict[str, Tokens] = {}  # of encoders that a trace is compared with
        self.position = 0
        self.breakpoints: tuple[Breakpoint, ...] = ()
        self.stopped_at: Breakpoint | None = None
        self.log: list[tuple[int, str]] = []
        self.log_limit: int | None = None
        self.stops = self._stops_of(())

    @property
    def n_steps(self) -> int:
        return self._columns.n_steps

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Raises ConditionError where one cannot be evaluated in these steps; the old ones stay then."""
        stops = self._stops_of(breakpoints)
        self.breakpoints, self.stops = tuple(breakpoints), stops

    def _stops_of(self, breakpoints: Sequence[Breakpoint]) -> Stops:
        return Stops(breakpoints, self._columns, self._ends, self.dialect, self.lag)

    # Moving; each returns the new position

    def go_to(self, position: int) -> int:
        self.position = max(0, min(position, self.n_steps))
        self.stopped_at, self.log = None, []
        return self.position

    def run(self) -> int:
        """Go on to the next stop, or to the end."""
        return self.until(self.n_steps)

    def reverse(self) -> int:
        """Go back to the previous stop, or to the start."""
        return self.back_until(0)

    def until(self, position: int) -> int:
        """Go on to a position, or to a stop on the way."""
        stop = self.stops.after(self.position)
        return self._run_to(stop if stop is not None and stop[0] <= position else None, position)

    def back_until(self, position: int) -> int:
        """Go back to a position, or to a stop on the way."""
        stop = self.stops.before(self.position)
        return self._run_to(stop if stop is not None and stop[0] >= position else None, position)

    def _run_to(self, stop: tuple[int, int] | None, otherwise: int) -> int:
        self._pass_to(otherwise if stop is None else stop[0])
        if stop is not None:
            self.stopped_at = self.breakpoints[stop[1]]
            if self.stopped_at.once:
                rows = list(self.breakpoints)
                rows[stop[1]] = without_once(self.stopped_at)
                self.set_breakpoints(rows)
        return self.position

    def _pass_to(self, target: int) -> None:
        """Go there, and note on the way forwards what log points say."""
        start = self.position
        self.go_to(target)
        if self.position > start:
            self.log = list(self.stops.logged(start + 1, self.position + 1, self.log_limit))
