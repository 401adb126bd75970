"""What the tests of the Compare page share."""

import pytest
from main_window_driver import load as fake_load

import guiapp
from guiapp.core.demo import sample_text

TEXT = sample_text("welcome")


def load(name, pre, progress):
    return guiapp.open_model(name, pre) if name.startswith("demo:") else fake_load(name, pre, progress)


@pytest.fixture
def open_page(make_shell, qtbot):
    """Opens the page with some models, and waits until they are compared."""

    def make(*models, text=TEXT, size=(1600, 900)):
        shell = make_shell(text, models[0], load)
        for name in models[1:]:
            shell.compared.add(name)
        shell.window.resize(*size)
        shell.window.actions_table["compare"].trigger()
        page = shell.window.pages.current
        qtbot.waitUntil(lambda: all(session.tokenizer for session in shell.compared.sessions))
        qtbot.waitUntil(lambda: page.is_ready)
        return shell, page

    return make


@pytest.fixture
def opened(open_page):
    return open_page("demo:bpe", "demo:unigram", "demo:spm")
