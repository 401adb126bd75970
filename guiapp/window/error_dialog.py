"""Our own mistakes: shown with all that a report needs, sent nowhere."""

from __future__ import annotations

import traceback
from types import TracebackType

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QWidget

from guiapp.core.system.versions import versions, versions_text
from guiapp.kit.widgets.buttons import push_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.theme import MARGIN_PX, SMALL_FONT_PX, UNIT_PX, Theme

SIZE = QSize(720, 440)
MESSAGE = (
    "Something went wrong inside Tokenloupe. Your text is still there: save it, and go on or start anew. "
    "Nothing was sent anywhere; to report the mistake, copy the details."
)


class ErrorDialog(QDialog):
    """A traceback and versions, to read and to copy."""

    def __init__(self, details: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Unexpected error")
        self.resize(SIZE)
        self.details = QPlainTextEdit(details, readOnly=True, tabChangesFocus=True)
        self.details.setFont(Theme.mono_font(SMALL_FONT_PX))
        self.details.setAccessibleName("Details")
        self.copy_button = push_button("Copy details", self.copy)
        self.close_button = push_button("Close", self.accept)
        self.close_button.setDefault(True)
        buttons = in_row(STRETCH, self.copy_button, self.close_button)
        parts = QLabel(MESSAGE, wordWrap=True), self.details, buttons
        in_column(*parts, on=self, margins=MARGIN_PX, spacing=3 * UNIT_PX)

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.details.toPlainText())


class ErrorReporter:
    """Takes the place of sys.excepthook; further mistakes while the dialog is open are added to it."""

    def __init__(self, window: QWidget) -> None:
        self._window = window
        self._dialog: ErrorDialog | None = None

    def report(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        """Print the traceback, and show it."""
        text = "".join(traceback.format_exception(kind, error, trace))
        traceback.print_exception(kind, error, trace)
        if issubclass(kind, KeyboardInterrupt):
            self._window.close()
        elif self._dialog is not None:
            self._dialog.details.appendPlainText(text)
        else:
            self._dialog = ErrorDialog(f"{text}\n{versions_text(versions())}\n", self._window)
            self._dialog.destroyed.connect(self._forget)
            self._dialog.setWindowModality(Qt.WindowModality.WindowModal)
            self._dialog.show()

    def _forget(self) -> None:
        self._dialog = None
