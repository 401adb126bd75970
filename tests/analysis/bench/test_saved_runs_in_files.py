"""Runs in files: written whole or not at all, named, and read however they come."""

import json
import tempfile

import pytest
from bench_runs import RUN as MEASURED
from bench_runs import record

from guiapp.analysis.bench import history
from guiapp.analysis.bench.history import load_run, outline_of, rename_run, save_run, save_run_somewhere
from guiapp.analysis.bench.plan import BenchError
from guiapp.analysis.bench.report import report_text
from guiapp.analysis.bench.run_results import run_of

RUN = {"name": "«früher»", "results": []}


def test_a_run_is_one_json_object_in_a_folder_that_is_made(tmp_path):
    path = tmp_path / "new" / "folder" / "run.json"
    save_run(path, RUN)
    save_run(path, RUN)
    assert path.read_text(encoding="utf-8") == '{\n "name": "«früher»",\n "results": []\n}\n'
    assert load_run(path).name == RUN["name"]


def test_a_run_without_its_place_goes_to_the_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    save_run_somewhere(tmp_path / "run.json", RUN)
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    impossible = tmp_path / "run.json" / "run.json"
    with pytest.raises(BenchError) as caught:
        save_run_somewhere(impossible, RUN)
    (instead,) = tmp_path.glob("tokenloupe-run-*.json")
    assert str(caught.value).startswith(f"{impossible} cannot be written: ")
    assert str(caught.value).endswith(f". The run was saved as {instead} instead.")
    assert load_run(instead).name == RUN["name"]


def test_a_run_that_cannot_be_written_leaves_the_old_one(tmp_path):
    path = tmp_path / "run.json"
    save_run(path, RUN)
    before = path.read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        save_run(path, {"results": [float("nan")]})
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    "content", [b"{", b"\xff", b"[]", b"{}", b'{"results": [{"scenario": "short"}]}', b'{"results": {}}']
)
def test_a_file_that_is_not_a_run_is_refused(tmp_path, content):
    path = tmp_path / "run.json"
    path.write_bytes(content)
    with pytest.raises(BenchError, match=r"run\.json is not "):
        load_run(path)
    with pytest.raises(BenchError, match="cannot be read: No such file"):
        load_run(tmp_path / "missing")


def test_a_run_of_an_earlier_version_opens_without_what_is_measured_no_more(tmp_path):
    path = tmp_path / "run.json"
    gone = [
        record("stages", "heap", 10_000, 1e-4, operation="split"),
        record("energy", "heap", 10_000, 1e-4, joules_per_mb=2.0, joules_ci=[1.9, 2.1]),
        *(record(name, "heap", 10_000, 1e-4) for name in ("cold", "interval", "batch")),
    ]
    plan = {"model": "m", "scenarios": ["cold", "throughput", "energy"]}
    environment = {"stolen_share": 0.1, "mhz_before": 3000.0, "load_before": [9.0, 1.0, 1.0]}
    left_out = [{"contender": "a", "scenario": "stages", "operation": "split", "corpus": "english"}]
    left_out[0] |= {"size_bytes": 9, "reason": "It has no stages."}
    old = {**MEASURED, "plan": plan, "environment": environment, "left_out": left_out}
    path.write_text(json.dumps({**old, "results": [*gone, *MEASURED["results"]]}))
    run = load_run(path)
    assert run.results == run_of(MEASURED).results
    assert run.plan["scenarios"] == ["throughput"]
    for suffix in (".md", ".csv", ".json", ".html"):
        assert "tiktoken" in report_text(suffix, run, "fast", {})


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ('{\n "name": "a, b,",\n "results": [\n', "a, b,"),
        ('{\n "name": "\\n \\"results\\": x",\n "results": what never ends', '\n "results": x'),
        ('{\n "name": ["x"],\n "results": []}', ""),
        ('{\n "names": "x",\n "results": []}', ""),
        ('{\n "name": "x",\n "plan": 5,\n "results": []}', ""),
        ('{\n "name": "' + "x" * (1 << 20) + '",\n "results": []}', ""),
        ('{\n "name": ' + "[" * 100_000 + ',\n "results": []}', ""),
        ("", ""),
        ("[\n[\n", ""),
        ('[\n "results": []}', ""),
    ],
)
def test_a_name_before_the_results_is_read(tmp_path, content, name):
    path = tmp_path / "run.json"
    path.write_bytes(content.encode())
    assert outline_of(path).name == name


def test_a_run_is_renamed_and_is_otherwise_what_it_was(tmp_path):
    path = tmp_path / "run.json"
    save_run(path, MEASURED)
    assert outline_of(path).name == ""
    rename_run(path, " before\nthe “cache” ")
    assert outline_of(path).name == "before the “cache”"
    assert load_run(path).results == run_of(MEASURED).results
    assert outline_of(path).name == load_run(path).name
    rename_run(path, "汉" * 1000)
    assert outline_of(path).name == "汉" * 80
    rename_run(path, "")
    assert (outline_of(path).name, load_run(path).results) == ("", run_of(MEASURED).results)


def test_nothing_in_a_run_from_elsewhere_turns_a_terminal_or_a_page(tmp_path):
    path = tmp_path / "run.json"
    name = "fast\x1b[2J\u202etsaf\ud800"
    path.write_text(json.dumps({"name": name, "results": [record("throughput", name, 10, 1.0)]}))
    run = history.load_run(path)
    assert run.results[0].contender == run.name == "fast\\x1b[2J\\u202etsaf\\ud800"
    history.rename_run(path, "mine")
    assert history.outline_of(path).name == "mine"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"results": [], "environment": {"mhz": NaN}}', "it has an invalid number"),
        ('{"results": [], "environment": {"mhz": 1e999}}', "it has an invalid number"),
        ('{"results": [], "more": ' + "[" * 480 + "]" * 480 + "}", "nested too deeply"),
    ],
)
def test_a_run_that_could_not_be_written_again_is_none(tmp_path, content, message):
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(history.BenchError, match=message):
        history.load_run(path)
