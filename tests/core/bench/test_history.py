"""Runs kept and compared."""

from __future__ import annotations

import json

import numpy as np
import pytest
from bench_runs import record

from guiapp.core.bench.contenders.custom import CustomContender
from guiapp.core.bench.history import (
    MARGIN,
    Change,
    compare_runs,
    different_conditions,
    load_run,
    name_of,
    rename_run,
    save_run,
)
from guiapp.core.bench.measurement import Report
from guiapp.core.bench.plan import BenchError
from guiapp.core.bench.statistics import Ratio
from guiapp.core.bench.tables import change_lines


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


def test_a_change_whose_interval_just_meets_the_margin_is_none():
    def verdict(low: float, high: float) -> str:
        return Change(("fast",), Ratio((low + high) / 2, low, high)).verdict

    assert verdict(MARGIN, 2.0) == verdict(0.5, 1 / MARGIN) == "same"
    assert verdict(np.nextafter(MARGIN, 2), 2.0) == "slower"
    assert verdict(0.5, np.nextafter(1 / MARGIN, 0)) == "faster"


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


def measured(times_of, seed: int, seconds: float = 1e-3, share: float = 1.0, **environment) -> dict:
    """A run of a hundred contenders that are equally fast, but for what disturbs them."""
    generator = np.random.default_rng(seed)
    results = [
        record(
            "throughput", f"encoder {number}", 1000, seconds, samples_s=times.tolist(), processor_share=share
        )
        for number in range(100)
        for times in [seconds * times_of(generator, int(generator.integers(5, 41)))]
    ]
    return {"environment": {"cores": 2, **environment}, "results": results}


def surely(changes) -> float:
    """Of which share something is said to be sure."""
    return sum(change.verdict in ("slower", "faster") for change in changes) / len(changes)


BUSY = {"load_highest": 4.0}


@pytest.mark.parametrize(
    ("times_of", "environment"),
    [(steady, {}), (interrupted, {}), (wandering, BUSY), (throttled, BUSY), (unlucky, BUSY)],
)
@pytest.mark.parametrize("seed", range(3))
def test_of_the_same_code_hardly_anything_is_sure_and_of_code_six_times_slower_most_is(
    times_of, environment, seed
):
    old = measured(times_of, seed, **environment)
    assert surely(compare_runs(old, measured(times_of, 100 + seed, **environment))) <= 0.01
    slower = measured(times_of, 200 + seed, 6e-3, **environment)
    slower["results"][50:] = measured(times_of, 300 + seed, **environment)["results"][50:]
    assert surely(compare_runs(old, slower)) > 0.35


@pytest.mark.parametrize("times_of", [wandering, throttled])
def test_a_machine_that_becomes_busy_meanwhile_makes_little_sure(times_of):
    assert surely(compare_runs(measured(times_of, 1), measured(times_of, 2))) < 0.1


@pytest.mark.parametrize("shares", [(0.89, 1.0), (1.0, 0.89)])
def test_nothing_is_sure_of_what_had_no_core_of_its_own(shares):
    old, new = (measured(steady, 1, ms, share) for ms, share in zip((1e-3, 9e-3), shares, strict=True))
    changes = compare_runs(old, new)
    assert {change.verdict for change in changes} == {"disturbed"}
    assert changes[0].drift.factor == 1
    told = list(change_lines(changes))
    assert told[-1].startswith(
        "Machine busy: only what differs more than 3 times is told, as maybe, and nothing is"
    )
    assert told[-1].endswith(" sure of 100 results that had less than a core.")


def test_processor_time_is_not_compared_with_time_of_the_wall():
    old, new = run_of(("fast", 1.0), ("heap", 1.0)), run_of(("fast", 2.0), ("heap", 2.0))
    for clock, run in (("wall", old), ("cpu", new)):
        run["results"][0]["clock"] = clock
    assert verdicts_of(compare_runs(old, new)) == {"heap": "slower"}
    assert different_conditions(old, new) == ["1 result left out, as one is processor time and the other not"]


def test_the_machine_being_five_per_cent_slower_is_no_regression():
    changes = compare_runs(run_of(("fast", 1.0), n=40), run_of(("fast", 1.05), n=40, seed=1))
    assert changes[0].verdict == "same"


LIBRARIES = ("tiktoken", "tokenizers", "gigatoken")


def with_libraries(run: dict, version: str = "1") -> dict:
    return {**run, "contenders": [{"contender": name, "version": version} for name in LIBRARIES]}


def verdicts_of(changes) -> dict[str, str]:
    return {change.key[2]: change.verdict for change in changes}


