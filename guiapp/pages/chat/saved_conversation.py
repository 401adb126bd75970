"""Messages and settings are kept while people type: the program may end without a word, and starts again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject

from guiapp.analysis.chat.messages import conversation_of, request_of, settings_of
from guiapp.errors import ChatError
from guiapp.kit.document.autosaved_texts import AutosavedTexts
from guiapp.kit.state.background import later
from guiapp.pages.chat.edited_conversation import Draft
from guiapp.pages.chat.model import ChatModel

FOLDER = "chats"  # beside the settings
AFTER_MS = 300  # of typing


class SavedConversation(QObject):
    """Takes the one up that a window before this one was left with; `saved` writes it as it writes texts."""

    def __init__(self, model: ChatModel, folder: Path) -> None:
        super().__init__()
        self._model = model
        self.saved = AutosavedTexts(folder / FOLDER, self)
        self._delay = later(self, AFTER_MS, self._keep)
        if (found := self.saved.take()) is not None:
            try:
                settings = settings_of(found.data)
                model.edited.restore(Draft(conversation_of(found.data, is_limited=False), settings))
            except ChatError:  # a file that somebody else wrote there
                self.saved.forget()
        model.edited.changed.connect(self._delay.start)
        model.settings_changed.connect(self._delay.start)

    def stop(self) -> None:
        """Leave it to the next window."""
        if self._delay.isActive():
            self._keep()
        self.saved.leave()
        self.saved.finish()

    def _keep(self) -> None:
        self._delay.stop()
        if self._model.edited.messages:
            request = request_of(self._model.edited.conversation, self._model.settings)
            self.saved.keep(request.encode(), None)
        else:
            self.saved.forget()
