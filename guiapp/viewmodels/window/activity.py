"""The one thing under way that a person may wait for, of all that runs in the background."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.vocab.opening import stage_of
from guiapp.viewmodels.workspace import Workspace


class Activity(QObject):
    """Loading a model before reading a text, before encoding.

    Signals:
        changed(): `title`, `progress` or `can_cancel` is new.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        loader = workspace.loader
        for signal in (loader.loading_changed, loader.progress_changed):
            signal.connect(self.changed)
        for job in (workspace.text_job, workspace.spans.job):
            job.busy_changed.connect(self.changed)
            job.progress_changed.connect(self.changed)

    @property
    def title(self) -> str | None:
        """What goes on, None for nothing."""
        workspace = self._workspace
        if workspace.loader.loading_name is not None:
            stage = stage_of(workspace.loader.job.progress)
            return f"Opening {Path(workspace.loader.loading_name).name}: {stage}"
        if workspace.text_job.is_busy:
            return "Reading the text"
        return "Encoding" if workspace.spans.job.is_busy else None

    @property
    def progress(self) -> float:
        """The share done, 0 to 1; 0 also where that is not known."""
        workspace = self._workspace
        if workspace.loader.loading_name is not None:
            return workspace.loader.job.progress
        if workspace.text_job.is_busy:
            return workspace.text_job.progress
        return workspace.spans.job.progress

    @property
    def can_cancel(self) -> bool:
        workspace = self._workspace
        return workspace.loader.loading_name is not None or workspace.text_job.is_busy

    def cancel(self) -> None:
        """Stop it; what was there before stays."""
        if self._workspace.loader.loading_name is not None:
            self._workspace.loader.cancel()
        else:
            self._workspace.text_job.cancel()
