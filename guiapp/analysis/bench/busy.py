"""Whether the machine was busy with other programs while something was measured."""

from __future__ import annotations

from collections.abc import Iterable

from guiapp.analysis.bench.measurement import Record

LEAST_SHARE = 0.9  # of a core, for a sample that had one of its own
BUSY_SHARE = 0.1  # of the samples without a core: the others had one and shared its caches
MOST_LOAD = 0.5  # of each core, by other programs


def is_busy(shares: Iterable[float], load: float | None, n_cores: int, n_threads: int) -> bool:
    """Whether other programs took part of the machine while contenders took turns.

    shares  of a core that samples on one thread got
    load    of the machine, which counts the threads of one contender
    """
    few = [share < LEAST_SHARE for share in shares]
    return sum(few) > BUSY_SHARE * len(few) or (load or 0.0) - n_threads > MOST_LOAD * n_cores


def was_busy(row: Record) -> bool:
    """Whether it was for a result; earlier versions noted its share of a core only."""
    share = row.get("processor_share")
    return bool(row.get("crowded")) or (row["threads"] == 1 and share is not None and share < LEAST_SHARE)
