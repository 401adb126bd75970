"""What the tests of the Vocabulary pages share."""

import pytest
from instant_recorder import unreached_once
from PySide6.QtTest import QTest


@pytest.fixture
def open_in_shared(show_page, qtbot, unreached_tokens_are_found_once):
    """Shows a page of the shared window, once it is ready."""

    def make(page_name, model, text, load):
        page = show_page(page_name, model, text, load)
        qtbot.waitUntil(lambda: page.is_ready)
        QTest.qWait(0)
        return page

    return make


@pytest.fixture
def unreached_tokens_are_found_once(monkeypatch):
    monkeypatch.setattr(
        "guiapp.kit.token_table.vocabulary.unreached_apart", lambda tokenizer, _: unreached_once(tokenizer)
    )
