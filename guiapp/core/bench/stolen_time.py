"""The processor time that a virtual machine asked for while its host gave it to others.

No program on the machine can do anything about that, and its load does not show it: a measurement only gets
slower, or stops for some tenths of a second.  Linux counts it ("steal" in proc(5)).
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

STATISTICS = Path("/proc/stat")
NOT_ASKED_FOR = slice(3, 5)  # idle, and waiting for a disk
STOLEN, GUESTS = 7, 8  # what guests take has been counted before


class StolenTime:
    """Looks at all processors together, from when it is made."""

    def __init__(self) -> None:
        self._before = _ticks()

    @property
    def n_ticks(self) -> int:
        """How often the system's clock ticked in time that was stolen since then, mostly 10 ms each."""
        return sum(
            now - before
            for now, before in zip(_ticks()[STOLEN:GUESTS], self._before[STOLEN:GUESTS], strict=False)
        )

    def share(self) -> float | None:
        """Of the time that was asked for since then; None where the system does not tell."""
        since = [now - before for now, before in zip(_ticks(), self._before, strict=False)]
        if len(since) <= STOLEN:
            return None
        asked_for = sum(since[:GUESTS]) - sum(since[NOT_ASKED_FOR])
        return since[STOLEN] / max(asked_for, 1)


def _ticks() -> list[int]:
    """What each kind of time adds up to, in the system's order; empty where it does not tell."""
    with suppress(OSError, ValueError):
        return [int(field) for field in STATISTICS.read_text().partition("\n")[0].split()[1:]]
    return []
