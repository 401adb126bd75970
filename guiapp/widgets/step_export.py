"""Steps and runs for elsewhere: copied, or written to files in the background."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QPixmap
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QMessageBox,
    QProgressBar,
    QToolButton,
    QWidget,
)

from guiapp.core.trace.debugger import Debugger
from guiapp.core.trace.drawing import forming_steps
from guiapp.core.trace.export import WRITERS, estimated_bytes, step_json, step_markdown
from guiapp.viewmodels.step_exporter import StepExporter
from guiapp.viewmodels.steps_model import StepsModel
from guiapp.viewmodels.workspace import Workspace
from guiapp.widgets.style_sheet import set_role
from guiapp.widgets.theme import GAP_PX, MARGIN_PX, ThemeSource

SAVE_FILTER = "Markdown (*.md);;JSON (*.json);;Drawing (*.svg);;Picture of the page (*.png)"
LARGE_BYTES = 20_000_000  # a file of which one is told before
ALL = "All"
BAR_WIDTH_PX = 220


class ExportBar(QWidget):
    """Shown while a file is being written, and to say how that went; `picture` draws the page."""

    def __init__(
        self,
        model: StepsModel,
        workspace: Workspace,
        picture: Callable[[], QPixmap],
        theme_source: ThemeSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._workspace = workspace
        self._picture = picture
        self._theme_source = theme_source
        self.exporter = StepExporter(parent=self)
        self.message = QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        self.bar = QProgressBar(textVisible=False)
        self.bar.setRange(0, 1000)
        self.bar.setFixedWidth(BAR_WIDTH_PX)
        self.bar.setAccessibleName("Progress of saving")
        self.button = QToolButton()
        set_role(self.button, "raised")
        self.button.clicked.connect(self._cancel_or_dismiss)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN_PX, 0, MARGIN_PX, 0)
        row.setSpacing(GAP_PX)
        row.addWidget(self.message, 1)
        row.addWidget(self.bar)
        row.addWidget(self.button)
        self.exporter.changed.connect(self._follow)
        theme_source.changed.connect(self._follow)
        self._follow()

    def copy_markdown(self) -> None:
        """Put the present step into the clipboard."""
        self._copy(step_markdown)

    def copy_json(self) -> None:
        self._copy(step_json)

    def ask_and_save(self) -> None:
        """Ask for a place, which steps to save, and whether a large file is wanted."""
        chosen, _ = QFileDialog.getSaveFileName(self, "Save run", "run.md", SAVE_FILTER)
        if not chosen or self._model.debugger is None:
            return
        path = Path(chosen)
        if path.suffix.lower() == ".png":
            self.save(path)
            return
        choices = self.choices(path)
        title = choose_steps(self, choices)
        if title is not None and (title != ALL or self._wants(path)):
            self.save(path, choices[title])

    def choices(self, path: Path) -> dict[str, range]:
        """The parts of the run that can be saved; a drawing of a step is that of what was formed last."""
        debugger = self._model.debugger
        if debugger is None:
            return {}
        step = min(debugger.position, debugger.n_steps - 1)
        if path.suffix.lower() == ".svg":
            formed = forming_steps(debugger, range(step + 1))
            step = int(formed[-1]) if len(formed) else step
        piece = self.piece_steps()
        parts = {ALL: range(debugger.n_steps), "This piece": piece, "This step": range(step, step + 1)}
        return {title: steps for title, steps in parts.items() if len(steps)}

    def piece_steps(self) -> range:
        """The steps of the present piece; none outside of pieces."""
        debugger = self._model.debugger
        piece = -1 if debugger is None else debugger.trace.piece_at(debugger.position)
        if debugger is None or piece < 0:
            return range(0)
        pieces = debugger.trace.pieces
        return range(int(pieces.first_step[piece]), int(pieces.done_step[piece]) + 1)

    def save(self, path: Path, steps: range | None = None) -> None:
        """Save steps, or a picture of the page, as the ending of the file says; Markdown without one.

        All steps where none are named.
        """
        tokenizer, debugger = self._workspace.tokenizer, self._model.debugger
        if tokenizer is None or debugger is None:
            return
        ending = path.suffix.lower()
        if ending == ".png":
            if not self._picture().save(str(path)):
                QMessageBox.warning(self, "Save run", f"{path} cannot be written. Choose another place.")
            return
        named = path if ending in WRITERS else path.with_name(path.name + ".md")
        self.exporter.save(tokenizer, debugger.trace, named, steps)

    def size_warning(self, path: Path) -> str:
        """What to ask before a large file is written, or ""."""
        debugger = self._model.debugger
        size = 0 if debugger is None else estimated_bytes(debugger, path.suffix.lower())
        if size < LARGE_BYTES:
            return ""
        n_steps, size_mb = self._model.n_steps, size / 1e6
        return f"The run has {n_steps:,} steps: {path.name} will have about {size_mb:,.0f} MB. Save it?"

    def stop(self) -> None:
        self.exporter.stop()

    def _wants(self, path: Path) -> bool:
        warning = self.size_warning(path)
        return (
            not warning or QMessageBox.question(self, "Save run", warning) is QMessageBox.StandardButton.Yes
        )

    def _copy(self, write: Callable[[Debugger], str]) -> None:
        if self._model.debugger is not None:
            QGuiApplication.clipboard().setText(write(self._model.debugger))

    def _cancel_or_dismiss(self) -> None:
        if self.exporter.is_busy:
            self.exporter.cancel()
        else:
            self.exporter.dismiss()

    def _follow(self) -> None:
        exporter, theme = self.exporter, self._theme_source.theme
        self.setVisible(exporter.is_busy or exporter.saved is not None or bool(exporter.failure))
        self.bar.setVisible(exporter.is_busy)
        self.bar.setValue(round(exporter.progress * 1000))
        self.button.setText("Cancel" if exporter.is_busy else "Dismiss")
        told = f"Saved {exporter.saved}" if exporter.saved is not None else f"Saving: {exporter.progress:.0%}"
        self.message.setText(exporter.failure or told)
        color = theme.bad if exporter.failure else theme.text
        self.message.setStyleSheet(f"color: {color.name()}")


def choose_steps(parent: QWidget, choices: Mapping[str, range]) -> str | None:
    """Ask which part of the run to save; None for none."""
    box = QMessageBox(QMessageBox.Icon.Question, "Save run", "Which steps should be saved?", parent=parent)
    buttons = {
        box.addButton(f"{title}: {_count(len(steps))}", QMessageBox.ButtonRole.AcceptRole): title
        for title, steps in choices.items()
    }
    box.addButton(QMessageBox.StandardButton.Cancel)
    box.exec()
    box.deleteLater()
    return next((title for button, title in buttons.items() if button is box.clickedButton()), None)


def _count(n_steps: int) -> str:
    return "1 step" if n_steps == 1 else f"{n_steps:,} steps"
