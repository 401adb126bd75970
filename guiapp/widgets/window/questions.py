"""What the window asks people, in dialogs that wait for an answer."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from guiapp.widgets.shared.style_sheet import set_role

MODEL_FILTER = "Tokenizers (*.gguf *.tiktoken *.model *.json *.txt *.txt.gz);;All files (*)"
TEXT_FILTER = "All files (*)"


class Answer(Enum):
    SAVE = "save"
    DISCARD = "discard"
    CANCEL = "cancel"


class Questions:
    """Asks by the system's own dialogs."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def model_to_open(self) -> Path | None:
        return self._chosen(QFileDialog.getOpenFileName(self._window, "Open model file", "", MODEL_FILTER))

    def chosen_folder(self, title: str) -> Path | None:
        name = QFileDialog.getExistingDirectory(self._window, title)
        return Path(name) if name else None

    def text_to_open(self) -> Path | None:
        return self._chosen(QFileDialog.getOpenFileName(self._window, "Open text file", "", TEXT_FILTER))

    def where_to_save(self, suggested: Path | None) -> Path | None:
        start = str(suggested or "text.txt")
        return self._chosen(QFileDialog.getSaveFileName(self._window, "Save text", start, TEXT_FILTER))

    def save_before_closing(self, path: Path | None) -> Answer:
        """What to do with changes that are not in the file yet, or with a long text that has none."""
        button = QMessageBox.StandardButton
        changed = "The text is in no file." if path is None else f"The text of {path.name} has changed."
        box = QMessageBox(self._window)
        box.setWindowTitle("Save changes?")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(changed)
        box.setStandardButtons(button.Save | button.Discard | button.Cancel)
        box.setDefaultButton(button.Save)
        set_role(box.button(button.Save), "primary")
        pressed = button(box.exec())
        box.deleteLater()
        return {button.Save: Answer.SAVE, button.Discard: Answer.DISCARD}.get(pressed, Answer.CANCEL)

    def delete_kept_texts(self, n_texts: int) -> bool:
        """Whether to delete so many texts that are in no file."""
        button = QMessageBox.StandardButton
        box = QMessageBox(self._window)
        box.setWindowTitle("Delete kept texts?")
        which = "One kept text is" if n_texts == 1 else f"{n_texts} kept texts are"
        box.setText(f"{which} in no other file. There is no way back.")
        delete = box.addButton("Delete", QMessageBox.ButtonRole.DestructiveRole)
        box.addButton(button.Cancel)
        box.setDefaultButton(button.Cancel)
        box.exec()
        is_deleting = box.clickedButton() is delete
        box.deleteLater()
        return is_deleting

    @staticmethod
    def _chosen(result: tuple[str, str]) -> Path | None:
        return Path(result[0]) if result[0] else None
