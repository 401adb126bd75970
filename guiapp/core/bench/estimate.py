"""How long a run takes: a range before it begins, a better one while it goes.

Contenders differ by factors of a thousand, so that nobody can know before; what is told says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from guiapp.core.bench.forecast import NOTHING_KNOWN, START_S, Known, all_loading_s, cells_s
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import tasks_of

QUICK, SLOW = 0.7, 1.7  # times what is forecast: machines differ, and other programs run beside
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


def expected(plan: Plan, text_bytes: Sequence[int], known: Known = NOTHING_KNOWN) -> Duration:
    """What a plan will take whose texts have so many bytes, going by what earlier runs took."""
    contenders, tasks = plan.contenders, tasks_of(plan, text_bytes)
    ready_s = START_S + all_loading_s(contenders, known)
    low_s, high_s = (ready_s + sum(cells_s(plan, contenders, tasks, known, each)) for each in (True, False))
    return Duration(QUICK * low_s, SLOW * high_s)


def expected_s(plan: Plan, text_bytes: Sequence[int], known: Known = NOTHING_KNOWN) -> float:
    """The seconds that a plan will take whose texts have so many bytes, right within a factor of two.

    Nobody knows before how steady times are: in the middle between what steady and unsteady ones take.
    """
    shortest_s, longest_s = (
        sum(cells_s(plan, plan.contenders, tasks_of(plan, text_bytes), known, are_steady))
        for are_steady in (True, False)
    )
    return START_S + all_loading_s(plan.contenders, known) + math.sqrt(shortest_s * longest_s)


def added_s(
    plan: Plan, text_bytes: Sequence[int], known: Known = NOTHING_KNOWN, contenders: Iterable[str] = ()
) -> dict[str, float]:
    """How many seconds more a plan takes with each of these contenders than without it."""
    return {
        name: expected_s(_with(plan, name), text_bytes, known)
        - expected_s(_without(plan, name), text_bytes, known)
        for name in contenders
    }


def added_by_scenarios_s(
    plan: Plan, text_bytes: Sequence[int], known: Known = NOTHING_KNOWN, scenarios: Iterable[str] = ()
) -> dict[str, float]:
    """The same of scenarios."""
    others = {name: tuple(each for each in plan.scenarios if each != name) for name in scenarios}
    return {
        name: expected_s(replace(plan, scenarios=(*rest, name)), text_bytes, known)
        - expected_s(replace(plan, scenarios=rest), text_bytes, known)
        for name, rest in others.items()
    }


def _without(plan: Plan, name: str) -> Plan:
    return replace(plan, contenders=tuple(each for each in plan.contenders if each != name))


def _with(plan: Plan, name: str) -> Plan:
    return replace(plan, contenders=(*_without(plan, name).contenders, name))


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
