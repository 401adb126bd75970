"""Whether llama.cpp makes the same of the conversation, compared without being asked while nobody types."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton

from guiapp.analysis.chat.llama_cpp import is_installed, llama_prompt
from guiapp.kit.state.background import Background, NotReadyError, Progress
from guiapp.kit.widgets.event_filters import wrapped_tip
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import ThemeSource, color_again, set_role
from guiapp.pages.chat.model import ChatModel

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat

IDS, TEXT, DIFFERS = "same as llama.cpp", "same text as llama.cpp", "differs from llama.cpp"
ABOUT_IDS = "llama.cpp itself, given these messages, makes the same text and the same ids of them."
ABOUT_TEXT = "llama.cpp itself makes the same text of these messages. It does not read this model's file."
IDLE_MS = 2_000
ICON_PX = 14


class LlamaVerdict(NamedTuple):
    """In what llama.cpp's prompt is another, "" for nothing; and whether ids were compared, too."""

    difference: str
    has_ids: bool = True


class LlamaBadge(QToolButton):
    """Nothing, as long as nothing is known about the prompt that is shown.

    verdict  is computed some time after the prompt changed, by a process of llama.cpp's
    """

    def __init__(self, model: ChatModel, theme_source: ThemeSource, idle_ms: int = IDLE_MS) -> None:
        super().__init__()
        self._model, self._theme_source, self._idle_ms = model, theme_source, idle_ms
        self._has_room = True
        self.verdict = Background[LlamaVerdict](self, self._comparing)
        set_role(self, "badge")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        self.verdict.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        model.result_changed.connect(self._compare)
        model.edited.changed.connect(self._compare)
        self._refresh()

    def set_room(self, has_room: bool) -> None:
        """Whether there is room for it."""
        self._has_room = has_room
        self._refresh()

    def _compare(self) -> None:
        self.verdict.forget()
        self.verdict.refresh(self._idle_ms)

    def _comparing(self) -> partial[LlamaVerdict] | None:
        chat = self._model.chat
        if self._model.is_outdated:
            raise NotReadyError
        if chat is None or chat.settings.as_text or not is_installed():
            return None
        return partial(_verdict, chat)

    def _refresh(self) -> None:
        verdict, theme = self.verdict.value or LlamaVerdict(self.verdict.problem), self._theme_source.theme
        is_known = self.verdict.value is not None or bool(verdict.difference)
        self.setVisible(is_known and self._has_room)
        equal, about = (IDS, ABOUT_IDS) if verdict.has_ids else (TEXT, ABOUT_TEXT)
        self.setText(DIFFERS if verdict.difference else equal)
        self.setToolTip(wrapped_tip(verdict.difference or about))
        self.setAccessibleDescription(verdict.difference or about)
        self.setIcon(icon("error", theme.bad) if verdict.difference else icon("check", theme.good))
        self.setProperty("state", "bad" if verdict.difference else "")
        color_again(self)


def _verdict(chat: Chat, progress: Progress) -> LlamaVerdict:
    prompt = llama_prompt(chat, partial(progress, 0.0))
    return LlamaVerdict(prompt.difference(chat), prompt.token_ids is not None)
