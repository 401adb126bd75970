"""Two prompts side by side in the real window, with real clicks and keys."""

import pytest
from chat_pages import settle
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFileDialog, QPushButton

from guiapp.analysis.chat.messages import conversation_of
from guiapp.pages.chat.compare_view import name_of
from guiapp.pages.chat.counterpart import Counterpart, PromptVariant

Key, Left = Qt.Key, Qt.MouseButton.LeftButton
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How do <|im_end|> lions sleep?\nWell <|im_end|> or not?"},
]


@pytest.fixture
def page(open_page):
    return open_page(messages=MESSAGES)


def place_of(columns, side, token):
    """The middle of a token, in the window."""
    rect = next(each.rect for each in columns._cells() if (each.side, each.cell.token) == (side, token))
    return rect.center().toPoint() - QPoint(0, columns.verticalScrollBar().value())


def test_a_hint_opens_both_readings_and_escape_ends_them(page, qtbot):
    row = next(row for row in page.hints.rows if row.hint.code == "content_became_control")
    button = next(each for each in row.findChildren(QPushButton) if each.text() == "Side by side")
    qtbot.mouseClick(button, Left)
    settle(page, qtbot)
    assert page.compare.isVisible()
    assert not page.prompt.isVisible()
    assert page.compare.names[0].text().startswith("As the model reads it")
    assert "only at the right" in page.compare.description.text()
    page.compare.columns.setFocus()
    qtbot.keyClick(page.compare.columns, Key.Key_Escape)
    assert page.prompt.isVisible()
    assert not page.compare.isVisible()


def test_keys_walk_through_differences_and_tokens(page, qtbot):
    page.counterpart.choose(Counterpart(PromptVariant.AS_TEXT))
    settle(page, qtbot)
    columns, walk = page.compare.columns, page.compare.walk
    columns.setFocus()
    assert walk.place.text() == "– of 2"
    seen = []
    for place in ("1 of 2", "2 of 2", "1 of 2"):
        qtbot.keyClick(columns, Key.Key_F8)
        assert walk.place.text() == place
        seen.append(columns.selected)
    assert seen[0] == seen[2] != seen[1]
    qtbot.keyClick(columns, Key.Key_F8, Qt.KeyboardModifier.ShiftModifier)
    assert walk.place.text() == "2 of 2"
    side, token = columns.selected
    assert (side, token) == (0, page.model.selected_token)
    qtbot.keyClick(columns, Key.Key_Right)
    assert columns.selected == (side, token + 1)
    assert columns.accessibleDescription()
    qtbot.keyClick(columns, Key.Key_Left)
    assert columns.selected == (side, token)


def test_keys_act_at_once_where_a_menu_put_something_beside(page, qtbot):
    page.compare.menu.chosen.emit(Counterpart(PromptVariant.AS_TEXT))
    settle(page, qtbot)
    page.compare.menu.setFocus()  # as a menu that closes gives it back
    qtbot.keyClick(page.compare.menu, Key.Key_F8)
    assert page.compare.walk.place.text() == "1 of 2"
    qtbot.keyClick(page.compare.menu, Key.Key_Escape)
    assert page.prompt.isVisible()


def test_a_click_tells_the_token_and_selects_it_on_the_page(page, qtbot):
    page.counterpart.choose(Counterpart(PromptVariant.NO_PROMPT))
    settle(page, qtbot)
    columns = page.compare.columns
    last = len(page.model.encoding) - 1
    columns.go_to(0, last)
    qtbot.mouseClick(columns.viewport(), Left, pos=place_of(columns, 0, last - 2))
    assert columns.selected == (0, last - 2)
    assert page.model.selected_token == last - 2
    assert page.compare.token.text().endswith("only here")
    qtbot.mouseClick(columns.viewport(), Left, pos=place_of(columns, 1, 3))
    assert page.compare.token.text().endswith("in both")
    assert page.compare.tree.isVisible()


def test_a_model_and_a_failure_are_told(page, qtbot):
    page.counterpart.choose(Counterpart(PromptVariant.MODEL, "demo:unigram"))
    settle(page, qtbot)
    assert page.compare.menu.text() == "Beside: demo:unigram"
    assert page.compare.columns.turns
    page.counterpart.choose(Counterpart(PromptVariant.TEMPLATE, "{% if %}"))
    settle(page, qtbot)
    assert page.compare.description.text().startswith("The template has a mistake")
    assert not page.compare.columns.turns
    page.compare.close_button.click()
    assert page.prompt.isVisible()


SHORT = [{"role": "user", "content": "Hi<|im_end|>"}]


def test_the_menu_lists_what_can_be_beside(page, qtbot, monkeypatch):
    menu, rows = page.compare.menu, ["Content as text", "Without generation prompt", "llama.cpp's own prompt"]
    further = ["", "A template's file…", "Another model…"]

    def listed():
        menu.menu().aboutToShow.emit()
        return [("✓ " if each.isChecked() else "") + each.text() for each in menu.menu().actions()]

    assert listed() == [*rows, *further]
    assert menu.text() == "Compare…"
    ways = (
        Counterpart(PromptVariant.AS_TEXT),
        Counterpart(PromptVariant.NO_PROMPT),
        Counterpart(PromptVariant.LLAMA_CPP),
    )
    for at, way in enumerate(ways):
        listed()
        menu.menu().actions()[at].trigger()
        assert page.counterpart.counterpart == way
        assert listed() == [*rows[:at], f"✓ {rows[at]}", *rows[at + 1 :], *further, "", "Nothing"]
        assert menu.text() == f"Beside: {name_of(way)}"
    menu.menu().actions()[-1].trigger()
    assert page.counterpart.counterpart is None
    for name in ("", "/a/b.jinja"):
        monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *asked, name=name: (name, ""))
        listed()
        menu.menu().actions()[-2].trigger()
        assert page.counterpart.counterpart == (Counterpart(PromptVariant.TEMPLATE, name) if name else None)
    asked = []
    page.shell.window.requests.model_wanted.disconnect()
    page.shell.window.requests.model_wanted.connect(lambda widget, take: asked.append((widget, take)))
    listed()
    next(each for each in menu.menu().actions() if each.text() == "Another model…").trigger()
    [(widget, take)] = asked
    assert widget is menu
    take("demo:unigram", "gpt2")
    assert page.counterpart.counterpart == Counterpart(PromptVariant.MODEL, "demo:unigram", "gpt2")
    settle(page, qtbot)


def test_a_token_of_the_windows_model_is_shown_in_its_tree(page, qtbot):
    page.model.edited.take(conversation_of(SHORT))
    page.counterpart.choose(Counterpart(PromptVariant.NO_PROMPT))
    settle(page, qtbot)
    wanted = []
    page.shell.window.requests.token_wanted.disconnect()
    page.shell.window.requests.token_wanted.connect(wanted.append)
    page.compare.columns.go_to(1, 5)
    qtbot.mouseClick(page.compare.tree, Left)
    assert wanted == [39]
    assert page.compare.columns.number is None
    page.compare.columns.go_to(0, 14)
    assert page.compare.columns.number == 0
