"""What the tests of the Bench page share."""

import pytest
from PySide6.QtWidgets import QApplication

from guiapp.viewmodels.bench.model import BenchModel
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.bench.page import BenchPage
from guiapp.widgets.shared.theme import ThemeSource


@pytest.fixture
def page(qtbot):
    """A Bench page without a model."""
    workspace = Workspace(b"text")
    page = BenchPage(BenchModel(workspace), ThemeSource(QApplication.instance(), "dark"))
    qtbot.addWidget(page)
    page.resize(1280, 720)
    page.show()
    yield page
    page.stop()
    workspace.close()
