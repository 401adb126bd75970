"""The process that records traces: the newest request counts, mistakes are told, it ends with its input."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import guiapp
from guiapp.analysis.trace.record_process import RecordRequest
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import Trace

PATIENCE_S = 60


@pytest.fixture
def request_of(tmp_path):
    def make(number, text="abacb", model="demo:toy"):
        file = tmp_path / f"{number}.txt"
        file.write_text(text)
        return RecordRequest(
            number, model, "", str(file), "heap", True, True, str(tmp_path / f"{number}.trace")
        )

    return make


def told_by_process(*requests):
    """All that is told up to the answer to the last request; others follow the first."""
    command = [sys.executable, "-m", "guiapp.analysis.trace.record_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(requests[0].line())
        process.stdin.flush()
        told = [json.loads(process.stdout.readline())]
        process.stdin.write(b"".join(request.line() for request in requests[1:]))
        process.stdin.flush()
        while told[-1]["number"] != requests[-1].number or "progress" in told[-1]:
            told.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
        return told


def test_the_newest_request_stops_the_one_before_and_one_without_a_model_asks_for_nothing(request_of):
    last = request_of(2)
    *_, told = messages = told_by_process(request_of(0, "abacb" * 20_000), request_of(1, model=""), last)
    assert messages[0]["number"] == 0
    assert messages[0]["progress"] < 0.5
    assert told == {"number": 2, "done": last.output}
    assert {told["number"] for told in messages if "done" in told} == {2}
    expected = record(guiapp.open_model("demo:toy"), "abacb", "heap")
    assert Trace.load(Path(last.output)).columns.result.tolist() == expected.columns.result.tolist()


def test_progress_is_told_as_it_goes_and_nobody_else_stops_it(request_of):
    *shares, told = told_by_process(request_of(5, "abacb" * 4_000))
    assert set(told) == {"number", "done"}
    assert len(shares) > 1
    assert [each["progress"] for each in shares] == sorted(each["progress"] for each in shares)


def test_a_mistake_is_told(request_of):
    told = told_by_process(request_of(0, model="demo:klingon"))
    assert told[0]["number"] == 0
    assert "klingon" in told[0]["error"]
