"""Saved runs in their folder: named, listed and compared."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from bench_runs import record, run_with

from guiapp.analysis.bench.findings import YOUR_TEXT
from guiapp.analysis.bench.history import save_run
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.pages.bench.history import FinishedRun, RunComparison, RunHistory, SavedRun, with_saved_text


def run_of(started, model="/models/gpt.gguf", sha256="abc", **vocabulary):
    vocabulary = {"path": model, "sha256": sha256, **vocabulary}
    row = record("throughput", "Tokenloupe", 10_000, 1e-4, samples_s=[1e-4] * 9)
    return run_with(row, environment={"started": started}, vocabulary=vocabulary)


@pytest.fixture
def history(tmp_path):
    return RunHistory(tmp_path / "runs")


def test_a_run_is_named_by_its_beginning_and_its_model(history, tmp_path):
    run = run_of("2026-11-21T18:54:03+0100")
    path = tmp_path / "runs" / "2026-11-21T185403-0100 gpt.json"
    assert history.finish(run) == FinishedRun(run, None, path)
    assert history.runs() == [SavedRun(path, "2026-11-21 18:54, gpt")]


@pytest.mark.parametrize(
    ("vocabulary", "is_compared"),
    [
        ({}, True),
        ({"sha256": "other"}, False),
        ({"chosen_pre": "qwen2"}, False),
        ({"model": "/a.gguf"}, True),
    ],
)
def test_a_run_is_compared_with_the_last_of_the_same_tokens(history, vocabulary, is_compared):
    history.finish(run_of("2026-11-01T00:00:00+0000"))
    history.finish(run_of("2026-11-02T00:00:00+0000", sha256="third"))
    stored = history.finish(run_of("2026-11-03T00:00:00+0000", **vocabulary))
    assert (stored.comparison is not None) is is_compared
    if is_compared:
        assert (stored.comparison.title, stored.comparison.n_compared) == ("2026-11-01 00:00, gpt", 1)


def test_a_comparison_of_nothing_gives_the_reason():
    old, new = run_of("2026-11-01T00:00:00+0000"), run_of("2026-11-02T00:00:00+0000")
    assert "none clearly different" in str(RunComparison.of("", old, new))
    new.finished[0] = replace(new.finished[0], clock="cpu")
    comparison = RunComparison.of("", old, new)
    assert (comparison.n_compared, len(comparison.changes)) == (0, 1)
    for each in (comparison, RunComparison.of("", old, run_with())):
        assert "cannot be compared" in str(each) or "Nothing can be compared" in str(each)
        assert "none clearly different" not in str(each)


@pytest.mark.parametrize(
    ("parts", "ending"),
    [
        ({"complete": True, "environment": {"ended": "now"}}, ""),
        ({"complete": False, "environment": {"ended": "now"}}, "stopped early · "),
        ({"complete": False}, "incomplete · "),
    ],
)
def test_a_saved_run_shows_its_contents_and_whether_it_stopped(tmp_path, parts, ending):
    row = record("throughput", "fast", 10_000, 1e-4)
    run = run_with(
        row,
        plan={"scenarios": ["throughput", "scaling"]},
        contenders=[{"contender": name, "version": ""} for name in ("fast", "heap")],
        corpora=[{"name": name, "sha256": ""} for name in "abcd"],
        **parts,
    )
    save_run(tmp_path / "run.json", run.record())
    saved = SavedRun.at(tmp_path / "run.json")
    assert saved.details == f"{ending}Tokenloupe, heap · Throughput, By length · 4 texts"
    save_run(tmp_path / "run.json", {"results": [row]})
    assert SavedRun.at(tmp_path / "run.json").details == ""


def test_your_text_is_saved_under_a_hash_of_its_content(history, tmp_path):
    plan = Plan("m", ("sample:code", YOUR_TEXT), ())
    stored = with_saved_text(plan, history, b"mine")
    assert stored.corpora[0] == "sample:code"
    assert Path(stored.corpora[1]).read_bytes() == b"mine"
    assert Path(stored.corpora[1]).name == YOUR_TEXT
    assert with_saved_text(plan, history, b"mine") == stored
    assert with_saved_text(plan, history, b"other") != stored
    assert Path(stored.corpora[1]).is_relative_to(tmp_path / "runs" / "texts")
    assert Path(stored.corpora[1]).stat().st_mode & 0o077 == 0
    with pytest.raises(BenchError, match="there is no folder for runs"):
        with_saved_text(plan, None, b"mine")


def test_a_run_with_a_name_is_called_by_it(tmp_path):
    path = tmp_path / "2026-11-21T185403-0100 gpt.json"
    save_run(path, {"name": "before", **run_of("2026-11-21T18:54:03+0100").record()})
    assert SavedRun.at(path) == SavedRun(path, "before · 2026-11-21 18:54, gpt", "before")
    other = tmp_path / "mine.json"
    save_run(other, run_of("2026-11-21T18:54:03+0100").record())
    assert SavedRun.at(other) == SavedRun(other, "mine", "")
