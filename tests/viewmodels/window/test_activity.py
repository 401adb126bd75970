"""What the status line says while work goes on in the background."""

import threading

from conftest import PATIENCE_S
from fake_tokenizer import FakeTokenizer

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
    assert activity.title == "Opening large.gguf"
    qtbot.waitUntil(lambda: activity.progress == 0.25)
    assert activity.can_cancel
    activity.cancel()
    assert activity.title is None
    may_end.set()
    workspace.close()
