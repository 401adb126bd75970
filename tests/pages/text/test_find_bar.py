"""Find in the text of the real window: with keys and clicks."""

import pytest
from main_window_driver import CTRL, SHIFT, press
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QToolButton

from guiapp.pages.text.text_panel import KINDS

TEXT = b"one two one,\ntwo One three"
Key = Qt.Key


@pytest.fixture
def shell(share_shell):
    made = share_shell(TEXT)
    made.window.inspect_page.editor.setFocus()
    made.session.document.set_caret(0)
    yield made
    search = made.window.inspect_page.text_panel.search
    search.set_kind("text")
    search.set_matches_case(False)
    search.set_query("")
    search.end()


@pytest.fixture
def panel(shell):
    return shell.window.inspect_page.text_panel


def find(qtbot, shell, panel, query):
    press(qtbot, shell, Key.Key_F, CTRL)
    qtbot.keyClicks(panel.find_bar.field, query)
    qtbot.waitUntil(lambda: not panel.search.is_searching)


def selection(shell):
    return shell.session.document.selection


def test_typing_selects_a_match_and_enter_selects_the_next(shell, qtbot, panel):
    find(qtbot, shell, panel, "one")
    bar = panel.find_bar
    assert bar.isVisible()
    assert bar.field.hasFocus()
    assert bar.count.text() == "1 of 3"
    press(qtbot, shell, Key.Key_Return)
    assert selection(shell) == (8, 11)
    press(qtbot, shell, Key.Key_F3)
    assert (selection(shell), bar.count.text()) == ((17, 20), "3 of 3")
    press(qtbot, shell, Key.Key_Return, SHIFT)
    press(qtbot, shell, Key.Key_F3, SHIFT)
    assert selection(shell) == (0, 3)
    qtbot.mouseClick(bar.previous, Qt.MouseButton.LeftButton)
    assert selection(shell) == (17, 20)
    qtbot.mouseClick(bar.next, Qt.MouseButton.LeftButton)
    assert selection(shell) == (0, 3)


def test_escape_closes_and_leaves_the_match_selected(shell, qtbot, panel):
    find(qtbot, shell, panel, "two")
    press(qtbot, shell, Key.Key_Escape)
    assert not panel.find_bar.isVisible()
    assert shell.window.inspect_page.editor.hasFocus()
    assert selection(shell) == (4, 7)
    assert shell.session.tokens.span(shell.session.selected_token) == (3, 7)
    press(qtbot, shell, Key.Key_F3)
    qtbot.waitUntil(lambda: selection(shell) == (13, 16))
    press(qtbot, shell, Key.Key_Escape)  # from the text as well
    assert not panel.find_bar.isVisible()


def test_what_is_selected_is_asked_for(shell, qtbot, panel):
    shell.session.document.select(8, 11)
    press(qtbot, shell, Key.Key_F, CTRL)
    qtbot.waitUntil(lambda: panel.find_bar.count.text() == "2 of 3")
    assert panel.find_bar.field.text() == "one"
    assert panel.find_bar.field.selectedText() == "one"


def test_the_selected_token_is_searched_by_its_id(shell, qtbot, panel):
    shell.session.document.set_caret(5)
    press(qtbot, shell, Key.Key_F3, CTRL)
    assert panel.find_bar.kind.text() == "Token"
    assert panel.find_bar.field.text() == "3"
    assert panel.find_bar.count.text() == "1 of 1"
    assert selection(shell) == (3, 7)
    qtbot.waitUntil(panel.find_bar.field.findChild(QToolButton).isVisible)  # the one that clears
    assert not panel.find_bar.case.isVisible()


def test_the_menu_chooses_what_to_find(shell, qtbot, panel):
    find(qtbot, shell, panel, "6F")
    assert panel.find_bar.count.text() == "not found"
    panel.find_bar.kind.setFocus()
    panel.find_bar.kind.menu().actions()[1].trigger()
    qtbot.waitUntil(lambda: panel.find_bar.count.text() == "1 of 4")
    assert panel.find_bar.field.hasFocus()  # for what is to be found now
    assert panel.find_bar.field.selectedText() == "6F"


