"""The real window, used as people use it: with clicks and keys."""

import pytest
from main_window_driver import Answers, load

from guiapp.app import build
from guiapp.viewmodels.settings import Settings


@pytest.fixture
def make_shell(qapp, qtbot, tmp_path):
    shells = []

    def make(text=b"one two three", model="fake.gguf", load=load):
        settings = Settings(tmp_path / "settings.json")
        settings.theme = "dark"
        shell = build(qapp, settings, text, load, Answers())
        shells.append(shell)
        qtbot.addWidget(shell.window)
        shell.window.show()
        qtbot.waitExposed(shell.window)
        shell.window.activateWindow()
        if model is not None:
            with qtbot.waitSignal(shell.workspace.spans.encoded):
                shell.workspace.loader.open(model)
        return shell

    yield make
    for shell in shells:
        shell.stop()


@pytest.fixture
def shell(make_shell):
    return make_shell()
