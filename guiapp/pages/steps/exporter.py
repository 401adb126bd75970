"""Writes whole runs to files, in a process of its own, with progress and cancel."""

from __future__ import annotations

import json
import tempfile
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.export.exported_run import ExportedRun, partial_of
from guiapp.analysis.export.process import ExportRequest
from guiapp.core.system.processes import command_of
from guiapp.errors import TokenloupeError
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.state.processes import LineProcess

COMMAND = command_of("guiapp.analysis.export.process")


class StepExporter(QObject):
    """One file at a time.

    Signals:
        changed(): `is_busy`, `progress`, `saved` or `failure` is new.
    """

    changed = Signal()

    def __init__(self, command: tuple[str, ...] = COMMAND) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(prefix="tokenloupe-")
        self._process = LineProcess(command, self)
        self._process.told.connect(self._take)
        self._process.ended.connect(self._note_end)
        self._request: ExportRequest | None = None
        self.progress = 0.0
        self.saved: Path | None = None
        self.failure = ""
        self._storing = LatestJob[None](self, self._start, self._finish)

    @property
    def is_busy(self) -> bool:
        return self._request is not None

    def save(self, run: ExportedRun, path: Path, steps: range | None = None) -> None:
        """Begin to write a run as it is now, or some steps of it, instead of whatever is being written."""
        self._end()
        run_file, written = Path(self._folder.name) / "run", run.steps if steps is None else steps
        self._request = ExportRequest(
            str(run_file),
            str(path.absolute()),
            written.start,
            written.stop,
            *run.model,
            run.spelling.value,
        )
        self.progress, self.saved, self.failure = 0.0, None, ""
        self._storing.start(partial(_store, run, run_file))
        self.changed.emit()

    def cancel(self) -> None:
        """Give up; no file is left behind."""
        self._end()
        self.changed.emit()

    def dismiss(self) -> None:
        """Forget how the last one went."""
        self.saved, self.failure = None, ""
        self.changed.emit()

    def stop(self) -> None:
        """End all work in the background, and remove what it wrote."""
        self._storing.wait()
        self._end()
        self._folder.cleanup()

    def _start(self, _: None) -> None:
        assert self._request is not None
        self._process.start()
        self._process.say(self._request.line())

    def _take(self, lines: list[bytes]) -> None:
        for message in map(json.loads, lines):
            if "progress" in message:
                self.progress = float(message["progress"])
                self.changed.emit()
            else:
                self._finish(str(message["error"]))

    def _note_end(self, complaint: str) -> None:
        self._finish(f"Saving ended unexpectedly: {complaint}. Try again.")

    def _finish(self, failure: str) -> None:
        request, self._request = self._request, None
        self._end()
        self.failure = failure
        self.saved = Path(request.output) if request is not None and not failure else None
        self.changed.emit()

    def _end(self) -> None:
        """Stop the process, and remove the file that it could not finish."""
        self._storing.cancel()
        self._process.end()
        request, self._request = self._request, None
        if request is not None:
            partial_of(Path(request.output)).unlink(missing_ok=True)


def _store(run: ExportedRun, path: Path, _: Progress) -> None:
    """Keep a run for the process that writes it.  Raises TokenloupeError."""
    try:
        run.save(path)
    except OSError as error:
        raise TokenloupeError(f"{path} cannot be written: {error.strerror}.") from error
