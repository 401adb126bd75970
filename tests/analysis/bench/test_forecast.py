"""How long plans are expected to take."""

from dataclasses import replace

import pytest

from guiapp.analysis.bench.plan import Plan, expected_s, usual_loading_s
from guiapp.analysis.bench.scenarios import SCENARIOS

PLAN = Plan("m", contenders=("heap",), scenarios=("throughput",), time_budget_s=10.0, threads=(1, 2))
TEXTS = (1_000_000,)


@pytest.mark.parametrize(
    "more",
    [
        {"contenders": ("heap", "tokenizers")},
        {"scenarios": ("throughput", "decode")},
        {"scenarios": ("throughput", "threads")},
        {"time_budget_s": 40.0},
    ],
)
def test_more_of_anything_takes_longer(more):
    assert expected_s(replace(PLAN, **more), TEXTS) > expected_s(PLAN, TEXTS)


def test_a_longer_text_takes_longer_and_libraries_load_longer():
    assert expected_s(PLAN, (10_000_000,)) > expected_s(PLAN, TEXTS)
    assert usual_loading_s("kitoken") > usual_loading_s("tiktoken") > usual_loading_s("fast (unsplit)")


def test_timing_takes_the_budget_but_no_longer_than_it_takes_to_know_enough():
    assert expected_s(PLAN, TEXTS) == pytest.approx(10.0, abs=5.0)
    assert expected_s(replace(PLAN, contenders=("fast",), time_budget_s=1000.0), (10,)) < 10.0


def test_calls_that_are_left_out_take_no_time():
    slow = replace(PLAN, contenders=("tokenizers",), scenarios=("throughput",))
    assert expected_s(slow, (10**9,)) < expected_s(slow, (10**6,))


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_scenario_can_be_foretold(name):
    assert 0 < expected_s(replace(PLAN, scenarios=(name,)), TEXTS) < 600
