"""The Chat page of these tests."""

import pytest
from hands import wait_for_results
from instant_recorder import load_once

from guiapp.analysis.chat.messages import Conversation, conversation_of
from guiapp.pages.chat.model import Draft


@pytest.fixture
def open_page(show_page, qtbot):
    """Shows the page of the shared window, as if it had just been opened."""

    def make(model="demo:bpe", messages=()):
        page = show_page("chat", model)
        page.counterpart.choose(None)
        page.model.edited.restore(Draft(conversation_of(messages) if messages else Conversation(())))
        page.model.select_token(None)
        page.show_template(True)
        wait_for_results(page, qtbot)
        page.setFocus()
        return page

    return make


@pytest.fixture
def open_new_page(make_shell, qtbot):
    """Shows the page of a window of its own."""

    def make(messages=None):
        shell = make_shell(b"text", "demo:bpe", load_once)
        shell.window.actions_table["chat"].trigger()
        page = shell.window.pages.current
        page.shell = shell
        if messages:
            page.model.edited.take(conversation_of(messages))
        wait_for_results(page, qtbot)
        return page

    return make
