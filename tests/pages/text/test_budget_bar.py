"""The budget of tokens: what is used of it, and where the text is cut off."""

import dataclasses

import pytest
from PySide6.QtCore import Qt

from guiapp import open_model
from guiapp.kit.document.statistics import MOST_BUDGET, USUAL_BUDGET, TokenBudget
from guiapp.kit.state.settings import Settings

LEFT = Qt.MouseButton.LeftButton
TEXT = b"A house and a garden and a tree and a pond, and so on."


def open_demo(name, pre, progress):
    tokenizer = open_model("demo:bpe")
    metadata = {**tokenizer.vocabulary.metadata, **({"x.context_length": 90} if "told" in name else {})}
    tokenizer.vocabulary = dataclasses.replace(tokenizer.vocabulary, metadata=metadata)
    return tokenizer


def choose(qtbot, field, number):
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, number)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def mark_of(page):
    return page.editor._mark


@pytest.mark.parametrize("model", ["told", "silent"])
def test_the_line_in_the_text_is_before_the_first_token_that_does_not_fit(make_shell, qtbot, model):
    shell = make_shell(TEXT, model, open_demo)
    page, session = shell.window.inspect_page, shell.session
    bar = page.budget_bar
    assert (bar.isVisible(), mark_of(page)) == (False, None)
    shell.window.actions_table["budget"].trigger()
    assert (bar.isVisible(), shell.settings.shows_budget) == (True, True)
    assert bar.field.text() == ("90" if model == "told" else f"{USUAL_BUDGET:,}")
    choose(qtbot, bar.field, "5")
    assert shell.settings.budget == "5"
    assert mark_of(page) == session.tokens.span(5)[0] > 0
    session.document.insert(b"One more word. ")
    assert mark_of(page) == session.tokens.span(5)[0]
    session.document.set_text(b"A")
    qtbot.waitUntil(lambda: mark_of(page) is None)
    assert bar.of_model.isVisible() is (model == "told")
    if model == "told":
        qtbot.mouseClick(bar.of_model, LEFT)
        assert (shell.settings.budget, bar.of_model.isVisible()) == ("", False)
    shell.window.actions_table["budget"].trigger()
    assert (bar.isVisible(), mark_of(page)) == (False, None)


@pytest.mark.parametrize(("kept", "own"), [("", None), ("7", 7), ("0", None), ("x", None), ("9" * 99, None)])
def test_a_spoiled_setting_is_no_budget(shell, tmp_path, kept, own):
    settings = Settings(tmp_path / "other.json")
    settings.budget = kept
    budget = TokenBudget(shell.session, settings)
    assert (budget.own, budget.n_most) == (own, own or USUAL_BUDGET)
    budget.choose(MOST_BUDGET * 2)
    assert budget.own == MOST_BUDGET
