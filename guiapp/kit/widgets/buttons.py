"""Buttons said in one piece: what stands on them, what they are called, and what a click does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QPushButton, QToolButton, QWidget

from guiapp.kit.widgets.style_sheet import set_role

NO_MODIFIER, KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier


def tool_button(
    text: str = "",
    clicked: Callable[[], object] | None = None,
    *,
    role: str = "quiet",
    tip: str = "",
    name: str = "",
) -> QToolButton:
    """A button in one of the looks of the style sheet.

    name  what a screen reader calls it, where that is not the text: the tip without the keys behind it
    """
    made = QToolButton()
    made.setText(text)
    made.setToolTip(tip)
    made.setAccessibleName(name or tip.partition(" (")[0])
    if clicked is not None:
        made.clicked.connect(clicked)
    return set_role(made, role)


def push_button(text: str, clicked: Callable[[], object], *, role: str = "", tip: str = "") -> QPushButton:
    """A button with a word on it."""
    made = QPushButton(text)
    made.setToolTip(tip)
    made.clicked.connect(clicked)
    return set_role(made, role) if role else made


def presses_button(event: QKeyEvent, window: QWidget) -> bool:
    """Whether Return alone came to a button, which it presses now: Qt does so in dialogs only.

    For a window's `keyPressEvent`, which what the widget with the focus takes itself never reaches.
    """
    focused, is_return = window.focusWidget(), event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
    is_return = is_return and event.modifiers() in (NO_MODIFIER, KEYPAD)
    if not (is_return and isinstance(focused, QAbstractButton)) or isinstance(focused, QCheckBox):
        return False
    if not event.isAutoRepeat():
        focused.click()
    return True
