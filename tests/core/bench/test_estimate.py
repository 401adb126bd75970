"""How long runs take, before and while they go."""

from dataclasses import replace

import pytest

from guiapp import open_model
from guiapp.core.bench.engine import cells_of, corpora_of
from guiapp.core.bench.estimate import Duration, Pace, expected
from guiapp.core.bench.forecast import Known, call_s
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.scenarios import SCENARIOS, Task, tasks_of

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
            assert sum(map(len, cell.texts)) == pytest.approx(task.call_bytes, rel=0.01) or name == "interval"
            if name != "stages":  # which contenders have is for the vocabulary to say
                assert cell.operations == task.operations


ENCODERS = ("scan", "heap", "table", "backtrack", "greedy", "fast")
PEOPLE = ("fast", "backtrack", "heap", "gigatoken", "tiktoken", "llama.cpp")
QUICK_LOOK, MY_TEXT = ("throughput", "scaling"), ("throughput", "scaling", "short", "cold", "decode")


@pytest.mark.parametrize(
    ("contenders", "scenarios", "text_bytes", "took_s"),
    [
        (ENCODERS, QUICK_LOOK, (10_578, 8_080, 24_319), 71),
        (PEOPLE, MY_TEXT, (40_500,), 110),
    ],
)
def test_the_range_before_a_run_holds_what_runs_took(contenders, scenarios, text_bytes, took_s):
    """With a budget of 5 s, on a busy machine with two cores."""
    plan = Plan("model.gguf", contenders=contenders, scenarios=scenarios, time_budget_s=5.0, repeat="same")
    duration = expected(plan, text_bytes)
    assert duration.low_s < took_s < duration.high_s < 2.0 * took_s


def test_more_contenders_scenarios_sizes_and_time_take_longer():
    plan = Plan("model.gguf", contenders=("heap",), scenarios=("throughput",), time_budget_s=5.0)
    larger = [
        replace(plan, contenders=("heap", "scan")),
        replace(plan, contenders=("tokenizers",)),
        replace(plan, scenarios=("throughput", "scaling")),
        replace(plan, time_budget_s=60.0),
    ]
    before = expected(plan, (10_000_000,))
    for each in (*(expected(plan, (10_000_000,)) for plan in larger), expected(plan, (40_000_000,))):
        assert each.high_s > before.high_s
        assert each.low_s >= before.low_s
    sizes = replace(plan, scenarios=("scaling",), repeat="same")
    assert expected(sizes, (1,)).low_s > 1.5 * expected(replace(sizes, largest_bytes=100_000), (1,)).low_s


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
    assert expected(plan, (1_000,), known).low_s > 0.7 * 30 > expected(plan, (1_000,)).high_s


def test_what_takes_too_long_is_left_out_of_the_time():
    plan = Plan("model.gguf", contenders=("tokenizers",), scenarios=("throughput",), call_limit_s=10.0)
    assert expected(plan, (100_000_000,)).high_s < 15


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
