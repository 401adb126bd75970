"""Which part of the text is recorded, when, and what is told; the recorder only notes what it is asked."""

import pytest
from PySide6.QtCore import QObject, Signal
from told import told_by

from guiapp.analysis.trace.recorder import estimate
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.text_session import TextSession
from guiapp.pages.steps import recording as recording_module
from guiapp.pages.steps.recording import Recording


class Recorder(QObject):
    recorded = Signal(object)
    failed = Signal(str)
    busy_changed = Signal()
    progress_changed = Signal()
    is_busy, progress, n_cancelled = False, 0.0, 0

    def __init__(self):
        super().__init__()
        self.asked = []

    def record(self, tokenizer, *asked):
        self.asked.append(asked)

    def cancel(self):
        self.n_cancelled += 1

    def stop(self):
        self.n_cancelled += 100


@pytest.fixture
def recorder(qapp):
    return Recorder()


@pytest.fixture
def session(make_session):
    return make_session(b"abacb", "demo:toy")


@pytest.fixture
def recording(session, recorder):
    made = Recording(session, recorder)
    yield made
    made.stop()


@pytest.fixture
def told(recording):
    return told_by(recording)


def test_it_begins_with_nothing_and_waits_until_somebody_watches(recording, recorder, session, qtbot):
    assert (recording.failure, recording.text_start, recording.text_end) == ("", 0, 0)
    assert (recording.is_up_to_date, recording.is_busy, recording.progress) == (False, False, 0.0)
    assert (recording._settle.isSingleShot(), recording._settle.interval()) == (
        True,
        recording_module.SETTLE_MS,
    )
    session.document.insert(b"a")
    assert not recording._settle.isActive()
    recording.watch(True)
    assert recording._settle.isActive()
    qtbot.waitUntil(lambda: bool(recorder.asked))
    assert [asked[0] for asked in recorder.asked] == [b"aabacb"]
    recording.watch(False)
    recording.watch(True)
    assert (recording._settle.isActive(), recording.is_up_to_date) == (False, True)


def test_what_is_recorded_is_told_and_asked_for_as_it_is_encoded(recording, recorder, told, session):
    recording.record_all()
    assert told == ["outdated", "changed"]
    name = session.algorithm.name
    assert recorder.asked == [(b"abacb", name, True, True)]
    assert (recording.text_start, recording.text_end, recording.is_part) == (0, 5, False)
    assert recording.is_up_to_date
    recorder.is_busy = True
    assert not recording.is_up_to_date
    session.document.select(1, 3)
    recording.record_selection()
    assert recorder.asked[1:] == [(b"ba", name, True, True)]
    assert (recording.text_start, recording.text_end, recording.is_part) == (1, 3, True)


def test_signals_of_the_recorder_are_handed_on(recording, recorder, told):
    recorder.recorded.emit(None)
    recorder.busy_changed.emit()
    recorder.progress_changed.emit()
    recorder.failed.emit("no room")
    assert told == ["recorded", "changed", "changed", "changed"]
    assert recording.failure == "no room"
    recorder.progress = 0.5
    assert recording.progress == 0.5
    told.clear()
    recording.cancel()
    assert (told, recording.failure, recorder.n_cancelled) == (["changed"], "Recording was cancelled.", 1)
    recording.record_all()
    assert recording.failure == ""


def test_a_part_that_is_wanted_is_recorded_next_and_once(recording, recorder, session, monkeypatch):
    recording.want(1, 4)
    recording.record_part()
    recording.record_part()
    recording.want(1, 4)
    session.document.insert(b"a")  # the part is not what it was
    recording.record_part()
    monkeypatch.setattr(
        recording_module, "n_first_bytes", lambda twin, is_one_piece, n_bytes: min(n_bytes, 2)
    )
    recording.want(1, 6)
    recording.record_part()
    assert [asked[0] for asked in recorder.asked] == [b"bac", b"abacb", b"aabacb", b"ab"]


