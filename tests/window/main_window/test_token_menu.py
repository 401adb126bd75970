"""Hovering over a token and right clicks on it, in the real window with a real model."""

import pytest
from editor_hands import place_of_byte
from instant_recorder import load_once
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from guiapp.core.demo import demo_model_path
from guiapp.kit.spans.token_menu import TokenMenu
from guiapp.pages.compare.columns import SIDE_PX as COLUMN_SIDE_PX

pytestmark = pytest.mark.slow


LEFT, Key = Qt.MouseButton.LeftButton, Qt.Key
TEXT = b"the other word & another word\nStra\xc3\x9fen \xe2\x80\x8b\xff end"


@pytest.fixture
def shell(share_shell):
    return share_shell(TEXT, str(demo_model_path("bpe")), load_once)


def right_click(shell, qtbot, offset):
    """The menu that opens over a byte of the text."""
    editor = shell.window.inspect_page.editor
    place = place_of_byte(editor, offset)
    target = editor.viewport()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, target.mapToGlobal(place))
    QApplication.sendEvent(target, event)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    return menu


def choose(menu, qtbot, words):
    """Click on the row that begins with some words."""
    row = next(action for action in menu.actions() if action.text().startswith(words))
    qtbot.mouseClick(menu, LEFT, pos=menu.actionGeometry(row).center())
    return row


def token_at(shell, offset):
    index = shell.session.tokens.first_ending_after(offset)
    return int(shell.session.tokens.ids(index, index + 1)[0]), shell.session.tokens.span(index)


def test_copies_are_of_the_token_under_the_mouse_and_leave_the_caret(shell, qtbot):
    token_id, span = token_at(shell, 5)
    expected = {
        "Copy id": str(token_id),
        "Copy bytes": TEXT[slice(*span)].hex(" ").upper(),
        "Copy text": TEXT[slice(*span)].decode(),
    }
    for words, copied in expected.items():
        menu = right_click(shell, qtbot, 5)
        assert menu.actions()[0].text().endswith(f"   {token_id}")
        choose(menu, qtbot, words)
        assert QGuiApplication.clipboard().text() == copied
    assert shell.session.document.selection == (0, 0)
    menu = right_click(shell, qtbot, 5)
    assert {"Undo", "Cut", "Paste"} <= {action.text() for action in menu.actions()}
    menu.close()


def test_the_menu_opens_search_tree_and_debugger_for_the_token(shell, qtbot):
    page, offset = shell.window.inspect_page, TEXT.index(b" word")
    token_id, _ = token_at(shell, offset)
    n_here = shell.session.tokens.count(token_id)
    assert n_here > 1
    choose(right_click(shell, qtbot, offset), qtbot, "Find ")
    assert (page.text_panel.search.kind, page.text_panel.search.n_matches) == ("token", n_here)
    assert shell.session.document.selection[0] == TEXT.rindex(b" word")
    choose(right_click(shell, qtbot, offset), qtbot, "How it is built")
    tree = shell.window.pages.current
    assert tree.bar.query.text() == f"#{token_id}"
    assert tree.splitter.sizes()[1] > 400
    shell.window.pages.show_page("inspect")
    choose(right_click(shell, qtbot, offset), qtbot, "Break when it is formed")
    model = shell.window.pages.current.model
    qtbot.waitUntil(lambda: model.debugger is not None and model.position > 0)
    trace = model.debugger.trace
    assert int(trace.columns.result[model.position]) == token_id
    assert [row.title for row in model.breakpoints.rows] == [f"token {token_id}"]


