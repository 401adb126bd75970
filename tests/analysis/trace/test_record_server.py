"""The server that records: which request it takes up, and what it tells about it."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from guiapp import open_model
from guiapp.analysis.trace import record_process
from guiapp.analysis.trace.record_process import RecordRequest, Server
from guiapp.analysis.trace.recorder import record
from guiapp.analysis.trace.trace import Trace


@pytest.fixture
def request_of(tmp_path):
    def make(number, model="demo:spm", pre="", text="<s>ab", encoder="scan", special=True, parse=True):
        file = tmp_path / "text"
        file.write_text(text)
        output = str(tmp_path / f"{number}.trace")
        return RecordRequest(number, model, pre, str(file), encoder, special, parse, output)

    return make


def told_for(requests, capsys, monkeypatch):
    """What a server tells that reads these requests after each other, before it works on any."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(each.line().decode() for each in requests)))
    server = Server()
    server.read()
    server.serve()
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_nothing_is_told_once_the_input_is_over(request_of, capsys, monkeypatch):
    assert told_for([], capsys, monkeypatch) == []
    assert told_for([request_of(3)], capsys, monkeypatch) == []


class Input:
    """Lines, each read when the server asks for work."""

    def __init__(self, server, requests):
        self._server, self._requests = server, list(requests)

    def wait_for(self, condition):
        while not condition():
            self._server._is_over = not self._requests
            if self._requests:
                self._server._newest = self._requests.pop(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@pytest.fixture
def answers(capsys):
    def work_on(*requests):
        server = Server()
        server._has_work = Input(server, requests)
        server.serve()
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return work_on


def test_each_new_request_is_recorded_as_it_asks(answers, request_of):
    requests = [
        request_of(0, special=False),
        request_of(1, model=""),
        request_of(1),
        request_of(2, parse=False),
        request_of(3, encoder=""),
        request_of(4, model="demo:bpe", pre="qwen2", text="12"),
    ]
    expected = [requests[number] for number in (0, 3, 4, 5)]
    assert answers(*requests) == [{"number": each.number, "done": each.output} for each in expected]
    for each in expected:
        model = open_model(each.model, each.pre or None)
        switches = each.add_special, each.parse_special
        text = Path(each.text_file).read_bytes()
        ours, saved = record(model, text, each.encoder or None, *switches), Trace.load(Path(each.output))
        assert saved.result.ids.tolist() == ours.result.ids.tolist()
        assert (saved.encoder, saved.reference_name, saved.n_pieces) == (
            ours.encoder,
            ours.reference_name,
            ours.n_pieces,
        )


def test_mistakes_are_told_and_the_next_request_is_worked_on(answers, request_of):
    last = request_of(9)
    told = answers(request_of(7, encoder="none"), request_of(8, model="demo:none"), last)
    assert [set(each) for each in told] == [{"number", "error"}, {"number", "error"}, {"number", "done"}]
    assert [each["number"] for each in told] == [7, 8, 9]
    assert told[0]["error"].startswith("This vocabulary has no encoder “none”.")


def test_a_newer_request_stops_the_one_that_is_recorded(answers, request_of, monkeypatch):
    def watched(tokenizer, text, encoder, add_special, parse_special, progress):
        progress(0.25)
        server.replace()
        progress(0.5)

    class Replacing(Server):
        def replace(self):
            self._newest = request_of(5, model="")

    server = Replacing()
    server._has_work = Input(server, [request_of(4)])
    monkeypatch.setattr(record_process, "record", watched)
    told = []
    monkeypatch.setattr(record_process, "_send", lambda **values: told.append(values))
    server.serve()
    assert told == [{"number": 4, "progress": 0.25}]
