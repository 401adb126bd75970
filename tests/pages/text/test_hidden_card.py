"""What the card of a chip says; how it opens, and what its buttons do, is tested in the whole window."""

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLabel

from guiapp.pages.text.hidden_card import HiddenCard, chip_facts


@pytest.mark.parametrize(
    ("hidden", "about", "content"),
    [
        ("\U000e0048\U000e0069", "Nothing is drawn; a model can read:", "Hi"),
        ("\u200b\u200b", "Nothing is drawn.", "U+200B"),
        ("\u00a0", "it stays when hidden characters are removed.", "U+00A0"),
    ],
)
def test_what_it_is_and_spells_is_said(make_shell, hidden, about, content):
    shell = make_shell(f"a{hidden}b".encode())
    found = shell.window.hidden
    facts = chip_facts(shell.session, found, 1, 1 + len(hidden.encode()))
    assert facts.about.endswith(about)
    assert facts.content.startswith(content)
    assert facts.n_hidden == found.n_characters
    card = HiddenCard(facts, found, (QAction(), QAction()), shell.theme_source, shell.window)
    card.open_at(QPoint(0, 0))
    assert {label.text() for label in card.findChildren(QLabel)} == {facts.title, facts.about, *facts.costs}
    assert [each.toPlainText() for each in (card.content, card.bytes)] == [facts.content, facts.bytes]
    card.close()
