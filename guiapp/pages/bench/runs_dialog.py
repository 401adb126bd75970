"""Kept runs in a list: opened, compared, and renamed in place."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QDialog, QLabel, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from guiapp.kit.state.row_table import AnyIndex
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import MARGIN_PX
from guiapp.pages.bench.run_list import RunList

SIZE = 560, 400
ROW_PX = 34
HOW = "Enter opens a run, F2 renames it."
SHOWN = "This run is shown. Choose another one to compare it with."
NO_RUNS = "No run is kept yet. What you measure is kept by itself."
Trigger = QListView.EditTrigger


class TallRow(QStyledItemDelegate):
    """A row in which a line to edit finds room."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_PX)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        editor.setGeometry(option.rect)


class RunsDialog(QDialog):
    """Shows the rows of a `RunList`.

    Signals:
        open_requested(Path): show this run.
        compare_requested(Path): tell what differs from this run.
    """

    open_requested = Signal(object)
    compare_requested = Signal(object)

    def __init__(self, runs: RunList, can_compare: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Kept runs")
        self._runs = runs
        self.list = QListView()
        self.list.setAccessibleName("Kept runs")
        self.list.setModel(runs)
        self.list.setItemDelegate(TallRow(self.list))
        self.list.setEditTriggers(Trigger.EditKeyPressed | Trigger.SelectedClicked)
        self.list.activated.connect(self._open)
        self.note = set_role(QLabel(wordWrap=True), "dim")
        runs.failed.connect(self.note.setText)
        self.open_button = push_button("Open", self._open, role="primary")
        self.compare_button = push_button("Compare", self._compare)
        self.rename_button = push_button("Rename", self._rename)
        self._can_compare = can_compare
        self._lay_out()
        runs.modelReset.connect(self._follow_rows)
        self.list.selectionModel().currentChanged.connect(self._follow_current)
        self._follow_rows()

    def _lay_out(self) -> None:
        buttons = self.rename_button, self.compare_button, self.open_button
        for button in buttons:
            button.setAutoDefault(False)  # Enter belongs to the list, and to the name that is edited
        in_column((self.list, 1), in_row((self.note, 1), *buttons), on=self, margins=MARGIN_PX)
        self.resize(*SIZE)

    def _follow_rows(self) -> None:
        has_runs = bool(self._runs.rowCount())
        for button in (self.open_button, self.rename_button):
            button.setEnabled(has_runs)
        self.list.setCurrentIndex(self._runs.index(0))
        self._follow_current()

    def _follow_current(self) -> None:
        """A run is not compared with itself."""
        current = self.list.currentIndex()
        is_shown = self._runs.is_shown(current)
        self.compare_button.setEnabled(current.isValid() and self._can_compare and not is_shown)
        told = SHOWN if is_shown and self._can_compare else HOW
        self.note.setText(told if current.isValid() else NO_RUNS)

    def _rename(self) -> None:
        self.list.setFocus()
        self.list.edit(self.list.currentIndex())

    def _open(self) -> None:
        if self.list.currentIndex().isValid():
            self.accept()
            self.open_requested.emit(self._runs.run_at(self.list.currentIndex()).path)

    def _compare(self) -> None:
        if self.list.currentIndex().isValid():
            self.accept()
            self.compare_requested.emit(self._runs.run_at(self.list.currentIndex()).path)
