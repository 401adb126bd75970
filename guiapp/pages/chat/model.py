"""The conversation of the Chat page in tokens, rendered again while the user types."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.chat.messages import (
    ChatSettings,
    Conversation,
    Message,
    conversation_of,
    is_text,
    marked_as_text,
    request_of,
    settings_of,
)
from guiapp.errors import ChatError, TokenloupeError
from guiapp.kit.document.autosaved_texts import AutosavedTexts
from guiapp.kit.prompt.shown import ChatResult, ShownPrompt, tints_of
from guiapp.kit.session.model_session import ModelSession
from guiapp.kit.state.background import LatestJob, Progress, later
from guiapp.kit.state.saving import read_text

if TYPE_CHECKING:
    from guiapp.analysis.chat.fixes import Fix
    from guiapp.analysis.chat.templates import ChatTemplate
    from guiapp.core.encode.tokenizer import Tokenizer

FOLDER = "chats"  # in the folder of the settings
AFTER_MS = 300  # after an edit, before saving
ROLES = ("system", "user", "assistant", "tool", "developer")
MOST_STEPS = 1_000
TYPING_MS = 60  # after an edit, before rendering
LATE_MS = 400  # until an outdated prompt is shown as such


class ChatModel(ShownPrompt):
    """Model of the Chat page.

    edited   the messages
    reading  the job that reads messages from a file
    result   of the present messages, or of those a moment ago; None before the first
    shown    the latest result with a prompt; stays while the messages or the template fail to render

    Signals:
        settings_changed(): `settings` is new.
        template_edited(TemplateEdit): a fix made this edit to the template.
    """

    settings_changed = Signal()
    template_edited = Signal(object)

    def __init__(self, session: ModelSession) -> None:
        super().__init__(session)
        self.edited = EditedConversation(self)
        self.result: ChatResult | None = None
        self._given: tuple[Tokenizer, Conversation, ChatSettings] | None = None  # inputs of the newest job
        self._is_due = False
        self.reading = LatestJob[Conversation](self, self.edited.take)
        self._job = LatestJob[ChatResult](self, self._take)
        self._delay = later(self, TYPING_MS, self._start)
        self._waiting = later(self, LATE_MS, self.late_changed)
        self.edited.changed.connect(self._render_soon)
        self.edited.settings_changed.connect(self._on_settings_changed)
        self.edited.add_special_changed.connect(session.set_add_special)
        session.vocabulary_changed.connect(self._on_vocabulary_changed)
        session.options_changed.connect(self._on_settings_changed)
        self._start()

    def open(self, path: Path) -> None:
        self.reading.start(lambda progress: conversation_of(read_text(path, progress)))

    # The result

    @property
    def failure(self) -> str:
        """Why the present messages have no prompt; the last prompt is shown meanwhile."""
        return "" if self.result is None else self.result.failure

    @property
    def is_outdated(self) -> bool:
        """Whether the messages have changed since, or cannot be rendered."""
        return self.is_busy or bool(self.failure)

    @property
    def is_late(self) -> bool:
        """The same, but only after a delay: otherwise the page would flicker while the user types."""
        return bool(self.failure) or (self.is_busy and not self._waiting.isActive())

    @property
    def is_busy(self) -> bool:
        return self._is_due or self._job.is_busy or self._delay.isActive()

    # Settings

    @property
    def settings(self) -> ChatSettings:
        return replace(self.edited.settings, add_special=self.session.options.add_special)

    def choose(self, settings: ChatSettings) -> None:
        """Render with these settings; a template file is read again."""
        self._given = None
        self._use(self.edited.conversation, settings)
        self._start()

    def _use(self, conversation: Conversation, settings: ChatSettings) -> None:
        """Set the conversation and settings as one step of undo, which does not restore `add_special`."""
        self.edited.take(conversation, replace(settings, add_special=True))
        self.session.set_add_special(settings.add_special)

    @property
    def request(self) -> str:
        """Messages and settings in the form of a session file; a template file is replaced by its text."""
        settings, template = self.edited.settings, None if self.result is None else self.result.template
        names = {each.name for each in self.templates}
        if (given := settings.template) is not None and given not in names and not is_text(given):
            settings = replace(settings, template=None if template is None else marked_as_text(template.text))
        return request_of(self.edited.conversation, settings)

    def take_request(self, request: str) -> None:
        """Take messages and settings from a session file, as one step of undo; raises ChatError."""
        settings = replace(settings_of(request), add_special=self.settings.add_special)
        self._use(conversation_of(request, is_limited=False), settings)

    def apply_fix(self, fix: Fix) -> None:
        """Apply the fix of a hint about the shown prompt; fixes to copy are left to the caller."""
        from guiapp.analysis.chat.fixes import apply_fix

        if self.chat is None:
            return
        if fix.add_special is not None and fix.add_special != self.settings.add_special:
            self.edited.switch_add_special(fix.add_special)
        else:
            self._use(self.edited.conversation, apply_fix(self.settings, self.chat.template, fix))
        if fix.template is not None:
            self.template_edited.emit(fix.template)

    # Selection

    def part_that_wrote(self, token: int) -> tuple[int, int] | None:
        """The characters of the template that wrote a token, see `fixes.part_that_wrote`; None for none."""
        from guiapp.analysis.chat.chat import ADDED
        from guiapp.analysis.chat.fixes import part_that_wrote

        chat = self.chat
        if chat is None or chat.origins[token].kind == ADDED:
            return None
        first, last = chat.character_of_byte[chat.encoding.spans[token]].tolist()
        return part_that_wrote(chat, first, last)

    # Rendering

    @property
    def templates(self) -> tuple[ChatTemplate, ...]:
        return () if self.result is None else self.result.templates

    def _on_vocabulary_changed(self) -> None:
        self.edited.forget_templates({each.name for each in self.templates})
        self._reset()

    def _on_settings_changed(self) -> None:
        self.settings_changed.emit()
        self._start()

    def _reset(self) -> None:
        """Forget the shown prompt, as the next one has nothing to do with it, and render."""
        self.result = self.shown = self._given = None
        self.select_token(None)
        self.result_changed.emit()
        self._start()

    def _render_soon(self) -> None:
        """Render after the running job: cancelling it would show nothing new while the user types on."""
        self._waiting.start()
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
        given = self.session.tokenizer, self.edited.conversation, self.settings
        if given != self._given:
            self._given = given
            self._waiting.start()
            self._job.start(partial(_rendered, *given))

    def _take(self, result: ChatResult) -> None:
        self.result = result
        if result.chat is not None:
            before, self.shown = self.encoding, result
            if before is None or len(before) != len(result.chat.encoding):
                self.select_token(None)
        if self._is_due:  # before the signal: it may start no job if the messages are the same
            self._start()
        self.result_changed.emit()


def _rendered(
    tokenizer: Tokenizer, conversation: Conversation, settings: ChatSettings, progress: Progress
) -> ChatResult:
    """Render the prompt and compute all that the page shows of it."""
    from guiapp.analysis.chat.chat import chat_of
    from guiapp.analysis.chat.hints import hints
    from guiapp.analysis.chat.templates import chosen_template, templates_of

    vocabulary, template = tokenizer.vocabulary, None
    templates: tuple[ChatTemplate, ...] = ()
    try:
        templates = templates_of(vocabulary)
        template = chosen_template(vocabulary, conversation.tools is not None, settings.template)
        if not conversation.messages:
            return ChatResult(templates, template)
        checked = conversation_of(conversation.messages, conversation.tools)
        chat = chat_of(tokenizer, checked, settings, checkpoint=partial(progress, 0.0))
    except TokenloupeError as error:
        line = error.line if isinstance(error, ChatError) else 0
        return ChatResult(templates, template, failure=str(error), failed_line=line)
    len(chat.origins), chat.budget, chat.turns  # computed here rather than in the GUI thread
    return ChatResult(templates, template, chat, tuple(hints(chat)), tints_of(chat))


class Draft(NamedTuple):
    """A conversation, perhaps without messages, and its settings; `add_special` is the window's.

    switched  the value that this step gave to `add_special`; None if it left it unchanged
    """

    conversation: Conversation = Conversation(())
    settings: ChatSettings = ChatSettings()
    switched: bool | None = None


class EditedConversation(QObject):
    """A draft with its undo history.

    Signals:
        changed(): `conversation` is new.
        settings_changed(): `settings` is new.
        add_special_changed(bool): a step, or its undo, turns the window's `add_special` on or off.
    """

    changed = Signal()
    settings_changed = Signal()
    add_special_changed = Signal(bool)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._drafts = [Draft()]
        self._at = 0  # the index of the present draft; undo goes back
        self._typed_in: int | None = None  # the message that the last step edited by typing

    @property
    def conversation(self) -> Conversation:
        return self._drafts[self._at].conversation

    @property
    def settings(self) -> ChatSettings:
        return self._drafts[self._at].settings

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.conversation.messages

    @property
    def can_undo(self) -> bool:
        return self._at > 0

    @property
    def can_redo(self) -> bool:
        return self._at + 1 < len(self._drafts)

    def take(self, conversation: Conversation, settings: ChatSettings | None = None) -> None:
        """Replace the whole conversation, and the settings if given."""
        self._step(Draft(conversation, self.settings if settings is None else settings))

    def restore(self, draft: Draft) -> None:
        """Begin with a saved draft, without an undo history."""
        self._show([draft], 0)

    def forget_templates(self, names: Set[str]) -> None:
        """Replace templates of another model by the present model's default, also in the undo history."""

        def without(draft: Draft) -> Draft:
            is_gone = draft.settings.template in names
            return draft._replace(settings=replace(draft.settings, template=None)) if is_gone else draft

        self._show(list(map(without, self._drafts)), self._at)

    def switch_add_special(self, is_on: bool) -> None:
        """Turn the window's `add_special` on or off, as a step of undo."""
        self._step(self._drafts[self._at]._replace(switched=is_on))
        self.add_special_changed.emit(is_on)

    def undo(self) -> None:
        if self.can_undo:
            switched = self._drafts[self._at].switched
            self._show(self._drafts, self._at - 1)
            if switched is not None:
                self.add_special_changed.emit(not switched)

    def redo(self) -> None:
        if self.can_redo:
            self._show(self._drafts, self._at + 1)
            if (switched := self._drafts[self._at].switched) is not None:
                self.add_special_changed.emit(switched)

    # One message

    def type(self, number: int, content: str) -> None:
        """Follow typing in a message; the letters of a word, typed without another edit, are one step."""
        message = self.messages[number]
        before = message.get("content", "")
        if content == before:
            return
        joins = self._typed_in == number and isinstance(before, str) and _goes_on(before, content)
        self.set_message(number, {**message, "content": content}, joins)
        self._typed_in = number

    def set_role(self, number: int, role: str) -> None:
        self.set_message(number, {**self.messages[number], "role": role})

    def set_message(self, number: int, message: Message, joins: bool = False) -> None:
        """Replace a message; with `joins`, as one step of undo with the last one."""
        self._set_messages((*self.messages[:number], message, *self.messages[number + 1 :]), joins)

    def add(self) -> int:
        """Append an empty message of the role whose turn it is; return its number."""
        roles = [message["role"] for message in self.messages]
        role = "assistant" if roles and roles[-1] == "user" else "user"
        self._set_messages((*self.messages, {"role": role, "content": ""}))
        return len(self.messages) - 1

    def remove(self, number: int) -> None:
        self._set_messages((*self.messages[:number], *self.messages[number + 1 :]))

    def move(self, number: int, by: int) -> None:
        """Swap a message with the previous one, -1, or the next one, 1."""
        there = number + by
        if 0 <= there < len(self.messages):
            messages = list(self.messages)
            messages[number], messages[there] = messages[there], messages[number]
            self._set_messages(tuple(messages))

    def set_tools(self, tools: tuple[dict[str, Any], ...] | None) -> None:
        self.take(replace(self.conversation, tools=tools))

    def _set_messages(self, messages: tuple[Message, ...], joins: bool = False) -> None:
        self._step(Draft(replace(self.conversation, messages=messages), self.settings), joins)

    def _step(self, draft: Draft, joins: bool = False) -> None:
        if draft != self._drafts[self._at]:
            before = self._drafts[: self._at + (not joins)][-MOST_STEPS:]
            self._show([*before, draft], len(before))

    def _show(self, drafts: list[Draft], at: int) -> None:
        before, draft = self._drafts[self._at], drafts[at]
        self._drafts, self._at, self._typed_in = drafts, at, None
        if draft.settings != before.settings:
            self.settings_changed.emit()
        if draft.conversation != before.conversation:
            self.changed.emit()


def _goes_on(before: str, after: str) -> bool:
    """Whether an edit continues the word that was just typed or deleted."""
    is_one = abs(len(after) - len(before)) == 1
    return is_one and not (before[-1:].isspace() and not after[-1:].isspace())


def as_json(conversation: Conversation) -> str:
    """The conversation as JSON: a list of messages, or a request if there are tools."""
    messages = list(conversation.messages)
    document = messages if conversation.tools is None else {"messages": messages, "tools": conversation.tools}
    return json.dumps(document, ensure_ascii=False, indent=2)


class SavedConversation(QObject):
    """Restores the conversation of an earlier window, and saves the present one with `saved`."""

    def __init__(self, model: ChatModel, folder: Path) -> None:
        super().__init__()
        self._model = model
        self.saved = AutosavedTexts(folder / FOLDER, self)
        self._delay = later(self, AFTER_MS, self._keep)
        if (found := self.saved.take()) is not None:
            try:
                settings = settings_of(found.data)
                model.edited.restore(Draft(conversation_of(found.data, is_limited=False), settings))
            except ChatError:  # a file from elsewhere
                self.saved.forget()
        model.edited.changed.connect(self._delay.start)
        model.settings_changed.connect(self._delay.start)

    def stop(self) -> None:
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
