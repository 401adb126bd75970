"""The models on this machine, looked for in the background, first their names, then what kind each is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.core.formats.file_bytes import FileState, file_state
from guiapp.core.formats.table import Glance, glances_apart
from guiapp.core.sources import cached
from guiapp.core.sources.installed import Installed, installed_models, own_folders
from guiapp.kit.state.background import LatestJob, Progress, Working

AT_ONCE = 200  # files that are looked at before people are told


class InstalledRow(NamedTuple):
    """glance  None until somebody had a look at the file"""

    model: Installed
    glance: Glance | None = None


class InstalledModels(Working):
    """What was found when somebody last looked.

    rows        one for each model
    downloaded_bytes  of what was fetched from the web

    Signals:
        changed(): the rows or `downloaded_bytes` are new.
        looking_changed(): `is_looking` is new.
    """

    changed = Signal()
    looking_changed = Signal()
    _found = Signal(object, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[InstalledRow, ...] = ()
        self.downloaded_bytes = 0
        self._seen: dict[FileState | None, Glance] = {}
        self._job = LatestJob[None](self)
        self._job.busy_changed.connect(self.looking_changed)
        self._found.connect(self._take)

    @property
    def is_looking(self) -> bool:
        return self._job.is_busy

    def scan(self) -> None:
        """Find out what is there now."""
        self._job.start(self._scan)

    def delete_downloads(self) -> None:
        """Forget what was fetched from the web; what cannot be deleted stays, and is counted."""
        self._job.start(self._delete_downloads)

    def _scan(self, progress: Progress) -> None:
        models = {model: file_state(model.path) for model in installed_models(own_folders())}
        downloaded_bytes = cached.size_bytes()
        new = [(state, model.path) for model, state in models.items() if state not in self._seen]
        for first in range(0, len(new), AT_ONCE):
            self._found.emit(self._rows_of(models), downloaded_bytes)
            states, paths = zip(*new[first : first + AT_ONCE], strict=True)
            self._seen |= zip(states, glances_apart(paths, progress), strict=True)
        self._found.emit(self._rows_of(models), downloaded_bytes)

    def _rows_of(self, models: Mapping[Installed, FileState | None]) -> tuple[InstalledRow, ...]:
        return tuple(InstalledRow(model, self._seen.get(state)) for model, state in models.items())

    def _delete_downloads(self, progress: Progress) -> None:
        with suppress(OSError):
            cached.clear()
        self._scan(progress)

    def _take(self, rows: tuple[InstalledRow, ...], downloaded_bytes: int) -> None:
        if (rows, downloaded_bytes) != (self.rows, self.downloaded_bytes):
            self.rows, self.downloaded_bytes = rows, downloaded_bytes
            self.changed.emit()
