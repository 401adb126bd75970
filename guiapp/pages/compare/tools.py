"""At the right of the row of tabs: which difference is looked at, and one more model."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from guiapp.kit.models.compared_models import ComparedModels
from guiapp.kit.widgets.buttons import push_button, tool_button
from guiapp.kit.widgets.layouts import STRETCH, in_row
from guiapp.kit.widgets.theme import UNIT_PX
from guiapp.kit.widgets.walk_buttons import WalkButtons
from guiapp.pages.compare.difference_walk import DifferenceWalk


class CompareTools(QWidget):
    """`‹ 10 of 44 › F8   + Add model`.

    Signals:
        model_wanted(QWidget): one more model is to be chosen, under this widget.
    """

    model_wanted = Signal(object)

    def __init__(self, compared: ComparedModels, walk: DifferenceWalk, back: QAction, on: QAction) -> None:
        super().__init__()
        self._compared = compared
        self._walk = walk
        self.walking = WalkButtons(back, on, "Difference")
        self.details_button = tool_button("Details", tip="Show the difference that is looked at, and why")
        self.details_button.setCheckable(True)
        self.add_button = push_button("+ Add model", self._ask, role="raised")
        parts = STRETCH, self.walking, 2 * UNIT_PX, self.details_button, self.add_button
        in_row(*parts, on=self, spacing=UNIT_PX)
        walk.changed.connect(self._follow)
        compared.sessions_changed.connect(self._follow)
        self._follow()

    def _ask(self) -> None:
        self.model_wanted.emit(self.add_button)

    def _follow(self) -> None:
        self.walking.show_place(self._walk.current, self._walk.n_all)
        self.walking.setVisible(len(self._compared.sessions) > 1)
        self.add_button.setEnabled(self._compared.can_add)
