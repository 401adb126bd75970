"""Where breakpoints stop a run, to go to the next stop or the previous one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from guiapp.analysis.trace.breakpoints import Breakpoint, Dialect, Ends, hits, note
from guiapp.analysis.trace.conditions import Values


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
        found = [
            (int(steps[at]), index)
            for index, steps in self._stopping()
            if (at := int(np.searchsorted(steps, position, side="right"))) < len(steps)
        ]
        return min(found, default=None)

    def before(self, position: int) -> tuple[int, int] | None:
        """The last stop before a position, likewise."""
        found = [
            (int(steps[at - 1]), index)
            for index, steps in self._stopping()
            if (at := int(np.searchsorted(steps, position))) > 0
        ]
        return max(found, default=None)

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
