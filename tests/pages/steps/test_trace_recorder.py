"""What goes between the recorder and its process, and what is told of it; a process that only listens."""

import json
import sys
from pathlib import Path

import pytest
from full_disk import full_disk
from told import told_by

import guiapp
from guiapp.analysis.trace.recorder import record
from guiapp.pages.steps.recording import TraceRecorder

LISTENS = (sys.executable, "-c", "import sys; sys.stdin.read()")


@pytest.fixture
def recorder(qapp):
    made = TraceRecorder(LISTENS)
    made.said = []
    made._process.send = lambda line: made.said.append(json.loads(line))
    yield made
    made.stop()


@pytest.fixture
def told(recorder):
    return told_by(recorder)


@pytest.fixture
def tokenizer():
    return guiapp.open_model("demo:toy")


def answer(recorder, **message):
    recorder._take_lines([json.dumps({"number": recorder._number} | message).encode()])


def test_it_begins_at_rest_and_starts_its_process_with_the_first_request(recorder, told, tokenizer):
    assert (recorder.is_busy, recorder.progress, recorder.command) == (False, 0.0, LISTENS)
    assert not recorder._process.is_running
    recorder.progress = 0.7
    recorder.record(tokenizer, b"abacb", "heap", True, False)
    assert recorder._process.is_running
    assert (recorder.is_busy, recorder.progress, told) == (True, 0.0, ["busy_changed", "progress_changed"])
    process = recorder._process._process
    recorder.record(tokenizer, b"acb", "greedy", False, True)
    assert recorder._process._process is process
    assert told == ["busy_changed", "progress_changed", "progress_changed"]
    first, second = recorder.said
    assert Path(first["text_file"]).read_bytes() == b"abacb"
    assert Path(second["text_file"]).read_bytes() == b"acb"
    assert Path(second["text_file"]).stat().st_mode & 0o077 == 0, "read by its owner alone"
    assert (first["encoder"], first["add_special"], first["parse_special"]) == ("heap", True, False)
    assert (second["encoder"], second["add_special"], second["parse_special"]) == ("greedy", False, True)
    assert first["model"] == second["model"] == str(tokenizer.vocabulary.path)
    assert second["number"] == first["number"] + 1
    assert len({first["text_file"], first["output"], second["text_file"], second["output"]}) == 4


def test_progress_of_the_newest_only_is_told(recorder, told, tokenizer):
    recorder.record(tokenizer, b"abacb", "heap", True, True)
    told.clear()
    answer(recorder, progress=0.5)
    answer(recorder, number=recorder._number - 1, progress=0.6)
    recorder._take_lines([b"a warning of some library"])
    assert (recorder.progress, told) == (0.5, ["progress_changed"])


def test_a_trace_is_loaded_told_and_its_file_removed(recorder, told, tokenizer, qtbot, tmp_path):
    place = tmp_path / "trace"
    record(tokenizer, "abacb", "heap").save(place)
    recorder.record(tokenizer, b"abacb", "heap", True, True)
    told.clear()
    with qtbot.waitSignal(recorder.recorded) as recorded:
        answer(recorder, done=str(place))
        assert recorder.is_busy
    assert told == ["busy_changed", "recorded"]
    debugger = recorded.args[0]
    assert (debugger.trace.text, debugger.vocabulary) == (b"abacb", tokenizer.vocabulary)
    assert (recorder.is_busy, recorder._tokenizer, place.exists()) == (False, None, False)


def test_a_failure_is_told_when_nothing_is_recorded_any_more(recorder, told, tokenizer):
    recorder.record(tokenizer, b"abacb", "heap", True, True)
    told.clear()
    failures = []
    recorder.failed.connect(lambda why: failures.append((why, recorder.is_busy)))
    answer(recorder, error="no room")
    assert (failures, told) == ([("no room", False)], ["busy_changed", "failed"])
    recorder._note_end("it is gone")
    assert len(failures) == 1
    recorder.record(tokenizer, b"abacb", "heap", True, True)
    recorder._note_end("it is gone")
    assert failures[1:] == [
        ("Recording ended unexpectedly: it is gone. Try again with a shorter text.", False)
    ]


def test_what_is_cancelled_is_told_to_the_process_and_delivers_nothing(
    recorder, told, tokenizer, qtbot, tmp_path
):
    recorder.cancel()
    assert (recorder.said, told, recorder._process.is_running) == ([], [], False)
    recorder.record(tokenizer, b"abacb", "heap", True, True)
    number = recorder._number
    told.clear()
    recorder.cancel()
    assert (told, recorder.is_busy, recorder._tokenizer) == (["busy_changed"], False, None)
    assert recorder.said[-1]["number"] == number + 1
    assert recorder.said[-1]["text_file"] == recorder.said[-1]["model"] == ""
    answer(recorder, number=number, error="late")
    assert told == ["busy_changed"]
    place = tmp_path / "trace"
    record(tokenizer, "abacb", "heap").save(place)
    recorder.record(tokenizer, b"abacb", "heap", True, True)
    answer(recorder, done=str(place))
    recorder.cancel()
    recorder._loading.finish(60)
    with qtbot.assertNotEmitted(recorder.recorded, wait=20):
        pass


def test_to_stop_ends_the_process_and_removes_its_files(recorder, tokenizer):
    recorder.record(tokenizer, b"abacb", "heap", True, True)
    folder = Path(recorder._folder.name)
    assert folder.exists()
    recorder.stop()
    assert (recorder._process.is_running, folder.exists()) == (False, False)


def test_a_full_disk_is_told_and_nothing_is_recorded(recorder, told, tokenizer):
    recorder.record(tokenizer, b"abacb", "heap", True, False)
    told.clear()
    with full_disk():
        recorder.record(tokenizer, b"acb", "heap", True, False)
    assert told == ["busy_changed", "failed"]
    assert (recorder.is_busy, len(recorder.said)) == (False, 1)


def test_a_trace_that_a_full_disk_does_not_take_is_told(qtbot, tokenizer):
    recorder, failures = TraceRecorder(), []
    recorder.failed.connect(failures.append)
    with full_disk(1000):
        recorder.record(tokenizer, b"abacb", "heap", True, False)
        qtbot.waitUntil(lambda: not recorder.is_busy)
    recorder.stop()
    (failure,) = failures
    assert failure.startswith(recorder._folder.name)
    assert failure.endswith("cannot be written: File too large.")
