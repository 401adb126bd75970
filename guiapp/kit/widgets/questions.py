"""What the window asks people, in dialogs that wait for an answer."""

from __future__ import annotations

from enum import Enum
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from guiapp.analysis.sessions.name import ENDING
from guiapp.kit.widgets.file_names import ask_for_file
from guiapp.kit.widgets.style_sheet import set_role

MODEL_FILTER = (
    "Tokenizers (*.gguf *.tiktoken *.model *.spm *.model.v* *.bin *.json *.txt *.txt.gz);;All files (*)"
)
TEXT_FILTER = "All files (*)"
SESSIONS = {ENDING: f"Sessions (*{ENDING})"}


def agrees(parent: QWidget, title: str, question: str, yes: str, *, destroys: bool = False) -> bool:
    """Whether people press the button `yes`, rather than Cancel, which Return means where that destroys."""
    role = QMessageBox.ButtonRole.DestructiveRole if destroys else QMessageBox.ButtonRole.AcceptRole
    box = QMessageBox(parent)
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    agree, cancel = box.addButton(yes, role), box.addButton(QMessageBox.StandardButton.Cancel)
    box.setDefaultButton(cancel if destroys else agree)
    if not destroys:
        set_role(agree, "primary")
    box.exec()
    is_agreed = box.clickedButton() is agree
    box.deleteLater()
    return is_agreed


def ask_to_fetch(parent: QWidget, message: str) -> bool:
    """The question before anything is asked of a server that a file names and nobody typed."""
    return agrees(parent, "Fetch the model?", f"{message}\n\nFetch its tokenizer from there?", "Fetch")


class SaveAnswer(Enum):
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

    def session_to_open(self) -> Path | None:
        return self._chosen(QFileDialog.getOpenFileName(self._window, "Open session", "", SESSIONS[ENDING]))

    def where_to_save_session(self, suggested: Path) -> Path | None:
        return ask_for_file(self._window, "Save session", str(suggested), SESSIONS)

    def may_fetch(self, message: str) -> bool:
        """Whether a model may be fetched that a file names, whoever wrote that."""
        return ask_to_fetch(self._window, message)

    def model_instead(self, message: str) -> Path | None:
        """The file to take for a model that is not there; None for none."""
        wants = agrees(self._window, "Where is the model?", message, "Choose the file…")
        return self.model_to_open() if wants else None

    def open_anyway(self, message: str) -> bool:
        """Whether to go on although a model is not what it was."""
        return agrees(self._window, "Another model file", message, "Open anyway")

    def save_before_closing(self, path: Path | None) -> SaveAnswer:
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
        return {button.Save: SaveAnswer.SAVE, button.Discard: SaveAnswer.DISCARD}.get(
            pressed, SaveAnswer.CANCEL
        )

    def delete_autosaved_texts(self, n_texts: int) -> bool:
        """Whether to delete so many texts that are in no file."""
        which = "One kept text is" if n_texts == 1 else f"{n_texts} kept texts are"
        message = f"{which} in no other file. There is no way back."
        return agrees(self._window, "Delete kept texts?", message, "Delete", destroys=True)

    @staticmethod
    def _chosen(result: tuple[str, str]) -> Path | None:
        return Path(result[0]) if result[0] else None
