"""What the tests of the Vocabulary pages share."""

import pytest
from main_window_driver import Answers
from PySide6.QtTest import QTest

from guiapp.kit.state.settings import Settings
from guiapp.window.app import build


@pytest.fixture(scope="module")
def shared_shell(qapp, tmp_path_factory):
    """One real window for the tests of a module."""
    shells = []

    def open_once(load):
        if not shells:
            settings = Settings(tmp_path_factory.mktemp("settings") / "settings.ini")
            settings.theme = "dark"
            shells.append(build(qapp, settings, b"", load, Answers()))
        return shells[0]

    yield open_once
    for shell in shells:
        shell.window.close()
        shell.stop()


@pytest.fixture
def open_in_shared(shared_shell, qtbot):
    """Shows a page of the shared window, with a model and a text."""

    def make(page_name, model, text, load):
        shell = shared_shell(load)
        shell.window.resize(1280, 800)
        shell.window.show()
        shell.window.actions_table[page_name].trigger()
        shell.window.activateWindow()
        loader = shell.session.loader
        if loader.model is None or str(loader.model.name) != model:
            with qtbot.waitSignal(shell.session.vocabulary_changed):
                loader.open(model)
        shell.session.text.show(text)
        qtbot.waitUntil(lambda: not shell.session.is_encoding)
        page = shell.window.pages.current
        page.shell = shell
        qtbot.waitUntil(lambda: page.is_ready)
        QTest.qWait(0)
        return page

    return make
