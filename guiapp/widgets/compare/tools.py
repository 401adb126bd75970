"""At the right of the row of tabs: which difference is looked at, and one more model."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QLabel, QWidget

from guiapp.viewmodels.compare.compared_models import ComparedModels
from guiapp.viewmodels.compare.difference_walk import DifferenceWalk
from guiapp.widgets.shared.buttons import push_button, tool_button
from guiapp.widgets.shared.layouts import STRETCH, in_row
from guiapp.widgets.shared.style_sheet import set_role
from guiapp.widgets.shared.theme import UNIT_PX


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
        self.back_button = tool_button("‹", back.trigger, tip=_tip(back))
        self.on_button = tool_button("›", on.trigger, tip=_tip(on))
        self._place = set_role(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), "number")
        self._place.setAccessibleName("Difference")
        self._key = set_role(QLabel(on.shortcut().toString(QKeySequence.SequenceFormat.NativeText)), "dim")
        self.details_button = tool_button("Details", tip="Show the difference that is looked at, and why")
        self.details_button.setCheckable(True)
        self.add_button = push_button("+ Add model", self._ask, role="raised")
        walk_parts = self.back_button, self._place, self.on_button, self._key
        parts = STRETCH, *walk_parts, 2 * UNIT_PX, self.details_button, self.add_button
        in_row(*parts, on=self, spacing=UNIT_PX)
        walk.changed.connect(self._follow)
        compared.sessions_changed.connect(self._follow)
        self._follow()

    def _ask(self) -> None:
        self.model_wanted.emit(self.add_button)

    def _follow(self) -> None:
        index, n_all = self._walk.current, self._walk.n_all
        at = "–" if index is None else f"{index + 1:,}"
        self._place.setText(f"{at} of {n_all:,}")
        longest = self._place.fontMetrics().horizontalAdvance(f"{n_all:,} of {n_all:,}")
        self._place.setMinimumWidth(longest)  # or the buttons beside it would move on the way
        is_comparing = len(self._compared.sessions) > 1
        for part in (self.back_button, self._place, self.on_button, self._key):
            part.setVisible(is_comparing)
        for button in (self.back_button, self.on_button):
            button.setEnabled(n_all > 0)
        self.add_button.setEnabled(self._compared.can_add)


def _tip(action: QAction) -> str:
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    return f"{action.text()} ({keys})"
