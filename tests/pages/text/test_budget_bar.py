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


@pytest.mark.parametrize("model", ["told", "silent"])
def test_the_line_in_the_text_is_before_the_first_token_that_does_not_fit(make_shell, qtbot, model):
    shell = make_shell(TEXT, model, open_demo)
    page, session = shell.window.inspect_page, shell.session
    bar, budget = page.budget_bar, page.budget_bar._budget
    assert (bar.isVisible(), page.editor._mark) == (False, None)
    shell.window.actions_table["budget"].trigger()
    assert (bar.isVisible(), shell.settings.shows_budget) == (True, True)
    assert (bar.field.text(), page.editor._mark) == (
        ("90", None) if model == "told" else (f"{USUAL_BUDGET:,}", None)
    )
    choose(qtbot, bar.field, "5")
    assert (shell.settings.budget, budget.n_most) == ("5", 5)
    assert page.editor._mark == session.tokens.span(5)[0] > 0
    assert "too many" in bar._left.text()
    session.document.insert(b"One more word. ")
    assert page.editor._mark == session.tokens.span(5)[0]
    session.document.set_text(b"A")
    qtbot.waitUntil(lambda: page.editor._mark is None)
    assert bar.of_model.isVisible() is (model == "told")
    if model == "told":
        qtbot.mouseClick(bar.of_model, LEFT)
        assert (budget.n_most, shell.settings.budget, bar.of_model.isVisible()) == (90, "", False)
    else:
        assert budget.of_model is None
    choose(qtbot, bar.field, "1")
    assert page.editor._mark is not None or budget.n_used == 1
    shell.window.actions_table["budget"].trigger()
    assert (bar.isVisible(), page.editor._mark) == (False, None)


@pytest.mark.parametrize(("kept", "own"), [("", None), ("7", 7), ("0", None), ("x", None), ("9" * 99, None)])
def test_a_spoiled_setting_is_no_budget(shell, tmp_path, kept, own):
    settings = Settings(tmp_path / "other.json")
    settings.budget = kept
    budget = TokenBudget(shell.session, settings)
    assert (budget.own, budget.n_most) == (own, own or USUAL_BUDGET)
    budget.choose(MOST_BUDGET * 2)
    assert budget.own == MOST_BUDGET
