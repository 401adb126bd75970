"""A row of words of which one is chosen: which panel is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import MARGIN_PX, UNIT_PX


class Segments(QWidget):
    """Flat tabs.

    Signals:
        chosen(int): which word, from 0.
    """

    chosen = Signal(int)

    def __init__(self, words: tuple[str, ...]) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN_PX - UNIT_PX, 0, MARGIN_PX, 0)
        layout.setSpacing(UNIT_PX)
        for number, word in enumerate(words):
            button = QToolButton()
            button.setText(word)
            button.setCheckable(True)
            button.setChecked(number == 0)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            set_role(button, "tab")
            self._group.addButton(button, number)
            layout.addWidget(button)
        layout.addStretch()
        self._group.idToggled.connect(self._tell)

    def choose(self, index: int) -> None:
        self._group.button(index).setChecked(True)

    def _tell(self, index: int, is_checked: bool) -> None:
        if is_checked:
            self.chosen.emit(index)
