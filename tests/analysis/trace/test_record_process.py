"""Recording for the window: the newest request counts, mistakes are told, it ends with its input."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from guiapp import open_model
from guiapp.analysis.trace.record_process import RecordRequest, main
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import Trace

PATIENCE_S = 60


@pytest.fixture
def request_of(tmp_path):
    def make(number, model="demo:spm", pre="", text="<s>ab", encoder="scan", special=True, parse=True):
        output = str(tmp_path / f"{number}.trace")
        return RecordRequest(number, model, pre, text, encoder, special, parse, output)

    return make


class Told(io.StringIO):
    """What is told, and when something is."""

    def __init__(self):
        super().__init__()
        self.news = threading.Semaphore(0)

    def write(self, text):
        super().write(text)
        if text.endswith("\n"):
            self.news.release()


@pytest.fixture
def answers(monkeypatch):
    """What is told when each request is sent after the answer to the one before."""

    def ask(*requests):
        told = Told()

        def lines():
            for request in requests:
                yield request.line().decode()
                if request.model:
                    assert told.news.acquire(timeout=PATIENCE_S)

        monkeypatch.setattr(sys, "stdin", lines())
        monkeypatch.setattr(sys, "stdout", told)
        main()
        return [json.loads(line) for line in told.getvalue().splitlines()]

    return ask


def test_each_new_request_is_recorded_as_it_asks(answers, request_of):
    requests = [
        request_of(0, special=False),
        request_of(1, model=""),
        request_of(2, parse=False),
        request_of(3, encoder=""),
        request_of(4, model="demo:bpe", pre="qwen2", text="12"),
    ]
    expected = [each for each in requests if each.model]
    assert answers(*requests) == [{"number": each.number, "done": each.output} for each in expected]
    for each in expected:
        model = open_model(each.model, each.pre or None)
        switches = each.add_special, each.parse_special
        text = each.text.encode()
        ours, saved = record(model, text, each.encoder or None, *switches), Trace.load(Path(each.output))
        assert saved.result.ids.tolist() == ours.result.ids.tolist()
        assert saved.columns.result.tolist() == ours.columns.result.tolist()
        assert (saved.encoder, saved.reference_name) == (ours.encoder, ours.reference_name)


def test_mistakes_are_told_and_the_next_request_is_worked_on(answers, request_of):
    told = answers(request_of(7, encoder="none"), request_of(8, model="demo:none"), request_of(9))
    assert [set(each) for each in told] == [{"number", "error"}, {"number", "error"}, {"number", "done"}]
    assert [each["number"] for each in told] == [7, 8, 9]
    assert told[0]["error"].startswith("This vocabulary has no encoder “none”.")


def test_the_newest_request_stops_the_one_before_and_one_without_a_model_asks_for_nothing(request_of):
    long = request_of(0, "demo:toy", text="abacb" * 20_000, encoder="heap")
    last = request_of(2, "demo:toy", text="abacb", encoder="heap")
    command = [sys.executable, "-m", "guiapp.analysis.trace.record_process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(long.line())
        process.stdin.flush()
        told = [json.loads(process.stdout.readline())]
        process.stdin.write(request_of(1, model="").line() + last.line())
        process.stdin.flush()
        while told[-1]["number"] != last.number:
            told.append(json.loads(process.stdout.readline()))
        process.stdin.close()
        assert process.wait(PATIENCE_S) == 0
    shares = [each["progress"] for each in told[:-1]]
    assert {each["number"] for each in told[:-1]} == {0}
    assert shares == sorted(shares)
    assert shares[0] < 0.5
    assert told[-1] == {"number": 2, "done": last.output}
