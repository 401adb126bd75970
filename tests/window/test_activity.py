"""What the status line says while work goes on in the background."""

import threading

from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer
from PySide6.QtWidgets import QApplication

from guiapp.kit.session import text_session
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.session.session_opener import SessionOpener
from guiapp.kit.session.text_session import TextSession
from guiapp.window.status_line import Activity


def test_a_model_that_is_being_opened_is_named_and_can_be_cancelled(qapp, qtbot):
    def load(name, pre, progress):
        progress(0.25)
        may_end.wait(PATIENCE_S)
        return FakeTokenizer()

    may_end = threading.Event()
    session = ModelSession(TextSession(b""), load=load)
    activity = Activity(session, SessionOpener(session))
    session.loader.open("folder/large.gguf")
    assert activity.now.title == "Opening large.gguf: file"
    qtbot.waitUntil(lambda: activity.now.progress == 0.25)
    assert activity.now.title == "Opening large.gguf: list of tensors"
    activity.now.cancel()
    assert activity.now is None
    may_end.set()
    session.close()


def test_a_text_that_is_read_comes_next_and_can_be_cancelled(qapp, qtbot, tmp_path, hold):
    (tmp_path / "text.txt").write_bytes(b"two")
    gate, titles = hold(text_session, "read_text"), []
    session = ModelSession(TextSession(b"one"), load=lambda *asked: FakeTokenizer())
    activity = Activity(session, SessionOpener(session))
    activity.changed.connect(lambda: titles.append(activity.now and activity.now.title))
    assert activity.now is None
    session.text.open(tmp_path / "text.txt")
    assert activity.now[:2] == ("Reading the text", 0.0)
    activity.now.cancel()
    assert titles == ["Reading the text", None]
    gate.set()
    session.text.reading.finish(PATIENCE_S)
    QApplication.processEvents()
    assert session.document.text() == b"one"
    session.close()
