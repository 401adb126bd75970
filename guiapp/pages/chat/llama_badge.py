"""Whether llama.cpp makes the same of the conversation, compared without being asked while nobody types."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QToolButton

from guiapp.analysis.chat.llama_cpp import is_installed, llama_prompt
from guiapp.errors import ChatError
from guiapp.kit.document.live_spans import TextCheck
from guiapp.kit.state.background import Progress
from guiapp.kit.widgets.event_filters import wrapped_tip
from guiapp.kit.widgets.painting import icon
from guiapp.kit.widgets.theme import ThemeSource, color_again, set_role
from guiapp.pages.chat.model import ChatModel

if TYPE_CHECKING:
    from guiapp.analysis.chat.chat import Chat

IDS, TEXT, DIFFERS = "ids equal to llama.cpp's", "text equal to llama.cpp's", "differs from llama.cpp"
ABOUT_IDS = "llama.cpp itself, given these messages, makes the same text and the same ids of them."
ABOUT_TEXT = "llama.cpp itself makes the same text of these messages. It does not read this model's file."
IDLE_MS = 2_000
ICON_PX = 14


class LlamaVerdict(NamedTuple):
    """What came of it.

    difference  in what llama.cpp's prompt is another, or why there is none; "" for nothing
    has_ids     whether ids were compared, too: llama.cpp may not read the model's file
    """

    difference: str
    has_ids: bool = True


class LlamaBadge(QToolButton):
    """Nothing, as long as nothing is known about the prompt that is shown, or people do not see it.

    A process of llama.cpp's renders it some time after it changed.
    """

    def __init__(self, model: ChatModel, theme_source: ThemeSource, idle_ms: int = IDLE_MS) -> None:
        super().__init__()
        self._model, self._theme_source = model, theme_source
        self._of: Chat | None = None  # what the verdict is about, or will be
        self._is_watched = False
        self._check = TextCheck[LlamaVerdict](self, idle_ms)
        set_role(self, "badge")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(ICON_PX, ICON_PX))
        self._check.changed.connect(self._refresh)
        theme_source.changed.connect(self._refresh)
        if is_installed():
            model.result_changed.connect(self._compare)
            model.edited.changed.connect(self._compare)
        self._refresh()

    def set_watched(self, is_watched: bool) -> None:
        """Whether people see the page; else nothing new is compared."""
        self._is_watched = is_watched
        if is_installed():
            self._compare()

    def stop(self) -> None:
        self._check.wait()

    def _compare(self) -> None:
        chat = None if self._model.is_outdated else self._model.chat
        if self._of is not None and chat is self._of:
            return
        self._of = None
        self._check.forget()
        if self._is_watched and chat is not None and not chat.settings.as_text:
            self._check.check(partial(self._job_for, chat))

    def _job_for(self, chat: Chat) -> partial[LlamaVerdict] | None:
        if self._model.is_outdated:  # what comes of that is compared
            return None
        self._of = chat
        return partial(_verdict, chat)

    def _refresh(self) -> None:
        verdict, theme = self._check.result, self._theme_source.theme
        self.setVisible(verdict is not None)
        if verdict is None:
            return
        equal, about = (IDS, ABOUT_IDS) if verdict.has_ids else (TEXT, ABOUT_TEXT)
        self.setText(DIFFERS if verdict.difference else equal)
        self.setToolTip(wrapped_tip(verdict.difference or about))
        self.setAccessibleDescription(verdict.difference or about)
        self.setIcon(icon("error", theme.bad) if verdict.difference else icon("check", theme.good))
        self.setProperty("state", "bad" if verdict.difference else "")
        color_again(self)


def _verdict(chat: Chat, progress: Progress) -> LlamaVerdict:
    try:
        prompt = llama_prompt(chat, partial(progress, 0.0))
    except ChatError as error:
        return LlamaVerdict(str(error))
    return LlamaVerdict(prompt.difference(chat), prompt.token_ids is not None)
