"""The process that writes runs tells how far it is, and what went wrong."""

import io
import json
import sys

import pytest

import guiapp
from guiapp.analysis.export.runs import ExportRequest, TraceRun, main
from guiapp.analysis.trace.debugger import debugger_for
from guiapp.analysis.trace.recorder import record


def told(request, monkeypatch):
    """The lines that are through although nobody closed the pipe."""
    pipe = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", io.StringIO(request.line().decode()))
    with monkeypatch.context() as only_here:
        only_here.setattr(sys, "stdout", io.TextIOWrapper(pipe))
        main()
        return [json.loads(line) for line in pipe.getvalue().splitlines()]


@pytest.mark.parametrize("pre", ["", "gpt-2"])
def test_a_run_is_written_with_the_pre_tokenizer_that_was_chosen(pre, tmp_path, monkeypatch):
    tokenizer = guiapp.open_model("demo:bpe", pre or None)
    trace = record(tokenizer, "1234 lions", "heap")
    run = TraceRun(debugger_for(tokenizer, trace))
    run.save(tmp_path / "trace")
    run.write(tmp_path / "expected.json")
    assert run.model == (str(tokenizer.vocabulary.path), pre)
    request = ExportRequest(
        str(tmp_path / "trace"), str(tmp_path / "run.json"), 0, len(trace), "demo:bpe", pre
    )
    assert told(request, monkeypatch) == [{"progress": 0.0}, {"error": ""}]
    assert (tmp_path / "run.json").read_text() == (tmp_path / "expected.json").read_text()


def test_what_went_wrong_is_told_for_people(tmp_path, monkeypatch):
    record(guiapp.open_model("demo:bpe"), "lions", "heap").save(tmp_path / "trace")
    output = tmp_path / "no" / "run.json"
    request = ExportRequest(str(tmp_path / "trace"), str(output), 0, 1, "demo:bpe")
    error = f"{output} cannot be written: No such file or directory. Choose another place."
    assert told(request, monkeypatch) == [{"error": error}]
    [said] = told(ExportRequest("", str(output), 0, 1, "demo:none"), monkeypatch)
    assert "demo:none" in said["error"]
