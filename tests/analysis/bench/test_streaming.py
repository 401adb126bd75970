"""The benchmark as a process that a window starts: JSON lines, commands, and an end whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from guiapp.analysis.bench.__main__ import LOWER_PRIORITY
from guiapp.analysis.bench.plan import Plan

pytestmark = pytest.mark.slow


PATIENCE_S = 120
PLAN = Plan("demo:bpe", ("sample:welcome",), ("fast",), scenarios=("throughput", "scaling"))


@pytest.fixture
def process():
    command = [sys.executable, "-m", "guiapp.analysis.bench"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        yield process
        process.kill()


def family(process_id: int) -> list[int]:
    """A process and all that it started, or these did."""
    tasks = Path(f"/proc/{process_id}/task").glob("*/children")
    children = [int(each) for task in tasks for each in task.read_text().split()]
    return [process_id, *(each for child in children for each in family(child))]


def send(process, line: str) -> None:
    process.stdin.write(line + "\n")
    process.stdin.flush()


def start(process, plan: Plan = PLAN) -> None:
    send(process, json.dumps(plan.record()))


def events_until(process, name: str) -> list[dict]:
    events = []
    for line in process.stdout:
        events.append(json.loads(line))
        if events[-1]["event"] == name:
            break
    return events


def test_the_process_streams_events_and_stops_on_request(process):
    start(process)
    events_until(process, "result")
    send(process, "pause")
    send(process, "stop")
    last = events_until(process, "finished")[-1]
    assert (last["event"], last["complete"]) == ("finished", False)
    assert process.wait(PATIENCE_S) == 0
    assert process.stderr.read() == ""


@pytest.mark.parametrize("pipe", ["stdin", "stdout"])
def test_the_process_exits_when_the_pipe_is_closed(process, pipe):
    start(process)
    events_until(process, "sample")
    getattr(process, pipe).close()
    assert process.wait(PATIENCE_S) == 0


def test_a_bad_plan_is_an_event_and_status_1(process):
    send(process, json.dumps({"model": "no/such/model.gguf"}))
    event = events_until(process, "failed")[-1]
    assert "model.gguf" in event["message"]
    assert process.wait(PATIENCE_S) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="looks for child processes in /proc")
def test_the_window_goes_before_the_engine_and_all_contenders_alike(process):
    start(process, replace(PLAN, contenders=("heap", "scan")))
    events_until(process, "sample")
    priorities = [os.getpriority(os.PRIO_PROCESS, each) for each in family(process.pid)]
    assert len(priorities) >= 4  # the engine, what contenders are copies of, and both contenders
    assert set(priorities) == {min(os.getpriority(os.PRIO_PROCESS, 0) + LOWER_PRIORITY, 19)}
    send(process, "stop")
    assert process.wait(PATIENCE_S) == 0
