"""The one thing under way that a person may wait for, of all that runs in the background."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.viewmodels.kernel_warm_up import KernelWarmUp
from guiapp.viewmodels.workspace import Workspace


class Activity(QObject):
    """Loading a model before reading a text, before encoding, before compiling.

    Signals:
        changed(): `title`, `progress` or `can_cancel` is new.
    """

    changed = Signal()

    def __init__(self, workspace: Workspace, warm_up: KernelWarmUp, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._warm_up = warm_up
        loader = workspace.loader
        for signal in (loader.loading_changed, loader.progress_changed):
            signal.connect(self.changed)
        for job in (workspace.text_job, workspace.spans.job):
            job.busy_changed.connect(self.changed)
            job.progress_changed.connect(self.changed)
        for signal in (warm_up.running_changed, warm_up.progress_changed):
            signal.connect(self.changed)

    @property
    def title(self) -> str | None:
        """What goes on, None for nothing."""
        workspace = self._workspace
        if self._opening_waits:
            return self._compiling("before opening")
        if workspace.loader.loading_name is not None:
            return f"Opening {Path(workspace.loader.loading_name).name}"
        if workspace.text_job.is_busy:
            return "Reading the text"
        if workspace.spans.job.is_busy and not self._waits_for_kernels:
            return "Encoding"
        if self._warm_up.is_running:
            return self._compiling("before encoding" if self._waits_for_kernels else "for speed")
        return None

    @property
    def progress(self) -> float:
        """The share done, 0 to 1; 0 also where that is not known."""
        workspace, warm_up = self._workspace, self._warm_up
        compiled = warm_up.done / warm_up.n_steps if warm_up.n_steps else 0.0
        if self._opening_waits:
            return compiled
        if workspace.loader.loading_name is not None:
            return workspace.loader.progress
        if workspace.text_job.is_busy:
            return workspace.text_job.progress
        if workspace.spans.job.is_busy and not self._waits_for_kernels:
            return workspace.spans.job.progress
        return compiled

    def _compiling(self, purpose: str) -> str:
        return f"Compiling {purpose}, {self._warm_up.done} of {self._warm_up.n_steps or '…'}"

    @property
    def _opening_waits(self) -> bool:
        """Whether a large model is read only once kernels are compiled: that takes less time in all."""
        is_loading = self._workspace.loader.loading_name is not None
        return is_loading and self._warm_up.is_running and self._warm_up.is_awaited

    @property
    def _waits_for_kernels(self) -> bool:
        spans = self._workspace.spans
        return spans.job.is_busy and spans.needs_kernels and self._warm_up.is_running

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
