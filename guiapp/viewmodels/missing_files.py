"""Which of some files are not there, found out in the background: a disk may be asleep or far away."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import QObject, Signal

from guiapp.viewmodels.background import LatestJob, Progress


class MissingFiles(QObject):
    """The paths that were not there when somebody looked last.

    Signals:
        changed(): `paths` is new.
    """

    changed = Signal()
    _found = Signal(str, bool)

    def __init__(
        self,
        is_there: Callable[[str], bool] = os.path.isfile,  # Path's own raises where it must not search
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.paths: frozenset[str] = frozenset()
        self._is_there = is_there
        self._job = LatestJob[None](self)
        self._found.connect(self._note)

    def look_for(self, paths: Iterable[str]) -> None:
        self._job.start(partial(self._look, list(paths)))

    def stop(self) -> None:
        self._job.wait()

    def _look(self, paths: list[str], progress: Progress) -> None:
        for done, path in enumerate(paths):
            progress(done / len(paths))
            self._found.emit(path, self._is_there(path))

    def _note(self, path: str, is_there: bool) -> None:
        missing = self.paths - {path} if is_there else self.paths | {path}
        if missing != self.paths:
            self.paths = missing
            self.changed.emit()
