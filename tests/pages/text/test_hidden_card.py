"""The card of a chip of hidden characters: what it says, and what its buttons do."""

import pytest
from fitting import unreadable
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction

import guiapp
from guiapp.pages.text.hidden_card import HiddenCard


@pytest.mark.parametrize(
    ("hidden", "about", "content"),
    [
        ("\U000e0048\U000e0069", "You cannot see it, but a model reads:", "Hi"),
        ("\u200b\u200b", "You cannot see it.", "U+200B"),
        ("\u00a0", "does not delete it.", "U+00A0"),
    ],
)
def test_the_card_describes_and_decodes_hidden_characters(share_shell, hidden, about, content):
    shell = share_shell(f"a{hidden}b".encode())
    hidden_characters = shell.window.hidden
    span, actions = (1, 1 + len(hidden.encode())), (QAction(), QAction())
    card = HiddenCard(shell.session, hidden_characters, span, actions, shell.theme_source, shell.window)
    card.open_at(QPoint(0, 0))
    assert card.about.text().endswith(about)
    assert card.content.toPlainText().startswith(content)
    assert card.n_hidden == hidden_characters.n_characters
    assert bytes.fromhex(card.bytes.toPlainText().replace("|", "")) == hidden.encode()
    card.close()


def open_demo(name, pre, progress):
    return guiapp.open_model(name)


def test_all_words_can_be_read_in_a_window_of_any_size(share_shell, qtbot):
    shell = share_shell(b"A house and a garden", "demo:bpe", open_demo)
    for name in ("why", "budget"):
        shell.window.actions_table[name].trigger()
        assert unreadable(shell.window) == []


@pytest.fixture
def make_card(share_shell):
    def make(text, start, end):
        shell = share_shell(text.encode(), "demo:bpe", open_demo)
        actions = QAction("Remove all hidden characters"), QAction("Copy the text without them")
        hidden, themes = shell.window.hidden, shell.theme_source
        card = HiddenCard(shell.session, hidden, (start, end), actions, themes, shell.window)
        card.shell, card.actions_ = shell, actions
        return card

    return make


def test_each_button_of_the_card_does_its_part_and_closes_it(make_card, qtbot):
    done = []
    for name in ("remove_button", "remove_all_button", "copy_button", "next_button"):
        card = make_card("a\u200bb\u200b", 1, 4)
        for action, what in zip(card.actions_, ("all", "copy"), strict=True):
            action.triggered.connect(lambda checked, what=what: done.append(what))
        card.open_at(QPoint(100, 100))
        qtbot.mouseClick(getattr(card, name), Qt.MouseButton.LeftButton)
        assert not card.isVisible()
        done.append((card.shell.session.document.text().decode(), card.shell.session.document.selection))
    text, selected = "a\u200bb\u200b", (5, 8)
    assert [each for each in done if isinstance(each, str)] == ["all", "copy"]
    assert [each[0] for each in done if not isinstance(each, str)] == ["ab\u200b", text, text, text]
    assert done[-1] == (text, selected)
