"""Whole runs are written by a process of its own."""

import sys

import pytest

import guiapp
from guiapp.core.export.exported_run import PARTIAL
from guiapp.core.export.trace_run import TraceRun
from guiapp.core.trace.recorder import record
from guiapp.core.trace.reports import debugger_for
from guiapp.viewmodels.steps.exporter import StepExporter

WAITS = "import sys, time; open(sys.argv[1], 'w'); time.sleep(60)"


@pytest.fixture
def run():
    tokenizer = guiapp.open_model("demo:bpe")
    return TraceRun(debugger_for(tokenizer, record(tokenizer, "How do lions sleep?", "heap")))


@pytest.fixture
def make_exporter():
    made = []

    def make(*command):
        made.append(StepExporter(command) if command else StepExporter())
        return made[-1]

    yield make
    for exporter in made:
        exporter.stop()


def test_a_cancelled_run_leaves_nothing_behind(make_exporter, run, qtbot, tmp_path):
    part = tmp_path / f"run.md{PARTIAL}"
    exporter = make_exporter(sys.executable, "-c", WAITS, str(part))
    exporter.save(run, tmp_path / "run.md")
    qtbot.waitUntil(part.exists)
    exporter.cancel()
    assert not exporter.is_busy
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_dies_is_told(make_exporter, run, qtbot, tmp_path):
    exporter = make_exporter(sys.executable, "-c", "import sys; sys.exit('no room')")
    exporter.save(run, tmp_path / "run.md")
    qtbot.waitUntil(lambda: not exporter.is_busy)
    assert "no room" in exporter.failure
