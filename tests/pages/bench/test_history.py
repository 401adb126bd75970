"""Kept runs in their folder: named, listed, read, compared, and on the disk while they go on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from bench_runs import record
from fake_engine import CELL, whole_run
from fake_engine import EVENTS as EVENTS_OF_RUN

from guiapp.analysis.bench.history import load_run, save_run
from guiapp.analysis.bench.plan import BenchError, Plan
from guiapp.pages.bench import history as bench_history
from guiapp.pages.bench.history import (
    UNFINISHED,
    YOUR_TEXT,
    FinishedRun,
    Journal,
    RunHistory,
    SavedRun,
    cut_off_runs,
    with_saved_text,
)

STARTED = whole_run(1)[0]
EVENTS = [STARTED, *EVENTS_OF_RUN[1:4]]
SAMPLE = EVENTS[-1]
MEASURE = """
import json, sys, time
from pathlib import Path
from guiapp.pages.bench.history import RunHistory
journal = RunHistory(Path(sys.argv[1])).begin()
for event in json.loads(sys.argv[2]):
    journal.add(event)
print("ready", flush=True)
time.sleep(60)
"""


class NoJournal:
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
    journal, run = NoJournal(), run_of("2026-11-21T18:54:03+0100")
    path = tmp_path / "runs" / "2026-11-21T185403-0100 gpt.json"
    assert history.keep(run, journal) == FinishedRun(run, None, path)
    assert journal.is_saved is True
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
    history.keep(run_of("2026-11-01T00:00:00+0000"), NoJournal())
    history.keep(run_of("2026-11-02T00:00:00+0000", sha256="third"), NoJournal())
    kept = history.keep(run_of("2026-11-03T00:00:00+0000", **vocabulary), NoJournal())
    assert (kept.comparison is not None) is is_compared
    if is_compared:
        assert (kept.comparison.title, kept.comparison.n_compared) == ("2026-11-01 00:00, gpt", 1)


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


def taken_down(folder, events=EVENTS) -> Journal:
    journal = Journal(folder)
    for event in events:
        journal.add(event)
    journal.finish()
    return journal


def end(journal: Journal, is_saved: bool) -> None:
    journal.end(is_saved)
    journal.finish()


def lines_in(folder) -> list[str]:
    """Of the journal in a folder, none where there is none yet."""
    return [line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines()]


def test_a_killed_program_leaves_its_run_to_the_next_start(qtbot, tmp_path):
    command = [sys.executable, "-c", MEASURE, str(tmp_path), json.dumps(EVENTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as measuring:
        assert measuring.stdout.readline() == "ready\n"
        qtbot.waitUntil(
            lambda: len(lines_in(tmp_path / UNFINISHED)) == len(EVENTS)
        )  # nobody waits for the disk
        history = RunHistory(tmp_path)
        assert history.newest() is None  # it goes on
        measuring.send_signal(signal.SIGKILL)
        measuring.wait()
    saved, record = history.newest()
    assert saved.title == "Unfinished · 2026-01-01 00:00, model"
    assert [row["samples_s"] for row in record["results"]] == [[0.001]]
    assert record["complete"] is False
    assert list((tmp_path / UNFINISHED).iterdir()) == []
    assert history.newest() == (saved, load_run(saved.path))


def test_a_line_that_was_cut_off_is_left_away(tmp_path):
    journal = taken_down(tmp_path)
    end(journal, is_saved=False)
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes() + b'{"event": "sample", "con')
    ((_, record),) = cut_off_runs(tmp_path)
    assert [row["n"] for row in record["results"]] == [1]


def test_a_run_that_is_kept_leaves_no_journal(tmp_path):
    end(taken_down(tmp_path), is_saved=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lines", ["", "[]\n", '{"event": "sample", "contender": "x"}\n', "null\n", "{}\n"])
def test_a_journal_with_nothing_in_it_goes(tmp_path, lines):
    folder = tmp_path / UNFINISHED
    folder.mkdir()
    (folder / "1-1.jsonl").write_text(lines)
    assert RunHistory(tmp_path).newest() is None
    assert list(folder.iterdir()) == []


def test_a_journal_of_an_earlier_version_gives_what_is_still_measured(tmp_path):
    cold = [{**event, "scenario": "cold"} if event["event"] == "cell" else event for event in EVENTS[1:]]
    gone = {"event": "result", **CELL, "scenario": "cold", "contender": "heap", "n": 1, "samples_s": [0.1]}
    end(taken_down(tmp_path, [*EVENTS, *cold, gone]), is_saved=False)
    ((_, record),) = cut_off_runs(tmp_path)
    assert [(row["scenario"], row["contender"]) for row in record["results"]] == [("throughput", "fast")]


def test_from_a_size_on_there_are_results_and_no_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_history, "MOST_BYTES", 0)
    result = {"event": "result", **CELL, "contender": "fast", "n": 1, "samples_s": [0.001]}
    end(taken_down(tmp_path, [*EVENTS, result]), is_saved=False)
    told = [json.loads(line)["event"] for line in lines_in(tmp_path)]
    assert told == ["started", "cell", "compared", "result"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is a disk that is always full")
def test_a_full_disk_is_told_and_the_run_goes_on(tmp_path, monkeypatch):
    full = tmp_path / "1-1.jsonl"
    full.symlink_to("/dev/full")
    monkeypatch.setattr(bench_history, "_new_name", lambda: full.name)
    journal = taken_down(tmp_path, [STARTED])
    assert "No space left on device" in journal.problem
    journal.add(SAMPLE)
    end(journal, is_saved=True)
    assert list(tmp_path.iterdir()) == []
