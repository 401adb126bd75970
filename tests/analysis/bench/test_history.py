"""Runs compared: what is said to differ, and that the same code is not."""

from __future__ import annotations

import numpy as np
import pytest
from bench_runs import record

from guiapp.analysis.bench.history import (
    compare_runs,
    different_conditions,
)
from guiapp.analysis.bench.report import change_lines
from guiapp.analysis.libraries.custom import CustomContender


def run_of(*speeds: tuple[str, float], seed: int = 0, n: int = 20) -> dict:
    """A run in which each contender took so many milliseconds, with 5 % of noise."""
    generator = np.random.default_rng(seed)
    results = [
        record("throughput", name, 1000, ms / 1e3, n=n, samples_s=times.tolist())
        for name, ms in speeds
        for times in [ms / 1e3 * generator.lognormal(0, 0.05, n)]
    ]
    return {"environment": {"cores": 2}, "vocabulary": {"sha256": "a"}, "results": results}


@pytest.mark.parametrize("seed", range(20))
def test_twenty_per_cent_slower_is_flagged_and_five_per_cent_of_noise_is_not(seed):
    old = run_of(("slowed", 1.0), ("noisy", 1.0), ("sped", 1.0), seed=seed)
    new = run_of(("slowed", 1.2), ("noisy", 1.0), ("sped", 0.8), seed=100 + seed)
    verdicts = {change.key[2]: change.verdict for change in compare_runs(old, new)}
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


def measured(times_of, seed: int, seconds: float = 1e-3, **more) -> dict:
    """A run of a hundred contenders that are equally fast, but for what disturbs them."""
    generator = np.random.default_rng(seed)
    results = [
        record("throughput", f"encoder {number}", 1000, seconds, samples_s=times.tolist(), **more)
        for number in range(100)
        for times in [seconds * times_of(generator, int(generator.integers(5, 41)))]
    ]
    return {"environment": {"cores": 2}, "results": results}


def told(changes) -> float:
    """Of which share a change is told."""
    return sum(change.is_change for change in changes) / len(changes)


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
    assert told(compare_runs(old, measured(times_of, 100 + seed, **more))) <= 0.01
    slower = measured(times_of, 200 + seed, 6e-3, **more)
    slower["results"][50:] = measured(times_of, 300 + seed, **more)["results"][50:]
    changes = compare_runs(old, slower)
    assert told(changes) > 0.35
    assert not (more and any(change.is_sure for change in changes))


@pytest.mark.parametrize("times_of", [wandering, throttled])
def test_a_machine_that_becomes_busy_meanwhile_makes_little_sure(times_of):
    assert told(compare_runs(measured(times_of, 1), measured(times_of, 2))) < 0.1


@pytest.mark.parametrize("busy", [(True, False), (False, True)])
def test_on_a_busy_machine_only_large_differences_are_told_and_none_is_sure(busy):
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
    for clock, run in (("wall", old), ("cpu", new)):
        run["results"][0]["clock"] = clock
    assert {change.key[2]: change.verdict for change in compare_runs(old, new)} == {"heap": "slower"}
    assert different_conditions(old, new) == ["1 result left out, as one is processor time and the other not"]


@pytest.mark.parametrize("spoiled", [None, 5, "x", [], {"own": 5}, {"own": [{"name": 1}]}])
def test_another_command_of_the_same_name_is_another_condition(spoiled):
    old, new = (
        {**run_of(), "plan": {"model": "a", "own": [CustomContender("mine", "command", target).record()]}}
        for target in ("tok --x", "tok --y")
    )
    assert different_conditions(old, new) == ["contender mine was tok --x, now tok --y"]
    assert different_conditions(old, {**new, "plan": spoiled}) == []


def test_other_repetition_is_another_condition_and_older_runs_repeated():
    old, new, older = (
        {**run_of(), "plan": {"model": "a", **said}}
        for said in ({"repeat": "never"}, {"repeat": "fresh"}, {})
    )
    assert different_conditions(old, new) == ["repetition of texts was never, now fresh"]
    assert different_conditions(older, new) == ["repetition of texts was same, now fresh"]


def run_with(*results) -> dict:
    return {"results": list(results)}


def timed(name: str, samples: list[float]) -> dict:
    return record("throughput", name, 1_000, samples[0], samples_s=samples)


def test_changes_begin_with_the_most_slowed_down_and_need_samples_of_both():
    old = run_with(
        timed("a", [1.0] * 8), timed("b", [1.0] * 8), timed("c", [1.0] * 8), timed("only old", [1.0] * 8)
    )
    new = run_with(
        timed("a", [0.5] * 8),
        timed("b", [3.0] * 8),
        timed("c", [2.0] * 8),
        timed("only new", [1.0] * 8),
        record("memory", "a", 1_000, 1.0),
    )
    old["results"].append(record("memory", "a", 1_000, 1.0))
    changes = compare_runs(old, new)
    assert [(each.key[2], each.ratio.ratio) for each in changes] == [
        ("b", pytest.approx(3.0)),
        ("c", pytest.approx(2.0)),
        ("a", pytest.approx(0.5)),
    ]


def test_conditions_differ_by_machine_vocabulary_and_text():
    sums = ["0123456789abcdef" * 4, "fedcba9876543210" * 4]
    old, new = (
        {
            "environment": {
                "processor": "A",
                "cores": n,
                "clock": "wall",
                "Python": "3.11",
                "numpy": f"{n}.0",
                "load": n,
            },
            "vocabulary": {"sha256": digest, "chosen_pre": pre},
            "corpora": [
                {"name": "t", "sha256": digest},
                {"name": "u", "sha256": "x"},
                {"name": pre, "sha256": "y"},
            ],
        }
        for n, digest, pre in zip((1, 2), sums, (None, "qwen2"), strict=True)
    )
    assert different_conditions(old, new) == [
        "cores was 1, now 2",
        "numpy was 1.0, now 2.0",
        "vocabulary was 0123456789ab, now fedcba987654",
        "chosen pre-tokenizer was none, now qwen2",
        "text t was 0123456789ab, now fedcba987654",
    ]
    assert different_conditions({}, {}) == []
