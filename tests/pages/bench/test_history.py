"""Kept runs in their folder: how they are named, listed, read and compared."""

from pathlib import Path

import pytest
from bench_runs import record

from guiapp.analysis.bench.history import BUSY_MARGIN, MARGIN, SpeedChange, save_run
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.analysis.bench.statistics import Ratio
from guiapp.pages.bench import history as bench_history
from guiapp.pages.bench.history import (
    YOUR_TEXT,
    FinishedRun,
    RunComparison,
    RunHistory,
    SavedRun,
    with_saved_text,
)


class Journal:
    is_saved = None

    def end(self, is_saved):
        self.is_saved = is_saved


def run_of(started, model="/models/gpt.gguf", sha256="abc", **vocabulary):
    return {
        "environment": {"started": started},
        "vocabulary": {"path": model, "sha256": sha256, **vocabulary},
        "plan": {},
        "results": [record("throughput", "fast", 10_000, 1e-4, samples_s=[1e-4] * 9)],
    }


@pytest.fixture
def history(tmp_path):
    return RunHistory(tmp_path / "runs")


def test_a_run_is_named_by_its_beginning_and_its_model(history, tmp_path):
    journal, run = Journal(), run_of("2026-11-21T18:54:03+0100")
    path = tmp_path / "runs" / "2026-11-21T185403-0100 gpt.json"
    assert history.keep(run, journal) == FinishedRun(run, None, path)
    assert journal.is_saved is True
    assert history.runs() == [SavedRun(path, "2026-11-21 18:54, gpt")]


def test_the_newest_runs_come_first_and_only_some_are_listed(history, monkeypatch):
    monkeypatch.setattr(bench_history, "MOST_LISTED", 2)
    for day in range(1, 5):
        history.keep(run_of(f"2026-11-0{day}T00:00:00+0000"), Journal())
    assert [run.title[:10] for run in history.runs()] == ["2026-11-04", "2026-11-03"]


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
    history.keep(run_of("2026-11-01T00:00:00+0000"), Journal())
    history.keep(run_of("2026-11-02T00:00:00+0000", sha256="third"), Journal())
    kept = history.keep(run_of("2026-11-03T00:00:00+0000", **vocabulary), Journal())
    assert (kept.comparison is not None) is is_compared
    if is_compared:
        assert (kept.comparison.title, kept.comparison.n_compared) == ("2026-11-01 00:00, gpt", 1)


def test_a_comparison_tells_how_many_results_differ():
    sure, unsure = (
        SpeedChange(("fast",), Ratio(9.0, 8.0, 10.0), margin=each) for each in (MARGIN, BUSY_MARGIN)
    )
    told = str(RunComparison("before", (sure, sure, unsure), 4, ("Another machine",), busy="It was busy"))
    for words in ("4 results", "different: 2", "maybe: 1", "It was busy", "Another machine"):
        assert words in told
    same = RunComparison.of("before", run_of("2026-11-01T00:00:00+0000"), run_of("2026-11-02T00:00:00+0000"))
    assert (same.title, same.changes, same.n_compared, same.busy) == ("before", (), 1, "")


def test_your_text_is_kept_under_what_is_in_it(history, tmp_path):
    plan = Plan("m", ("sample:code", YOUR_TEXT), ())
    kept = with_saved_text(plan, history, b"mine")
    assert kept.corpora[0] == "sample:code"
    assert Path(kept.corpora[1]).read_bytes() == b"mine"
    assert Path(kept.corpora[1]).name == YOUR_TEXT
    assert with_saved_text(plan, history, b"mine") == kept
    assert with_saved_text(plan, history, b"other") != kept
    assert Path(kept.corpora[1]).is_relative_to(tmp_path / "runs" / "texts")
    assert Path(kept.corpora[1]).stat().st_mode & 0o077 == 0
    with pytest.raises(BenchError, match="There is no folder for your text"):
        with_saved_text(plan, None, b"mine")


def test_a_run_with_a_name_is_called_by_it(tmp_path):
    path = tmp_path / "2026-11-21T185403-0100 gpt.json"
    save_run(path, {"name": "before", **run_of("2026-11-21T18:54:03+0100")})
    assert SavedRun.at(path) == SavedRun(path, "before · 2026-11-21 18:54, gpt", "before")
    other = tmp_path / "mine.json"
    save_run(other, run_of("2026-11-21T18:54:03+0100"))
    assert SavedRun.at(other) == SavedRun(other, "mine", "")
