"""What the tests of the Bench page share."""

from contextlib import ExitStack

import pytest
from PySide6.QtWidgets import QApplication

from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.bench.page import BenchPage
from guiapp.widgets.shared.theme import ThemeSource


@pytest.fixture
def make_page(qtbot):
    """Bench pages without a model, in the same theme."""
    ending, theme_source = ExitStack(), ThemeSource(QApplication.instance(), "dark")

    def make():
        workspace = Workspace(b"text")
        ending.callback(workspace.close)
        page = BenchPage(BenchModel(workspace), theme_source)
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
