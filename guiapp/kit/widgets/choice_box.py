"""A drop-down list of values under their names."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QComboBox


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
