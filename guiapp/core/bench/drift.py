"""The part of a change that all contenders share: machines are not equally fast on two days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from guiapp.core.bench.contenders.contender import split_name
from guiapp.core.bench.contenders.table import PEERS
from guiapp.core.bench.measurement import Record

FEWEST = 3  # contenders that are needed to tell what they share
CLOSE = 1.08  # how far from the middle a contender may be that moved like the others
CLOSE_SHARE = 0.75  # of the contenders must have moved alike
NOTABLE = 1.03  # nearer to 1 it is no drift


@dataclass(frozen=True)
class Drift:
    """How many times as long as before contenders took that should take the same time.

    contenders    who says so
    by_libraries  they are libraries whose versions are the same in both runs: then it is the machine
    """

    factor: float = 1.0
    contenders: tuple[str, ...] = ()
    by_libraries: bool = False

    def __str__(self) -> str:
        """What the factor means and what became of it, "" where there is none."""
        if not self.contenders:
            return ""
        speed, n_contenders = 1 / self.factor, len(self.contenders)
        if self.by_libraries:
            return (
                f"This machine ran at {speed:.2f} of its earlier speed: so did {n_contenders} libraries that "
                "are the same in both runs. Changes are judged beside that"
            )
        return (
            f"All contenders together ran at {speed:.2f} of their earlier speed: it is this machine, or "
            f"something that {n_contenders} of them share. Changes are judged beside that"
        )


NO_DRIFT = Drift()


def drift_of(old: Record, new: Record, ratios: Mapping[str, Iterable[float]]) -> Drift:
    """From the times of each contender as multiples of its earlier ones.

    Libraries of unchanged versions tell it best: what was changed in our encoders does not touch them.
    Where there are too few, all contenders do, if nearly all moved alike; else there is no drift.
    """
    middles = {name: median(each) for name, each in ratios.items()}
    libraries = {name: middles[name] for name in middles if _is_same_library(name, old, new)}
    for yardstick, by_libraries in ((libraries, True), (middles, False)):
        if len(yardstick) < FEWEST:
            continue
        factor = median(yardstick.values())
        alike = tuple(name for name, middle in yardstick.items() if 1 / CLOSE < middle / factor < CLOSE)
        if len(alike) >= CLOSE_SHARE * len(yardstick):
            return NO_DRIFT if 1 / NOTABLE < factor < NOTABLE else Drift(factor, alike, by_libraries)
    return NO_DRIFT


def _is_same_library(name: str, old: Record, new: Record) -> bool:
    before, after = (
        [each.get("version") for each in run.get("contenders", []) if each.get("contender") == name]
        for run in (old, new)
    )
    return split_name(name)[0] in PEERS and bool(before) and before == after
