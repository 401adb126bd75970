"""How long each cell of a plan will take: by its sizes, by who takes part, and by what earlier runs took.

The same rules as in `race`: everybody is prepared by a few calls, then rounds go on until intervals are
narrow or the cell's share of the budget is used, at least `FEWEST_ROUNDS` of them within some patience.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from guiapp.core.bench.contenders.contender import split_name
from guiapp.core.bench.contenders.table import PEERS
from guiapp.core.bench.measurement import Record
from guiapp.core.bench.operations import MEMORY, REBUILDING
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import SCENARIOS
from guiapp.core.bench.stages import STAGES
from guiapp.core.bench.tasks import UNITS, Task
from guiapp.core.bench.turns import (
    FEWEST_ROUNDS,
    MOST_ROUNDS,
    NARROW_ROUNDS,
    NARROW_SHARE,
    PATIENCE,
    PATIENCE_S,
)

START_S = 1.0  # until the process has opened the model
LOADING_S, PEER_LOADING_S = 0.7, 3.0  # of a contender: its process, and the vocabulary in its own form
USUAL_LOADING_S = {"tiktoken": 1.0, "gigatoken": 1.5, "tokenizers": 1.7}  # with 128,000 tokens
BUILDING = 0.4  # of that, once the process is there
SHORTEST_S = 0.004  # a sample with what is said about it
PREPARING_CALLS, PREPARING_S = 3.5, 0.02
SPEEDS = {  # MB/s of contenders that nobody has measured here, with ordinary text on one core
    "fast": 200.0,
    "greedy": 60.0,
    "words": 50.0,
    "gigatoken": 200.0,
    "tiktoken": 12.0,
    "rs-bpe": 20.0,
    "llama.cpp": 3.0,
    "rwkv-package": 4.0,
    "sentencepiece": 2.5,
    "tokenizers": 1.2,
}
USUAL_SPEED = 8.0
COUNTING = ("append", "count parts")
COUNT = ("fast", "rwkv", "plamo2")  # the encoders that do that


@dataclass(frozen=True)
class Known:
    """What earlier runs of a vocabulary took.

    loading_s  by contender
    calls      bytes and seconds of one call, by contender, scenario and operation
    """

    loading_s: Mapping[str, float] = field(default_factory=dict)
    calls: Mapping[tuple[str, str, str], Sequence[tuple[int, float]]] = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Iterable[Record]) -> Known:
        """From several runs, the newest first: what they have in common is taken from the newest."""
        loading_s: dict[str, float] = {}
        calls: dict[tuple[str, str, str], dict[int, float]] = {}
        for run in runs:
            for each in run.get("contenders", []):
                if (seconds := each.get("loading_s")) is not None:
                    loading_s.setdefault(each["contender"], seconds)
            for row in run["results"]:
                if row.get("median_s"):
                    units = UNITS.get(row["operation"], 1)
                    key = row["contender"], row["scenario"], row["operation"]
                    calls.setdefault(key, {}).setdefault(row["size_bytes"] * units, row["median_s"] * units)
        return cls(loading_s, {key: sorted(points.items()) for key, points in calls.items()})


NOTHING_KNOWN = Known()


def loading_s(name: str, known: Known = NOTHING_KNOWN) -> float:
    """How long it takes until a contender is ready."""
    return known.loading_s.get(name, usual_loading_s(name))


def all_loading_s(
    names: Sequence[str], known: Known = NOTHING_KNOWN, n_cores: int = os.cpu_count() or 1
) -> float:
    """How long it takes until all are ready, who load beside each other on all cores."""
    each = [loading_s(name, known) for name in names]
    return max(sum(each) / n_cores, max(each, default=0.0))


def usual_loading_s(name: str) -> float:
    """The same where nothing is known of it."""
    encoder = split_name(name)[0]
    return USUAL_LOADING_S.get(encoder, PEER_LOADING_S if encoder in PEERS else LOADING_S)


def cells_s(
    plan: Plan, contenders: Sequence[str], tasks: Sequence[Task], known: Known, are_steady: bool
) -> list[float]:
    """The seconds of each cell; where times are steady, few rounds are enough."""
    used_s, cells = 0.0, []
    for number, task in enumerate(tasks):
        calls = {
            (name, operation): call_s(name, task, operation, known)
            for name in contenders
            for operation in task.operations
            if _can(name, task, operation)
        }
        calls = {turn: seconds for turn, seconds in calls.items() if seconds <= plan.call_limit_s}
        share = len(task.operations) / sum(len(each.operations) for each in tasks[number:])
        share_s = max(plan.time_budget_s - used_s, 0.0) * share
        timing_s = 0.0 if MEMORY in task.operations else _timing_s(calls, share_s, known, are_steady)
        used_s += timing_s
        preparing_s = sum(PREPARING_S + PREPARING_CALLS * seconds for seconds in calls.values())
        again_s = 0.0 if task.threads == 1 else sum(loading_s(name, known) for name, _ in calls)
        cells.append(preparing_s + timing_s + again_s)
    return cells


def _timing_s(
    calls: Mapping[tuple[str, str], float], share_s: float, known: Known, are_steady: bool
) -> float:
    """`calls`: the seconds of one call by contender and operation."""
    round_s = sum(max(seconds, SHORTEST_S) for seconds in calls.values())
    round_s += sum(BUILDING * loading_s(name, known) for name, operation in calls if operation in REBUILDING)
    if round_s == 0.0:
        return 0.0
    patience = math.ceil(max(PATIENCE * share_s, PATIENCE_S) / round_s)
    within_share = max(math.ceil(share_s / round_s), FEWEST_ROUNDS)
    half = min(NARROW_SHARE * MOST_ROUNDS, math.ceil(NARROW_SHARE * share_s / round_s))
    most = max(half, NARROW_ROUNDS) if are_steady else MOST_ROUNDS
    return round_s * min(most, within_share, patience)


def call_s(name: str, task: Task, operation: str, known: Known = NOTHING_KNOWN) -> float:
    """One call of a contender, in proportion to the nearest size that was measured, or as is usual."""
    ways = [(task.scenario, operation), ("scaling", "encode"), ("throughput", "encode")]
    scenario = SCENARIOS[task.scenario]
    for way in ways[:1] if scenario.own_texts else ways:
        if points := known.calls.get((name, *way)):
            size, seconds = min(points, key=lambda point: abs(math.log(point[0] / max(task.call_bytes, 1))))
            return seconds * task.call_bytes / size
    return task.call_bytes / (SPEEDS.get(split_name(name)[0], USUAL_SPEED) * 1e6) * scenario.slowdown


def _can(name: str, task: Task, operation: str) -> bool:
    encoder = split_name(name)[0]
    if operation in COUNTING:
        return encoder in COUNT
    return operation not in STAGES or encoder not in PEERS
