"""How long runs take, before and while they go."""

import math
from dataclasses import replace

import numpy as np
import pytest
from fake_workers import AnswersAtOnce

from guiapp import open_model
from guiapp.core.bench.agreement import Tokens
from guiapp.core.bench.cell import Race
from guiapp.core.bench.control import Control
from guiapp.core.bench.engine import _all_cells, cells_of, corpora_of
from guiapp.core.bench.estimate import Duration, Pace, expected_s
from guiapp.core.bench.forecast import START_S, Known, call_s
from guiapp.core.bench.loading import Loading
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import SCENARIOS, tasks_of
from guiapp.core.bench.tasks import Task
from guiapp.core.bench.timing import Sample
from guiapp.core.bench.worker import Loaded
from guiapp.core.bench.workers import Workers

ROW = {"scenario": "throughput", "operation": "encode", "contender": "fast", "size_bytes": 1_000}


@pytest.mark.parametrize("largest", [None, 100_000])
def test_the_cells_that_are_forecast_are_those_that_are_made(largest):
    tokenizer = open_model("demo:bpe")
    texts = ("sample:welcome", "tutorial")
    for name in SCENARIOS if largest is None else ("scaling", "short"):
        plan = Plan(
            "demo:bpe", texts, scenarios=(name,), threads=(1, 2, 3), largest_bytes=largest, repeat="same"
        )
        sizes = [len(corpus.text) for corpus in corpora_of(plan, tokenizer)]
        made, tasks = cells_of(plan, tokenizer), tasks_of(plan, sizes)
        assert [cell.threads for cell in made] == [task.threads for task in tasks]
        for cell, task in zip(made, tasks, strict=True):
            assert set(cell.operations) <= set(task.operations)
            assert sum(map(len, cell.texts)) == pytest.approx(task.call_bytes, rel=0.01) or name in OTHERS
            if name != "stages":  # which contenders have is for the vocabulary to say
                assert cell.operations == task.operations


OTHERS = ("interval", "latency")  # of which a call does not take all texts


class Simulation:
    """A machine on which a run takes what calls are said to take, by a clock that only they move.

    speeds    MB/s by contender
    unrest    of the times of samples, as a standard deviation of logarithms; and phases are slow
    """

    def __init__(self, speeds: dict[str, float], unrest: float, seed: int) -> None:
        self.speeds, self.unrest = speeds, unrest
        self.generator = np.random.default_rng(seed)
        self.now_s = 0.0

    def seconds_of(self, plan: Plan) -> float:
        tokenizer, control = open_model("demo:bpe"), Control()
        cells = cells_of(plan, tokenizer)
        workers = Workers(lambda name, threads: SimulatedWorker(self, self.speeds[name]))
        right = Tokens(np.zeros(1, np.int32), None)
        race = Race(plan, workers, control, lambda *_: right, np.ones(1, np.int64), lambda: self.now_s)
        coming = Loading(workers, plan.contenders, 1, control, lambda: self.now_s)
        list(_all_cells(race, workers, cells, coming, plan.time_budget_s))
        return self.now_s


class SimulatedWorker(AnswersAtOnce):
    def __init__(self, machine: Simulation, mb_per_s: float) -> None:
        self._machine, self._mb_per_s = machine, mb_per_s

    def ask(self, limit_s, command, *arguments):
        machine = self._machine
        if command == "load":
            return Loaded("", "", 0)
        if command == "prepare":
            self._call_s = sum(map(len, arguments[1])) / self._mb_per_s / 1e6
            self._n_calls = 1 << max(math.ceil(math.log2(2e-3 / self._call_s)), 0)
            machine.now_s += self._call_s * (2 * self._n_calls + 1) + 1e-3
            return Tokens(np.zeros(1, np.int32), None)
        is_slow = machine.now_s % 7.0 < 3.0 and machine.unrest > 0.01
        seconds = self._call_s * machine.generator.lognormal(0, machine.unrest) * (1.4 if is_slow else 1.0)
        machine.now_s += seconds * self._n_calls + 1e-3
        return Sample(seconds, seconds)