def test_case_counts_from_one_start_to_the_next(qtbot, make_shell):
    shell = make_shell(TEXT)
    panel = shell.window.inspect_page.text_panel
    find(qtbot, shell, panel, "One")
    qtbot.mouseClick(panel.find_bar.case, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: panel.find_bar.count.text() == "1 of 1")
    other = make_shell(TEXT).window.inspect_page.text_panel
    assert (other.search.matches_case, other.find_bar.case.isChecked()) == (True, True)


def test_an_invalid_query_is_reported_next_to_the_field(shell, qtbot, panel):
    find(qtbot, shell, panel, "(")
    panel.search.set_kind("regex")
    qtbot.waitUntil(lambda: "is not valid" in panel.find_bar.field.accessibleDescription())
    assert panel.find_bar.count.text().startswith("⚠")
    assert "is not valid" in panel.find_bar.count.toolTip()
    assert not panel.find_bar.next.isEnabled()


def test_a_pattern_that_never_ends_is_left_with_escape(shell, qtbot, panel):
    shell.session.text.show(b"a" * 40 + b"!")
    press(qtbot, shell, Key.Key_F, CTRL)
    panel.search.set_kind("regex")
    qtbot.keyClicks(panel.find_bar.field, "(a+)+$")
    qtbot.waitUntil(lambda: panel.search.job.is_busy)
    assert panel.find_bar.count.text() == "searching …"
    press(qtbot, shell, Key.Key_Escape)
    assert not panel.find_bar.isVisible()
    assert not panel.search.is_searching
    panel.search.stop()  # the process has ended


def test_typing_in_the_text_keeps_the_marks_right(shell, qtbot, panel):
    find(qtbot, shell, panel, "one")
    editor = shell.window.inspect_page.editor
    editor.setFocus()
    shell.session.document.set_caret(0)
    qtbot.keyClicks(editor, "one ")
    qtbot.waitUntil(lambda: panel.find_bar.count.text() == "4 found")
    assert selection(shell) == (4, 4)


def test_on_other_pages_the_text_is_not_searched(shell, qtbot, panel):
    press(qtbot, shell, Key.Key_9, CTRL)
    press(qtbot, shell, Key.Key_F, CTRL)
    assert not panel.search.is_open


def test_a_far_match_comes_into_sight(shell, qtbot, panel):
    shell.session.text.show(b"one\n" * 500 + b"three\n" + b"one\n" * 500)
    find(qtbot, shell, panel, "three")
    editor = shell.window.inspect_page.editor
    assert editor.rows.shows(2000)
    assert QApplication.focusWidget() is panel.find_bar.field


def test_arrows_and_the_close_button_do_what_enter_and_escape_do(shell, qtbot, panel):
    find(qtbot, shell, panel, "one")
    bar, seen = panel.find_bar, []
    for key in (Key.Key_Down, Key.Key_Up, Key.Key_Enter):
        qtbot.keyClick(bar.field, key)
        seen.append(bar.count.text())
    assert seen == ["2 of 3", "1 of 3", "2 of 3"]
    qtbot.mouseClick(bar.close_button, Qt.MouseButton.LeftButton)
    assert (bar.isVisible(), panel.search.is_open) == (False, False)


def test_each_kind_has_its_placeholder_and_result_count(shell, qtbot, panel):
    find(qtbot, shell, panel, "zzz")
    bar = panel.find_bar
    actions = bar.kind.menu().actions()
    for number, (kind, row) in enumerate(KINDS.items()):
        actions[number].trigger()
        assert panel.search.kind == kind
        assert (bar.kind.text(), bar.field.placeholderText()) == row
        assert row[0] in bar.kind.accessibleName()
        assert [action.isChecked() for action in actions] == [other == kind for other in KINDS]
        assert bar.case.isVisible() == (kind in ("text", "regex"))
    actions[0].trigger()
    buttons = bar.previous, bar.next, bar.close_button, bar.case
    assert all(button.toolTip() and button.focusPolicy() is Qt.FocusPolicy.TabFocus for button in buttons)
    panel.search.set_query("zzz")
    qtbot.waitUntil(lambda: bar.count.text() == "not found")
    assert (bar.field.text(), bar.field.accessibleDescription()) == ("zzz", "not found")
    assert [button.isEnabled() for button in buttons] == [False, False, True, True]
    panel.search.set_query("")
    assert (bar.count.text(), bar.field.text()) == ("", "")
