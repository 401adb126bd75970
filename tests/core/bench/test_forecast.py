"""What calls, cells and loading are expected to take, worked out by hand."""

from dataclasses import replace

import pytest

from guiapp.core.bench.estimate import Duration, Pace, expected_s, weights_of
from guiapp.core.bench.forecast import Known, call_s, cells_s, loading_s
from guiapp.core.bench.plan import Plan
from guiapp.core.bench.tasks import Task

PLAN = Plan("model.gguf", contenders=("heap",), scenarios=("throughput",), time_budget_s=10.0)
ENCODE = Task("throughput", ("encode",), 0, 8_000_000)  # a second at the usual speed


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("heap", 0.7), ("fast (unsplit)", 0.7), ("tiktoken", 1.0), ("kitoken", 3.0),
        ("llama.cpp", 9.0), ("scan", 0.5),
    ],
)  # fmt: skip
def test_libraries_take_longer_to_load_unless_it_is_known(name, seconds):
    assert loading_s(name, Known({"llama.cpp": 9.0, "scan": 0.5})) == seconds


@pytest.mark.parametrize(
    ("name", "scenario", "seconds"),
    [
        ("heap", "throughput", 1.0), ("fast", "throughput", 0.04), ("fast (unsplit)", "throughput", 0.04),
        ("tokenizers", "throughput", 8 / 1.2), ("heap", "worst", 5.0), ("fast", "worst", 0.2),
    ],
)  # fmt: skip
def test_a_call_takes_its_bytes_at_the_usual_speed(name, scenario, seconds):
    assert call_s(name, ENCODE._replace(scenario=scenario), "encode") == pytest.approx(seconds)


def test_a_call_takes_as_long_as_the_nearest_size_that_was_measured():
    points = [(10, 1.0), (1_000, 50.0)]
    known = Known({}, {("heap", "short", "encode"): points, ("heap", "scaling", "encode"): [(1, 7.0)]})

    def seconds(scenario: str, size: int, operation: str = "encode") -> float:
        return call_s("heap", Task(scenario, (operation,), 0, size), operation, known)

    assert [seconds("short", size) for size in (1, 20, 90, 110, 2_000)] == [0.1, 2.0, 9.0, 5.5, 100.0]
    assert seconds("short", 0) == 0.0
    assert [seconds("throughput", 2), seconds("short", 2, "decode")] == [14.0, 14.0]
    assert seconds("worst", 8_000_000) == 5.0
    through = Known({}, {("heap", "throughput", "encode"): [(4, 8.0)]})
    assert call_s("heap", Task("short", ("decode",), 0, 2), "decode", through) == 4.0


def row(name: str, size: int, seconds: float | None, operation: str = "encode") -> dict:
    return {
        "scenario": "short",
        "operation": operation,
        "contender": name,
        "size_bytes": size,
        "median_s": seconds,
    }


def test_of_several_runs_the_newest_counts():
    runs = [
        {"results": [row("heap", 20, 1.0), row("heap", 10, None), row("scan", 5, 2.0, "encode each")]},
        {
            "contenders": [
                {"contender": "heap", "loading_s": 3.0},
                {"contender": "scan", "loading_s": None},
                {"contender": "old"},
            ],
            "results": [row("heap", 20, 9.0), row("heap", 10, 4.0), row("heap", 30, 0.0)],
        },
        {
            "contenders": [{"contender": "heap", "loading_s": 5.0}, {"contender": "scan", "loading_s": 0.0}],
            "results": [],
        },
    ]
    assert Known.of(runs) == Known(
        {"heap": 3.0, "scan": 0.0},
        {
            ("heap", "short", "encode"): [(10, 4.0), (20, 1.0)],
            ("scan", "short", "encode each"): [(320, 128.0)],
        },
    )


def cells(tasks: list[Task], known: Known, are_steady: bool = False, **plan) -> list[float]:
    wanted = replace(PLAN, **plan)
    return cells_s(wanted, wanted.contenders, tasks, known, are_steady)


def known_of(name: str = "heap", **seconds: float) -> Known:
    """The seconds of one byte by operation; loading takes a second."""
    calls = {(name, "throughput", operation): [(1, each)] for operation, each in seconds.items()}
    return Known({name: 1.0}, calls)


ONE = Task("throughput", ("encode",), 0, 1)


@pytest.mark.parametrize(
    ("call", "budget_s", "are_steady", "n_rounds"),
    [
        (1.0, 10.0, False, 10), (1.0, 20.0, True, 16), (1.0, 6.5, False, 7), (1.0, 6.0, True, 6),
        (0.02, 10.0, False, 96), (0.1, 10.0, True, 48), (0.1, 4.0, True, 20), (0.1, 2.0, True, 16),
        (1.0, 0.0, False, 5), (4.0, 1.0, False, 2),
        (5.0, 1.0, False, 2), (3.0, 3.0, False, 4), (5.0, 9.0, True, 5),
    ],
)  # fmt: skip
def test_rounds_go_on_until_enough_is_known_or_time_is_used(call, budget_s, are_steady, n_rounds):
    (cell_s,) = cells([ONE], known_of(encode=call), are_steady, time_budget_s=budget_s)
    assert cell_s == pytest.approx(0.02 + 3.5 * call + n_rounds * call)


