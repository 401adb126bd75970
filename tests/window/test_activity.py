"""What the status line says while work goes on in the background."""

import threading

import pytest
from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer
from PySide6.QtWidgets import QApplication
from told import told_by

from guiapp.kit.session import text_session
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener
from guiapp.kit.session.text_session import TextSession
from guiapp.window.activity import Activity


def test_a_model_that_is_being_opened_is_named_and_can_be_cancelled(qapp, qtbot):
    def load(name, pre, progress):
        progress(0.25)
        may_end.wait(PATIENCE_S)
        return FakeTokenizer()

    may_end = threading.Event()
    session = ModelSession(TextSession(b""), load=load)
    activity = Activity(session, SessionOpener(session))
    session.loader.open("folder/large.gguf")
    assert activity.title == "Opening large.gguf: file"
    qtbot.waitUntil(lambda: activity.progress == 0.25)
    assert activity.title == "Opening large.gguf: list of tensors"
    assert activity.can_cancel
    activity.cancel()
    assert activity.title is None
    may_end.set()
    session.close()


def test_a_text_that_is_read_comes_next_and_can_be_cancelled(qapp, qtbot, tmp_path, hold):
    (tmp_path / "text.txt").write_bytes(b"two")
    gate, told = hold(text_session, "read_text"), []
    session = ModelSession(TextSession(b"one"), load=lambda *asked: FakeTokenizer())
    activity = Activity(session, SessionOpener(session))
    activity.changed.connect(lambda: told.append(activity.title))
    assert (activity.title, activity.can_cancel) == (None, False)
    session.text.open(tmp_path / "text.txt")
    assert (activity.title, activity.can_cancel, activity.progress) == ("Reading the text", True, 0.0)
    activity.cancel()
    assert told == ["Reading the text", None]
    gate.set()
    session.text.reading.finish(PATIENCE_S)
    QApplication.processEvents()
    assert session.document.text() == b"one"
    session.close()


class Job:
    is_busy, progress = False, 0.0

    def __init__(self, log, name):
        self.cancel = lambda: log.append(name)


@pytest.mark.parametrize(
    ("busy", "title", "progress", "can_cancel", "cancelled"),
    [
        ("", None, 0.3, False, "text"),
        ("spans", "Encoding", 0.3, False, "text"),
        ("text", "Reading the text", 0.2, True, "text"),
        ("text spans", "Reading the text", 0.2, True, "text"),
        ("model", "Opening m.gguf: list of tensors", 0.25, True, "model"),
        ("model text spans", "Opening m.gguf: list of tensors", 0.25, True, "model"),
    ],
)
def test_of_all_that_goes_on_the_first_is_told(
    qapp, monkeypatch, busy, title, progress, can_cancel, cancelled
):
    session, log = ModelSession(TextSession(b"")), []
    activity = Activity(session, SessionOpener(session))
    jobs = {name: Job(log, name) for name in ("model", "text", "spans")}
    for (name, job), share in zip(jobs.items(), (0.25, 0.2, 0.3), strict=True):
        job.is_busy, job.progress = name in busy, share
    monkeypatch.setattr(session.loader, "job", jobs["model"])
    monkeypatch.setattr(session.loader, "loading_name", "folder/m.gguf" if "model" in busy else None)
    monkeypatch.setattr(session.text, "reading", jobs["text"])
    monkeypatch.setattr(session.spans, "job", jobs["spans"])
    assert (activity.title, activity.progress, activity.can_cancel) == (title, progress, can_cancel)
    activity.cancel()
    assert log == [cancelled]
    monkeypatch.undo()
    session.close()


def test_whatever_goes_on_is_told(qapp, qtbot):
    session = ModelSession(TextSession(b""))
    activity = Activity(session, SessionOpener(session))
    told = told_by(activity)
    for signal in (
        session.loader.loading_changed,
        session.loader.progress_changed,
        session.text.reading.busy_changed,
        session.text.reading.progress_changed,
        session.spans.job.busy_changed,
        session.spans.job.progress_changed,
    ):
        signal.emit()
    assert told == ["changed"] * 6
    session.close()
