"""When contenders have taken turns often enough."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from guiapp.analysis.bench.statistics import interval_in_turns

FEWEST_ROUNDS, MOST_ROUNDS = 5, 96
NARROW_ROUNDS, NARROW_WIDTH = 16, 0.03  # from so many rounds on, intervals so narrow are enough
NARROW_SHARE = 0.5  # of all rounds, or of the budget: the time of a run hardly depends on how narrow they are
PATIENCE, PATIENCE_S = 4.0, 8.0  # budgets, or seconds, that a cell may use for the fewest rounds


def is_enough(seconds: Sequence[Sequence[float]], used_s: float, budget_s: float) -> bool:
    """Whether another round of all contenders would tell little, or there is no time for one."""
    n_rounds = min(map(len, seconds), default=MOST_ROUNDS)
    if n_rounds >= MOST_ROUNDS or used_s >= max(PATIENCE * budget_s, PATIENCE_S):
        return True
    if n_rounds < FEWEST_ROUNDS:
        return False
    if used_s >= budget_s:
        return True
    is_half = n_rounds >= NARROW_SHARE * MOST_ROUNDS or used_s >= NARROW_SHARE * budget_s
    return is_half and n_rounds >= NARROW_ROUNDS and all(map(_is_narrow, seconds))


def _is_narrow(seconds: Sequence[float]) -> bool:
    interval = interval_in_turns(seconds, is_busy=False)
    return interval.high - interval.low <= NARROW_WIDTH * float(np.median(seconds))
