"""Walks through the steps of an encoding or of a training, forwards and backwards, from stop to stop."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.breakpoints import TRACE_DIALECT, Breakpoint, Dialect, Ends, hits, note
from guiapp.analysis.trace.conditions import Values
from guiapp.analysis.trace.trace import TraceTokens


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
        self._ends: dict[str, TraceTokens] = {}  # of encoders that a trace is compared with
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


class Stops:
    """The hits of several breakpoints: positions, `lag` behind the numbers of the steps."""

    def __init__(
        self,
        breakpoints: Sequence[Breakpoint],
        values: Values,
        ends: Ends,
        dialect: Dialect | None = None,
        lag: int = 0,
    ) -> None:
        """Raises ConditionError where a condition cannot be evaluated, such as one that divides by zero."""
        self.breakpoints = tuple(breakpoints)
        self._values = values
        self._lag = lag
        self.hits = [
            hits(row, values, ends, dialect) + lag if row.is_enabled else np.empty(0, np.int64)
            for row in breakpoints
        ]

    def after(self, position: int) -> tuple[int, int] | None:
        """The first stop behind a position, and which breakpoint it is; None if there is none."""
        candidates = [
            (int(steps[at]), index)
            for index, steps in self._stopping()
            if (at := int(np.searchsorted(steps, position, side="right"))) < len(steps)
        ]
        return min(candidates, default=None)

    def before(self, position: int) -> tuple[int, int] | None:
        """The last stop before a position, likewise."""
        candidates = [
            (int(steps[at - 1]), index)
            for index, steps in self._stopping()
            if (at := int(np.searchsorted(steps, position))) > 0
        ]
        return max(candidates, default=None)

    def logged(self, start: int, end: int, limit: int | None = None) -> Iterator[tuple[int, str]]:
        """The messages of log points on the way to a position, in order; the last ones, up to a limit."""
        passed = [
            steps[np.searchsorted(steps, start) : np.searchsorted(steps, end)] if row.log else steps[:0]
            for row, steps in zip(self.breakpoints, self.hits, strict=True)
        ]
        owners = np.repeat(np.arange(len(passed)), [len(steps) for steps in passed])
        steps = np.concatenate([np.empty(0, np.int64), *passed])
        order = np.lexsort((owners, steps))
        for at in order[-limit:] if limit else order:
            yield int(steps[at]), note(self.breakpoints[owners[at]], self._values, int(steps[at]) - self._lag)

    def _stopping(self) -> Iterator[tuple[int, NDArray[np.int64]]]:
        return ((i, steps) for i, steps in enumerate(self.hits) if not self.breakpoints[i].log)


def without_once(breakpoint_: Breakpoint) -> Breakpoint:
    """The breakpoint after it has stopped a run."""
    return replace(breakpoint_, is_enabled=False) if breakpoint_.once else breakpoint_
