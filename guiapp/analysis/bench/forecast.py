"""How long a plan will take, within a factor of two: contenders differ by factors of a thousand.

By the rules of `cell` and `turns`: everybody is called a few times, then rounds go on until there are
`MOST_ROUNDS` or the cell's share of the budget is used, with at least `FEWEST_ROUNDS`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from guiapp.analysis.bench.operations import MEMORY
from guiapp.analysis.bench.plan import Plan
from guiapp.analysis.bench.scenarios import SCENARIOS, tasks_of
from guiapp.analysis.bench.tasks import CellTask
from guiapp.analysis.bench.turns import FEWEST_ROUNDS, MOST_ROUNDS
from guiapp.analysis.libraries.contender import split_name
from guiapp.analysis.libraries.table import PEERS

START_S = 1.0  # until the process has opened the model
LOADING_S, PEER_LOADING_S = 0.7, 3.0  # of a contender: its process, and the vocabulary in its own form
USUAL_LOADING_S = {"tiktoken": 1.0, "gigatoken": 1.5, "tokenizers": 1.7}  # with 128,000 tokens
SHORTEST_S = 0.004  # a sample with what is said about it
PREPARING_CALLS, PREPARING_S = 3.5, 0.02
SPEEDS = {  # MB/s with ordinary text on one core
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
APPENDING = ("fast", "rwkv", "plamo2")  # the encoders that can


def expected_s(plan: Plan, text_bytes: Sequence[int]) -> float:
    """The seconds that a plan takes whose texts have so many bytes."""
    loading_s = [usual_loading_s(name) for name in plan.contenders]
    together_s = max(sum(loading_s) / (os.cpu_count() or 1), max(loading_s, default=0.0))
    tasks, used_s, total_s = tasks_of(plan, text_bytes), 0.0, START_S + together_s
    for number, task in enumerate(tasks):
        calls = _calls(plan, task)
        n_operations = sum(len(each.operations) for each in tasks[number:])
        share_s = max(plan.time_budget_s - used_s, 0.0) * len(task.operations) / n_operations
        timing_s = _timing_s(calls, share_s) if task.operations != (MEMORY,) else 0.0
        used_s += timing_s
        preparing_s = sum(PREPARING_S + PREPARING_CALLS * seconds for seconds in calls.values())
        again_s = 0.0 if task.threads == 1 else sum(loading_s)
        total_s += timing_s + preparing_s + again_s
    return total_s


def usual_loading_s(name: str) -> float:
    """How long it takes until a contender is ready."""
    encoder = split_name(name)[0]
    return USUAL_LOADING_S.get(encoder, PEER_LOADING_S if encoder in PEERS else LOADING_S)


def _calls(plan: Plan, task: CellTask) -> Mapping[tuple[str, str], float]:
    """The seconds of one call by contender and operation, of those that take part."""
    calls = {
        (name, operation): _call_s(name, task)
        for name in plan.contenders
        for operation in task.operations
        if operation != "append" or split_name(name)[0] in APPENDING
    }
    return {turn: seconds for turn, seconds in calls.items() if seconds <= plan.call_limit_s}


def _timing_s(calls: Mapping[tuple[str, str], float], share_s: float) -> float:
    round_s = sum(max(seconds, SHORTEST_S) for seconds in calls.values())
    return min(max(share_s, FEWEST_ROUNDS * round_s), MOST_ROUNDS * round_s)


def _call_s(name: str, task: CellTask) -> float:
    speed = SPEEDS.get(split_name(name)[0], USUAL_SPEED) * 1e6
    return task.call_bytes / speed * SCENARIOS[task.scenario].slowdown
