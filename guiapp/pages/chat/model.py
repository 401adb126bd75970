"""The conversation of the Chat page in tokens, rendered anew while people type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal

from guiapp.analysis.chat.messages import Conversation, conversation_of
from guiapp.analysis.chat.requests import request_of, settings_of
from guiapp.analysis.chat.settings import ChatSettings, is_text, marked_as_text
from guiapp.errors import ChatError, TokenloupeError
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, Working, later
from guiapp.kit.state.saving import read_text
from guiapp.pages.chat.edited_conversation import EditedConversation
from guiapp.pages.chat.token_tints import tints_of

if TYPE_CHECKING:  # jinja2 and all that: the process that renders has them
    from guiapp.analysis.chat.chat import Chat
    from guiapp.analysis.chat.fixes import Fix
    from guiapp.analysis.chat.hints import Hint
    from guiapp.analysis.chat.templates import ChatTemplate
    from guiapp.analysis.chat.token_origins import TokenOrigin
    from guiapp.core.encode.encoding import Encoding
    from guiapp.core.encode.tokenizer import Tokenizer

TYPING_MS = 60  # until what was typed is rendered


@dataclass(frozen=True)
class ChatInput:
    """What a prompt follows from."""

    tokenizer: Tokenizer
    conversation: Conversation
    settings: ChatSettings


@dataclass(frozen=True, eq=False)
class ChatResult:
    """What became of it.

    template  the one that was chosen, None where there is none
    chat      None where there is no prompt; then `failure` says why
    token_tints     uint8[n], see `tints_of`
    """

    templates: tuple[ChatTemplate, ...] = ()
    template: ChatTemplate | None = None
    chat: Chat | None = None
    hints: tuple[Hint, ...] = ()
    token_tints: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(0, np.uint8))
    failure: str = ""
    failed_line: int = 0


class ChatModel(Working):
    """What the Chat page shows.

    edited   the messages
    reading  those from a file
    result   of the messages as they are, or were a moment ago; None before the first
    shown    the last one with a prompt, as long as the messages and the template allow none

    Signals:
        result_changed(): `result`, `shown` or `failure` is new.
        settings_changed(): `settings` is new.
        selected_changed(): `selected_token` is new.
    """

    result_changed = Signal()
    settings_changed = Signal()
    selected_changed = Signal()

    def __init__(self, session: ModelSession) -> None:
        super().__init__()
        self.session = session
        self.edited = EditedConversation(self)
        self.result: ChatResult | None = None
        self.shown: ChatResult | None = None
        self._selected: int | None = None
        self._given: ChatInput | None = None  # to the newest job
        self._is_due = False
        self.reading = LatestJob[Conversation](self, self.edited.take)
        self._job = LatestJob[ChatResult](self, self._take)
        self._delay = later(self, TYPING_MS, self._start)
        self.edited.changed.connect(self._render_soon)
        self.edited.settings_changed.connect(self._on_settings_changed)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)
        session.options_changed.connect(self._on_settings_changed)
        self._start()

    def open(self, path: Path) -> None:
        """Take the messages of a file; `reading` tells why there are none."""
        self.reading.start(partial(_read, path))

    # What is shown

    @property
    def chat(self) -> Chat | None:
        """The last prompt that there was, None if there never was one of this model."""
        return None if self.shown is None else self.shown.chat

    @property
    def hints(self) -> tuple[Hint, ...]:
        """About the prompt that is shown."""
        return () if self.shown is None else self.shown.hints

    @property
    def failure(self) -> str:
        """Why the messages as they are now have no prompt; the last one is shown meanwhile."""
        return "" if self.result is None else self.result.failure

    @property
    def encoding(self) -> Encoding | None:
        """The tokens of the prompt that is shown."""
        return None if self.chat is None else self.chat.encoding

    @property
    def origins(self) -> Sequence[TokenOrigin]:
        """Of each of them."""
        return [] if self.chat is None else self.chat.origins

    @property
    def is_outdated(self) -> bool:
        """Whether the messages were changed since, or cannot be rendered."""
        return self.is_busy or bool(self.failure)

    @property
    def is_busy(self) -> bool:
        """Whether a prompt is on its way."""
        return self._is_due or self._job.is_busy or self._delay.isActive()

    # Settings

    @property
    def settings(self) -> ChatSettings:
        """With the switch that all pages share."""
        return replace(self.edited.settings, add_special=self.session.options.add_special)

    def choose(self, settings: ChatSettings) -> None:
        """Render with these from now on."""
        self._use(self.edited.conversation, settings)

    def _use(self, conversation: Conversation, settings: ChatSettings) -> None:
        """As one step of undo, but for the switch."""
        self.edited.take(conversation, replace(settings, add_special=True))
        self.session.set_add_special(settings.add_special)

    @property
    def request(self) -> str:
        """Messages and settings as a session file has them: with the text of a template that is in a file."""
        settings, template = self.edited.settings, None if self.result is None else self.result.template
        names = {each.name for each in self.templates}
        if (given := settings.template) is not None and given not in names and not is_text(given):
            settings = replace(settings, template=None if template is None else marked_as_text(template.text))
        return request_of(self.edited.conversation, settings)

    def take_request(self, request: str) -> None:
        """Show what a session file has, as one step of undo; raises ChatError."""
        settings = replace(settings_of(request), add_special=self.settings.add_special)
        self._use(conversation_of(request, is_limited=False), settings)

    def apply_fix(self, fix: Fix) -> None:
        """Do what the button of a hint about the prompt that is shown says, but for what is to be copied."""
        from guiapp.analysis.chat.fixes import apply_fix

        if self.chat is None:
            return
        conversation, settings = apply_fix(self.edited.conversation, self.settings, self.chat.template, fix)
        self._use(conversation, settings)

    # Selection

    @property
    def selected_token(self) -> int | None:
        """One of `encoding`."""
        return self._selected

    def part_that_wrote(self, token: int) -> tuple[int, int] | None:
        """The characters of the template, see `template_parts`; None where it wrote none of it."""
        from guiapp.analysis.chat.template_parts import part_that_wrote
        from guiapp.analysis.chat.token_origins import ADDED

        chat = self.chat
        if chat is None or chat.origins[token].kind == ADDED:
            return None
        first, last = chat.character_of_byte[chat.encoding.spans[token]].tolist()
        return part_that_wrote(chat, first, last)

    def select_token(self, index: int | None) -> None:
        self._set_selected(index)

    def _set_selected(self, index: int | None) -> None:
        if index != self._selected:
            self._selected = index
            self.selected_changed.emit()

    # Rendering

    @property
    def templates(self) -> tuple[ChatTemplate, ...]:
        """Those of the model."""
        return () if self.result is None else self.result.templates

    def _on_vocabulary_changed(self) -> None:
        """The templates of another model are others."""
        self.edited.forget_templates({each.name for each in self.templates})
        self._reset()

    def _on_settings_changed(self) -> None:
        self.settings_changed.emit()
        self._start()

    def _reset(self) -> None:
        """What is shown has nothing to do with what is to come."""
        self.result = self.shown = self._given = None
        self._set_selected(None)
        self.result_changed.emit()
        self._start()

    def _render_soon(self) -> None:
        """What is under way is finished first: else one who types without a break would see nothing new."""
        if not self.edited.messages:
            self._reset()
        elif self._job.is_busy:
            self._is_due = True
        elif not self._delay.isActive():
            self._delay.start()

    def _start(self) -> None:
        self._is_due = False
        self._delay.stop()
        if self.session.tokenizer is None:
            return
        given = ChatInput(self.session.tokenizer, self.edited.conversation, self.settings)
        if given != self._given:
            self._given = given
            self._job.start(partial(_rendered, given))

    def _take(self, result: ChatResult) -> None:
        self.result = result
        if result.chat is not None:
            before, self.shown = self.encoding, result
            if before is None or len(before) != len(result.chat.encoding):
                self._set_selected(None)
        self.result_changed.emit()
        if self._is_due:
            self._start()


def _read(path: Path, progress: Progress) -> Conversation:
    return conversation_of(read_text(path, progress))


def _rendered(given: ChatInput, progress: Progress) -> ChatResult:
    """The prompt with all that the page shows of it."""
    from guiapp.analysis.chat.chat import chat_of
    from guiapp.analysis.chat.hints import hints
    from guiapp.analysis.chat.templates import chosen_template, templates_of

    vocabulary, template = given.tokenizer.vocabulary, None
    templates: tuple[ChatTemplate, ...] = ()
    try:
        templates = templates_of(vocabulary)
        has_tools = given.conversation.tools is not None
        template = chosen_template(vocabulary, has_tools, given.settings.template)
        if not given.conversation.messages:
            return ChatResult(templates, template)
        conversation = conversation_of(given.conversation.messages, given.conversation.tools)
        chat = chat_of(given.tokenizer, conversation, given.settings, checkpoint=partial(progress, 0.0))
    except TokenloupeError as error:
        line = error.line if isinstance(error, ChatError) else 0
        return ChatResult(templates, template, failure=str(error), failed_line=line)
    found = tuple(hints(chat))
    len(chat.origins), chat.budget, chat.turns  # here rather than in the window's thread
    return ChatResult(templates, template, chat, found, tints_of(chat))
