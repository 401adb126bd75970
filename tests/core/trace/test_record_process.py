"""The process that records traces: the newest request counts, mistakes are told, it ends with its input."""

import io
import json
import sys
import threading
from pathlib import Path

import pytest

import guiapp
from guiapp.core.trace import record_process
from guiapp.core.trace.record_process import RecordRequest, Server, main
from guiapp.core.trace.recorder import record
from guiapp.core.trace.trace import Trace


@pytest.fixture
def request_of(tmp_path):
    def make(number, text="abacb", model="demo:toy", encoder="heap"):
        file = tmp_path / f"{number}.txt"
        file.write_text(text)
        return RecordRequest(
            number, model, "", str(file), encoder, True, True, str(tmp_path / f"{number}.trace")
        )

    return make


class Lines:
    """Standard input that stays open until everything that was asked for was told."""

    def __init__(self, requests, told):
        self._requests, self._told = requests, told

    def __iter__(self):
        for request in self._requests:
            yield request.line().decode()
        number = self._requests[-1].number
        assert self._told.wait_for(number)


class Told(io.StringIO):
    def __init__(self):
        super().__init__()
        self._has_news = threading.Condition()

    def write(self, text):
        with self._has_news:
            written = super().write(text)
            self._has_news.notify_all()
        return written

    @property
    def messages(self):
        return [json.loads(line) for line in self.getvalue().splitlines()]

    def wait_for(self, number):
        with self._has_news:
            return self._has_news.wait_for(
                lambda: any(f'"number": {number}, "{end}"' in self.getvalue() for end in ("done", "error")),
                60,
            )


@pytest.fixture
def serve(monkeypatch):
    def serve_all(*requests):
        told = Told()
        monkeypatch.setattr(sys, "stdout", told)
        monkeypatch.setattr(sys, "stdin", Lines(requests, told))
        main()
        return told.messages

    return serve_all


def test_a_trace_is_written_and_told(serve, request_of):
    request = request_of(3)
    *_, last = serve(request)
    assert last == {"number": 3, "done": request.output}
    expected = record(guiapp.open_model("demo:toy"), "abacb", "heap")
    assert Trace.load(Path(request.output)).columns.result.tolist() == expected.columns.result.tolist()


def test_a_mistake_is_told(serve, request_of):
    (told,) = serve(request_of(0, model="demo:klingon"))
    assert "klingon" in told["error"]
    assert told["number"] == 0


def test_the_newest_request_stops_the_one_before(monkeypatch, serve, request_of):
    newest_is_read = threading.Event()

    class Reader(Server):
        @property
        def _number(self):
            number = super()._number
            if number == 1:
                newest_is_read.set()
            return number

    def held(tokenizer, text, *options, progress):
        if text == b"old":
            newest_is_read.wait(60)
            progress(0.5)
            raise AssertionError("it went on")
        return record(tokenizer, text, *options, progress=progress)

    monkeypatch.setattr(record_process, "Server", Reader)
    monkeypatch.setattr(record_process, "record", held)
    messages = serve(request_of(0, "old"), request_of(1, "abac"))
    assert messages[-1]["done"].endswith("1.trace")
    assert not any(told.get("done", "").endswith("0.trace") for told in messages)


def test_a_request_without_a_model_asks_for_nothing(monkeypatch, request_of):
    monkeypatch.setattr(sys, "stdin", io.StringIO(request_of(0, model="").line().decode()))
    monkeypatch.setattr(sys, "stdout", told := Told())
    main()
    assert told.messages == []
