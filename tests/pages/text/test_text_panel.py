"""Text and tokens in the real window: typed, selected, copied, undone."""

from main_window_driver import CTRL, Answers, load, press
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QApplication

from guiapp.kit.state.settings import Settings
from guiapp.pages.text.text_panel import LONGEST_TAKEN_BYTES
from guiapp.window.app import build


def test_typing_changes_tokens_and_counts(shell, qtbot):
    editor = shell.window.inspect_page.editor
    assert editor.hasFocus()
    shell.session.document.set_caret(13)
    qtbot.keyClicks(editor, " two")
    qtbot.waitUntil(lambda: "5 tokens" in shell.window.status_line.text)
    assert "17 characters" in shell.window.status_line.text
    assert "17 bytes" in shell.window.status_line.text


def test_selected_text_is_counted_in_the_status_line(shell):
    shell.session.document.select(0, 7)
    assert "selected: 7 characters · 2 tokens when encoded alone" in shell.window.status_line.text


def test_undo_and_redo_are_enabled_according_to_the_text(shell, qtbot):
    undo, redo = (shell.window.actions_table[name] for name in ("undo", "redo"))
    assert not undo.isEnabled()
    qtbot.keyClicks(shell.window.inspect_page.editor, "x")
    press(qtbot, shell, Qt.Key.Key_Z, CTRL)
    assert shell.session.document.text() == b"one two three"
    assert redo.isEnabled()
    redo.trigger()
    assert shell.session.document.text() == b"xone two three"


def test_an_undo_elsewhere_ends_what_an_input_method_composes(shell):
    editor, document = shell.window.inspect_page.editor, shell.session.document
    shell.window.top_bar.model_button.setFocus()
    document.set_caret(document.size)
    document.insert(b" four five six seven")
    QApplication.sendEvent(editor, QInputMethodEvent("かな", []))
    document.undo()
    assert document.text() == b"one two three"


def test_copy_acts_where_the_focus_is(shell, qtbot):
    shell.session.document.select(0, 3)
    press(qtbot, shell, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "one"
    shell.window.inspect_page.ids_panel.strip.setFocus()
    press(qtbot, shell, Qt.Key.Key_C, CTRL)
    assert QGuiApplication.clipboard().text() == "1"


def test_ids_of_selected_text_are_copied(shell):
    shell.session.document.select(4, 7)
    shell.window.actions_table["copy_ids"].trigger()
    ids = shell.session.tokens.ids(2, 3).tolist()
    assert QGuiApplication.clipboard().text() == str(ids[0])
    shell.session.document.select(0, 7)
    shell.window.actions_table["copy_ids"].trigger()
    assert QGuiApplication.clipboard().text().split() == list(map(str, shell.session.tokens.ids(1, 3)))


def test_pointing_at_an_id_marks_its_text(shell):
    shell.window.inspect_page.ids_panel.strip.select(2)
    assert shell.session.selected_token == 2
    assert shell.session.document.caret == 3


def test_counts_are_right_without_a_model(qapp, qtbot, tmp_path):
    shell = build(qapp, Settings(tmp_path / "settings.ini"), "zwölf".encode(), load, Answers())
    qtbot.addWidget(shell.window)
    shell.session.text.show(b"")
    assert shell.session.statistics.n_characters == 0
    shell.session.text.show("für".encode())
    assert (shell.session.statistics.n_characters, shell.session.statistics.n_bytes) == (3, 4)
    shell.stop()


def test_what_to_find_is_taken_from_a_short_selection(make_shell, qtbot):
    shell = make_shell(b"one \xff " + 100 * b"one")
    panel, document, keys = shell.window.inspect_page.text_panel, shell.session.document, Qt.Key
    search = panel.search

    def ask(start, end):
        document.select(start, end)
        press(qtbot, shell, keys.Key_F, CTRL)
        assert panel.find_bar.isVisible()
        assert panel.find_bar.field.hasFocus()
        return search.kind, search.query

    shell.session.select_token(None)
    panel.find_token()  # of none
    assert not search.is_open
    assert ask(2, 2) == ("text", "")
    assert ask(0, 3) == ("text", "one")
    assert panel.find_bar.field.selectedText() == "one"
    assert ask(4, 5) == ("bytes", "FF")
    assert ask(6, 6 + LONGEST_TAKEN_BYTES + 1) == ("bytes", "FF")
    assert ask(6, 6 + LONGEST_TAKEN_BYTES)[0] == "text"
    assert len(search.query) == LONGEST_TAKEN_BYTES


def test_keys_repeat_the_last_search_or_open_the_find_bar(make_shell, qtbot):
    shell = make_shell(b"one\n" * 200)
    page, document = shell.window.inspect_page, shell.session.document
    panel, editor = page.text_panel, page.editor
    document.set_caret(0)
    press(qtbot, shell, Qt.Key.Key_F3)
    assert (panel.search.is_open, panel.search.query) == (True, "")
    qtbot.keyClicks(panel.find_bar.field, "one")
    qtbot.waitUntil(lambda: document.selection == (0, 3))
    press(qtbot, shell, Qt.Key.Key_Escape)
    qtbot.waitUntil(editor.hasFocus)
    for by, selected in ((1, (4, 7)), (-1, (0, 3)), (-1, (796, 799))):
        panel.find_again(by)
        qtbot.waitUntil(lambda selected=selected: document.selection == selected)
        assert editor.rows.shows(selected[0])
        if by == 1:
            qtbot.keyClick(editor, Qt.Key.Key_Escape)
            assert not panel.find_bar.isVisible()
    panel.search.end()
    event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)
    panel.keyPressEvent(event)
    assert not event.isAccepted()
