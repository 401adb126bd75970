"""The list of keyboard shortcuts: complete, filtered, copied."""

import pytest
from main_window_driver import CTRL, press
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from guiapp.kit.widgets.choice_list import caps
from guiapp.kit.widgets.controls import Popover, push_button
from guiapp.kit.widgets.layouts import in_row
from guiapp.window.help import KEY_HINTS, ShortcutsDialog

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(share_shell):
    return share_shell()


@pytest.fixture
def dialog(shell, qtbot):
    shell.window.actions_table["shortcuts"].trigger()
    opened = shell.window.findChild(ShortcutsDialog)
    qtbot.waitExposed(opened)
    return opened


def shown(dialog):
    model = dialog.choices.rows.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def test_it_opens_by_its_other_key_too(shell, qtbot):
    press(qtbot, shell, Qt.Key.Key_Question, CTRL)
    shell.window.actions_table["shortcuts"].trigger()
    (dialog,) = shell.window.findChildren(ShortcutsDialog)
    assert dialog.isVisible()


def test_every_action_with_keys_is_listed(shell, dialog):
    of_widgets = [what for hints in KEY_HINTS.values() for what, _ in hints]
    with_keys = [action.text() for _, action in shell.window.actions_table if action.shortcuts()]
    assert set(with_keys + of_widgets) <= set(shown(dialog))
    without = {action.text() for _, action in shell.window.actions_table if not action.shortcuts()}
    assert not without & set(shown(dialog))


def test_what_is_typed_filters_by_names_places_and_keys(dialog, qtbot):
    qtbot.keyClicks(dialog.choices.filter, "find f3")
    assert shown(dialog) == ["EDIT", "Find next", "Find previous", "Find the selected token"]
    dialog.choices.filter.setText("ctrl+shift+o")
    assert shown(dialog) == ["FILE", "Open text file…"]
    dialog.choices.filter.setText("timeline")
    assert shown(dialog) == ["ON THE TIMELINE", "Step back or forward", "First or last step"]
    dialog.choices.filter.setText("zzqx")
    assert shown(dialog) == ["No shortcut matches"]
    QGuiApplication.clipboard().setText("before")
    qtbot.keyClick(dialog.choices.filter, Qt.Key.Key_Return)
    assert (dialog.isVisible(), QGuiApplication.clipboard().text()) == (True, "before")


def test_a_key_that_was_changed_is_listed_as_it_is(shell, qtbot):
    shell.window.actions_table["quit"].setShortcut("Ctrl+K")
    shell.window.actions_table["shortcuts"].trigger()
    dialog = shell.window.findChild(ShortcutsDialog)
    dialog.choices.filter.setText("quit")
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "File\nQuit\tCtrl+K\n"


def test_copy_takes_what_shows(dialog, qtbot):
    dialog.choices.filter.setText("edit redo")
    qtbot.mouseClick(dialog.copy_button, Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text() == "Edit\nRedo\tCtrl+Shift+Z, Ctrl+Y\n"
    qtbot.keyClick(dialog.choices.filter, Qt.Key.Key_Escape)
    assert not dialog.isVisible()


def test_rows_have_accessible_names_with_their_keys(dialog):
    dialog.choices.filter.setText("find next")
    row = dialog.choices.rows.model().index(1, 0)
    assert row.data(Qt.ItemDataRole.AccessibleTextRole) == "Find next, Text, F3"


@pytest.mark.parametrize(
    ("keys", "labels"),
    [
        ("Ctrl+Shift+Right", ["Ctrl", "Shift", "→"]),
        ("Ctrl++", ["Ctrl", "+"]),
        ("+", ["+"]),
        ("Ctrl+-", ["Ctrl", "-"]),
        ("Ctrl+?", ["Ctrl", "?"]),
    ],
)
def test_keys_are_split_into_caps(qapp, keys, labels):
    assert caps(keys) == labels


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter])
def test_return_presses_the_button_that_has_the_focus(shell, qtbot, key):
    shell.window.rail.entries["Tree"].setFocus()
    press(qtbot, shell, key, CTRL)
    assert shell.window.pages.current_name == "inspect"
    press(qtbot, shell, key)
    assert shell.window.pages.current_name == "tree"
    shell.window.actions_table["inspect"].trigger()
    shell.window.inspect_page.editor.setFocus()
    press(qtbot, shell, key)
    assert shell.session.document.slice(0, 1) == b"\n"
    popover = Popover(shell.window)
    button = push_button("Close", popover.close)
    in_row(button, on=popover)
    popover.open_under(shell.window.top_bar)
    button.setFocus()
    qtbot.keyClick(button, key)
    assert not popover.isVisible()
