"""What other programs, and other machines on the same host, took from what was measured."""

from __future__ import annotations

from collections.abc import Iterable

from guiapp.core.bench.measurement import Record

LEAST_SHARE = 0.9  # of a core, for a figure that is the contender's own
MOST_STOLEN = 0.05  # of the processor time that was asked for
BUSY_SHARE = 0.1  # of the results without a core: the others had one and shared its caches
MOST_LOAD = 0.5  # of each core, by other programs


def was_shared(row: Record) -> bool:
    """Whether others took from one thread what its time counts; a call that waits for itself is none."""
    share = row.get("processor_share")
    return row["threads"] == 1 and share is not None and share < LEAST_SHARE


def is_crowded(shares: Iterable[float], load: float | None, n_cores: int, n_threads: int) -> bool:
    """Whether other programs took part of the machine while contenders took turns.

    shares  of a core that samples on one thread got
    load    of the machine, which counts the threads of one contender
    """
    crowd = [share < LEAST_SHARE for share in shares]
    return sum(crowd) > BUSY_SHARE * len(crowd) or (load or 0.0) - n_threads > MOST_LOAD * n_cores


def was_busy_before(run: Record) -> bool:
    """Whether other programs ran when the run began."""
    load = run.get("environment", {}).get("load_before")
    return bool(load) and load[0] > MOST_LOAD * _n_cores(run)


def was_crowded(row: Record) -> bool:
    """Whether a result is none of a machine of its own."""
    return was_shared(row) or bool(row.get("crowded"))


def was_busy(run: Record) -> bool:
    """Whether so much else went on that results which had a core each were disturbed, too."""
    results, environment = run["results"], run.get("environment", {})
    own_load = max((row["threads"] for row in results), default=1)
    others_load = (environment.get("load_highest") or 0.0) - own_load
    return (
        was_busy_before(run)
        or others_load > MOST_LOAD * _n_cores(run)
        or (environment.get("stolen_share") or 0.0) > MOST_STOLEN
        or sum(map(was_crowded, results)) > BUSY_SHARE * len(results)
    )


def _n_cores(run: Record) -> int:
    return int(run.get("environment", {}).get("cores") or 1)


def was_disturbed(row: Record, run: Record) -> bool:
    """Whether nothing sure follows from a result: on several threads a busy machine cannot be told apart."""
    return was_shared(row) or (row["threads"] > 1 and was_busy(run))
