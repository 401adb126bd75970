"""Buttons said in one piece: what stands on them, what they are called, and what a click does."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QLabel,
    QPushButton,
    QToolButton,
    QWidget,
)

from guiapp.kit.widgets.layouts import STRETCH, in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import MARGIN_PX, UNIT_PX

PLACE_PX = 90  # with room for large numbers, so that buttons stay where they are
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


class ChoiceBox(QComboBox):
    """Each value is the data of its item; `name` is for screen readers."""

    def __init__(self, name: str, choices: Mapping[str, object], tip: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        for title, value in choices.items():
            self.addItem(title, value)

    def show_choice(self, value: object) -> None:
        """Show what is chosen, and tell nobody."""
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(value))


class SegmentedTabs(QWidget):
    """Flat tabs.

    Signals:
        chosen(int): which word, from 0.
    """

    chosen = Signal(int)

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        for number, word in enumerate(words):
            button = set_role(QToolButton(), "tab")
            button.setText(word)
            button.setCheckable(True)
            button.setChecked(number == 0)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._group.addButton(button, number)
        margins = MARGIN_PX - UNIT_PX, 0, MARGIN_PX, 0
        in_row(*self._group.buttons(), STRETCH, on=self, margins=margins, spacing=UNIT_PX)
        self._group.idToggled.connect(self._on_toggled)

    def choose(self, index: int) -> None:
        self._group.button(index).setChecked(True)

    def _on_toggled(self, index: int, is_checked: bool) -> None:
        if is_checked:
            self.chosen.emit(index)


class WalkButtons(QWidget):
    """Two buttons for two actions, with the place between them and the key behind."""

    def __init__(self, back: QAction, on: QAction, name: str) -> None:
        super().__init__()
        buttons = [
            tool_button(sign, action.trigger, tip=f"{action.text()} ({_keys(action)})")
            for sign, action in (("‹", back), ("›", on))
        ]
        self.place = set_role(QLabel(), "number")
        self.place.setMinimumWidth(PLACE_PX)
        self.place.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.place.setAccessibleName(name)
        key = set_role(QLabel(_keys(on)), "dim")
        in_row(buttons[0], self.place, buttons[1], key, on=self, spacing=UNIT_PX)

    def show_place(self, index: int | None, n_all: int) -> None:
        """Which one of how many is looked at, from 0; None for none yet."""
        at = "–" if index is None else f"{index + 1:,}"
        self.show_text(f"{at} of {n_all:,}" if n_all else "none", n_all > 0)

    def show_text(self, place: str, can_walk: bool) -> None:
        """The same in words."""
        self.place.setText(place)
        self.setEnabled(can_walk)


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
