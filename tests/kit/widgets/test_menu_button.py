"""Buttons with an arrow: which keys open their lists, and where those begin."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QToolButton

from guiapp.kit.models.loader import ModelLoader
from guiapp.kit.widgets.menu_button import MenuButton
from guiapp.kit.widgets.theme import DARK, LIGHT, ThemeSource
from guiapp.window.help import KEY_HINTS
from guiapp.window.model_picker import ModelButton

KEYS = [key for _, keys in KEY_HINTS["On a button with an arrow"] for key in keys]


@pytest.fixture
def theme_source(qapp):
    return ThemeSource(qapp, "dark")


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

    def look() -> None:
        menu = QApplication.activePopupWidget()
        if menu is not None:
            pointed_at.append(menu.activeAction().text())
            menu.close()

    QTimer.singleShot(50, look)
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


def test_the_arrow_has_the_colour_of_the_theme_and_one_choice_is_checked(button, theme_source):
    for theme in (LIGHT, DARK):
        theme_source.choose(theme.name)
        image = button.icon().pixmap(16, 16).toImage()
        colors = {image.pixelColor(x, y).name() for x in range(16) for y in range(16)}
        assert theme.dim.name() in colors
    for choice in ("regex", "text"):
        button.check(choice)
        assert [action.data() for action in button.menu().actions() if action.isChecked()] == [choice]


@pytest.mark.parametrize("reading", [Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft])
def test_the_arrow_goes_behind_the_text_in_either_way_of_reading(qapp, qtbot, theme_source, reading):
    qapp.setLayoutDirection(reading)
    try:
        button = MenuButton(theme_source, "Export")
        qtbot.addWidget(button)
        button.resize(200, 32)
        image, theme = button.grab().toImage(), theme_source.theme
        assert button.new_menu().layoutDirection() is reading
    finally:
        qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
    inks = {"text": [], "dim": []}
    for x in range(8, 192):
        for y in range(8, 24):
            for name, found in inks.items():
                if image.pixelColor(x, y) == getattr(theme, name):
                    found.append(x)
    is_right = sum(inks["dim"]) / len(inks["dim"]) > sum(inks["text"]) / len(inks["text"])
    assert is_right is (reading is Qt.LayoutDirection.LeftToRight)


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
