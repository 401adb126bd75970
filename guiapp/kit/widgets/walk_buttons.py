"""`‹ 10 of 44 › F8`: from one to the next of what was found, and back."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.kit.widgets.buttons import tool_button
from guiapp.kit.widgets.layouts import in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import UNIT_PX

PLACE_PX = 90  # with room for large numbers, so that buttons stay where they are


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
        self.say(f"{at} of {n_all:,}" if n_all else "none", n_all > 0)

    def say(self, place: str, can_walk: bool) -> None:
        """The same in words."""
        self.place.setText(place)
        self.setEnabled(can_walk)


def _keys(action: QAction) -> str:
    return action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
