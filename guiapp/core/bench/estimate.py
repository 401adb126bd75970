"""How long a run takes: one number before it begins, a range of what is left while it goes.

Contenders differ by factors of a thousand, so that nobody can know before; what is told says so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from guiapp.core.bench.forecast import NOTHING_KNOWN, START_S, Known, all_loading_s, cells_s
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import tasks_of

RECENT = 3  # cells, whose pace may be another than that of all before
MINUTE_S, LONGEST_IN_SECONDS_S, STEP_S = 60, 100, 5


@dataclass(frozen=True)
class Duration:
    """A range in seconds."""

    low_s: float
    high_s: float

    def __str__(self) -> str:
        if self.high_s < LONGEST_IN_SECONDS_S:
            return _range(self.low_s, self.high_s, STEP_S, STEP_S, "s")
        return _range(self.low_s, self.high_s, MINUTE_S, 1, "min")


def expected_s(plan: Plan, text_bytes: Sequence[int], known: Known = NOTHING_KNOWN) -> float:
    """The seconds that a plan will take whose texts have so many bytes, right within a factor of two.

    Nobody knows before how steady times are: in the middle between what steady and unsteady ones take.
    """
    shortest_s, longest_s = (
        sum(cells_s(plan, plan.contenders, tasks_of(plan, text_bytes), known, are_steady))
        for are_steady in (True, False)
    )
    return START_S + all_loading_s(plan.contenders, known) + math.sqrt(shortest_s * longest_s)


def weights_of(plan: Plan, text_bytes: Sequence[int], known: Known = NOTHING_KNOWN) -> list[float]:
    """How long cells take, each beside the others."""
    return cells_s(plan, plan.contenders, tasks_of(plan, text_bytes), known, are_steady=False)


@dataclass
class Pace:
    """The beginnings of the cells of a run, by a clock that stands while it is paused.

    weights_s  what each cell was expected to take; of no use where there are more or fewer
    """

    weights_s: Sequence[float] = ()
    _starts_s: list[float] = field(default_factory=list)

    def begin_cell(self, now_s: float) -> None:
        self._starts_s.append(now_s)

    def left(self, n_cells: int) -> Duration | None:
        """How long so many cells take at the pace of all, and of the last; None before one is done."""
        n_done = len(self._starts_s) - 1
        if n_done < 1:
            return None
        n_all = n_done + n_cells
        weights = self.weights_s if len(self.weights_s) == n_all else [1.0] * n_all
        left, last_s = sum(weights[n_done:]), self._starts_s[-1]
        paces = [
            (last_s - self._starts_s[-1 - n]) / max(sum(weights[n_done - n : n_done]), 1e-9) * left
            for n in (n_done, min(n_done, RECENT))
        ]
        return Duration(min(paces), max(paces))


def _range(low_s: float, high_s: float, unit_s: float, step: int, unit: str) -> str:
    """Both ends in whole steps, the lower one rounded down and the upper one up."""
    low = max(int(low_s / unit_s) * step, step)
    high = max(-int(-high_s // unit_s) * step, step)
    return f"about {low} {unit}" if low >= high else f"{low} to {high} {unit}"
