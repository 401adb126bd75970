"""Writes whole runs to files, in a process of its own, with progress and cancel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox, QWidget

from guiapp.analysis.export.exported_run import ExportedRun
from guiapp.analysis.export.runs import write_apart
from guiapp.core.text.numbers_in_words import counted
from guiapp.kit.state.saving import FileSaving
from guiapp.kit.widgets.menu_button import SavingBar
from guiapp.kit.widgets.notices import ask_for_file, with_ending
from guiapp.kit.widgets.theme import ThemeSource

FORMATS = {
    ".html": "Page to step through in a browser, or to print (*.html)",
    ".json": "JSON (*.json)",
    ".svg": "Drawing (*.svg)",
}


class ExportBar(SavingBar):
    """Shown while a file of steps is being written, and to say how that went.

    `run` is what is on the page.
    """

    def __init__(self, run: Callable[[], ExportedRun | None], theme_source: ThemeSource) -> None:
        self.saving = FileSaving()
        super().__init__(self.saving, theme_source)
        self.saving.setParent(self)
        self._run = run

    def copy_json(self) -> None:
        if (run := self._run()) is not None:
            QGuiApplication.clipboard().setText(run.step_json())

    def ask_and_save(self) -> None:
        run = self._run()
        if run is None or (path := ask_for_file(self, "Save run", "run.html", FORMATS)) is None:
            return
        choices = run.choices(path.suffix.lower())
        if (title := choose_steps(self, choices)) is not None:
            self.save(path, choices[title])

    def save(self, path: Path, steps: range | None = None) -> None:
        """Save all or some steps, as the ending of the file says."""
        if (run := self._run()) is not None:
            written = run.steps if steps is None else steps
            self.saving.write(partial(write_apart, run, with_ending(path, FORMATS), written))

    def stop(self) -> None:
        self.saving.close()


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
