"""What the processors of this machine consume, where its counters tell (RAPL, as Linux shows it).

They count whole packages: what other programs and the idle machine take is in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

POWERCAP = Path("/sys/class/powercap")
JOULES = 1e-6  # of the counters' unit
NO_COUNTER = f"This machine does not tell its energy: there is no {POWERCAP}/intel-rapl:0/energy_uj."
NOT_READABLE = "The energy of this machine is for its administrator to read: {} cannot be read."


class Counter(NamedTuple):
    """The counter of a package, and the value at which it begins anew."""

    path: Path
    range_uj: int

    def read_uj(self) -> int:
        return int(self.path.read_text())


def why_no_energy() -> str:
    """Why energy cannot be measured here, "" if it can."""
    paths = _paths()
    for path in paths:
        try:
            int(path.read_text())
        except (OSError, ValueError):
            return NOT_READABLE.format(path)
    return "" if paths else NO_COUNTER


class EnergyMeter:
    """Joules since `start`; each counter must not go round twice meanwhile, which takes minutes at least."""

    def __init__(self) -> None:
        self._counters = [
            Counter(path, int(path.with_name("max_energy_range_uj").read_text())) for path in _paths()
        ]
        self.start()

    def start(self) -> None:
        self._before_uj = [counter.read_uj() for counter in self._counters]

    def joules(self) -> float:
        pairs = zip(self._counters, self._before_uj, strict=True)
        return JOULES * sum((each.read_uj() - before) % (each.range_uj + 1) for each, before in pairs)


def _paths() -> list[Path]:
    """Those of whole packages; others are parts of them."""
    return sorted(each / "energy_uj" for each in POWERCAP.glob("intel-rapl:*") if each.name.count(":") == 1)
