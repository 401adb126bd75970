"""Buttons with an arrow: which keys open their lists, and where those begin."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QToolButton

from guiapp.kit.session.loader import ModelLoader
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.window.help import KEY_HINTS
from guiapp.window.model_picker import ModelButton

KEYS = [key for _, keys in KEY_HINTS["On a button with an arrow"] for key in keys]


@pytest.fixture
def button(qtbot, theme_source):
    button = MenuButton(theme_source)
    qtbot.addWidget(button)
    button.list_choices({"Text": "text", "Bytes": "bytes", "Regex": "regex"})
    button.check("bytes")
    button.show()
    button.setFocus()
    return button


def press(qtbot, widget: QToolButton, keys: str) -> None:
    pressed = QKeySequence(keys)[0]
    qtbot.keyClick(widget, pressed.key(), pressed.keyboardModifiers())


@pytest.mark.parametrize("keys", KEYS)
def test_a_key_opens_the_list_at_what_is_chosen(qtbot, button, keys):
    pointed_at = []

    def inspect_menu() -> None:
        menu = QApplication.activePopupWidget()
        if menu is not None:
            pointed_at.append(menu.activeAction().text())
            menu.close()

    QTimer.singleShot(50, inspect_menu)
    press(qtbot, button, keys)
    qtbot.waitUntil(lambda: pointed_at == ["Bytes"])


@pytest.mark.parametrize("keys", KEYS)
def test_a_key_clicks_a_button_that_has_no_menu(qtbot, theme_source, keys):
    button = MenuButton(theme_source)
    qtbot.addWidget(button)
    with qtbot.waitSignal(button.clicked):
        press(qtbot, button, keys)


def test_a_key_chooses_from_the_list(qtbot, button):
    chosen = []
    button.menu().triggered.connect(lambda action: chosen.append(action.data()))

    def choose() -> None:
        press(qtbot, button.menu(), "Down")
        press(qtbot, button.menu(), "Return")

    QTimer.singleShot(50, choose)
    press(qtbot, button, "Down")
    qtbot.waitUntil(lambda: chosen == ["regex"])


@pytest.mark.parametrize("keys", KEYS)
def test_a_key_opens_the_list_of_models(qtbot, theme_source, keys):
    button = ModelButton(ModelLoader(), theme_source)
    qtbot.addWidget(button)
    with qtbot.waitSignal(button.clicked):
        press(qtbot, button, keys)


def test_a_list_that_is_open_can_become_another_one(qtbot, button):
    menu = button.menu()
    chosen = []
    menu.triggered.connect(lambda action: chosen.append(action.data()))

    def fill_on_open() -> None:
        button.list_choices({"Text": "text", "Lines": "lines"})
        button.check("lines")
        menu.actions()[1].trigger()
        menu.close()

    QTimer.singleShot(50, fill_on_open)
    button.showMenu()
    assert button.menu() is menu
    assert [(action.text(), action.isChecked()) for action in menu.actions()] == [
        ("Text", False),
        ("Lines", True),
    ]
    assert chosen == ["lines"]
