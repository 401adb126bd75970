"""`tokenloupe bench`: records and table of one real small run, and what it says about bad input."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from bench_runs import record

from guiapp.analysis.bench.control import Control
from guiapp.analysis.bench.plan import SCENARIOS, BenchError, Plan
from guiapp.analysis.bench.run_results import BenchResult
from guiapp.analysis.libraries.table import PEERS
from guiapp.cli.main import run
from guiapp.core.processes import command_of, environment

PATIENCE_S = 120


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory):
    """The JSON object and the output of a run of every scenario with one contender.

    In a folder with a package of our name that cannot be imported, as in a clone that is not built.
    """
    file = tmp_path_factory.mktemp("bench") / "run.json"
    (file.parent / "guiapp").mkdir()
    (file.parent / "guiapp" / "__init__.py").write_text("raise RuntimeError('the wrong one')\n")
    command = [*command_of("guiapp"), "bench", "demo:spm", "--encoders", "fast"]
    command += ["-f", "sample:welcome", "--scenario", "all", "--threads", "1,2", "--time-budget", "0.2"]
    command += ["--call-limit", "2", "--largest", "100000", "--clock", "cpu", "--json", str(file)]
    command += ["--report", str(file.with_suffix(".html"))]
    options = {"cwd": file.parent, "env": environment(), "text": True, "timeout": PATIENCE_S}
    done = subprocess.run(command, capture_output=True, **options)
    assert done.returncode == 0, done.stderr
    return {**json.loads(file.read_text()), "report": file.with_suffix(".html")}, done


def test_every_scenario_is_measured_for_real(whole_run):
    record, _ = whole_run
    assert {result["scenario"] for result in record["results"]} == set(SCENARIOS)
    assert record["environment"]["cores"] == os.cpu_count()
    assert record["environment"]["load_after"] is not None
    for result in record["results"]:
        assert result["exact"] in (True, None)
        if result["scenario"] == "latency":
            assert 0 < result["p50_s"] <= result["p95_s"] <= result["p99_s"]
            assert result["n_calls"] == 32 * result["n"]
        if result["scenario"] != "memory":
            assert result["ci_s"][0] <= result["median_s"] <= result["ci_s"][1]
            assert result["n"] == len(result["samples_s"])
            assert result["mb_per_s"] * 1e6 * result["median_s"] == pytest.approx(result["size_bytes"])


def test_the_report_has_the_charts_of_every_scenario(whole_run):
    record, _ = whole_run
    report = Path(record["report"]).read_text()
    for scenario in SCENARIOS.values():
        assert f"<figcaption>{scenario.title}" in report or scenario.name == "throughput"
    assert report.count("<svg") >= len(SCENARIOS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["demo:bpe", "--encoders", "quantum"], "quantum"),
        (["demo:bpe", "--scenario", "dreaming"], "dreaming"),
        (["demo:bpe", "-f", "no/such/corpus"], "no/such/corpus"),
        (["no/such/model.gguf"], "model.gguf"),
        (["demo:bpe", "--json", "no/such/folder/run.json"], "no/such/folder"),
        (["demo:bpe", "--compare", "no/such/run.json"], "no/such/run.json"),
        (["demo:bpe", "--scenario", "worst", "--largest", "999"], "nothing to measure"),
    ],
)
def test_bad_input_is_one_line_and_status_1(capfd, arguments, message):
    assert run(["bench", *arguments]) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_a_run_in_which_nothing_can_be_measured_is_an_error(capfd):
    own = ["--own", "mine=command:false", "--encoders", "mine"]
    assert run(["bench", "demo:toy", *own, "-f", "sample:welcome", "--time-budget", "0.2"]) == 1
    assert "No encoder could be measured." in capfd.readouterr().err


def running_in_session(session: int) -> list[str]:
    """The names of processes of a session that are not yet dead; none where the system tells nothing."""
    running = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, _, fields = file.read_text().rpartition(")")
            state, _, _, session_id = fields.split()[:4]
            if int(session_id) == session and state not in "ZX":
                running.append(name)
    return running


def test_an_interrupted_run_keeps_what_it_measured_and_leaves_nothing_running(tmp_path):
    file = tmp_path / "run.json"
    command = [sys.executable, "-m", "guiapp", "bench", "demo:bpe", "--encoders", "fast"]
    command += ["-f", "sample:welcome", "--scenario", "throughput", "--scenario", "scaling"]
    command += ["--time-budget", "600", "--json", str(file)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        for progress_line in process.stderr:
            if "[2/" in progress_line:
                process.send_signal(signal.SIGINT)
        process.wait(PATIENCE_S)
    saved = json.loads(file.read_text())
    n_results = len(saved["results"])
    counted = f"{n_results} result{'s' * (n_results != 1)}"
    assert progress_line == f"tokenloupe: Stopped with {counted}, saved in {file}.\n"
    assert process.returncode == 130
    assert not saved["complete"]
    assert saved["results"][0]["n"] >= 5
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]
    deadline = time.monotonic() + PATIENCE_S
    while running_in_session(process.pid):  # Python's resource tracker ends a moment behind the rest
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_second_run_is_compared_with_the_first(tmp_path, capfd, monkeypatch):
    monkeypatch.setattr(BenchResult, "was_busy", False)  # busy or not
    file = tmp_path / "run.json"
    arguments = ["bench", "demo:rwkv", "-f", "sample:welcome", "--scenario", "throughput"]
    arguments += ["--encoders", "rwkv", "--time-budget", "0.1", "--clock", "cpu"]
    assert run([*arguments, "--json", str(file)]) == 0
    saved = json.loads(file.read_text())
    for result in saved["results"]:
        result["median_s"], result["ci_s"] = result["median_s"] / 100, [end / 100 for end in result["ci_s"]]
    file.write_text(json.dumps(saved))
    capfd.readouterr()
    assert run([*arguments, "--compare", str(file)]) == 0
    assert "SLOWER: rwkv" in capfd.readouterr().out
    assert run([*arguments, "--compare", str(file), "--json", "-"]) == 0
    captured = capfd.readouterr()
    assert json.loads(captured.out)["complete"]
    assert "SLOWER: rwkv" in captured.err


@pytest.mark.parametrize("has_result", [True, False])
@pytest.mark.parametrize("names_file", [True, False])
def test_a_run_that_fails_writes_what_it_has_where_it_is_to(tmp_path, monkeypatch, has_result, names_file):
    def broken(plan: Plan, control: Control) -> Iterator[dict]:
        if has_result:
            yield {"event": "result", **record("throughput", "fast", 10, 1.0)}
        raise ZeroDivisionError

    monkeypatch.setattr("guiapp.analysis.bench.engine.run", broken)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ZeroDivisionError):
        run(["bench", "demo:bpe", *(["--json", "run.json"] if names_file else [])])
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"] * (has_result and names_file)


@pytest.mark.parametrize(
    ("words", "changes"),
    [
        ("", {}),
        ("--pre gpt-2 -f a.txt -f tutorial", {"pre": "gpt-2", "corpora": ("a.txt", "tutorial")}),
        ("--encoders fast,heap,fast --peers", {"contenders": ("fast", "heap"), "with_peers": True}),
        ("--encoders tokenloupe,HEAP,TikToken", {"contenders": ("fast", "heap", "tiktoken")}),
        ("--scenario short,decode --scenario worst", {"scenarios": ("short", "decode", "worst")}),
        ("--scenario short,all", {"scenarios": tuple(SCENARIOS)}),
        ("--threads 1,3 --clock cpu --seed 5", {"threads": (1, 3), "clock": "cpu", "seed": 5}),
        ("--time-budget 0.5 --call-limit 3", {"time_budget_s": 0.5, "call_limit_s": 3.0}),
        ("--largest 1e6", {"largest_bytes": 1_000_000}),
    ],
)
def test_each_option_is_a_part_of_the_plan(monkeypatch, words, changes):
    def take(plan: Plan, control: Control) -> Iterator[dict]:
        plans.append(plan)
        raise BenchError("That is enough.")

    plans: list[Plan] = []
    monkeypatch.setattr("guiapp.analysis.bench.engine.run", take)
    assert run(["bench", "demo:bpe", *words.split()]) == 1
    assert plans == [replace(Plan("demo:bpe"), **changes)]


def test_who_can_take_part_is_listed_with_what_is_returned_and_the_reason_against(capsys):
    assert run(["bench", "demo:spm", "--list", "--own", "mine=python:json:dumps"]) == 0
    rows = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines() if line]
    about = {row[0]: row[1] for row in rows[:-1]}
    assert about["fast"].startswith("an object with arrays")
    assert about["rwkv-package"].endswith(("takes RWKV only.", "pip install rwkv"))
    assert about["mine"] == "python                                 Python of this program: json:dumps"
    assert set(PEERS) <= about.keys()


@pytest.mark.parametrize("own", ["tok", "fast=python:json:dumps"])
def test_an_invalid_custom_library_is_refused(own, capsys):
    assert run(["bench", "demo:spm", "--own", own]) == 1
    assert "encoder" in capsys.readouterr().err


def test_a_baseline_that_is_not_measured_is_refused_with_those_that_are(capsys):
    assert run(["bench", "demo:toy", "--baseline", "nope", "--encoders", "heap"]) == 1
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "--baseline nope" in printed.err
    assert "heap" in printed.err
