"""The messages that people edit on the Chat page, with undo."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from guiapp.core.chat.messages import Conversation, Message

ROLES = ("system", "user", "assistant", "tool", "developer")
MOST_STEPS = 1_000
NOTHING = Conversation(())


class EditedConversation(QObject):
    """A conversation, perhaps without messages, and what it was before.

    Signals:
        changed(): `conversation` is new.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._present = NOTHING
        self._done: list[Conversation] = []
        self._undone: list[Conversation] = []
        self._typed_in: int | None = None  # the message that the last step was typed into

    @property
    def conversation(self) -> Conversation:
        return self._present

    @property
    def messages(self) -> tuple[Message, ...]:
        return self._present.messages

    @property
    def can_undo(self) -> bool:
        return bool(self._done)

    @property
    def can_redo(self) -> bool:
        return bool(self._undone)

    def take(self, conversation: Conversation) -> None:
        """Put a whole conversation in the place of the present one."""
        if conversation != self._present:
            self._step(conversation)

    def restore(self, conversation: Conversation) -> None:
        """Begin with a conversation that was kept: there is nothing before it."""
        self._done, self._undone, self._typed_in = [], [], None
        self._show(conversation)

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
        self._step(replace(self._present, messages=(*self.messages, {"role": role, "content": ""})))
        return len(self.messages) - 1

    def remove(self, number: int) -> None:
        kept = (*self.messages[:number], *self.messages[number + 1 :])
        self._step(replace(self._present, messages=kept))

    def move(self, number: int, by: int) -> None:
        """Let a message change places with the one before, -1, or behind it, 1."""
        there = number + by
        if 0 <= there < len(self.messages):
            messages = list(self.messages)
            messages[number], messages[there] = messages[there], messages[number]
            self._step(replace(self._present, messages=tuple(messages)))

    def set_tools(self, tools: tuple[dict[str, Any], ...] | None) -> None:
        if tools != self._present.tools:
            self._step(replace(self._present, tools=tools))

    def _replace(self, number: int, message: Message, joins: bool = False) -> None:
        messages = (*self.messages[:number], message, *self.messages[number + 1 :])
        self._step(replace(self._present, messages=messages), joins)

    def _step(self, conversation: Conversation, joins: bool = False) -> None:
        if not joins:
            self._done = [*self._done[-MOST_STEPS + 1 :], self._present]
        self._undone, self._typed_in = [], None
        self._show(conversation)

    def _show(self, conversation: Conversation) -> None:
        self._present = conversation
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
