"""Recording in a process of its own, and what comes before it."""

from guiapp.analysis.trace import record_process
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
    model.kept_session.document.replace(0, model.kept_session.document.size, b"lions")
    model.recording.record_all()
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert model.debugger.trace.text == b"lions"


def test_of_a_long_text_the_selection_or_the_beginning_is_recorded(make_steps_model, qtbot):
    model = make_steps_model("bpe", "Löwen und Schafe\n".encode() * 20_000)
    document, recording = model.kept_session.document, model.recording
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
    session = model.kept_session
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
    model.kept_session.document.set_text(b"lions")
    assert not model.recording.is_busy
    qtbot.waitUntil(lambda: model.debugger is not None)
    assert [debugger.trace.text for debugger in shown if debugger is not None] == [b"lions"]


def test_a_trace_goes_with_the_vocabulary_it_was_recorded_with(make_steps_model, qtbot, hold):
    gate = hold(record_process, "debugger_for")
    model = make_steps_model("bpe", encoder="greedy", recorder=TraceRecorder())
    session, shown = model.kept_session, []
    model.trace_changed.connect(lambda: shown.append(model.debugger))
    with qtbot.waitSignal(session.vocabulary_changed):
        session.loader.open("demo:toy")
    gate.set()
    qtbot.waitUntil(lambda: model.debugger is not None and model.debugger.vocabulary is session.vocabulary)
    for debugger in filter(None, shown):
        assert debugger.trace.columns.result.max() < len(debugger.vocabulary)
