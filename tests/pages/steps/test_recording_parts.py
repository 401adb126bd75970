"""Which part of the text is recorded, when, and what is told; the recorder only notes what it is asked."""

import pytest
from PySide6.QtCore import QObject, Signal
from signals import record_signals

from guiapp.pages.steps import recording as recording_module
from guiapp.pages.steps.recording import Recording


class Recorder(QObject):
    done = Signal(object)
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
def signals(recording):
    return record_signals(recording)


def test_a_requested_part_is_recorded_next_and_only_once(recording, recorder, session, monkeypatch):
    recording.want(1, 4)
    recording.record_part()
    recording.record_part()
    recording.want(1, 4)
    session.document.insert(b"a")  # the part is not what it was
    recording.record_part()
    monkeypatch.setattr(
        recording_module, "n_first_bytes", lambda reference, is_one_piece, n_bytes: min(n_bytes, 2)
    )
    recording.want(1, 6)
    recording.record_part()
    assert [asked[0] for asked in recorder.asked] == [b"bac", b"abacb", b"aabacb", b"ab"]


@pytest.mark.parametrize(
    ("selected", "n_first", "span"),
    [
        ((0, 0), 99, (0, 8)),
        ((0, 0), 8, (0, 8)),
        ((2, 4), 99, (0, 8)),
        ((0, 0), 7, (0, 7)),
        ((0, 0), 5, (0, 3)),
        ((2, 6), 4, (2, 6)),
        ((6, 2), 4, (2, 6)),
        ((1, 7), 4, (1, 3)),
        ((8, 8), 4, (6, 8)),
    ],
)
def test_of_a_long_text_a_part_of_whole_characters_is_recorded(
    recording, session, monkeypatch, selected, n_first, span
):
    session.document.set_text("abc€de".encode())
    session.document.select(*selected)
    monkeypatch.setattr(
        recording_module, "n_first_bytes", lambda kind, is_whole, n_bytes: min(n_first, n_bytes)
    )
    assert recording.is_long is (n_first < 8)
    recording.record_part()
    assert (recording.text_start, recording.text_end) == span


def test_a_part_near_an_offset_of_a_long_text_starts_at_a_line(recording, recorder, session):
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


def test_near_an_offset_of_a_short_text_all_of_it_is_recorded(recording, recorder):
    recording.record_near(4)
    assert (recording.text_start, recording.text_end, recorder.asked[-1][0]) == (0, 5, b"abacb")
    assert (recording.has(4), recording.has(5), recording.has(6), recording.has(-1)) == (
        True,
        True,
        False,
        False,
    )