@pytest.mark.parametrize("factor", [0.7, 1.25, 2.0])
def test_a_slower_machine_is_told_by_unchanged_libraries_and_a_regression_still_shows(factor):
    names = (*LIBRARIES, "fast", "heap")
    old = with_libraries(run_of(*((name, 1.0) for name in names)))
    times = {**dict.fromkeys(names, factor), "heap": factor * 1.2}
    changes = compare_runs(old, with_libraries(run_of(*times.items(), seed=1)))
    assert verdicts_of(changes) == {**dict.fromkeys(names, "same"), "heap": "slower"}
    assert f"This machine ran at {1 / factor:.1f}"[:-1] in str(changes[0].drift)
    assert changes[0].drift.factor == pytest.approx(factor, rel=0.03)


def test_all_our_encoders_being_slower_is_a_regression_where_libraries_are_not():
    ours = ("fast", "heap", "scan", "table", "backtrack", "greedy", "fewest")
    old = with_libraries(run_of(*((name, 1.0) for name in (*LIBRARIES, *ours))))
    times = [*((name, 1.0) for name in LIBRARIES), *((name, 1.2) for name in ours)]
    changes = compare_runs(old, with_libraries(run_of(*times, seed=1)))
    assert {verdicts_of(changes)[name] for name in ours} == {"slower"}
    assert not changes[0].drift.contenders


def test_what_all_share_is_told_where_nobody_can_say_whose_it_is():
    names = ("fast", "heap", "scan", "table")
    old, new = (run_of(*((name, ms) for name in names), seed=seed) for seed, ms in enumerate((1.0, 1.5)))
    lines = list(change_lines(compare_runs(old, new)))
    assert lines[0].startswith("All contenders together ran at 0.6")
    assert "this machine, or something that 4 of them share" in lines[0]
    assert lines[-1] == "0 slower, 0 faster, 4 same"


@pytest.mark.parametrize("version", ["1", "2"])
def test_two_of_three_being_slower_is_no_drift(version):
    old, new = (run_of(*zip(LIBRARIES, times, strict=True)) for times in ((1, 1, 1), (1.2, 1.2, 1)))
    changes = compare_runs(with_libraries(old), with_libraries(new, version))
    assert list(verdicts_of(changes).values()) == ["slower", "slower", "same"]


def test_what_only_one_run_has_is_not_compared():
    assert compare_runs(run_of(("fast", 1.0)), run_of(("heap", 1.0))) == []


def test_changes_are_told_in_words():
    lines = list(change_lines(compare_runs(run_of(("fast", 1.0)), run_of(("fast", 2.0), seed=1))))
    assert lines[0].startswith("SLOWER: fast: throughput (encode), english, 1,000 bytes")
    assert lines[-1] == "1 slower, 0 faster, 0 same"


def test_other_conditions_are_named():
    old, new = run_of(), run_of()
    new["environment"], new["vocabulary"] = {"cores": 8}, {"sha256": "b"}
    assert different_conditions(old, new) == ["cores was 2, now 8", "vocabulary was a, now b"]
    assert different_conditions(old, old) == []


def test_another_chosen_pre_tokenizer_is_another_condition():
    old, new = ({"results": [], "vocabulary": {"chosen_pre": pre}} for pre in ("", "qwen2"))
    assert different_conditions(old, new) == ["chosen pre-tokenizer was none, now qwen2"]


def test_another_text_of_the_same_name_is_another_condition():
    old, new = ({**run_of(), "corpora": [{"name": "a.txt", "sha256": digest}]} for digest in "xy")
    assert different_conditions(old, new) == ["text a.txt was x, now y"]
    assert different_conditions(old, {**new, "corpora": []}) == []


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


def test_a_run_is_renamed_and_is_otherwise_what_it_was(tmp_path):
    path = tmp_path / "run.json"
    save_run(path, run_of(("fast", 1.0)))
    assert name_of(path) == ""
    rename_run(path, " before\nthe “cache” ")
    assert name_of(path) == "before the “cache”"
    assert load_run(path) == {"name": "before the “cache”", **run_of(("fast", 1.0))}
    assert name_of(path) == Report.of(load_run(path)).record()["name"]
    rename_run(path, "汉" * 1000)
    assert name_of(path) == "汉" * 80
    rename_run(path, "")
    assert load_run(path) == run_of(("fast", 1.0))


@pytest.mark.parametrize(
    "content", ["", "{", '{\n"name": 1\n}', '{\n"names": ""\n}', '{"name": "x"}', "[\n[\n"]
)
def test_other_files_have_no_name(tmp_path, content):
    (tmp_path / "other.json").write_text(content)
    assert name_of(tmp_path / "other.json") == name_of(tmp_path / "missing.json") == ""


def test_a_run_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "run.json"
    save_run(path, run_of())
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        save_run(path, {"results": [float("nan")]})
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize("content", ["{", "[]", "{}", json.dumps({"results": [{"scenario": "x"}]})])
def test_a_file_that_is_no_run_is_refused(tmp_path, content):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(BenchError, match=r"run\.json"):
        load_run(path)
    with pytest.raises(BenchError, match="cannot be read"):
        load_run(tmp_path / "missing.json")
