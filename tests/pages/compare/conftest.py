"""What the tests of the Compare page share."""

import pytest
from instant_recorder import load_once
from main_window_driver import load as fake_load

from guiapp.core.demo import sample_text

TEXT = sample_text("welcome")


def load(name, pre, progress):
    return (load_once if name.startswith("demo:") else fake_load)(name, pre, progress)


@pytest.fixture
def open_page(show_page, qtbot):
    """Opens the page with some models, and waits until they are compared."""

    def make(model, *others, text=TEXT, size=(1280, 800)):
        page = show_page("compare", model, text, load, size, others)
        qtbot.waitUntil(lambda: all(session.tokenizer for session in page.shell.compared.sessions))
        page.walk.leave()
        page.columns.bar.setValue(0)
        qtbot.waitUntil(lambda: page.is_ready)
        return page.shell, page

    return make


@pytest.fixture
def opened(open_page):
    return open_page("demo:bpe", "demo:unigram", "demo:spm")
