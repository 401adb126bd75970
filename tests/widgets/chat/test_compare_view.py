"""Two prompts side by side in the real window, with real clicks and keys."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QPushButton

import guiapp
from guiapp.core.chat.messages import conversation_of
from guiapp.viewmodels.chat.beside import Beside, Way

Key, Left = Qt.Key, Qt.MouseButton.LeftButton
MESSAGES = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "How do <|im_end|> lions sleep?\nWell <|im_end|> or not?"},
]


@pytest.fixture
def page(make_shell, qtbot):
    shell = make_shell(b"text", "demo:bpe", lambda name, pre, progress: guiapp.open_model(name))
    shell.window.actions_table["chat"].trigger()
    page = shell.window.pages.current
    page.shell = shell
    page.model.edited.take(conversation_of(MESSAGES))
    settle(page, qtbot)
    return page


def settle(page, qtbot):
    qtbot.waitUntil(lambda: page.isVisible() and page.is_ready, timeout=20_000)
    QApplication.processEvents()


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
    assert "only at the right" in page.compare.told.text()
    page.compare.columns.setFocus()
    qtbot.keyClick(page.compare.columns, Key.Key_Escape)
    assert page.prompt.isVisible()
    assert not page.compare.isVisible()


def test_keys_walk_through_differences_and_tokens(page, qtbot):
    page.beside.choose(Beside(Way.AS_TEXT))
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
    page.compare.menu.chosen.emit(Beside(Way.AS_TEXT))
    settle(page, qtbot)
    page.compare.menu.setFocus()  # as a menu that closes gives it back
    qtbot.keyClick(page.compare.menu, Key.Key_F8)
    assert page.compare.walk.place.text() == "1 of 2"
    qtbot.keyClick(page.compare.menu, Key.Key_Escape)
    assert page.prompt.isVisible()


def test_a_click_tells_the_token_and_selects_it_on_the_page(page, qtbot):
    page.beside.choose(Beside(Way.NO_PROMPT))
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


@pytest.mark.parametrize("size", [(1280, 800), (860, 700)])
def test_columns_stand_beside_each_other_and_turns_on_a_level(page, qtbot, size):
    page.shell.window.resize(*size)
    page.beside.choose(Beside(Way.AS_TEXT))
    settle(page, qtbot)
    columns, tops = page.compare.columns, {}
    for place in columns._cells():
        left, right = columns.left_of(place.side), columns.left_of(place.side) + columns.column_px
        assert left <= place.rect.left() < place.rect.right() <= right
    for at, turn in enumerate(columns.turns):
        for side in (0, 1):
            if turn.sides[side]:
                rects = [
                    p.rect
                    for p in columns._cells()
                    if (p.side, p.cell.token) == (side, turn.sides[side][0].token)
                ]
                tops.setdefault(at, set()).add(rects[0].top())
    assert all(len(each) == 1 for each in tops.values())


def test_a_model_and_a_failure_are_told(page, qtbot):
    page.compare.menu._take_model("demo:unigram", None)
    settle(page, qtbot)
    assert page.compare.menu.text() == "Beside: demo:unigram"
    assert page.compare.columns.turns
    page.beside.choose(Beside(Way.TEMPLATE, "{% if %}"))
    settle(page, qtbot)
    assert page.compare.told.text().startswith("The template has a mistake")
    assert not page.compare.columns.turns
    page.compare.close_button.click()
    assert page.prompt.isVisible()
