"""What shall be measured, as a value that travels to the process that measures, and how long that takes."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from guiapp.analysis.bench import corpus
from guiapp.analysis.bench.operations import MEMORY
from guiapp.analysis.bench.scenarios import DEFAULT_SCENARIOS, tasks_of
from guiapp.analysis.bench.statistics import interval_in_turns
from guiapp.analysis.libraries.custom import CustomContender, CustomError, checked, without_removed
from guiapp.core.text.numbers_in_words import quoted
from guiapp.core.text.outside_json import read_as
from guiapp.errors import TokenloupeError

RUN_OWN = "--run-own"
MOST_THREADS = 1024  # of a plan that comes from outside
Repeat = Literal["never", "same", "fresh"]
Clock = Literal["auto", "wall", "cpu"]
START_S = 1.0  # until the process has opened the model
LOADING_S = 1.5  # of a contender: its process, and the vocabulary in its own form
CALL_S, USUAL_SPEED = 0.005, 10e6  # at least, with what is said about it; bytes a second
PREPARING_CALLS = 4
FEWEST_ROUNDS, MOST_ROUNDS = 5, 96
NARROW_ROUNDS, NARROW_WIDTH = 16, 0.03  # from so many rounds on, intervals so narrow are enough
NARROW_SHARE = 0.5  # of all rounds, or of the budget: the time of a run hardly depends on how narrow they are
PATIENCE, PATIENCE_S = 4.0, 8.0  # budgets, or seconds, that a cell may use for the fewest rounds


class BenchError(TokenloupeError):
    """A benchmark that cannot be run as it was asked for; the message says why."""


@dataclass(frozen=True)
class Plan:
    """One run of the benchmark.

    pre            the pre-tokenizer that splits text instead of the one the file asks for
    corpora        names as `corpus_named` knows them
    contenders     names of encoders and peers; none: all of our encoders
    own            contenders of one's own, which take part too
    with_peers     also every peer that is installed and takes the vocabulary
    threads        the numbers of threads that the scenario `threads` tries
    time_budget_s  for timing alone, shared by all cells; each gets a few rounds in any case
    largest_bytes  of the texts of scenarios that go through sizes; None: all of them
    repeat         what stands for sizes above a text's own: "never" are there any, the "same" text again, or
                   "fresh" text, words drawn from the samples
    call_limit_s   a contender that needs longer for one call is left out
    clock          "wall"; "cpu", what the process got of the processor; or "auto", that only in cells beside
                   other programs; the scenario `threads` has the wall clock whatever is asked for
    """

    model: str
    corpora: tuple[str, ...] = corpus.DEFAULT
    contenders: tuple[str, ...] = ()
    with_peers: bool = False
    scenarios: tuple[str, ...] = DEFAULT_SCENARIOS
    threads: tuple[int, ...] = tuple(sorted({1, os.cpu_count() or 1}))
    time_budget_s: float = 60.0
    largest_bytes: int | None = None
    call_limit_s: float = 10.0
    clock: Clock = "auto"
    seed: int = 0
    pre: str | None = None
    own: tuple[CustomContender, ...] = ()
    repeat: Repeat = "never"

    def record(self) -> dict[str, Any]:
        return asdict(self)


def from_any_folder(plan: Plan) -> Plan:
    """The same plan with the whole paths of its files, to be repeated from wherever one is."""
    corpora = tuple(name if corpus.is_made(name) else whole_path(name) for name in plan.corpora)
    return replace(plan, model=whole_path(plan.model), corpora=corpora)


def whole_path(name: str) -> str:
    """Where a file or folder is, wherever one is; names that are none stay as they are."""
    return str(Path(name).resolve()) if Path(name).exists() else name


def plan_from(record: dict[str, Any]) -> Plan:
    """The plan of a JSON object; raises BenchError for one that is none.

    Contenders in other Pythons, which earlier versions had, are left out.  Whoever runs it has somebody say
    yes to what is `own` first: the file may be a stranger's.
    """
    try:
        if not isinstance(record, dict):
            raise ValueError("it is no object")
        if unknown := [name for name in record if name not in Plan.__dataclass_fields__]:
            raise ValueError(f"“{quoted(unknown[0])}” means nothing here")
        own, removed = without_removed(record.get("own", ()))
        plan: Plan = read_as(Plan, {**record, "own": own})
        for name, is_right in CHECKS.items():
            if not is_right(value := getattr(plan, name)):
                raise ValueError(f"its “{name}” is {value!r:.40}")
        contenders = tuple(name for name in plan.contenders if name not in removed)
        return replace(plan, own=tuple(map(checked, plan.own)), contenders=contenders)
    except (ValueError, CustomError) as error:
        reason = str(error).removesuffix(".")
        raise BenchError(f"This is not a plan for a benchmark: {reason}.") from error


def _has_no_null(text: str | None) -> bool:
    return "\0" not in (text or "")


CHECKS: Mapping[str, Callable[[Any], bool]] = {  # what types do not say
    "model": _has_no_null,
    "pre": _has_no_null,
    "corpora": lambda names: all(map(_has_no_null, names)),
    "threads": lambda numbers: all(0 < number <= MOST_THREADS for number in numbers),
}


def is_enough(seconds: Sequence[Sequence[float]], used_s: float, budget_s: float) -> bool:
    """Whether another round of all contenders would tell little, or there is no time for one."""
    n_rounds = min(map(len, seconds), default=MOST_ROUNDS)
    if n_rounds >= MOST_ROUNDS or used_s >= max(PATIENCE * budget_s, PATIENCE_S):
        return True
    if n_rounds < FEWEST_ROUNDS:
        return False
    if used_s >= budget_s:
        return True
    is_half = n_rounds >= NARROW_SHARE * MOST_ROUNDS or used_s >= NARROW_SHARE * budget_s
    return is_half and n_rounds >= NARROW_ROUNDS and all(map(_is_narrow, seconds))


def _is_narrow(seconds: Sequence[float]) -> bool:
    interval = interval_in_turns(seconds, is_busy=False)
    return interval.high - interval.low <= NARROW_WIDTH * float(np.median(seconds))


def expected_s(plan: Plan, text_bytes: Sequence[int]) -> float:
    """About how many seconds a plan takes whose texts have so many bytes.

    By the rules of `engine`: everybody is called a few times, then rounds go on until there are MOST_ROUNDS
    or the share of the budget is used, with at least FEWEST_ROUNDS.
    """
    n, tasks = len(plan.contenders), tasks_of(plan, text_bytes)
    share_s = plan.time_budget_s / max(len(tasks), 1)
    total_s = START_S + n * LOADING_S / (os.cpu_count() or 1)
    for task in tasks:
        call_s = min(max(task.call_bytes / USUAL_SPEED, CALL_S), plan.call_limit_s)
        round_s = n * len(task.operations) * call_s
        total_s += PREPARING_CALLS * round_s
        if task.operations != (MEMORY,):
            total_s += min(max(share_s, FEWEST_ROUNDS * round_s), MOST_ROUNDS * round_s)
    return total_s
