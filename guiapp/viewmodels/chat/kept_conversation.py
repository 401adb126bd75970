"""The conversation is kept while people type, in case the program ends without a word, and for next time."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from guiapp.core.chat.messages import conversation_of
from guiapp.core.errors import ChatError
from guiapp.viewmodels.chat.edited_conversation import EditedConversation, as_json
from guiapp.viewmodels.text.kept_texts import KeptTexts

FOLDER = "chats"  # beside the settings
AFTER_MS = 300  # of typing


class KeptConversation(QObject):
    """Takes the one up that a window before this one was left with; `kept` writes it as it writes texts."""

    def __init__(self, edited: EditedConversation, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._edited = edited
        self.kept = KeptTexts(folder / FOLDER, self)
        self._delay = QTimer(self, singleShot=True, interval=AFTER_MS)
        self._delay.timeout.connect(self._keep)
        if (found := self.kept.take()) is not None:
            try:
                edited.restore(conversation_of(found.data))
            except ChatError:  # a file that somebody else wrote there
                self.kept.forget()
        edited.changed.connect(self._delay.start)

    def stop(self) -> None:
        """Leave it to the next window."""
        if self._delay.isActive():
            self._keep()
        self.kept.leave()
        self.kept.finish()

    def _keep(self) -> None:
        self._delay.stop()
        if self._edited.messages:
            self.kept.keep(as_json(self._edited.conversation).encode(), None)
        else:
            self.kept.forget()
