"""Kept runs as rows of a list in which they are renamed."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from guiapp.core.bench.plan import BenchError
from guiapp.viewmodels.bench.history import RunHistory, SavedRun

Index = QModelIndex | QPersistentModelIndex
NO_PARENT = QModelIndex()
ROLE = Qt.ItemDataRole


class RunList(QAbstractListModel):
    """The newest kept runs; what is edited is the name alone.

    Signals:
        failed(str): why a run has the name that it had.
    """

    failed = Signal(str)

    def __init__(self, history: RunHistory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._runs = history.runs()

    def run_at(self, index: Index) -> SavedRun:
        return self._runs[index.row()]

    def rowCount(self, parent: Index = NO_PARENT) -> int:
        return 0 if parent.isValid() else len(self._runs)

    def data(self, index: Index, role: int = ROLE.DisplayRole) -> Any:
        run = self.run_at(index)
        if role == ROLE.EditRole:
            return run.name
        return {ROLE.DisplayRole: run.title, ROLE.ToolTipRole: str(run.path)}.get(ROLE(role))

    def flags(self, index: Index) -> Qt.ItemFlag:
        return super().flags(index) | Qt.ItemFlag.ItemIsEditable

    def setData(self, index: Index, value: Any, role: int = ROLE.EditRole) -> bool:
        if role != ROLE.EditRole or str(value) == self.run_at(index).name:
            return False
        try:
            self._runs[index.row()] = self._history.rename(self.run_at(index), str(value))
        except BenchError as error:
            self.failed.emit(str(error))
            return False
        self.dataChanged.emit(index, index)
        return True
