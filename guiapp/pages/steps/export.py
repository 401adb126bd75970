"""Steps and runs for elsewhere: copied, or written to files in the background."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import QMessageBox, QWidget

from guiapp.analysis.export.exported_run import ALL, ExportedRun
from guiapp.core.text.figures import counted
from guiapp.errors import TokenloupeError
from guiapp.kit.widgets.file_names import ask_for_file, with_ending
from guiapp.kit.widgets.images import save_image
from guiapp.kit.widgets.saving_bar import SavingBar
from guiapp.kit.widgets.theme import ThemeSource
from guiapp.pages.steps.exporter import StepExporter

FORMATS = {
    ".html": "Page to step through in a browser, or to print (*.html)",
    ".json": "JSON (*.json)",
    ".svg": "Drawing (*.svg)",
    ".png": "Picture of the page (*.png)",
}
LARGE_BYTES = 20_000_000  # a file of which one is told before


class ExportBar(SavingBar):
    """Shown while a file of steps is being written, and to say how that went.

    `run` is what is on the page, and `picture` draws the page.
    """

    def __init__(
        self, run: Callable[[], ExportedRun | None], picture: Callable[[], QPixmap], theme_source: ThemeSource
    ) -> None:
        self.exporter = StepExporter()
        super().__init__(self.exporter, theme_source)
        self.exporter.setParent(self)
        self._run = run
        self._picture = picture

    def copy_json(self) -> None:
        """Put the present step into the clipboard."""
        if (run := self._run()) is not None:
            QGuiApplication.clipboard().setText(run.step_json())

    def ask_and_save(self) -> None:
        """Ask for a place, which steps to save, and whether a large file is wanted."""
        run = self._run()
        if run is None:
            return
        path = ask_for_file(self, "Save run", "run.html", FORMATS)
        if path is None:
            return
        if path.suffix.lower() == ".png":
            self.save(path)
            return
        choices = run.choices(path.suffix.lower())
        title = choose_steps(self, choices)
        if title is not None and (title != ALL or self._wants(path)):
            self.save(path, choices[title])

    def save(self, path: Path, steps: range | None = None) -> None:
        """Save all or some steps, or a picture of the page, as the ending of the file says."""
        run, path = self._run(), with_ending(path, FORMATS)
        if run is None:
            return
        if path.suffix.lower() == ".png":
            try:
                save_image(self._picture().toImage(), path)
            except TokenloupeError as error:
                QMessageBox.warning(self, "Save run", str(error))
            return
        self.exporter.save(run, path, steps)

    def size_warning(self, path: Path) -> str:
        """What to ask before a large file is written, or ""."""
        run = self._run()
        size = 0 if run is None else run.estimated_bytes(path.suffix.lower())
        if run is None or size < LARGE_BYTES:
            return ""
        size_mb = size / 1e6
        return (
            f"The run has {len(run.steps):,} steps: {path.name} will have about {size_mb:,.0f} MB. Save it?"
        )

    def stop(self) -> None:
        self.exporter.stop()

    def _wants(self, path: Path) -> bool:
        warning = self.size_warning(path)
        return (
            not warning or QMessageBox.question(self, "Save run", warning) is QMessageBox.StandardButton.Yes
        )


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
