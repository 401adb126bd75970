"""Saving and opening session files: questions to the user, and the state of pages."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, QPoint
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QDialog, QLabel, QPlainTextEdit, QWidget

from guiapp.analysis.sessions.name import ENDING
from guiapp.kit.session.loader import title_of
from guiapp.kit.session.session_opener import Read, SessionOpener
from guiapp.kit.widgets.controls import push_button
from guiapp.kit.widgets.layouts import STRETCH, in_column, in_row
from guiapp.kit.widgets.notices import announce
from guiapp.kit.widgets.theme import MARGIN_PX, set_role
from guiapp.window.main_window import MainWindow

if TYPE_CHECKING:
    from guiapp.analysis.sessions.session_file import SessionFile
    from guiapp.pages.chat.page import ChatPage
    from guiapp.pages.steps.page import StepsPage

SIZE_PX, AWAY_PX = (400, 240), 32
HINT = "Write notes about this text and model. They are saved with the session."
SUBJECT = "session"


class SessionCommands(QObject):
    """Connects session files with the window.

    path  the file that was opened or saved last, or None
    """

    def __init__(self, window: MainWindow, opener: SessionOpener) -> None:
        super().__init__(window)
        self._window = window
        self._opener = opener
        self._settings, self._recent_items = window.setting.settings, window.setting.recent_items
        self.path: Path | None = None
        opener.obstructed.connect(self._ask)
        opener.taken_up.connect(self._show)
        opener.saved.connect(self._on_saved)
        opener.failed.connect(self._show_message)
        session = window.setting.session
        for is_over in (session.text.left, session.loader.model_changed, opener.reading.busy_changed):
            is_over.connect(partial(window.notices.clear_notice, SUBJECT))

    @cached_property
    def notes(self) -> NotesDialog:
        """The dialog for notes, created on first use."""
        return NotesDialog(self.ask_and_save, self._window)

    def open(self, path: Path) -> None:
        self._opener.open(path)

    def ask_and_open(self) -> None:
        if (path := self._window.questions.session_to_open()) is not None:
            self.open(path)

    def ask_and_save(self) -> None:
        """Save the session in a file that the user chooses; the default is the previous session file."""
        session = self._opener.captured(self._window.pages.current_name, self._written_notes)
        if session is None:
            self._show_message("A session needs a model. Open a model, then save again.")
            return
        session = self._with_chat(self._with_steps(session))
        name = re.sub(r"[^\w.-]+", "-", title_of(session.model))
        suggested = self.path or Path(name + ENDING)
        if (path := self._window.questions.where_to_save_session(suggested)) is not None:
            self._opener.save(session, path)

    def _with_steps(self, session: SessionFile) -> SessionFile:
        """Add the state of the Steps page, or the state it would have if it were shown."""
        from guiapp.pages.steps.model import recall

        if (page := self._window.pages.pages.get("steps")) is not None:
            return cast("StepsPage", page).model.captured(session)
        return recall(self._settings.debugger).of_session(session)

    def _with_chat(self, session: SessionFile) -> SessionFile:
        """Add the messages of the Chat page and their settings, if the page was shown."""
        page = cast("ChatPage | None", self._window.pages.pages.get("chat"))
        has_messages = page is not None and page.model.edited.messages
        return replace(session, chat=page.model.request) if page and has_messages else session

    def show_notes(self) -> None:
        self.notes.present()

    @property
    def _written_notes(self) -> str:
        return self.notes.notes if "notes" in self.__dict__ else ""

    def _ask(self, read: Read) -> None:
        """Let the user decide whether and how to continue."""
        from guiapp.analysis.sessions.session_file import Obstacle

        questions, opening = self._window.questions, read.opening
        if opening.obstacle is Obstacle.ON_WEB:
            if questions.may_fetch(opening.explanation):
                self._opener.fetch(read)
        elif opening.obstacle is Obstacle.MISSING:
            if (model := questions.model_instead(opening.explanation)) is not None:
                self._opener.use(read, model)
        elif questions.open_anyway(opening.explanation):
            self._opener.take_up(read)

    def _show(self, read: Read) -> None:
        """Show the page on which the session was saved, and restore its steps."""
        window, session = self._window, read.opening.session
        cast("StepsPage", window.pages.show_page("steps")).resume(session)
        if session.chat:
            cast("ChatPage", window.pages.show_page("chat")).model.take_request(session.chat)
        window.actions_table[session.page].trigger()
        window.inspect_page.editor.reveal(*sorted(session.selection))
        if session.notes or self._written_notes:
            self.notes.take(session.notes)
        if session.notes:
            self.show_notes()
        self._remember(read.path)
        if explanation := read.opening.lacking:
            window.notices.show_notice(SUBJECT, explanation, is_hint=True)

    def _on_saved(self, path: Path) -> None:
        self._remember(path)
        announce(self._window, f"Saved {path}")

    def _remember(self, path: Path) -> None:
        self.path = path
        self._recent_items.recent_texts.add(path)
        self._window.notices.clear_notice(SUBJECT)

    def _show_message(self, message: str) -> None:
        self._window.notices.show_notice(SUBJECT, message)


class NotesDialog(QDialog):
    """A dialog for notes that stays open next to the window."""

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
        """The notes as typed: `toPlainText` would change no-break spaces and U+2028."""
        return self.editor.document().toRawText().replace("\u2029", "\n")

    def take(self, notes: str) -> None:
        """Show other notes; undo restores the old ones."""
        if notes != self.notes:
            cursor = self.editor.textCursor()
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(notes)
            self.editor.moveCursor(QTextCursor.MoveOperation.Start)

    def present(self) -> None:
        """Show and focus the dialog, the first time in the bottom right corner of the window."""
        if not self._was_shown:
            self._was_shown = True
            corner = self._window.frameGeometry().bottomRight()
            self.move(corner - QPoint(self.width() + AWAY_PX, self.height() + 2 * AWAY_PX))
        self.show()
        self.raise_()
        self.activateWindow()
        self.editor.setFocus()
