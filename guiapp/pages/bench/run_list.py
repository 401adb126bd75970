"""Kept runs as rows of a list in which they are renamed."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt, Signal

from guiapp.kit.state.row_table import AnyIndex
from guiapp.pages.bench.history import SavedRun
from guiapp.pages.bench.kept_runs import KeptRuns

NO_PARENT = QModelIndex()
ROLE = Qt.ItemDataRole


class RunList(QAbstractListModel):
    """The newest kept runs; what is edited is the name alone, which changes when it is in the file.

    Signals:
        failed(str): why a run has the name that it had.
    """

    failed = Signal(str)

    def __init__(self, kept: KeptRuns, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._kept = kept
        self._runs = kept.runs
        kept.changed.connect(self._follow)
        kept.failed.connect(self.failed)
        kept.refresh()

    def run_at(self, index: AnyIndex) -> SavedRun:
        return self._runs[index.row()]

    def is_shown(self, index: AnyIndex) -> bool:
        """Whether it is the run on the page."""
        return index.isValid() and self.run_at(index).path == self._kept.shown

    def rowCount(self, parent: AnyIndex = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._runs)

    def data(self, index: AnyIndex, role: int = ROLE.DisplayRole) -> Any:
        run = self.run_at(index)
        if role == ROLE.EditRole:
            return run.name
        return {ROLE.DisplayRole: run.title, ROLE.ToolTipRole: str(run.path)}.get(ROLE(role))

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: AnyIndex, value: Any, role: int = ROLE.EditRole) -> bool:
        if role != ROLE.EditRole or str(value) == self.run_at(index).name:
            return False
        self._kept.rename(self.run_at(index), str(value))
        return True

    def _follow(self) -> None:
        """Rows of the same files stay selected."""
        runs, self._runs = self._runs, self._kept.runs
        if [run.path for run in runs] == [run.path for run in self._runs]:
            self.dataChanged.emit(self.index(0), self.index(len(runs) - 1))
        else:
            self.beginResetModel()
            self.endResetModel()
