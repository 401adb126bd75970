"""Recording in a process of its own, and what comes before it."""

import sys

from guiapp.viewmodels.steps.trace_recorder import TraceRecorder

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
    model._workspace.document.replace(0, model._workspace.document.size, b"lions")
    model.recording.record_all()
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert model.debugger.trace.text == b"lions"


def test_a_process_that_dies_is_told(make_steps_model, qtbot):
    command = (sys.executable, "-c", "import sys; sys.exit('no room')")
    model = make_steps_model(recorder=TraceRecorder(command))
    qtbot.waitUntil(lambda: bool(model.recording.failure))
    assert "no room" in model.recording.failure


def test_a_long_text_is_not_recorded_before_someone_agrees(make_steps_model):
    model = make_steps_model("bpe", b"lions " * 40_000)
    assert model.debugger is None
    assert model.recording.cost.n_steps > 100_000
    model._workspace.document.select(0, 600)
    model.recording.record_selection()
    assert model.debugger.trace.text == b"lions " * 100