def test_a_sample_takes_some_time_in_any_case():
    assert cells([ONE], known_of(encode=1e-9)) == [pytest.approx(0.02 + 96 * 0.004)]


def test_who_is_loaded_for_each_sample_takes_longer():
    first = ONE._replace(operations=("encode first",))
    known = known_of(**{"encode first": 1.0})
    assert cells([first], known) == [pytest.approx(0.02 + 3.5 + 8 * (1.0 + 0.4))]


def test_memory_is_not_timed():
    assert cells([ONE._replace(operations=("memory",))], known_of(memory=2.0)) == [pytest.approx(7.02)]


def test_on_several_threads_all_are_loaded_again():
    one, two = cells([ONE, ONE._replace(threads=2)], known_of(encode=1.0), time_budget_s=20.0)
    assert two == pytest.approx(one + 1.0)


def test_cells_share_the_budget_by_how_much_is_done_in_them():
    three = ONE._replace(operations=("encode", "decode", "partition"))
    known = known_of(encode=0.5, decode=0.5, partition=0.5)
    first, second = cells([ONE, three], known, time_budget_s=24.0)
    assert first == pytest.approx(0.02 + 3.5 * 0.5 + 6.0)
    assert second == pytest.approx(3 * (0.02 + 3.5 * 0.5) + 18.0)
    assert sum(cells([three, ONE], known, time_budget_s=24.0)) == pytest.approx(first + second)
    over, nothing_left = cells([ONE, ONE], known_of(encode=1.0), time_budget_s=4.0)
    assert (over, nothing_left) == (pytest.approx(0.02 + 3.5 + 5), pytest.approx(0.02 + 3.5 + 5))


@pytest.mark.parametrize(
    ("name", "operations", "n_calls"),
    [
        ("fast", ("append", "encode"), 2), ("heap", ("append", "encode"), 1), ("rwkv", ("count parts",), 1),
        ("plamo2 (unsplit)", ("count parts",), 1), ("scan", ("count parts",), 0),
        ("scan", ("split", "encode"), 2),
        ("tiktoken", ("split", "encode"), 1), ("tiktoken (unsplit)", ("partition",), 0),
        ("tiktoken", ("append",), 0),
    ],
)  # fmt: skip
def test_only_who_can_do_it_takes_time(name, operations, n_calls):
    task = ONE._replace(operations=operations, scenario="throughput")
    calls = {(name, "throughput", operation): [(task.call_bytes, 1.0)] for operation in operations}
    (cell_s,) = cells([task], Known({}, calls), contenders=(name,), time_budget_s=5.0)
    assert cell_s == pytest.approx(n_calls * (3.52 + 5))


def test_calls_that_take_longer_than_allowed_are_none():
    assert cells([ONE], known_of(encode=10.0), call_limit_s=10.0)[0] > 35
    assert cells([ONE], known_of(encode=10.1), call_limit_s=10.0) == [0.0]


def test_a_plan_takes_its_start_its_contenders_and_its_cells():
    known = known_of(encode=1e-6)
    assert expected_s(PLAN, (1_000_000,), known) == pytest.approx(2.0 + 3.52 + 10)
    assert weights_of(PLAN, (1_000_000, 1), known) == [
        pytest.approx(3.52 + 5),
        pytest.approx(0.02 + 3.5e-6 + 96 * 0.004),
    ]


@pytest.mark.parametrize(
    ("weights", "starts_s", "n_left", "wanted"),
    [
        ([], [], 3, None),
        ([], [5.0], 3, None),
        ([], [5.0, 7.0], 3, Duration(6.0, 6.0)),
        ([], [0.0, 1.0, 3.0, 5.0, 7.0], 4, Duration(7.0, 8.0)),
        ([1.0, 3.0, 4.0], [0.0, 2.0], 2, Duration(14.0, 14.0)),
        ([1.0, 3.0, 4.0], [0.0, 2.0, 5.0], 1, Duration(5.0, 5.0)),
        ([1.0, 3.0], [0.0, 2.0], 2, Duration(4.0, 4.0)),
        ([1.0, 1.0, 1.0, 2.0, 4.0], [0.0, 8.0, 9.0, 10.0, 12.0], 1, Duration(4.0, 9.6)),
        ([0.0, 1.0], [0.0, 2.0], 1, Duration(2e9, 2e9)),
    ],
)
def test_what_is_left_follows_the_pace_of_all_and_of_the_last_three(weights, starts_s, n_left, wanted):
    pace = Pace(weights)
    for start_s in starts_s:
        pace.begin_cell(start_s)
    left = pace.left(n_left)
    assert left == (wanted and Duration(pytest.approx(wanted.low_s), pytest.approx(wanted.high_s)))


@pytest.mark.parametrize(
    ("low_s", "high_s", "text"),
    [
        (0, 0, "about 5 s"), (4.9, 5.1, "5 to 10 s"), (10, 15, "10 to 15 s"), (9.9, 10, "5 to 10 s"),
        (50, 99.9, "50 to 100 s"), (50, 100, "1 to 2 min"), (100, 120, "1 to 2 min"),
        (120, 120, "about 2 min"),
        (120, 121, "2 to 3 min"), (119, 119, "1 to 2 min"),
    ],
)  # fmt: skip
def test_ranges_end_at_whole_steps(low_s, high_s, text):
    assert str(Duration(low_s, high_s)) == text
