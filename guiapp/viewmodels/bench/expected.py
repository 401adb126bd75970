"""What a view of the Bench page says that has nothing to show: why, and how to change that."""

from __future__ import annotations

from collections.abc import Collection, Sequence

NOTHING_YET = "Nothing measured yet"
HOW = "Tick {it} under Scenarios at the left and press Run."


def why_empty(scenarios: Sequence[str], measured: Collection[str], planned: Collection[str]) -> str:
    """Why there is nothing of any of these scenarios.

    measured  the scenarios of the run that is shown; none where there is no run
    planned   those of the next one
    """
    if any(name in measured for name in scenarios):
        return NOTHING_YET
    names = ", ".join(f"“{name}”" for name in scenarios)
    how = HOW.format(it="it" if len(scenarios) == 1 else "what you want")
    if any(name in planned for name in scenarios):
        return f"This run left {names} out. Press Run to measure it." if measured else NOTHING_YET
    return f"{'This run left' if measured else 'The plan leaves'} {names} out.\n{how}"
