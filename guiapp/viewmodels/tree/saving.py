"""Saves the tree as data or as a picture, off the GUI thread, with progress and cancel."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.tree.reports import AT_ONCE, Branch, dot_lines, json_lines
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.text.files import write_text

# What writes the lines of a branch, and how many there are for each token, about.
FORMATS: dict[str, tuple[Callable[[Branch], Iterator[str]], float]] = {
    "json": (json_lines, 1 / AT_ONCE),
    "dot": (dot_lines, 2),
}
AT_ONCE_S = 0.002  # of writing lines, which is Python's work, before the window may have its turn
PAUSE_S = 0.0002


class TreeSaving(QObject):
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
        self._job = LatestJob[Path](self)
        self._job.done.connect(self._take)
        self._job.failed.connect(self._fail)
        self._job.busy_changed.connect(self.changed)
        self._job.progress_changed.connect(self.changed)

    @property
    def is_busy(self) -> bool:
        return self._job.is_busy

    @property
    def progress(self) -> float:
        """The share done, 0 to 1."""
        return self._job.progress

    def save_branch(self, path: Path, branch: Branch, format_name: str) -> None:
        """Write a branch in one of FORMATS, instead of whatever is being written now."""
        self.save(path, partial(_data_of, branch, format_name))

    def save(self, path: Path, make: Callable[[Progress], bytes]) -> None:
        """Write what `make` returns in another thread, likewise; its TokenloupeErrors are the failure."""
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

    def close(self) -> None:
        """Stop all work; nothing is delivered any more."""
        self._job.wait()

    def _take(self, path: Path) -> None:
        self.saved = path
        self.changed.emit()

    def _fail(self, failure: str) -> None:
        self.failure = failure
        self.changed.emit()


def _data_of(branch: Branch, format_name: str, progress: Progress) -> bytes:
    lines_of, per_token = FORMATS[format_name]
    written: list[str] = []
    pause_at = 0.0
    for line in lines_of(branch):
        written.append(line)
        if time.perf_counter() > pause_at:
            progress(min(1.0, len(written) / (per_token * len(branch.tokens) + 1)))
            time.sleep(PAUSE_S)
            pause_at = time.perf_counter() + AT_ONCE_S
    return ("\n".join(written) + "\n").encode()


def _write(path: Path, make: Callable[[Progress], bytes], progress: Progress) -> Path:
    data = make(progress)
    progress(1.0)  # the last chance to give up
    write_text(path, data)
    return path
