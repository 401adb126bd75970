"""How long one call takes: by the wall clock, and by what the process was given of the processor."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

resource: ModuleType | None
try:
    import resource
except ImportError:  # on Windows
    resource = None

SHORTEST_SAMPLE_NS = 2_000_000  # of a processor; what waits for something else is not waited for so long
LONGEST_WAIT_NS = 25 * SHORTEST_SAMPLE_NS
MOST_CALLS = 1 << 20


class Clock(NamedTuple):
    """Both clocks in nanoseconds; processor time counts all threads of the process."""

    wall_ns: Callable[[], int]
    cpu_ns: Callable[[], int]


SYSTEM_CLOCK = Clock(time.perf_counter_ns, time.process_time_ns)


class Operation(NamedTuple):
    """Something to time.

    call     what is timed
    units    how many things one call does, such as prompts: times are per unit
    calls_s  what each of these took, where the last call noted it
    """

    call: Callable[[], object]
    units: int = 1
    calls_s: Callable[[], tuple[float, ...]] | None = None


class Sample(NamedTuple):
    """Seconds per unit, and of single calls if they are known one by one.

    waited  for something else than a processor: processor time does not tell what it takes
    """

    wall_s: float
    cpu_s: float
    calls_s: tuple[float, ...] = ()
    waited: bool = False


def take_sample(operation: Operation, n_calls: int, clock: Clock = SYSTEM_CLOCK) -> Sample:
    """The mean of some calls in a row; Python's garbage collector waits meanwhile."""
    call = operation.call
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        n_waits, cpu_ns, wall_ns = _n_waits(), clock.cpu_ns(), clock.wall_ns()
        for _ in range(n_calls):
            call()
        wall_ns, cpu_ns = clock.wall_ns() - wall_ns, clock.cpu_ns() - cpu_ns
        n_waits = _n_waits() - n_waits
    finally:
        if was_enabled:
            gc.enable()
    n_units = n_calls * operation.units
    calls_s = operation.calls_s() if operation.calls_s else ()
    return Sample(wall_ns / n_units / 1e9, cpu_ns / n_units / 1e9, calls_s, n_waits > 0)


def _n_waits() -> int:
    """How often this process gave its processor back by itself; 0 where nobody tells."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw if resource is not None else 0


def calls_per_sample(operation: Operation, clock: Clock = SYSTEM_CLOCK) -> int:
    """So many calls that reading the clock does not matter; one where each is timed by itself.

    They are counted by what the process got of a processor: one that was interrupted would be timed by single
    calls from then on, each of which finds its caches cold.
    The first call of all tells nothing: what it needs may have to be loaded.
    """
    n_calls = 1
    if operation.calls_s is not None:
        return n_calls
    take_sample(operation, n_calls, clock)
    while n_calls < MOST_CALLS:
        sample = take_sample(operation, n_calls, clock)
        wall_ns, cpu_ns = (each * operation.units * n_calls * 1e9 for each in sample[:2])
        if cpu_ns >= SHORTEST_SAMPLE_NS or wall_ns >= LONGEST_WAIT_NS:
            break
        n_calls *= 2
    return n_calls
