"""Writes whole runs to files, in a process of its own, with progress and cancel."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from guiapp.core.system.processes import command_of
from guiapp.core.tokenizer import Tokenizer
from guiapp.core.trace.export import PARTIAL
from guiapp.core.trace.export_process import ExportRequest
from guiapp.core.trace.trace import Trace
from guiapp.core.training.export import all_steps
from guiapp.core.training.export_process import TrainingExportRequest
from guiapp.core.training.record import TrainingRecord
from guiapp.viewmodels.background import LatestJob, Progress
from guiapp.viewmodels.processes import LineProcess

COMMAND = command_of("guiapp.core.trace.export_process")
TRAINING_COMMAND = command_of("guiapp.core.training.export_process")


class StepExporter(QObject):
    """One file at a time.

    Signals:
        changed(): `is_busy`, `progress`, `saved` or `failure` is new.
    """

    changed = Signal()

    def __init__(
        self,
        command: tuple[str, ...] = COMMAND,
        training_command: tuple[str, ...] = TRAINING_COMMAND,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._command, self._training_command = command, training_command
        self._started: tuple[str, ...] = ()
        self._folder = tempfile.TemporaryDirectory(prefix="tokenloupe-")
        self._process: LineProcess | None = None
        self._request: ExportRequest | TrainingExportRequest | None = None
        self.progress = 0.0
        self.saved: Path | None = None
        self.failure = ""
        self._storing = LatestJob[Path](self)
        self._storing.done.connect(self._start)

    @property
    def is_busy(self) -> bool:
        return self._request is not None

    def save(self, tokenizer: Tokenizer, trace: Trace, path: Path, steps: range | None = None) -> None:
        """Begin to write a run, or some steps of it, instead of whatever is being written now."""
        vocabulary, trace_file = tokenizer.vocabulary, Path(self._folder.name) / "trace"
        written = range(len(trace)) if steps is None else steps
        request = ExportRequest(
            str(vocabulary.path),
            vocabulary.chosen_pre,
            str(trace_file),
            str(path.absolute()),
            written.start,
            written.stop,
        )
        self._begin(request, self._command, partial(_store, trace, trace_file))

    def save_training(self, record: TrainingRecord, path: Path, steps: range | None = None) -> None:
        """Begin to write a training as it is now, likewise."""
        record_file = Path(self._folder.name) / "training"
        written = all_steps(record) if steps is None else steps
        request = TrainingExportRequest(str(record_file), str(path.absolute()), written.start, written.stop)
        self._begin(request, self._training_command, partial(_store_lines, record.lines(), record_file))

    def _begin(
        self,
        request: ExportRequest | TrainingExportRequest,
        command: tuple[str, ...],
        store: Callable[[Progress], Path],
    ) -> None:
        self._end()
        self._request, self._started = request, command
        self.progress, self.saved, self.failure = 0.0, None, ""
        self._storing.start(store)
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

    def _start(self) -> None:
        assert self._request is not None
        self._process = LineProcess(self._started, self)
        self._process.told.connect(self._take)
        self._process.ended.connect(self._note_end)
        self._process.start()
        self._process.say(self._request.line())

    def _take(self, lines: list[bytes]) -> None:
        for line in lines:
            message = json.loads(line)
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
        process, self._process = self._process, None
        if process is not None:
            process.end()
            process.deleteLater()
        request, self._request = self._request, None
        if request is not None:
            Path(request.output + PARTIAL).unlink(missing_ok=True)


def _store(trace: Trace, path: Path, progress: Progress) -> Path:
    trace.save(path)
    return path


def _store_lines(lines: list[bytes], path: Path, progress: Progress) -> Path:
    path.write_bytes(b"\n".join(lines))
    return path
