"""What a click on a hint changes: messages, or how they become tokens."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from guiapp.analysis.chat.messages import Conversation, Message
from guiapp.analysis.chat.settings import ChatSettings
from guiapp.analysis.chat.templates import ChatTemplate

Place = tuple[str | int, ...]  # the keys and rows that lead to a value in a message


class Edit(NamedTuple):
    """The characters start to end of a field of a message, to be replaced by a text."""

    message: int
    field: str
    start: int
    end: int
    text: str


class TemplateEdit(NamedTuple):
    """The characters start to end of the template, to be replaced by a text; its lines all end in `\n`."""

    start: int
    end: int
    text: str


@dataclass(frozen=True)
class Fix:
    """What one click would do: one of these things.

    label        of the button
    add_special  whether the tokenizer is to put tokens around the text
    as_text      whether content is to be encoded as text
    edit         of a message
    template     an edit of the template
    remedy       what mends the model's file, for people to copy: nothing changes here
    """

    label: str
    add_special: bool | None = None
    as_text: bool | None = None
    edit: Edit | None = None
    template: TemplateEdit | None = None
    remedy: str = ""


def apply_fix(
    conversation: Conversation, settings: ChatSettings, template: ChatTemplate, fix: Fix
) -> tuple[Conversation, ChatSettings]:
    """Both as they are once a fix was applied; nothing changes where the field of an edit has gone.

    template  the one that the prompt was made by
    """
    if fix.add_special is not None:
        settings = replace(settings, add_special=fix.add_special)
    if fix.as_text is not None:
        settings = replace(settings, as_text=fix.as_text)
    if fix.template is not None:
        whole, (start, end, instead) = template.source_text, fix.template
        settings = replace(settings, template=whole[:start] + instead + whole[end:])
    if fix.edit is not None and (text := text_of(conversation, fix.edit)) is not None:
        messages, (number, field, start, end, instead) = list(conversation.messages), fix.edit
        place = next(_places(messages[number], field))
        messages[number] = _with(messages[number], place, text[:start] + instead + text[end:])
        conversation = replace(conversation, messages=tuple(messages))
    return conversation, settings


def text_of(conversation: Conversation, edit: Edit) -> str | None:
    """The whole text that an edit would change; None where there is none."""
    if edit.message >= len(conversation.messages):
        return None
    value: Any = conversation.messages[edit.message]
    place = next(_places(value, edit.field), None)
    if place is None:
        return None
    for key in place:
        value = value[key]
    return value if isinstance(value, str) and edit.end <= len(value) else None


def _places(value: Any, field: str) -> Iterator[Place]:
    """Where a field may be that Origin names; keys may have dots and brackets of their own."""
    if not field:
        yield ()
    elif isinstance(value, list) and (row := re.match(r"\[(\d+)\]\.?", field)):
        if int(row[1]) < len(value):
            yield from ((int(row[1]), *rest) for rest in _places(value[int(row[1])], field[row.end() :]))
    elif isinstance(value, dict):
        for key, inner in value.items():
            if field == key or field.startswith((f"{key}.", f"{key}[")):
                rest_of_field = field[len(key) :].removeprefix(".")
                yield from ((key, *rest) for rest in _places(inner, rest_of_field))


def _with(value: Any, place: Place, text: str) -> Message | Any:
    """A copy of what is on the way to a place, with another text there."""
    if not place:
        return text
    changed = value.copy()
    changed[place[0]] = _with(value[place[0]], place[1:], text)
    return changed