@pytest.mark.parametrize("is_busy", [False, True])
def test_an_edit_makes_it_outdated_once(recording, recorder, told, session, is_busy):
    recording.record_all()
    recorder.failed.emit("odd")
    recorder.is_busy = is_busy
    told.clear()
    assert session.tokenizer in recording._recorded
    session.document.insert(b"a")
    assert recording._recorded == ()  # the tokenizer may go
    assert (told, recording.failure, recording.is_up_to_date) == (["outdated", "changed"], "", False)
    assert recorder.n_cancelled == int(is_busy)
    assert not recording._settle.isActive()
    session.document.insert(b"a")
    assert told == ["outdated", "changed"]
    recording.watch(True)
    recording.record_all()
    assert not recording._settle.isActive()
    session.document.insert(b"a")
    assert recording._settle.isActive()
    recording.stop()
    assert (recording._settle.isActive(), recorder.n_cancelled) == (False, 100 + 2 * is_busy)
    recorder.n_cancelled = 0


def test_only_another_encoder_or_option_makes_it_outdated(recording, told, session):
    recording.record_all()
    told.clear()
    session.tokens_changed.emit(None, session.tokens)
    session.options_changed.emit()
    assert told == []
    session.set_add_special(False)
    assert told == ["outdated", "changed"]
    recording.record_all()
    told.clear()
    session.set_encoder("greedy")
    assert told == ["outdated", "changed"]


@pytest.mark.parametrize(
    ("selected", "n_first", "stretch"),
    [
        ((0, 0), 99, (0, 8)),
        ((0, 0), 8, (0, 8)),
        ((2, 4), 99, (0, 8)),
        ((0, 0), 7, (0, 7)),
        ((0, 0), 5, (0, 3)),
        ((2, 6), 4, (2, 6)),
        ((6, 2), 4, (2, 6)),
        ((1, 7), 4, (1, 3)),
    ],
)
def test_of_a_long_text_a_part_of_whole_characters_is_recorded(
    recording, session, monkeypatch, selected, n_first, stretch
):
    session.document.set_text("abc€de".encode())
    session.document.select(*selected)
    monkeypatch.setattr(
        recording_module, "n_first_bytes", lambda kind, is_whole, n_bytes: min(n_first, n_bytes)
    )
    assert recording.is_long is (n_first < 8)
    recording.record_part()
    assert (recording.text_start, recording.text_end) == stretch


def test_costs_are_those_of_the_encoder(recording, session):
    twin = session.tokenizer.reference_encoder(session.algorithm.name)
    assert recording._kind == (twin, False)
    assert recording.cost == estimate(twin, False, 5)
    nobody = Recording(ModelSession(TextSession(b"abc")), Recorder())
    assert nobody._kind == ("", False)
    nobody.record_all()
    assert (nobody._recorder.asked, nobody.is_up_to_date) == ([], False)


def test_vocabularies_that_take_whole_texts_cost_more(make_session):
    assert Recording(make_session(b"a", "demo:spm"), Recorder())._kind[1]


def test_around_a_byte_of_a_long_text_it_begins_with_a_line_before_it(recording, recorder, session):
    line = b"ab " * 30 + b"\n"
    session.document.insert(line * 2000)
    size = session.document.size
    for offset in (0, 5, 90_000, size - 3, size):
        recording.record_near(offset)
        start, end = recording.text_start, recording.text_end
        assert recording.has(offset)
        assert recorder.asked[-1][0] == session.document.slice(start, end)
        assert start == 0 or session.document.slice(start - 1, start) == b"\n"
        assert 9_900 < end - start <= 20_000
        assert start == 0 or 9_900 < offset - start <= 10_000
    assert not recording.has(0)
    assert not recording.has(size + 1)


def test_around_a_byte_of_a_short_text_all_of_it_is_recorded(recording, recorder):
    recording.record_near(4)
    assert (recording.text_start, recording.text_end, recorder.asked[-1][0]) == (0, 5, b"abacb")
    assert (recording.has(4), recording.has(5), recording.has(6), recording.has(-1)) == (
        True,
        True,
        False,
        False,
    )
