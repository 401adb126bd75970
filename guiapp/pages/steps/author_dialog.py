"""For people who write lessons: a template that explains the format, and the check of what they wrote."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFileDialog, QLabel, QPlainTextEdit, QWidget

from guiapp.analysis.lessons.checking import check
from guiapp.analysis.lessons.lesson import ENDING
from guiapp.core.demo import resources_folder
from guiapp.core.system.replace_file import replace_file
from guiapp.core.text.figures import counted
from guiapp.core.vocabulary.quoting import printable
from guiapp.errors import not_written
from guiapp.kit.state.background import LatestJob, Progress
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.file_names import ask_for_file
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.style_sheet import heading, plain_label, set_role
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme

SIZE_PX = (860, 640)
MOST_FAULTS = 100  # told at once
INTRODUCTION = (
    "A lesson is a text file. Save the template below, change it in any editor, and open it here: it is read "
    "again each time it begins. The check runs every step with the real encoders, and compares what the "
    "lesson claims with what they do; answers to questions are computed."
)
LESSON_FILTER = f"Lessons (*{ENDING})"


class AuthorDialog(QDialog):
    """Stays open beside the lesson that is being written.

    `play` begins a lesson from a file.
    """

    def __init__(self, play: Callable[[Path], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Write a lesson of your own")
        self.resize(*SIZE_PX)
        self._play = play
        self._path: Path | None = None
        self.template = QPlainTextEdit(template().decode(), readOnly=True)
        self.template.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.template.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.template.setAccessibleName("Template of a lesson")
        self.found = QPlainTextEdit(readOnly=True)
        self.found.setAccessibleName("Result of the check")
        self.found.hide()
        self.told = plain_label(wraps=True)
        self.told.hide()
        self.save_button = push_button("Save template…", self.ask_and_save, role="primary")
        self.edit_button = push_button("Open in editor", self._edit)
        self.check_button = push_button("Check lesson file…", self.ask_and_check)
        self.play_button = push_button("Play", self._begin)
        self._checking = LatestJob[str](self, self._tell, self._tell)
        self._lay_out()
        self._follow()

    def ask_and_save(self) -> None:
        """Save the template as the beginning of a lesson."""
        if (path := ask_for_file(self, "Save template", "my lesson.toml", {ENDING: LESSON_FILTER})) is None:
            return
        try:
            replace_file(path, template())
        except OSError as error:
            self._tell(not_written(path, error))
            return
        self._take(path)
        self._tell(f"Saved as {path}. Change it, then check it: `tokenloupe lesson check` does the same.")

    def ask_and_check(self) -> None:
        """Check a lesson, the one at hand unless another is chosen."""
        name, _ = QFileDialog.getOpenFileName(self, "Check lesson", str(self._path or ""), LESSON_FILTER)
        if name:
            self.check(Path(name))

    def check(self, path: Path) -> None:
        """Run a lesson off the window's thread, and tell what is wrong with it."""
        self._take(path)
        self._tell(f"Checking {path.name} …")
        self._checking.start(partial(_checked, path))

    def stop(self) -> None:
        self._checking.wait()

    def _lay_out(self) -> None:
        words = set_role(QLabel(INTRODUCTION, wordWrap=True), "dim")
        close = push_button("Close", self.close)
        buttons = in_row(
            self.save_button, self.edit_button, self.check_button, self.play_button, STRETCH, close
        )
        parts = words, heading("The template says what can be in it"), (self.template, 3), self.told
        in_column(*parts, (self.found, 1), buttons, on=self, margins=MARGIN_PX, spacing=2 * UNIT_PX)

    def _take(self, path: Path) -> None:
        self._path = path
        self._follow()

    def _follow(self) -> None:
        for button in (self.edit_button, self.play_button):
            button.setEnabled(self._path is not None)

    def _tell(self, told: str) -> None:
        head, _, rest = printable(told).partition("\n")
        self.told.setText(head)
        self.told.show()
        self.found.setPlainText(rest)
        self.found.setVisible(bool(rest))

    def _edit(self) -> None:
        if self._path is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._path)))

    def _begin(self) -> None:
        if self._path is not None:
            self._play(self._path)


def template() -> bytes:
    """A small lesson that explains itself."""
    return (resources_folder() / "templates" / "lesson.toml").read_bytes()


def _checked(path: Path, _: Progress) -> str:
    """One line that says how it is, and one for each fault."""
    faults = check(path)
    if not faults:
        return f"{path.name}: everything that it claims is so."
    lines = [f"line {fault.line}: {fault.reason}".replace("\n", " ") for fault in faults[:MOST_FAULTS]]
    return "\n".join([f"{path.name}: {counted(len(faults), 'fault')}", *lines])
