"""Writes whole runs to files, in a process of its own, with progress and cancel."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QMessageBox, QWidget

from guiapp.analysis.export.exported_run import ALL, ExportedRun, partial_of
from guiapp.analysis.export.runs import ExportRequest
from guiapp.core.processes import command_of
from guiapp.core.text.numbers_in_words import counted
from guiapp.errors import TokenloupeError
from guiapp.kit.state.background import LatestJob, LineProcess, Progress
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.notices import ask_for_file, copy_text, with_ending
from guiapp.kit.widgets.theme import ThemeSource

FORMATS = {
    ".html": "Page to step through in a browser, or to print (*.html)",
    ".json": "JSON (*.json)",
    ".svg": "Drawing (*.svg)",
}
LARGE_BYTES = 20_000_000  # a file of which one is told before
COMMAND = command_of("guiapp.analysis.export.runs")


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
        files = str(run_file), str(path.absolute())
        self._request = ExportRequest(*files, written.start, written.stop, *run.model, run.spelling.value)
        self.progress, self.saved, self.failure = 0.0, None, ""
        self._storing.start(partial(_store, run, run_file))
        self.changed.emit()

    def cancel(self) -> None:
        self._end()
        self.changed.emit()

    def dismiss(self) -> None:
        self.saved, self.failure = None, ""
        self.changed.emit()

    def stop(self) -> None:
        self._storing.wait()
        self._end()
        self._folder.cleanup()

    def _start(self, _: None) -> None:
        assert self._request is not None
        self._process.start()
        self._process.send(self._request.line())

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


class ExportBar(SavingBar):
    """Shown while a file of steps is being written, and to say how that went.

    `run` is what is on the page.
    """

    def __init__(self, run: Callable[[], ExportedRun | None], theme_source: ThemeSource) -> None:
        self.exporter = StepExporter()
        super().__init__(self.exporter, theme_source)
        self.exporter.setParent(self)
        self._run = run

    def copy_json(self) -> None:
        if (run := self._run()) is not None:
            copy_text(self, run.step_json(), "the step as JSON")

    def ask_and_save(self) -> None:
        run = self._run()
        if run is None or (path := ask_for_file(self, "Save run", "run.html", FORMATS)) is None:
            return
        choices = run.choices(path.suffix.lower())
        title = choose_steps(self, choices)
        if title is not None and (title != ALL or self._wants(path)):
            self.save(path, choices[title])

    def save(self, path: Path, steps: range | None = None) -> None:
        """Save all or some steps, as the ending of the file says."""
        if (run := self._run()) is not None:
            self.exporter.save(run, with_ending(path, FORMATS), steps)

    def size_warning(self, path: Path) -> str:
        """What to ask before a large file is written, or ""."""
        run = self._run()
        size = 0 if run is None else run.estimated_bytes(path.suffix.lower())
        if run is None or size < LARGE_BYTES:
            return ""
        n_steps, size_mb = len(run.steps), size / 1e6
        return f"The run has {n_steps:,} steps: {path.name} will have about {size_mb:,.0f} MB. Save it?"

    def stop(self) -> None:
        self.exporter.stop()

    def _wants(self, path: Path) -> bool:
        warning, yes = self.size_warning(path), QMessageBox.StandardButton.Yes
        return not warning or QMessageBox.question(self, "Save run", warning) is yes


def choose_steps(parent: QWidget, choices: Mapping[str, range]) -> str | None:
    """Ask which part of the run to save; None for none."""
    box = QMessageBox(QMessageBox.Icon.Question, "Save run", "Which steps should be saved?", parent=parent)
    buttons = {
        box.addButton(f"{title}: {counted(len(steps), 'step')}", QMessageBox.ButtonRole.AcceptRole): title
        for title, steps in choices.items()
    }
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.exec()
    box.deleteLater()
    return next((title for button, title in buttons.items() if button is box.clickedButton()), None)
