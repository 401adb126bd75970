"""Says that a text is UTF-16, which no tokenizer reads, and offers to convert it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from guiapp.kit.document.document import Utf16Text
from guiapp.kit.session.text_session import TextSession
from guiapp.kit.widgets.notices import NoticeArea

SUBJECT = "utf-16"


class Utf16Notice(QObject):
    """A notice for each such text until somebody closes it, and the action that converts it."""

    def __init__(self, area: NoticeArea, text: TextSession, convert: QAction) -> None:
        super().__init__(area)
        self._area = area
        self._text = text
        self._convert = convert
        self._utf16 = Utf16Text(text.document, self)
        self._is_dismissed = False
        self._told: tuple[Path | None] | None = None  # of which file, while there is a notice
        convert.triggered.connect(self._utf16.convert)
        area.dismissed.connect(self._note_dismissal)
        text.left.connect(self._expect_another)
        self._utf16.changed.connect(self._refresh)
        text.file_changed.connect(self._refresh)
        self._refresh()

    def stop(self) -> None:
        """For closing."""
        self._utf16.close()

    def _refresh(self) -> None:
        codec, path = self._utf16.codec, self._text.path
        self._convert.setEnabled(codec is not None)
        if codec is None or self._is_dismissed:
            self._area.clear_notice(SUBJECT)
            self._told = None
        elif self._told != (path,):
            name = "This text" if path is None else path.name
            message = (
                f"{name} is UTF-16, and models are fed UTF-8. "
                "The tokens are those of its bytes, not of what it says."
            )
            self._area.show_notice(SUBJECT, message, remedy=self._convert)
            self._told = (path,)

    def _note_dismissal(self, subject: str) -> None:
        """For this text, whatever is typed: with a byte more in front, it may seem to be the other UTF-16."""
        self._is_dismissed |= subject == SUBJECT

    def _expect_another(self) -> None:
        self._is_dismissed = False
