"""Runs compared: what is said to differ, and that the same code is not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bench_runs import record, run_with

from guiapp.analysis.bench.history import (
    NOT_COMPARABLE,
    compare_runs,
    different_conditions,
)
from guiapp.analysis.bench.report import change_lines, change_table
from guiapp.analysis.bench.run_results import BenchRun
from guiapp.analysis.bench.statistics import interval_in_turns
from guiapp.analysis.export.tables import NONE
from guiapp.analysis.libraries.custom import CustomContender


def timed(name: str, times, **more) -> dict:
    """What a contender took in turns of so many seconds."""
    interval = interval_in_turns(list(times), more.get("crowded", False))
    measured = {"n": len(times), "samples_s": list(times), "ci_s": [interval.low, interval.high], **more}
    return record("throughput", name, 1000, float(np.median(times)), **measured)


def run_of(*speeds: tuple[str, float], seed: int = 0, n: int = 20) -> BenchRun:
    """A run in which each contender took so many milliseconds, with 5 % of noise."""
    generator = np.random.default_rng(seed)
    return run_with(*(timed(name, ms / 1e3 * generator.lognormal(0, 0.05, n)) for name, ms in speeds))


@pytest.mark.parametrize("seed", range(20))
def test_a_quarter_slower_is_flagged_and_five_per_cent_of_noise_is_not(seed):
    old = run_of(("slowed", 1.0), ("noisy", 1.0), ("sped", 1.0), seed=seed)
    new = run_of(("slowed", 1.25), ("noisy", 1.0), ("sped", 0.8), seed=100 + seed)
    verdicts = {change.now.contender: change.verdict for change in compare_runs(old, new)}
    assert verdicts == {"slowed": "slower", "noisy": "same", "sped": "faster"}


def steady(generator, n):
    return generator.lognormal(0, 0.05, n)


def interrupted(generator, n):
    """Now and then something else runs."""
    return steady(generator, n) + (generator.random(n) < 0.3) * generator.exponential(0.5, n)


def wandering(generator, n):
    """How long it takes depends on how long it has just taken."""
    steps = generator.normal(0, 0.06, n)
    for at in range(1, n):
        steps[at] += 0.8 * steps[at - 1]
    return np.exp(steps)


def throttled(generator, n):
    """Something begins at some time, and goes on."""
    times = steady(generator, n)
    times[generator.integers(n) :] *= generator.uniform(1, 1.4)
    return times


def unlucky(generator, n):
    """All of it beside something that shares the caches; measured, on two cores with a load of four."""
    return steady(generator, n) * generator.uniform(1, 2.4)


def measured(times_of, seed: int, seconds: float = 1e-3, **more) -> BenchRun:
    """A run of a hundred contenders that are equally fast, but for what disturbs them."""
    generator = np.random.default_rng(seed)
    return run_with(
        *(
            timed(f"encoder {number}", seconds * times_of(generator, int(generator.integers(5, 41))), **more)
            for number in range(100)
        )
    )


def share_of_changes(changes) -> float:
    return sum(change.verdict != "same" for change in changes) / len(changes)


BUSY = {"crowded": True}


@pytest.mark.parametrize(
    ("times_of", "more"),
    [(steady, {}), (interrupted, {}), (wandering, BUSY), (throttled, BUSY), (unlucky, BUSY)],
)
@pytest.mark.parametrize("seed", range(3))
def test_of_the_same_code_hardly_anything_differs_and_of_code_six_times_slower_most_does(
    times_of, more, seed
):
    old = measured(times_of, seed, **more)
    assert share_of_changes(compare_runs(old, measured(times_of, 100 + seed, **more))) <= 0.01
    slower = measured(times_of, 200 + seed, 6e-3, **more)
    slower.finished[50:] = measured(times_of, 300 + seed, **more).finished[50:]
    changes = compare_runs(old, slower)
    assert share_of_changes(changes) > 0.35
    assert not (more and any(change.is_sure for change in changes))


@pytest.mark.parametrize("busy", [(True, False), (False, True)])
def test_on_a_busy_machine_only_large_changes_are_maybe_slower(busy):
    for slowdown, words in ((2.5, "same"), (9.0, "maybe slower")):
        old, new = (
            measured(steady, 1, seconds, crowded=each)
            for seconds, each in zip((1e-3, slowdown * 1e-3), busy, strict=True)
        )
        changes = compare_runs(old, new)
        assert {change.words for change in changes} == {words}
        assert list(change_lines(changes))[-1].startswith("The machine was busy")


def test_processor_time_is_not_compared_with_time_of_the_wall():
    old, new = run_of(("fast", 1.0), ("heap", 1.0)), run_of(("fast", 2.0), ("heap", 2.0))
    new.finished[0] = replace(new.finished[0], clock="cpu")
    heap, fast = compare_runs(old, new)
    assert (heap.now.contender, heap.verdict) == ("heap", "slower")
    assert (fast.verdict, fast.words, fast.is_sure) == (NOT_COMPARABLE, NOT_COMPARABLE, False)
    assert change_table([fast], "").rows[1][4:] == [NOT_COMPARABLE, NONE, NONE]
    _, counts, why = change_lines([heap, fast])
    assert counts == "1 slower, 0 faster, 0 same, 1 not comparable"
    assert why.startswith("1 result cannot be compared")


def test_where_nothing_can_be_compared_nothing_is_called_the_same():
    old, others = run_of(("fast", 1.0)), run_of(("heap", 1.0))
    by_processor = run_with(*(replace(row, clock="cpu").record() for row in old.finished))
    for new in (by_processor, others, run_with()):
        (why,) = change_lines(compare_runs(old, new))
        assert "can" in why
        assert "same," not in why


def planned(**parts) -> BenchRun:
    return run_with(plan={"model": "a", **parts})


@pytest.mark.parametrize("spoiled", [{"own": 5}, {"own": [{"name": 1}]}])
def test_another_command_of_the_same_name_is_another_condition(spoiled):
    commands = [CustomContender("mine", "command", target).record() for target in ("tok --x", "tok --y")]
    old, new = (planned(own=[command]) for command in commands)
    assert different_conditions(old, new) == ["encoder mine was tok --x, now tok --y"]
    assert different_conditions(old, planned(**spoiled)) == []


def test_conditions_differ_by_machine_vocabulary_and_text():
    sums = ["0123456789abcdef" * 4, "fedcba9876543210" * 4]
    old, new = (
        run_with(
            environment={
                "processor": "A",
                "cores": n,
                "clock": "wall",
                "Python": "3.11",
                "numpy": f"{n}.0",
                "load": n,
            },
            vocabulary={"sha256": digest, "chosen_pre": pre},
            corpora=[
                {"name": "t", "sha256": digest},
                {"name": "u", "sha256": "x"},
                {"name": pre, "sha256": "y"},
            ],
        )
        for n, digest, pre in zip((1, 2), sums, ("", "qwen2"), strict=True)
    )
    assert different_conditions(old, new) == [
        "cores was 1, now 2",
        "numpy was 1.0, now 2.0",
        "vocabulary was 0123456789ab, now fedcba987654",
        "chosen pre-tokenizer was none, now qwen2",
        "text t was 0123456789ab, now fedcba987654",
    ]
    assert different_conditions(run_with(), run_with()) == []
