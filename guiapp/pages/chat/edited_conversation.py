"""The messages that people edit on the Chat page, and how they are rendered, with undo."""

from __future__ import annotations

import json
from collections.abc import Set
from dataclasses import replace
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, Signal

from guiapp.analysis.chat.messages import ChatSettings, Conversation, Message

ROLES = ("system", "user", "assistant", "tool", "developer")
MOST_STEPS = 1_000


class Draft(NamedTuple):
    """A conversation, perhaps without messages, and its settings; `add_special` is the window's instead."""

    conversation: Conversation = Conversation(())
    settings: ChatSettings = ChatSettings()


class EditedConversation(QObject):
    """A draft, and what it was before.

    Signals:
        changed(): `conversation` is new.
        settings_changed(): `settings` is new.
    """

    changed = Signal()
    settings_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._present = Draft()
        self._done: list[Draft] = []
        self._undone: list[Draft] = []
        self._typed_in: int | None = None  # the message that the last step was typed into

    @property
    def conversation(self) -> Conversation:
        return self._present.conversation

    @property
    def settings(self) -> ChatSettings:
        return self._present.settings

    @property
    def messages(self) -> tuple[Message, ...]:
        return self.conversation.messages

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def take(self, conversation: Conversation, settings: ChatSettings | None = None) -> None:
        """Put a whole conversation in the place of the present one, if wished with other settings."""
        draft = Draft(conversation, self.settings if settings is None else settings)
        if draft != self._present:
            self._step(draft)

    def restore(self, draft: Draft) -> None:
        """Begin with what was kept: there is nothing before it."""
        self._done, self._undone, self._typed_in = [], [], None
        self._show(draft)

    def forget_templates(self, names: Set[str]) -> None:
        """They are another model's: what is rendered, and was before, is by the usual one of the present."""

        def without(draft: Draft) -> Draft:
            is_gone = draft.settings.template in names
            return draft._replace(settings=replace(draft.settings, template=None)) if is_gone else draft

        self._done, self._undone = list(map(without, self._done)), list(map(without, self._undone))
        self._show(without(self._present))

    def undo(self) -> None:
        if self._done:
            self._undone.append(self._present)
            self._typed_in = None
            self._show(self._done.pop())

    def redo(self) -> None:
        if self._undone:
            self._done.append(self._present)
            self._typed_in = None
            self._show(self._undone.pop())

    # One message

    def type(self, number: int, content: str) -> None:
        """Follow what is typed into a message; what is typed without a break, word by word, is one step."""
        message = self.messages[number]
        before = message.get("content", "")
        if content == before:
            return
        joins = self._typed_in == number and isinstance(before, str) and _goes_on(before, content)
        self._replace(number, {**message, "content": content}, joins)
        self._typed_in = number

    def set_role(self, number: int, role: str) -> None:
        if role != self.messages[number]["role"]:
            self._replace(number, {**self.messages[number], "role": role})

    def set_message(self, number: int, message: Message) -> None:
        if message != self.messages[number]:
            self._replace(number, message)

    def add(self) -> int:
        """Put an empty message behind the last, of whose turn it is; return its number."""
        roles = [message["role"] for message in self.messages]
        role = "assistant" if roles and roles[-1] == "user" else "user"
        self._edit(replace(self.conversation, messages=(*self.messages, {"role": role, "content": ""})))
        return len(self.messages) - 1

    def remove(self, number: int) -> None:
        kept = (*self.messages[:number], *self.messages[number + 1 :])
        self._edit(replace(self.conversation, messages=kept))

    def move(self, number: int, by: int) -> None:
        """Let a message change places with the one before, -1, or behind it, 1."""
        there = number + by
        if 0 <= there < len(self.messages):
            messages = list(self.messages)
            messages[number], messages[there] = messages[there], messages[number]
            self._edit(replace(self.conversation, messages=tuple(messages)))

    def set_tools(self, tools: tuple[dict[str, Any], ...] | None) -> None:
        if tools != self.conversation.tools:
            self._edit(replace(self.conversation, tools=tools))

    def _replace(self, number: int, message: Message, joins: bool = False) -> None:
        messages = (*self.messages[:number], message, *self.messages[number + 1 :])
        self._edit(replace(self.conversation, messages=messages), joins)

    def _edit(self, conversation: Conversation, joins: bool = False) -> None:
        self._step(self._present._replace(conversation=conversation), joins)

    def _step(self, draft: Draft, joins: bool = False) -> None:
        if not joins:
            self._done = [*self._done[-MOST_STEPS + 1 :], self._present]
        self._undone, self._typed_in = [], None
        self._show(draft)

    def _show(self, draft: Draft) -> None:
        before, self._present = self._present, draft
        if draft.settings != before.settings:
            self.settings_changed.emit()
        if draft.conversation != before.conversation:
            self.changed.emit()


def _goes_on(before: str, after: str) -> bool:
    """Whether an edit belongs to the word that was typed, or taken away, just before."""
    is_one = abs(len(after) - len(before)) == 1
    return is_one and not (before[-1:].isspace() and not after[-1:].isspace())


def as_json(conversation: Conversation) -> str:
    """As people paste it: a list of messages, or a request where there are tools."""
    messages = list(conversation.messages)
    said = messages if conversation.tools is None else {"messages": messages, "tools": conversation.tools}
    return json.dumps(said, ensure_ascii=False, indent=2)
