"""What the tests of the Bench page share."""

from contextlib import ExitStack

import pytest
from PySide6.QtWidgets import QApplication

from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.model_session import ModelSession
from guiapp.viewmodels.text_session import TextSession
from guiapp.widgets.bench.page import BenchPage
from guiapp.widgets.shared.theme import ThemeSource


@pytest.fixture
def make_page(qtbot):
    """Bench pages without a model, in the same theme."""
    ending, theme_source = ExitStack(), ThemeSource(QApplication.instance(), "dark")

    def make():
        session = ModelSession(TextSession(b"text"))
        ending.callback(session.close)
        page = BenchPage(BenchModel(session), theme_source)
        ending.callback(page.stop)
        qtbot.addWidget(page)
        page.resize(1280, 720)
        page.show()
        return page

    with ending:
        yield make


@pytest.fixture
def page(make_page):
    return make_page()