def test_the_variants_of_a_word_are_copied_with_their_ids_and_as_a_bias(shell, qtbot):
    offset = TEXT.index(b"other")
    menu = right_click(shell, qtbot, offset)
    entry = next(action for action in menu.actions() if action.text() == "Variants of “other”")
    entry.menu().aboutToShow.emit()
    rows = {action.text().split("\t")[0].strip("\u2068\u2069"): action for action in entry.menu().actions()}
    assert [*rows][:7] == ["other", "·other", "Other", "·Other", "OTHER", "·OTHER", "↵other"]
    ids = shell.session.tokenizer.encode(" other", False, False).token_ids.tolist()
    assert rows["·other"].text().split("\t")[1] == " ".join(map(str, ids))
    rows["·other"].trigger()
    assert QGuiApplication.clipboard().text() == " ".join(map(str, ids))
    next(action for text, action in rows.items() if "OpenAI" in text).trigger()
    assert QGuiApplication.clipboard().text().startswith('"logit_bias": {"')
    menu.close()


@pytest.mark.parametrize(
    "offset", [TEXT.index(b"&"), TEXT.index(b"\xe2"), TEXT.index(b"\xff"), TEXT.index(b"\n")]
)
def test_odd_tokens_have_a_menu_too(shell, qtbot, offset):
    menu = right_click(shell, qtbot, offset)
    assert "Copy id" in menu.actions()[2].text()
    menu.close()


def test_where_there_is_no_token_the_menu_is_that_of_an_editor(shell, qtbot):
    editor = shell.window.inspect_page.editor
    target, place = editor.viewport(), QPoint(600, 300)
    QApplication.sendEvent(
        target, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, place, target.mapToGlobal(place))
    )
    menu = QApplication.activePopupWidget()
    assert [action.text() for action in menu.actions()] == [action.text() for action in editor.actions()]
    menu.close()


def test_the_tooltip_describes_the_token(shell, qtbot):
    editor = shell.window.inspect_page.editor
    token_id, span = token_at(shell, TEXT.index(b" word"))
    lines = editor.tip(QPointF(place_of_byte(editor, span[0] + 1))).splitlines()
    assert lines[0] == "·word"
    assert lines[1].startswith(f"id {token_id}")
    assert lines[1].endswith("normal")
    assert lines[2:] == [
        TEXT[slice(*span)].hex(" ").upper(),
        f"{shell.session.tokens.count(token_id)} times in this text",
    ]
    assert editor.tip(QPointF(QPoint(600, 300))) == ""


def test_columns_of_several_models_and_the_tree_have_the_menu_and_the_hover_too(shell, qtbot):
    shell.compared.add(str(demo_model_path("spm")))
    qtbot.waitUntil(lambda: all(session.tokenizer for session in shell.compared.sessions))
    shell.window.actions_table["compare"].trigger()
    page = shell.window.pages.current
    qtbot.waitUntil(lambda: page.is_ready)
    for column, has_actions in zip(page.columns.columns, (True, False), strict=True):
        place = place_of_byte(column.editor, 5, COLUMN_SIDE_PX)
        session = column.column.session
        index = column.editor.token_at(QPointF(place))
        token_id = int(session.tokens.ids(index, index + 1)[0])
        titles = [action.text() for action in column.editor.findChild(TokenMenu).menu_at(place).actions()]
        assert f"Copy id {token_id}" in titles
        assert ("Show in tree" in titles) == has_actions
        assert f"id {token_id}" in column.editor.tip(QPointF(place))
    shell.window.actions_table["tree"].trigger()
    editor = shell.window.pages.current.editor
    qtbot.waitUntil(lambda: editor.is_painted)
    place = place_of_byte(editor, 5)
    titles = [action.text() for action in editor.findChild(TokenMenu).menu_at(place).actions()]
    assert "Break when it is formed" in titles


def test_a_menu_that_was_open_while_the_text_changed_asks_for_no_token_that_is_gone(shell, qtbot):
    menu = right_click(shell, qtbot, 45)
    shell.session.text.show(b"short")
    page = shell.window.pages.current_name
    choose(menu, qtbot, "Why this token")
    assert shell.session.selected_token is None or shell.session.selected_token < len(shell.session.tokens)
    assert shell.window.pages.current_name == page
