"""Events that are told in several places; `engine` lists them all."""

from __future__ import annotations

from typing import Any

from guiapp.analysis.bench.tasks import BenchCell
from guiapp.analysis.bench.worker import STARTS

Event = dict[str, Any]


def loading(name: str, number: int, of: int, stage: str = STARTS, share: float = 0.0) -> Event:
    """A contender is being loaded, maybe again: after it was lost, or on other threads."""
    return {
        "event": "loading",
        "contender": name,
        "number": number,
        "of": of,
        "stage": stage,
        "share": round(share, 3),
    }


def left_out(name: str, reason: str, cell: BenchCell | None = None, operation: str | None = None) -> Event:
    """A contender that takes no part in a cell, in any where there is none."""
    return {
        "event": "left out",
        "contender": name,
        "scenario": cell and cell.scenario,
        "operation": operation,
        "corpus": cell and cell.corpus,
        "size_bytes": cell and cell.size_bytes,
        "reason": reason,
    }
