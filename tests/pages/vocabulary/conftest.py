"""What the tests of the Vocabulary pages share."""

import pytest
from PySide6.QtTest import QTest


@pytest.fixture
def open_in_shared(show_page, qtbot):
    """Shows a page of the shared window, once it is ready."""

    def make(page_name, model, text, load):
        page = show_page(page_name, model, text, load)
        qtbot.waitUntil(lambda: page.is_ready)
        QTest.qWait(0)
        return page

    return make
