"""Messages and questions of the window: permanent notices, short announcements, and dialogs."""

from __future__ import annotations

from enum import Enum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAction, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QMessageBox, QWidget
from shiboken6 import Shiboken

from guiapp.analysis.sessions.name import ENDING
from guiapp.core.versions import versions, versions_text
from guiapp.kit.document.document import BYTE_ORDER_MARKS
from guiapp.kit.state.background import LatestJob, later
from guiapp.kit.state.saving import binary_type
from guiapp.kit.widgets.controls import tool_button
from guiapp.kit.widgets.file_dialogs import ALL_FILES, MODEL_FILTER, ask_for_folder, ask_to_open, ask_to_save
from guiapp.kit.widgets.layouts import in_column, in_row
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import GAP_PX, MARGIN_PX, UNIT_PX, ThemeSource, plain_label, set_role

if TYPE_CHECKING:
    from guiapp.kit.session.text_session import TextSession

BYTES_FORMAT = "application/x-tokenloupe-bytes"
SWITCHED_OFF = "“Add special tokens” is now off, on all pages. The switch is in the line at the bottom."
ANNOUNCED_MS = 2500
ABOVE_EDGE_PX = 44  # clears the status line
SESSIONS = {ENDING: f"Sessions (*{ENDING})"}


class Notice(QFrame):
    """A message that can be copied with details and version numbers, and an optional action.

    A hint is about something that works but may be unintended: there are no details to copy.
    """

    def __init__(
        self,
        message: str,
        details: str,
        theme_source: ThemeSource,
        parent: QWidget,
        remedy: QAction | None = None,
        is_hint: bool = False,
    ) -> None:
        super().__init__(parent)
        self.message = message
        self._details = [message, details] if details else [message]
        self._theme_source = theme_source
        self._versions = LatestJob[str](self, self._copy)
        self._is_hint = is_hint
        set_role(self, "hint" if is_hint else "notice")
        self.setAccessibleName(f"{'Hint' if is_hint else 'Notice'}: {message}")
        self._icon = QLabel()
        label = QLabel(message, wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.remedy_button = tool_button(role="raised")
        if remedy is not None:
            self.remedy_button.setText(remedy.text())
            self.remedy_button.clicked.connect(remedy.trigger)
        self.copy_button = tool_button("Copy details", self.copy_details)
        self.close_button = tool_button(tip="Dismiss", name="Dismiss notice")
        buttons = self.remedy_button, self.copy_button, self.close_button
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        in_row(self._icon, (label, 1), *buttons, on=self, margins=(MARGIN_PX, GAP_PX, GAP_PX, GAP_PX))
        self.remedy_button.setVisible(remedy is not None)
        self.copy_button.setHidden(is_hint)
        theme_source.changed.connect(self._color)
        self._color()

    def copy_details(self) -> None:
        self._versions.start(lambda _: versions_text(versions()))

    def _copy(self, versions: str) -> None:
        copy_text(self, "\n\n".join([*self._details, versions]), "details")

    def _color(self) -> None:
        theme = self._theme_source.theme
        sign = icon("warning", theme.warning) if self._is_hint else icon("error", theme.bad)
        self._icon.setPixmap(sign.pixmap(16, 16))
        self.close_button.setIcon(icon("close", theme.dim))


class NoticeArea(QWidget):
    """The open notices, at most one for each subject, without duplicates.

    Signals:
        dismissed(str): the user has closed the notice about this subject.
    """

    dismissed = Signal(str)

    def __init__(self, theme_source: ThemeSource) -> None:
        super().__init__()
        self._theme_source = theme_source
        self._notices: dict[str, Notice] = {}
        self._layout = in_column(on=self, spacing=UNIT_PX)

    @property
    def notices(self) -> list[Notice]:
        return list(dict.fromkeys(self._notices.values()))

    def show_notice(
        self,
        subject: str,
        message: str,
        details: str = "",
        remedy: QAction | None = None,
        is_hint: bool = False,
    ) -> None:
        """Show that something failed or may be unintended, replacing the notice about the subject.

        Subjects with the same message share a notice.
        """
        same = next((notice for notice in self.notices if notice.message == message), None)
        if same is None or self._notices.get(subject) is not same:
            self.clear_notice(subject)
        if same is not None:
            self._notices[subject] = same
            return
        notice = Notice(message, details, self._theme_source, self, remedy, is_hint)
        notice.close_button.clicked.connect(partial(self._dismiss, notice))
        notice.destroyed.connect(self.updateGeometry)
        self._notices[subject] = notice
        self._layout.addWidget(notice)
        notice.show()
        QAccessible.updateAccessibility(QAccessibleEvent(notice, QAccessible.Event.Alert))

    def watch_files(self, text: TextSession, subject: str = "binary") -> None:
        """Show the type of a binary file when one is opened as this text, until another file is opened."""
        text.reading.done.connect(partial(self._describe_file, subject))
        text.left.connect(partial(self.clear_notice, subject))

    def _describe_file(self, subject: str, read: tuple[Path, bytes]) -> None:
        if what := binary_type(read[1]):
            self.show_notice(subject, f"{read[0].name} is {what}, shown byte by byte.", is_hint=True)

    def clear_notice(self, subject: str) -> None:
        """Remove a notice: its subject works again, or the user has read it."""
        notice = self._notices.pop(subject, None)
        if notice is not None and notice not in self._notices.values():
            notice.hide()
            notice.deleteLater()

    def _dismiss(self, notice: Notice) -> None:
        for subject in [each for each, shown in self._notices.items() if shown is notice]:
            self.clear_notice(subject)
            self.dismissed.emit(subject)


class _Announcement(QFrame):
    """A short message above the lower edge of a window, for a moment; not part of any layout."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        set_role(self, "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._window, self._label = window, plain_label()
        in_row(self._label, on=self, margins=(MARGIN_PX, GAP_PX))
        self._over = later(self, ANNOUNCED_MS, self.hide)

    def show_message(self, message: str) -> None:
        window, middle = self._window, Qt.TextElideMode.ElideMiddle
        room = window.width() - 6 * MARGIN_PX
        self._label.setText(self._label.fontMetrics().elidedText(message, middle, room))
        self.setAccessibleName(message)
        self.adjustSize()
        self.move((window.width() - self.width()) // 2, window.height() - ABOVE_EDGE_PX - self.height())
        self.show()
        self.raise_()
        self._over.start()
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))


def announce(widget: QWidget, message: str) -> None:
    """Announce in a widget's window that something is done."""
    window = widget.window()
    while window.windowType() is Qt.WindowType.Popup and (parent := window.parentWidget()) is not None:
        window = parent.window()
    announcement = window.findChild(_Announcement, options=Qt.FindChildOption.FindDirectChildrenOnly)
    (announcement or _Announcement(window)).show_message(message)


def copy_text(widget: QWidget, text: str | bytes, what: str) -> None:
    """Copy a text to the clipboard and announce it: `what` follows “Copied”.

    Invalid UTF-8 is also offered as bytes to this program, since Qt would lose it.
    """
    data, clipboard = text, QGuiApplication.clipboard()
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    try:
        shown, is_text = data.decode(), True
    except UnicodeDecodeError:
        shown, is_text = data.decode("utf-8", "replace"), False
    if is_text and not shown.startswith(BYTE_ORDER_MARKS):
        clipboard.setText(shown)
    else:
        mime = QMimeData()
        mime.setText(shown)
        mime.setData(BYTES_FORMAT, data)
        clipboard.setMimeData(mime)
    announce(widget, f"Copied {what}")


def leave_plain_text() -> None:
    """Replace clipboard data made in Python before exit: Qt would free it after Python, and crash."""
    mime = on_clipboard()
    if mime is not None and Shiboken.createdByPython(mime):
        QGuiApplication.clipboard().setText(mime.text())


def on_clipboard() -> QMimeData | None:
    """The clipboard's data; None if it is empty, contrary to Qt's types."""
    mime: QMimeData | None = QGuiApplication.clipboard().mimeData()
    return mime


def agrees(parent: QWidget, title: str, question: str, yes: str, *, destroys: bool = False) -> bool:
    """Ask a question; return whether the user chose `yes`.  Return means Cancel if `destroys`."""
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
    """Ask before contacting a server that is named in a file, not typed by the user."""
    return agrees(parent, "Download the model?", f"{message}\n\nDownload its tokenizer?", "Download")


class SaveAnswer(Enum):
    SAVE = "save"
    DISCARD = "discard"
    CANCEL = "cancel"


class Questions:
    """Asks questions with the system's dialogs."""

    def __init__(self, window: QWidget) -> None:
        self._window = window

    def model_to_open(self) -> Path | None:
        return ask_to_open(self._window, "Open model file", MODEL_FILTER)

    def chosen_folder(self, title: str) -> Path | None:
        return ask_for_folder(self._window, title)

    def text_to_open(self) -> Path | None:
        return ask_to_open(self._window, "Open text file")

    def steps_to_open(self) -> Path | None:
        return ask_to_open(self._window, "Open saved steps", "JSON (*.json)")

    def where_to_save(self, suggested: Path | None) -> Path | None:
        return ask_to_save(self._window, "Save text", str(suggested or "text.txt"), {"": ALL_FILES})

    def session_to_open(self) -> Path | None:
        return ask_to_open(self._window, "Open session", SESSIONS[ENDING])

    def where_to_save_session(self, suggested: Path) -> Path | None:
        return ask_to_save(self._window, "Save session", str(suggested), SESSIONS)

    def may_fetch(self, message: str) -> bool:
        """Whether a model named in a file may be downloaded."""
        return ask_to_fetch(self._window, message)

    def model_instead(self, message: str) -> Path | None:
        """Ask for a replacement of a missing model file; None if declined."""
        wants = agrees(self._window, "Where is the model?", message, "Choose the file…")
        return self.model_to_open() if wants else None

    def open_anyway(self, message: str) -> bool:
        """Whether to continue although a model file has changed."""
        return agrees(self._window, "Different model file", message, "Open anyway")

    def save_before_closing(self, path: Path | None) -> SaveAnswer:
        """Ask what to do with unsaved changes, or with a long text that has no file."""
        button = QMessageBox.StandardButton
        changed = "The text is not saved." if path is None else f"The text of {path.name} has changed."
        box = QMessageBox(self._window)
        box.setWindowTitle("Save changes?")
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setText(changed)
        box.setStandardButtons(button.Save | button.Discard | button.Cancel)
        box.setDefaultButton(button.Save)
        set_role(box.button(button.Save), "primary")
        pressed = button(box.exec())
        box.deleteLater()
        answers = {button.Save: SaveAnswer.SAVE, button.Discard: SaveAnswer.DISCARD}
        return answers.get(pressed, SaveAnswer.CANCEL)

    def delete_autosaved_texts(self, n_texts: int) -> bool:
        """Whether to delete autosaved texts that are in no other file."""
        which = "1 autosaved text is" if n_texts == 1 else f"{n_texts} autosaved texts are"
        message = f"{which} not saved in any other file. This cannot be undone."
        return agrees(self._window, "Delete autosaved texts?", message, "Delete", destroys=True)


def dropped_files(event: QDropEvent) -> list[Path]:
    """The local files of a drag or drop event; accepts the event if there are any."""
    paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
    if paths:
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
    return paths
