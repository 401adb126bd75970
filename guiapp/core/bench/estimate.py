"""How long a run takes: a range before it begins, a better one while it goes.

Contenders differ by factors of a thousand, so that nobody can know before; what is told says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from guiapp.core.bench.race import PATIENCE_S
from guiapp.core.bench.scenarios import APPEND_BYTES, PART_TOKENS, SCALING_BYTES, SHORT_BYTES, WORST_BYTES
from guiapp.core.bench.stages import STAGES

LOADING_S = (1.5, 8.0)  # for each contender, at best and at worst
LEAST_SHARE = 0.4  # of the budget: where all intervals are soon narrow
RECENT = 3  # cells, whose pace may be another than that of all before
N_WORST_TEXTS = 3
MINUTE_S, LONGEST_IN_SECONDS_S, STEP_S = 60, 100, 5
CELLS = {
    "scaling": len(SCALING_BYTES),
    "short": len(SHORT_BYTES),
    "worst": N_WORST_TEXTS * len(WORST_BYTES),
    "append": 2 * len(APPEND_BYTES),
    "interval": 2 * len(PART_TOKENS),
    "memory": 1,
}
CELLS_FOR_EACH_TEXT = {"stages": 1 + len(STAGES)}  # at most; one for scenarios that are not named


@dataclass(frozen=True)
class Duration:
    """A range in seconds."""

    low_s: float
    high_s: float

    def __str__(self) -> str:
        if self.high_s < LONGEST_IN_SECONDS_S:
            return _range(self.low_s, self.high_s, STEP_S, STEP_S, "s")
        return _range(self.low_s, self.high_s, MINUTE_S, 1, "min")


def n_cells(scenarios: Sequence[str], n_texts: int, n_thread_numbers: int) -> int:
    """How many cells a plan has at most, without making them."""
    counts = {**CELLS, "threads": n_thread_numbers}
    return sum(counts.get(name, n_texts * CELLS_FOR_EACH_TEXT.get(name, 1)) for name in scenarios)


def expected(n_contenders: int, n_cells: int, budget_s: float) -> Duration:
    """From what is known before: a cell takes what it needs for a few rounds, within limits."""
    quick, slow = (each_s * n_contenders for each_s in LOADING_S)
    return Duration(quick + LEAST_SHARE * budget_s, slow + budget_s + PATIENCE_S * n_cells)


@dataclass
class Pace:
    """The beginnings of the cells of a run, by a clock that stands while it is paused."""

    _starts_s: list[float] = field(default_factory=list)

    def begin_cell(self, now_s: float) -> None:
        self._starts_s.append(now_s)

    def left(self, n_cells: int) -> Duration | None:
        """How long so many cells take at the pace of all, and of the last; None before one is done."""
        n_done = len(self._starts_s) - 1
        if n_done < 1:
            return None
        last_s = self._starts_s[-1]
        paces = [(last_s - self._starts_s[-1 - n]) / n * n_cells for n in (n_done, min(n_done, RECENT))]
        return Duration(min(paces), max(paces))


def _range(low_s: float, high_s: float, unit_s: float, step: int, unit: str) -> str:
    """Both ends in whole steps, the lower one rounded down and the upper one up."""
    low = max(int(low_s / unit_s) * step, step)
    high = max(-int(-high_s // unit_s) * step, step)
    return f"about {low} {unit}" if low >= high else f"{low} to {high} {unit}"
