"""The Chat page of these tests."""

import pytest
from chat_pages import settle

import guiapp
from guiapp.analysis.chat.messages import conversation_of


@pytest.fixture
def open_page(make_shell, qtbot):
    """Shows the page in the real window."""

    def make(model="demo:bpe", messages=None):
        shell = make_shell(b"text", model, lambda name, pre, progress: guiapp.open_model(name))
        shell.window.actions_table["chat"].trigger()
        page = shell.window.pages.current
        page.shell = shell
        if messages:
            page.model.edited.take(conversation_of(messages))
        settle(page, qtbot)
        return page

    return make
