"""What the status line says while work goes on in the background."""

from __future__ import annotations

import sys

from fake_tokenizer import FakeTokenizer

from guiapp.core.editing.options import Options
from guiapp.viewmodels.kernel_warm_up import Compiler, KernelWarmUp
from guiapp.viewmodels.window.activity import Activity
from guiapp.viewmodels.workspace import Workspace

ONE_OF_FOUR = """
import time
print('{"done": 1, "of": 4, "name": "one"}', flush=True)
time.sleep(60)
"""


def test_a_model_that_waits_for_kernels_shows_how_far_they_are(qapp, qtbot):
    def load(name, pre, progress):
        warm_up.wait_until_settled(progress)
        return FakeTokenizer()

    warm_up = KernelWarmUp(
        Compiler(
            command=(sys.executable, "-c", ONE_OF_FOUR),
            is_needed=lambda: True,
            load=lambda progress: None,
            interpret=lambda interpreted: None,
        )
    )
    workspace = Workspace(b"", Options(), load)
    activity = Activity(workspace, warm_up)
    warm_up.start()
    workspace.loader.open("large.gguf")
    qtbot.waitUntil(lambda: activity.title == "Compiling before opening, 1 of 4")
    assert activity.progress == 0.25
    assert activity.can_cancel
    workspace.loader.cancel()
    qtbot.waitUntil(lambda: activity.title == "Compiling for speed, 1 of 4")
    warm_up.stop()
    workspace.close()
