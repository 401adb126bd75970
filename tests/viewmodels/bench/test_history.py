"""Kept runs in their folder: how they are named, listed, read and compared."""

from pathlib import Path

import pytest
from bench_runs import record

from guiapp.core.bench.history import BUSY_MARGIN, MARGIN, Change, save_run
from guiapp.core.bench.plan import BenchError, Plan
from guiapp.core.bench.statistics import Ratio
from guiapp.viewmodels.bench import history as bench_history
from guiapp.viewmodels.bench.history import YOUR_TEXT, Comparison, Kept, RunHistory, SavedRun, with_text_kept


class Journal:
    is_kept = None

    def end(self, is_kept):
        self.is_kept = is_kept


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
    assert history.keep(run, journal) == Kept(run, None, path)
    assert journal.is_kept is True
    assert history.runs() == [SavedRun(path, "2026-11-21 18:54, gpt")]
    assert history.runs_of("/models/gpt.gguf")[0]["results"] == run["results"]
    assert history.runs_of("/models/other.gguf") == []


def test_the_newest_runs_come_first_and_only_some_are_listed_and_read(history, tmp_path, monkeypatch):
    monkeypatch.setattr(bench_history, "MOST_LISTED", 2)
    monkeypatch.setattr(bench_history, "MOST_READ", 3)
    for day in range(1, 5):
        history.keep(run_of(f"2026-11-0{day}T00:00:00+0000"), Journal())
    (tmp_path / "runs" / "2026-11-03X odd.json").write_text("[]")
    assert [run.title[:10] for run in history.runs()] == ["2026-11-04", "2026-11-03"]
    starts = [run["environment"]["started"] for run in history.runs_of("/models/gpt.gguf")]
    assert starts == ["2026-11-04T00:00:00+0000", "2026-11-03T00:00:00+0000"]


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


def test_a_run_that_cannot_be_kept_says_so_and_its_journal_stays(history, monkeypatch):
    def refuse(path, run):
        raise BenchError("It is in /tmp.")

    monkeypatch.setattr(bench_history, "save_run_somewhere", refuse)
    journal, run = Journal(), run_of("2026-11-01T00:00:00+0000")
    kept = history.keep(run, journal)
    assert (kept.path, journal.is_kept) == (None, False)
    assert kept.problem == "The run is on the page and not in the list of runs: It is in /tmp."


def test_a_comparison_tells_how_many_results_differ():
    sure, unsure = (Change(("fast",), Ratio(9.0, 8.0, 10.0), margin=each) for each in (MARGIN, BUSY_MARGIN))
    changes = (sure, sure, unsure)
    told = Comparison("before", changes, 4, ("Another machine.",), busy="Others ran.")
    assert str(told) == (
        "In both: 4 results, of them surely different: 2, maybe: 1; Others ran.; Another machine."
    )
    assert str(Comparison("before", (), 1, ())) == "In both: 1 result, of them surely different: 0"
    same = Comparison.of("before", run_of("2026-11-01T00:00:00+0000"), run_of("2026-11-02T00:00:00+0000"))
    assert (same.title, same.changes, same.n_compared) == ("before", (), 1)
    nothing = Comparison.of("before", {"results": []}, {"results": []})
    assert (nothing.n_compared, nothing.drift) == (0, "")


def test_your_text_is_kept_under_what_is_in_it(history, tmp_path):
    plan = Plan("m", ("sample:code", YOUR_TEXT), ())
    kept = with_text_kept(plan, history, b"mine")
    assert kept.corpora[0] == "sample:code"
    assert Path(kept.corpora[1]).read_bytes() == b"mine"
    assert Path(kept.corpora[1]).name == YOUR_TEXT
    assert with_text_kept(plan, history, b"mine") == kept
    assert with_text_kept(plan, history, b"other") != kept
    assert Path(kept.corpora[1]).is_relative_to(tmp_path / "runs" / "texts")
    assert Path(kept.corpora[1]).stat().st_mode & 0o077 == 0
    with pytest.raises(BenchError, match="There is no folder for your text"):
        with_text_kept(plan, None, b"mine")


def test_a_run_with_a_name_is_called_by_it(tmp_path):
    path = tmp_path / "2026-11-21T185403-0100 gpt.json"
    save_run(path, {"name": "before", **run_of("2026-11-21T18:54:03+0100")})
    assert SavedRun.at(path) == SavedRun(path, "before · 2026-11-21 18:54, gpt", "before")
    other = tmp_path / "mine.json"
    save_run(other, run_of("2026-11-21T18:54:03+0100"))
    assert SavedRun.at(other) == SavedRun(other, "mine", "")
