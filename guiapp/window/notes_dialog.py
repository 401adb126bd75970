"""Notes about what is open, which a session file is saved with."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QWidget

from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.style_sheet import set_role
from guiapp.kit.widgets.theme import MARGIN_PX

SIZE_PX, AWAY_PX = (400, 240), 32
HINT = "What should be known about this text and model? Notes are saved with the session."


class NotesDialog(QDialog):
    """Stays open beside the work."""

    def __init__(self, save: Callable[[], object], parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Session notes")
        self.resize(*SIZE_PX)
        self._window, self._was_shown = parent, False
        self.editor = QPlainTextEdit()
        self.editor.setAccessibleName("Session notes")
        self.editor.setTabChangesFocus(True)
        hint = set_role(QLabel(HINT, wordWrap=True), "dim")
        self.save_button = push_button("Save session…", save, role="primary")
        close = push_button("Close", self.close)
        in_column(
            hint, (self.editor, 1), in_row(STRETCH, close, self.save_button), on=self, margins=MARGIN_PX
        )

    @property
    def notes(self) -> str:
        """As they were typed: in `toPlainText` all spaces may break, and U+2028 is a new line."""
        return self.editor.document().toRawText().replace("\u2029", "\n")

    def take(self, notes: str) -> None:
        """Show other notes; undo brings the old ones back."""
        if notes != self.notes:
            cursor = self.editor.textCursor()
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(notes)
            self.editor.moveCursor(QTextCursor.MoveOperation.Start)

    def present(self) -> None:
        """Be seen, at first in the corner of the window that says least, and take what is typed."""
        if not self._was_shown:
            self._was_shown = True
            corner = self._window.frameGeometry().bottomRight()
            self.move(corner - QPoint(self.width() + AWAY_PX, self.height() + 2 * AWAY_PX))
        self.show()
        self.raise_()
        self.activateWindow()
        self.editor.setFocus()
