"""A row of words of which one is chosen: which panel is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from guiapp.kit.widgets.layouts import STRETCH, in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import MARGIN_PX, UNIT_PX


class Segments(QWidget):
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
        self._group.idToggled.connect(self._tell)

    def choose(self, index: int) -> None:
        self._group.button(index).setChecked(True)

    def _tell(self, index: int, is_checked: bool) -> None:
        if is_checked:
            self.chosen.emit(index)
