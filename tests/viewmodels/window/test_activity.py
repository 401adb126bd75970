"""What the status line says while work goes on in the background."""

import threading

from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer
from PySide6.QtWidgets import QApplication

from guiapp.viewmodels import workspace as workspace_module
from guiapp.viewmodels.window.activity import Activity
from guiapp.viewmodels.workspace import Workspace


def test_a_model_that_is_being_opened_is_named_and_can_be_cancelled(qapp, qtbot):
    def load(name, pre, progress):
        progress(0.25)
        may_end.wait(PATIENCE_S)
        return FakeTokenizer()

    may_end = threading.Event()
    workspace = Workspace(b"", load=load)
    activity = Activity(workspace)
    workspace.loader.open("folder/large.gguf")
    assert activity.title == "Opening large.gguf: header"
    qtbot.waitUntil(lambda: activity.progress == 0.25)
    assert activity.title == "Opening large.gguf: list of tensors"
    assert activity.can_cancel
    activity.cancel()
    assert activity.title is None
    may_end.set()
    workspace.close()


def test_a_text_that_is_read_comes_next_and_can_be_cancelled(qapp, qtbot, tmp_path, hold):
    (tmp_path / "text.txt").write_bytes(b"two")
    gate, told = hold(workspace_module, "read_text"), []
    workspace = Workspace(b"one", load=lambda *asked: FakeTokenizer())
    activity = Activity(workspace)
    activity.changed.connect(lambda: told.append(activity.title))
    assert (activity.title, activity.can_cancel) == (None, False)
    workspace.open_text(tmp_path / "text.txt")
    assert (activity.title, activity.can_cancel, activity.progress) == ("Reading the text", True, 0.0)
    activity.cancel()
    assert told == ["Reading the text", None]
    gate.set()
    workspace.text_job.finish(PATIENCE_S)
    QApplication.processEvents()
    assert workspace.document.text() == b"one"
    workspace.close()
