"""Runs that are on the disk while they go on."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest

from guiapp.core.bench.history import load_run
from guiapp.viewmodels.bench import journal as bench_journal
from guiapp.viewmodels.bench.history import UNFINISHED, RunHistory
from guiapp.viewmodels.bench.journal import Journal, cut_off_runs

CELL = {
    "scenario": "throughput",
    "operation": "encode",
    "corpus": "tutorial",
    "size_bytes": 1000,
    "threads": 1,
}
STARTED = {
    "event": "started",
    "environment": {"started": "2026-01-01T00:00:00+0000"},
    "vocabulary": {"path": "model.gguf"},
    "corpora": [],
    "plan": {},
    "n_cells": 1,
}
COMPARED = {"event": "compared", "contender": "fast", "n_tokens": 500, "first_difference": None}
SAMPLE = {"event": "sample", "contender": "fast", "seconds": 0.001, "n": 1}
EVENTS = [STARTED, {"event": "cell", "number": 1, "of": 1, "seconds_left": 5.0, **CELL}, COMPARED, SAMPLE]
MEASURE = """
import json, sys, time
from pathlib import Path
from guiapp.viewmodels.bench.history import RunHistory
journal = RunHistory(Path(sys.argv[1])).begin()
for event in json.loads(sys.argv[2]):
    journal.add(event)
print("ready", flush=True)
time.sleep(60)
"""


def taken_down(folder, events=EVENTS) -> Journal:
    journal = Journal(folder)
    for event in events:
        journal.add(event)
    return journal


def test_a_killed_program_leaves_its_run_to_the_next_start(tmp_path):
    command = [sys.executable, "-c", MEASURE, str(tmp_path), json.dumps(EVENTS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as measuring:
        assert measuring.stdout.readline() == "ready\n"
        history = RunHistory(tmp_path)
        assert history.take_cut_off_runs() == []  # it goes on
        measuring.send_signal(signal.SIGKILL)
        measuring.wait()
    (run,) = history.take_cut_off_runs()
    assert run.title == "Unfinished · 2026-01-01 00:00, model"
    record = load_run(run.path)
    assert [row["samples_s"] for row in record["results"]] == [[0.001]]
    assert record["complete"] is False
    assert list((tmp_path / UNFINISHED).iterdir()) == []
    assert history.take_cut_off_runs() == []


def test_a_line_that_was_cut_off_is_left_away(tmp_path):
    journal = taken_down(tmp_path)
    journal.end(is_kept=False)
    (path,) = tmp_path.glob("*.jsonl")
    path.write_bytes(path.read_bytes() + b'{"event": "sample", "con')
    ((_, record),) = cut_off_runs(tmp_path)
    assert [row["n"] for row in record["results"]] == [1]


def test_a_run_that_is_kept_leaves_no_journal(tmp_path):
    taken_down(tmp_path).end(is_kept=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lines", ["", "[]\n", '{"event": "sample", "contender": "x"}\n', "null\n", "{}\n"])
def test_a_journal_with_nothing_in_it_goes(tmp_path, lines):
    folder = tmp_path / UNFINISHED
    folder.mkdir()
    (folder / "1-1.jsonl").write_text(lines)
    assert RunHistory(tmp_path).take_cut_off_runs() == []
    assert list(folder.iterdir()) == []


def test_from_a_size_on_there_are_results_and_no_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(bench_journal, "MOST_BYTES", 0)
    result = {"event": "result", **CELL, "contender": "fast", "n": 1, "samples_s": [0.001]}
    taken_down(tmp_path, [*EVENTS, result]).end(is_kept=False)
    (path,) = tmp_path.glob("*.jsonl")
    told = [json.loads(line)["event"] for line in path.read_text().splitlines()]
    assert told == ["started", "cell", "compared", "result"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="there is a disk that is always full")
def test_a_full_disk_is_told_and_the_run_goes_on(tmp_path, monkeypatch):
    full = tmp_path / "1-1.jsonl"
    full.symlink_to("/dev/full")
    monkeypatch.setattr(bench_journal, "_new_name", lambda: full.name)
    journal = taken_down(tmp_path, [STARTED])
    assert "No space left on device" in journal.problem
    journal.add(SAMPLE)
    journal.end(is_kept=True)


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "file").touch()
    assert "File exists" in Journal(tmp_path / "file").problem
