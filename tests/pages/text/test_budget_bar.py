"""The budget of tokens: what is used of it, and where the text is cut off."""

import dataclasses
import json
from itertools import pairwise

import pytest
from controls_in_words import controls_of
from instant_recorder import load_once
from main_window_driver import press
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QLabel

from guiapp import chunk_text, open_model
from guiapp.kit.document.statistics import MOST_BUDGET, USUAL_BUDGET, TokenBudget
from guiapp.kit.state.settings import Settings
from guiapp.window.actions import ROWS
from guiapp.window.command_palette import rank

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
    divisions = page.editor.divisions
    return None if divisions is None else int(divisions.cuts[0])


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


@pytest.fixture
def over(make_shell, qtbot):
    """A window whose text is too long for its budget of ten tokens."""

    def open_over(model="demo:bpe", text=TEXT):
        shell = make_shell(text, model, load_once)
        qtbot.waitUntil(lambda: not shell.session.is_encoding)
        shell.settings.budget = "10"
        return shell

    return open_over


@pytest.mark.parametrize("model", ["demo:bpe", "demo:spm", "demo:wordpiece", "demo:unigram"])
@pytest.mark.parametrize("text", [TEXT, "汉武帝飞🚀向了浩瀚无穷的宇宙 😍 🦄 🐉 ".encode() * 3])
def test_what_fits_is_copied_the_rest_selected_and_cut_and_undo_brings_it_back(over, qtbot, model, text):
    shell = over(model, text)
    actions, session, document = shell.window.actions_table, shell.session, shell.session.document
    actions["budget_select"].trigger()
    assert shell.window.inspect_page.budget_bar.isVisible(), "so that people see what is done"
    start, end = document.selection
    assert 0 < start < end == document.size
    assert shell.window.inspect_page.editor.divisions.dimmed.tolist() == [
        [mark_of(shell.window.inspect_page), end]
    ]
    actions["budget_copy"].trigger()
    beginning = QGuiApplication.clipboard().text().encode()
    assert beginning == text[:start]
    actions["budget_cut"].trigger()
    assert document.text() == beginning
    assert len(session.tokens) <= 10, "with BOS and EOS"
    assert shell.window.inspect_page.editor.divisions is None
    actions["budget_cut"].trigger()
    assert "The text fits in 10 tokens" in controls_of(shell.window)
    shell.window.top_bar.encoder_button.setFocus()  # a button had it, and the keys did nothing
    press(qtbot, shell, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert document.text() == text


def test_a_click_on_the_number_of_tokens_shows_the_budget(over, qtbot):
    shell = over()
    line, bar = shell.window.status_line, shell.window.inspect_page.budget_bar
    for is_shown in (True, False):
        qtbot.mouseClick(line, LEFT, pos=QPoint(20, line.height() // 2))
        assert bar.isVisible() is is_shown
    shell.window.actions_table["chat"].trigger()
    qtbot.mouseClick(line, LEFT, pos=QPoint(20, line.height() // 2))
    assert shell.window.pages.current_name == "chat", "there the number is another one"


def test_no_number_is_cut_off_in_a_small_window(over, qtbot):
    shell = over(text=b"a " * 400_000)
    page, actions = shell.window.inspect_page, shell.window.actions_table
    page.set_budget(100_000)
    shell.window.resize(900, 560)
    for name in ("color:cost", "find", "chunks"):
        actions[name].trigger()
    qtbot.waitUntil(lambda: page.budget_bar.chunks.is_current)
    for label in (each for each in page.budget_bar.findChildren(QLabel) if each.isVisible()):
        assert label.width() >= label.minimumSizeHint().width(), label.text()
    assert page.editor.height() > 4 * page.editor.rows.metrics.row_height


def test_chunks_are_those_of_the_command_and_are_saved_in_both_forms(over, qtbot, tmp_path, monkeypatch):
    text = b"One two three four. Five six seven? Eight, nine and ten. " * 9
    shell = over(text=text)
    page, bar = shell.window.inspect_page, shell.window.inspect_page.budget_bar
    shell.window.actions_table["chunks"].trigger()
    choose(qtbot, bar.chunk_row.overlap, "3")
    bar.chunk_row.by.menu().actions()[1].trigger()
    qtbot.waitUntil(lambda: bar.chunks.is_current and not bar.chunks.is_busy)
    expected = chunk_text(shell.session.tokenizer, text, 10, 3, "word")
    assert list(bar.chunks.value) == expected
    assert page.editor.divisions.cuts.tolist() == [chunk.start for chunk in expected]
    assert page.editor.divisions.shaded.tolist() == [
        [after.start, before.end] for before, after in pairwise(expected) if after.start < before.end
    ]
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "a.jsonl"), ""))
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    lines, files = bar.chunk_row.save_button.menu().actions()
    lines.trigger()
    qtbot.waitUntil(lambda: f"Saved {tmp_path / 'a.jsonl'}" in controls_of(shell.window))
    texts = [text[chunk.start : chunk.end] for chunk in expected]
    saved = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [each["text"].encode() for each in saved] == texts
    files.trigger()
    qtbot.waitUntil(lambda: f"Saved {tmp_path}" in controls_of(shell.window))
    assert [path.read_bytes() for path in sorted(tmp_path.glob("*.txt"))] == texts
    before = page.editor.divisions.cuts[-1]
    shell.session.document.set_caret(0)
    shell.session.document.insert(b"More. ")
    assert page.editor.divisions.cuts[-1] == before + 6, "they move at once"
    shell.window.actions_table["chunks"].trigger()
    assert (page.editor.divisions.cuts.tolist(), bar.chunk_row.isVisible()) == ([mark_of(page)], False)


@pytest.mark.parametrize("word", ["cut", "truncate", "budget", "chunk"])
def test_the_palette_lists_the_budget_commands(word):
    ranks = {row.name: fit for row in ROWS if (fit := rank([word], row, [])) is not None}
    assert {"budget_cut", "chunks"} & set(sorted(ranks, key=ranks.__getitem__)[:5])


@pytest.mark.parametrize(
    ("saved_budget", "own"), [("", None), ("7", 7), ("0", None), ("x", None), ("9" * 99, None)]
)
def test_a_spoiled_setting_is_no_budget(shell, tmp_path, saved_budget, own):
    settings = Settings(tmp_path / "other.json")
    settings.budget = saved_budget
    budget = TokenBudget(shell.session, settings)
    assert (budget.own, budget.n_most) == (own, own or USUAL_BUDGET)
    budget.choose(MOST_BUDGET * 2)
    assert budget.own == MOST_BUDGET
