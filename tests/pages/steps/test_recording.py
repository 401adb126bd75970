"""Recording in a process of its own, and what comes before it."""

import json
import sys

import pytest
from full_disk import full_disk
from told import told_by

import guiapp
from guiapp.analysis.trace.recorder import record
from guiapp.pages.steps import recording as trace_recorder
from guiapp.pages.steps.recording import TraceRecorder

TEXT = b"How do lions sleep in New York?"


def test_a_process_of_its_own_records_the_text(make_steps_model, qtbot):
    model = make_steps_model(recorder=TraceRecorder())
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert model.debugger.trace.text == TEXT
    assert model.debugger.trace.encoder == "fast"
    assert not model.recording.is_busy


def test_a_recording_can_be_cancelled_and_done_again(make_steps_model, qtbot):
    model = make_steps_model("spm", b"lions and sheep " * 6000, recorder=TraceRecorder())
    qtbot.waitUntil(lambda: model.recording.progress > 0)
    model.recording.cancel()
    assert not model.recording.is_busy
    assert "cancelled" in model.recording.failure
    model._session.document.replace(0, model._session.document.size, b"lions")
    model.recording.record_all()
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert model.debugger.trace.text == b"lions"


def test_a_process_that_dies_is_told(make_steps_model, qtbot):
    command = (sys.executable, "-c", "import sys; sys.exit('no room')")
    model = make_steps_model(recorder=TraceRecorder(command))
    qtbot.waitUntil(lambda: bool(model.recording.failure))
    assert "no room" in model.recording.failure


def test_of_a_long_text_the_selection_or_the_beginning_is_recorded(make_steps_model, qtbot):
    model = make_steps_model("bpe", "Löwen und Schafe\n".encode() * 20_000)
    document, recording = model._session.document, model.recording
    assert model.debugger.trace.text == "Löwen und Schafe\n".encode() * 1111
    assert (recording.text_start, recording.text_end) == (0, 1111 * 18)
    assert recording.is_part
    document.select(18, 36)
    recording.record_part()
    assert model.debugger.trace.text == "Löwen und Schafe\n".encode()
    document.select(18, 300_000)
    recording.record_part()
    assert (recording.text_start, recording.text_end) == (18, 18 + 1111 * 18)
    document.set_text(b"lions")
    with qtbot.waitSignal(recording.recorded):
        pass
    assert model.debugger.trace.text == b"lions"
    assert not recording.is_part


def test_no_steps_are_shown_that_are_not_those_of_the_text(make_steps_model, qtbot):
    model = make_steps_model("spm", b"lions")
    session = model._session
    assert model.debugger.trace.text == b"lions"
    session.document.insert(b"sheep")
    assert model.debugger is None
    model.run()
    model.step()
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert model.debugger.trace.text == session.document.text()
    session.set_encoder("scan")
    assert model.debugger is None
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert model.debugger.trace.encoder == "scan"


def test_what_was_being_recorded_of_another_text_is_given_up(make_steps_model, qtbot):
    shown = []
    model = make_steps_model("spm", b"lions and sheep " * 5000, recorder=TraceRecorder())
    model.trace_changed.connect(lambda: shown.append(model.debugger))
    qtbot.waitUntil(lambda: model.recording.progress > 0)
    model._session.document.set_text(b"lions")
    assert not model.recording.is_busy
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert [debugger.trace.text for debugger in shown if debugger is not None] == [b"lions"]


def test_a_trace_goes_with_the_vocabulary_it_was_recorded_with(make_steps_model, qtbot, hold):
    gate = hold(trace_recorder, "_load")
    model = make_steps_model("bpe", encoder="greedy", recorder=TraceRecorder())
    session, shown = model._session, []
    model.trace_changed.connect(lambda: shown.append(model.debugger))
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:toy")
    gate.set()
    qtbot.waitUntil(lambda: model.debugger is not None and model.debugger.vocabulary is session.vocabulary)
    for debugger in filter(None, shown):
        assert debugger.trace.columns.result.max() < len(debugger.vocabulary)


def test_a_trace_that_is_being_loaded_gives_way_to_a_newer_one(make_steps_model, qtbot, hold):
    gate, recorder, recorded = hold(trace_recorder, "_load"), TraceRecorder(), []
    model = make_steps_model(recorder=recorder)
    recorder.recorded.connect(lambda debugger: recorded.append(debugger.trace.text))
    qtbot.waitUntil(lambda: recorder._loading.is_busy)
    recorder.record(model._session.tokenizer, b"lions", "heap", False, False)
    gate.set()
    qtbot.waitUntil(lambda: not recorder.is_busy)
    assert recorded == [b"lions"]


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
