"""A drop-down list of what a run has so far."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, QSize
from PySide6.QtWidgets import QComboBox


class Chooser(QComboBox):
    """Lists names as they come in; what is wanted is chosen as soon as it is there, until then the first.

    It is hidden where there is nothing to choose.
    """

    def __init__(self, title: str, wanted: str = "") -> None:
        super().__init__(sizeAdjustPolicy=QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.setAccessibleName(title)
        self.setToolTip(title)
        self._wanted = wanted
        self.textActivated.connect(self._want)

    def offer(self, names: Sequence[str]) -> None:
        """List these names, each once, in place of those that are there."""
        listed = list(dict.fromkeys(names))
        if listed != [self.itemText(index) for index in range(self.count())]:
            with QSignalBlocker(self):
                self.clear()
                self.addItems(listed)
                self.setCurrentIndex(max(self.findText(self._wanted), 0))
        self.setVisible(len(listed) > 1)

    def minimumSizeHint(self) -> QSize:
        """Qt keeps the one for the names before."""
        return self.sizeHint()

    def _want(self, name: str) -> None:
        self._wanted = name
