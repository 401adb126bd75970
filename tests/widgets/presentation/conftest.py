"""What the tests of presentations share."""

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture
def present(qtbot):
    """Shows what a Steps page shows as on a screen of some size."""

    def show(page, size=(1920, 1080)):
        page.present()
        presented = page.presentation
        qtbot.waitExposed(presented)
        presented.showNormal()
        presented.resize(*size)
        QApplication.processEvents()
        return presented

    return show
