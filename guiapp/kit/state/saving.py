"""Saves what takes a while to make, off the GUI thread, with progress and cancel."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.kit.document.files import write_text
from guiapp.kit.state.background import LatestJob, Progress, Working


class FileSaving(Working):
    """One file at a time.

    saved    the file that was written last, until that is dismissed
    failure  why it could not be

    Signals:
        changed(): `is_busy`, `progress`, `saved` or `failure` is new.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.saved: Path | None = None
        self.failure = ""
        self._job = LatestJob[Path](self, self._take, self._fail)
        self._job.busy_changed.connect(self.changed)
        self._job.progress_changed.connect(self.changed)

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    @property
    def progress(self) -> float:
        """The share done, 0 to 1."""
        return self._job.progress

    def save(self, path: Path, make: Callable[[Progress], bytes]) -> None:
        """Write what `make` returns in another thread instead of whatever is being written now.

        Its TokenloupeErrors are the failure.
        """
        self.saved, self.failure = None, ""
        self._job.start(partial(_write, path, make))
        self.changed.emit()

    def cancel(self) -> None:
        """Give up; a file that was there stays as it was."""
        self._job.cancel()

    def dismiss(self) -> None:
        """Forget how the last one went."""
        self.saved, self.failure = None, ""
        self.changed.emit()

    def _take(self, path: Path) -> None:
        self.saved = path
        self.changed.emit()

    def _fail(self, failure: str) -> None:
        self.failure = failure
        self.changed.emit()


def _write(path: Path, make: Callable[[Progress], bytes], progress: Progress) -> Path:
    data = make(progress)
    progress(1.0)  # the last chance to give up
    write_text(path, data)
    return path
