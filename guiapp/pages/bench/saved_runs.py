"""Kept runs as the window has them: it never waits for their disk, which may be slow, full or far away."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt, Signal

from guiapp.analysis.bench.history import load_run, rename_run
from guiapp.analysis.bench.measurement import Record
from guiapp.kit.state.background import LatestJob
from guiapp.kit.widgets.tables import AnyIndex
from guiapp.pages.bench.history import FinishedRun, Journal, OpenedRun, RunComparison, RunHistory, SavedRun

NO_PARENT = QModelIndex()
ROLE = Qt.ItemDataRole
LONGEST_SAVING_S = 10.0  # that closing waits for; the journal of a run that is not saved by then stays


class SavedRuns(QObject):
    """Lists, keeps, opens, compares and renames runs, each in a thread.

    Signals:
        changed(): `runs` is new.
        opened(OpenedRun): what was asked for.
        newest_read(OpenedRun): the newest of those that were there at the start, where there is one.
        compared(Comparison): what was asked for.
        saved(Kept): what became of a run that is over.
        failed(str): why one cannot be opened, compared or renamed.
    """

    changed = Signal()
    opened = Signal(object)
    newest_read = Signal(object)
    compared = Signal(object)
    saved = Signal(object)
    failed = Signal(str)

    def __init__(self, history: RunHistory | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self.runs: list[SavedRun] = []  # the newest first
        self.shown: Path | None = None  # the file of the run that the page shows, if it has one
        self._journal: Journal | None = None  # of the run that goes on
        self._names: dict[Path, str] = {}  # still to be given
        self._listing = LatestJob[list[SavedRun]](self, self._take_list)
        self._reading = LatestJob[OpenedRun](self, self.opened, self.failed)
        self._finding = LatestJob[OpenedRun | None](self, self._on_newest_read)
        self._comparing = LatestJob[RunComparison](self, self.compared, self.failed)
        self._keeping = LatestJob[FinishedRun](self, self._on_saved)
        self._renaming = LatestJob[None](self, failed=self.failed)
        for ended in (self._renaming.done, self._renaming.failed):
            ended.connect(self.refresh)
        if history is not None:
            self._finding.start(lambda _: history.newest())

    @property
    def others(self) -> list[SavedRun]:
        """What the run that is shown can be compared with."""
        return [run for run in self.runs if run.path != self.shown]

    def refresh(self) -> None:
        """Look what is there: other windows keep runs too."""
        if (history := self._history) is not None:
            self._listing.start(lambda _: history.runs())

    def open(self, path: Path) -> None:
        """Read a run that is in a file."""
        self._reading.start(lambda _: OpenedRun(SavedRun.at(path), load_run(path)))

    def compare(self, path: Path, record: Record) -> None:
        """With a run that is in a file."""
        self._comparing.start(lambda _: RunComparison.of(SavedRun.at(path).title, load_run(path), record))

    def rename(self, run: SavedRun, name: str) -> None:
        """Call a run something else, or nothing."""
        self._names[run.path] = name
        self._renaming.start(lambda _: self._rename_all())

    def begin(self) -> None:
        """A run starts: what it measures is on the disk while it goes on."""
        self._journal = None if self._history is None else self._history.begin()

    def take_down(self, event: Mapping[str, Any]) -> None:
        """What the run tells."""
        if self._journal is not None:
            self._journal.add(event)

    @property
    def problem(self) -> str:
        """Why the run that goes on is not on the disk, "" if it is."""
        return "" if self._journal is None else self._journal.problem

    def keep(self, record: Record) -> None:
        """The run is over: put it beside the others, and compare it with the last one of its kind."""
        history, journal, self._journal = self._history, self._journal, None
        if history is None or journal is None:
            return
        if record["results"]:
            self._keeping.start(lambda _: history.keep(record, journal))
        else:
            journal.end(is_saved=True)  # nothing is in it

    def close(self) -> None:
        if self._journal is not None:  # the process ended without a word
            self._journal.end(is_saved=False)
        self._keeping.finish(LONGEST_SAVING_S)
        self._renaming.finish(LONGEST_SAVING_S)
        for job in (self._listing, self._finding, self._reading, self._comparing):
            job.wait()

    def _rename_all(self) -> None:
        """Also those that a job before this one had no time for."""
        while self._names:
            rename_run(*self._names.popitem())

    def _take_list(self, runs: list[SavedRun]) -> None:
        if runs != self.runs:
            self.runs = runs
            self.changed.emit()

    def _on_newest_read(self, opened: OpenedRun | None) -> None:
        if opened is not None:
            self.newest_read.emit(opened)
        self.refresh()

    def _on_saved(self, saved: FinishedRun) -> None:
        self.saved.emit(saved)
        self.refresh()


class RunList(QAbstractListModel):
    """The newest kept runs; what is edited is the name alone, which changes when it is in the file.

    Signals:
        failed(str): why a run has the name that it had.
    """

    failed = Signal(str)

    def __init__(self, saved: SavedRuns, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._saved = saved
        self._runs = saved.runs
        saved.changed.connect(self._refresh)
        saved.failed.connect(self.failed)
        saved.refresh()

    def run_at(self, index: AnyIndex) -> SavedRun:
        return self._runs[index.row()]

    def is_shown(self, index: AnyIndex) -> bool:
        """Whether it is the run on the page."""
        return index.isValid() and self.run_at(index).path == self._saved.shown

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
        self._saved.rename(self.run_at(index), str(value))
        return True

    def _refresh(self) -> None:
        """Rows of the same files stay selected."""
        runs, self._runs = self._runs, self._saved.runs
        if [run.path for run in runs] == [run.path for run in self._runs]:
            self.dataChanged.emit(self.index(0), self.index(len(runs) - 1))
        else:
            self.beginResetModel()
            self.endResetModel()