@pytest.mark.parametrize("seed", range(24))
def test_one_number_holds_within_a_factor_of_two(seed):
    generator = np.random.default_rng(seed)
    names = ("fast", "heap", "scan", "table", "backtrack", "greedy")[: generator.integers(1, 7)]
    speeds = {name: float(np.exp(generator.uniform(0.0, 5.5))) for name in names}
    scenarios = tuple(generator.permutation(["throughput", "scaling", "short", "decode"])[: 1 + seed % 3])
    budget_s = float(generator.choice([3.0, 10.0, 60.0]))
    plan = Plan(
        "demo:bpe",
        ("sample:welcome", "tutorial"),
        names,
        False,
        scenarios,
        time_budget_s=budget_s,
        repeat="same",
    )
    sizes = [len(corpus.text) for corpus in corpora_of(plan, open_model("demo:bpe"))]
    calls = {
        (name, task.scenario, operation): [(1_000_000, 1.0 / speed)]
        for name, speed in speeds.items()
        for task in tasks_of(plan, sizes)
        for operation in task.operations
    }
    known = Known(dict.fromkeys(names, 0.0), calls)
    told_s = expected_s(plan, sizes, known) - START_S
    took_s = Simulation(speeds, float(generator.choice([0.003, 0.08])), seed).seconds_of(plan)
    assert told_s / 2 < took_s < told_s * 2


def test_more_contenders_scenarios_sizes_and_time_take_longer():
    plan = Plan("model.gguf", contenders=("heap",), scenarios=("throughput",), time_budget_s=5.0)
    larger = [
        replace(plan, contenders=("heap", "scan")),
        replace(plan, contenders=("tokenizers",)),
        replace(plan, scenarios=("throughput", "scaling")),
        replace(plan, time_budget_s=60.0),
    ]
    before_s = expected_s(plan, (10_000_000,))
    assert all(expected_s(each, (10_000_000,)) > before_s for each in larger)
    assert expected_s(plan, (40_000_000,)) > before_s
    sizes = replace(plan, scenarios=("scaling",), repeat="same")
    assert expected_s(sizes, (1,)) > 1.5 * expected_s(replace(sizes, largest_bytes=100_000), (1,))


def test_what_earlier_runs_took_is_known_of_the_next():
    plan = Plan("model.gguf", contenders=("fast",), scenarios=("throughput", "short"), time_budget_s=1.0)
    results = [
        {**ROW, "median_s": 0.5},
        {**ROW, "scenario": "short", "operation": "encode each", "size_bytes": 16, "median_s": 1e-3},
    ]
    run = {"contenders": [{"contender": "fast", "loading_s": 30.0}], "results": results}
    newest = {"results": [{**ROW, "median_s": 1.0}]}
    known = Known.of([newest, run])
    assert known.loading_s == {"fast": 30.0}
    assert call_s("fast", Task("throughput", ("encode",), 0, 2_000), "encode", known) == 2.0
    prompts = Task("short", ("encode each",), 0, 16)
    assert call_s("fast", prompts, "encode each", known) == pytest.approx(64e-3)
    assert expected_s(plan, (1_000,), known) > 30 > expected_s(plan, (1_000,))


def test_what_takes_too_long_is_left_out_of_the_time():
    plan = Plan("model.gguf", contenders=("tokenizers",), scenarios=("throughput",), call_limit_s=10.0)
    assert expected_s(plan, (100_000_000,)) < 10


def test_while_it_runs_the_pace_of_all_and_of_the_last_cells_bound_what_is_left():
    pace = Pace()
    assert pace.left(9) is None
    for start_s in (100.0, 101.0, 102.0, 103.0, 106.0, 109.0, 112.0):
        pace.begin_cell(start_s)
    assert pace.left(10) == Duration(20.0, 30.0)


def test_long_cells_that_are_still_to_come_count_for_more():
    pace = Pace([1.0, 1.0, 8.0, 10.0])
    for start_s in (0.0, 2.0, 4.0):
        pace.begin_cell(start_s)
    assert pace.left(2) == Duration(36.0, 36.0)


@pytest.mark.parametrize(
    ("low_s", "high_s", "text"),
    [(12, 38, "10 to 40 s"), (1, 4, "about 5 s"), (45, 600, "1 to 10 min"), (121, 180, "2 to 3 min")],
)
def test_ranges_are_told_in_round_numbers(low_s, high_s, text):
    assert str(Duration(low_s, high_s)) == text
